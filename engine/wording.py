"""The kit's sentences: plain English for cards, findings, rulings, reviews and questions.

Every text a person reads about a game is made here. A :class:`Sentence` is a key with named
arguments; :data:`SENTENCES` holds the English of every key, and :func:`english` speaks it with
the names the players gave. Another language needs a table of the same keys and a reader of the
same few marks, so the page can show one without knowing a rule.

Arguments are told apart by the first word of their name: ``seat`` and ``side`` are numbers of
players and sides (None: somebody), ``card`` a code (None: a card nobody read), ``suit`` a trump;
in the plural they are lists. Any other is a number, words somebody wrote, a sentence, or a list
of sentences or numbers.

A refusal or a rule is said in one place only, so its English is its key (:func:`worded`): it
stands in the code where it is said, and no table holds it twice.

Marks of a template: ``{card}`` is the argument of that name; ``{card:The}`` begins a sentence
with it, ``{card:bare}`` leaves the article out; ``{points:point|points}`` counts; ``{suits:or}``
joins a list with that word (a list of sentences is joined with semicolons unless a word is
given); ``{points:+}`` writes the sign. What stands in ``[ ]`` is left out where an argument in
it is None.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from engine.cards import SEAT_NAMES, Card, Seat, Side, card_name
from engine.facts import (
    AceCalled,
    Amended,
    Called,
    CardDrawn,
    CardLifted,
    CardPassed,
    CardPlayed,
    CardTakenBack,
    Claimed,
    Corrected,
    DealConfirmed,
    DealerNamed,
    DealKept,
    DealThrownIn,
    Declared,
    Discarded,
    DrawBegun,
    Dropped,
    Fact,
    FindingRuled,
    GameConfirmed,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    HandShown,
    Inserted,
    Moved,
    PackShuffled,
    ReviewAnswered,
    ReviewRaised,
    ScoreAdjusted,
    Stayed,
    TableCardShown,
    TrickCleared,
    TricksBid,
    Trump,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
    Votes,
    WidowSwapped,
)
from engine.follow import trump_name

Names = Sequence[str]
#: Numbers as they are written out.
NUMBER_WORDS: Final = MappingProxyType({2: "two", 3: "three", 4: "four", 5: "five", 6: "six"})
#: What an argument of a sentence may be; lists are tuples here.
Arg: TypeAlias = "str | int | Sentence | tuple[str | int | Sentence, ...] | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """What is said, whatever the language: a key and its arguments.

    The key is one of :data:`SENTENCES`, or the English itself (:func:`worded`).
    """

    key: str
    args: Mapping[str, Arg]


def say(key: str, **args: Arg) -> Sentence:
    """The sentence of that key. Raise KeyError where :data:`SENTENCES` has no such key."""
    if key not in SENTENCES:
        raise KeyError(f"{key!r} is no sentence: write it into SENTENCES of engine/wording.py")
    return Sentence(key=key, args=args)


def worded(template: str, /, **args: Arg) -> Sentence:
    """A sentence whose English, with its holes and marks, is its key."""
    return Sentence(key=template, args=args)


def say_json(sentence: Sentence) -> dict[str, Any]:
    """The sentence in plain JSON values: ``{"key": ..., "args": {...}}``, sentences in it too."""
    return {
        "key": sentence.key,
        "args": {name: _arg_json(value) for name, value in sentence.args.items()},
    }


def _arg_json(value: Arg) -> Any:
    match value:
        case Sentence():
            return say_json(value)
        case tuple():
            return [_arg_json(item) for item in value]
    return value


def spoken(told: Mapping[str, Any]) -> Sentence:
    """The sentence that :func:`say_json` wrote. Raise KeyError where there is no such one."""
    speak = say if _KEY.fullmatch(told["key"]) else worded
    return speak(told["key"], **{name: _arg_of(value) for name, value in told["args"].items()})


def _arg_of(value: Any) -> Any:
    match value:
        case Mapping():
            return spoken(value)
        case list():
            return tuple(_arg_of(item) for item in value)
    return value


#: The English of every sentence, by key. Other languages translate this table.
SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # Pieces of sentences.
        "words": "{words}",
        "said.now": "{said} (now: {now})",
        "said.alone": "{said}, alone",
        "points.to": "{points:point|points} to {side}",
        "points.off": "{points:point|points} off {side}",
        "points.changed": "{points:+} to {side}",
        # How a deal ended.
        "result.unknown": "",
        "result.made": "made",
        "result.march": "a march",
        "result.made_alone": "made alone",
        "result.march_alone": "a march alone",
        "result.euchre": "a euchre",
        "result.lone_euchre": "a lone hand euchred",
        "result.super_euchre": "a super-euchre",
        "result.lone_defender_euchre": "a lone defender's euchre",
        "result.thrown_in": "thrown in",
        "result.revoke": "a revoke",
        "result.both_revoked": "both sides revoked",
        "result.six_cards": "too many cards in a hand",
        "result.bid_made": "the bid was made",
        "result.set": "the bidder was set",
        # Findings: a revoke, by what proves it.
        "finding.revoke.kept": "{seat} did not follow {suit} in trick {trick}: played {card}, and "
        "held {card_proof}, the up-card it took.[ {doubt}]",
        "finding.revoke.open": "{seat} did not follow {suit} in trick {trick}: played {card}, "
        "while {card_proof} lay open before it.[ {doubt}]",
        "finding.revoke.shown": "{seat} did not follow {suit} in trick {trick}: played {card}, and "
        "showed {card_proof}, which it held.[ {doubt}]",
        "finding.revoke.taken_back": "{seat} did not follow {suit} in trick {trick}: played "
        "{card}, and held {card_proof}, which it had taken back.[ {doubt}]",
        "finding.revoke.in_place": "{seat} did not follow {suit} in trick {trick}: played {card}, "
        "and laid {card_proof} in its place, too late.[ {doubt}]",
        "finding.revoke.played": "{seat} did not follow {suit} in trick {trick}: played {card}, "
        "and {card_proof} came from the same hand in trick {proven_at_trick}.[ {doubt}]",
        "finding.trump_in_doubt": "Is trump really {suit}?[ With {suits:or} every card would be in "
        "order.]",
        "finding.reading_in_doubt": "Was {cards:or} read right? With another card there, all would "
        "be in order.",
        # Findings: claims of a revoke.
        "claim.revoke": "{seat_by} claims that {seat} revoked[ in trick {trick}]",
        "claim.six_cards": "{seat_by} claims that {seat} held too many cards at the first lead",
        "claim.no_discard": "{seat_by} claims that {seat} had not discarded at the first lead",
        "claim.too_few_cards": "{seat_by} claims that {seat} was dealt too few cards",
        "finding.claim": "{claim}.",
        "finding.claim.not_yet": "{claim}: nothing can be judged yet.",
        "finding.claim.proved": "{claim}: the cards prove it.",
        "finding.claim.stopped": "{claim}: play stopped before {seat}'s cards were seen.",
        "finding.claim.open": "{claim}: no card of the led suit has come from {seat} yet.",
        "finding.claim.to_play": "{claim}: {seat} has not played to it yet.",
        "finding.claim.left_bower": "{claim}: {card} is the left bower and counts as {suit}, and "
        "{seat} held no other card of its suit. The claim is the error.",
        "finding.claim.cleared": "{claim}: {seat} followed suit, or held no card of it.",
        "finding.claim.discarded": "{claim}: a discard was recorded before the lead.",
        "finding.claim_unresolved": "Play stopped, and {seat} had laid {card} on {card_led} in "
        "trick {trick}: lay the hand face up.",
        # Findings: cards and places.
        "finding.foreign_card": "{seat} played {card} in trick {trick}, which is not in the pack.",
        "finding.duplicate_card": "{card:The} was seen in trick {trick_first} and in trick "
        "{trick}, from {seat_first} and from {seat}.",
        "finding.duplicate_card.same_trick": "{card:The} was seen twice in trick {trick}, from "
        "{seat_first} and from {seat}.",
        "finding.duplicate_card.taken_up": "{seat} played {card} in trick {trick}: {seat_owner} "
        "took that card up.",
        "finding.duplicate_card.owned": "{seat} played {card} in trick {trick}: it was "
        "{seat_owner}'s.",
        "finding.duplicate_card.open": "{card:The} was seen open before {seat_first} and before "
        "{seat}.",
        "finding.too_many_table_cards.dealt": "{count:card|cards} of {seat} were seen face "
        "up from the deal; there are {most}.",
        "finding.too_many_table_cards.uncovered": "{count:card|cards} of {seat} were seen "
        "uncovered; there are {most}.",
        "finding.turned_down_played": "{seat} played {card} in trick {trick}: it was turned down.",
        "finding.lead_out_of_turn": "{seat} led {card} to trick {trick}; it was "
        "{seat_expected}'s turn.",
        "finding.play_out_of_turn": "{seat} played {card} to trick {trick}; it was "
        "{seat_expected}'s turn.",
        "finding.played_twice": "{seat} played a second card to trick {trick}: {card}.",
        "finding.sitting_out_played": "{seat} sits out and played {card} in trick {trick}.",
        "finding.short_trick": "Trick {trick} of deal {deal} has no card of {seats}.",
        "finding.taken_back_late.open": "{seat} took back {card} of trick {trick}: no card laid "
        "may be taken back.",
        "finding.taken_back_late.complete": "{seat} took back {card} of trick {trick}: the trick "
        "was complete.",
        "finding.taken_back_late.led": "{seat} took back {card} of trick {trick}: the next lead "
        "had been made.",
        "finding.exposed_card": "{card:The} was shown in front of {seat} before the up-card.",
        "finding.exposed_card.shown": "{seat} showed {cards} during the deal.",
        # Findings: the deal and the bidding.
        "finding.wrong_dealer": "{seat} dealt deal {deal}; it was {seat_expected}'s deal.",
        "finding.upcard_conflict.taken": "The up-card, {card}, was seen taken, and {suit} was "
        "declared.",
        "finding.upcard_conflict.turned_down": "The up-card, {card}, was seen turned down, and "
        "{suit} was declared.",
        "finding.joker_turned_up": "A joker was turned up: it is dealt again.",
        "finding.joker_not_named_by_dealer": "A joker was turned up, and {seat} named {suit}.",
        "finding.dealer_must_name": "All passed; {seat}, who dealt, had to name trump.",
        "finding.deal_abandoned": "Deal {deal} stopped in trick {trick} and was not finished.",
        "finding.partner_must_go_alone": "{seat} ordered up the dealer, its partner, not alone.",
        "finding.alone_not_allowed": "{seat} plays alone; {seat_maker} made trump.",
        "finding.alone_not_allowed.passed": "{seat} plays alone after passing.",
        "finding.defender_alone_not_allowed": "{seat}, a defender, plays alone.",
        "finding.defender_alone_not_allowed.not_lone": "{seat}, a defender, plays alone against "
        "makers who do not.",
        "finding.no_trump_out_of_round": "No trump was named in the first round.",
        "finding.no_trump_out_of_round.not_played": "No trump was named, which is not played in "
        "this game.",
        # Findings: hands.
        "finding.six_cards": "{seat} played {played} cards and showed {cards}.",
        "finding.exchange_not_allowed.none": "{seat} passed a card to the lone hand: these rules "
        "know no exchange.",
        "finding.exchange_not_allowed.partner": "{seat} passed a card to the lone hand: only the "
        "partner of the makers' lone hand passes one.",
        "finding.exchange_not_allowed.late": "{seat} passed a card to the lone hand: the first "
        "lead had been made.",
        "finding.no_natural_trump": "{seat} made {suit} and held no natural trump.",
        "finding.no_natural_trump.upcard": "{seat} made {suit} and held no natural trump beside "
        "the up-card.",
        "finding.natural_trump_unresolved.hand": "{seat} made {suit} and no natural trump was "
        "seen: show the hand face up.",
        "finding.natural_trump_unresolved.hand_upcard": "{seat} made {suit} and no natural trump "
        "was seen beside the up-card: show the hand face up.",
        "finding.natural_trump_unresolved.discard": "{seat} made {suit} and no natural trump was "
        "seen: show the discard face up.",
        "finding.natural_trump_unresolved.discard_upcard": "{seat} made {suit} and no natural "
        "trump was seen beside the up-card: show the discard face up.",
        # Proposed rulings: what a revoke costs.
        "ruling.revoke.award": "{points:point|points} to {side} in place of the deal's result.",
        "ruling.revoke.deduct": "{side} lose {points:point|points}; the deal counts as played.",
        "ruling.revoke.lose_trick": "Trick {trick} goes to {side}.",
        "ruling.revoke.player_deduct": "{seat} loses {points:point|points}; the deal counts as "
        "played.",
        "ruling.revoke.adds_instead": "{seat} adds {points:point|points} in place of everybody's "
        "result.",
        "ruling.revoke.adds": "{seat} adds {points:point|points} to the result as played.",
        "ruling.revoke.player_award": "{points:point|points} to {seats} in place of the deal's "
        "result.",
        "ruling.revoke.each_award": "{points:point|points} to {seats} each in place of the deal's "
        "result.",
        "ruling.revoke.player_lose_trick": "Trick {trick} goes to {seat}.",
        "ruling.revoke.side_lose_trick": "Trick {trick} goes to the other side.",
        "ruling.waits": "It waits until {card} falls: then it is known who plays with whom.",
        "ruling.waits.uncalled": "It waits until the called ace falls: then it is known who plays "
        "with whom.",
        "ruling.claim.proved": "See the finding of the revoke.",
        "ruling.claim.none": "No points: the deal counts as played.",
        "ruling.claim.open": "Play on: the cards will tell.",
        "ruling.claim.any_trick": "Lay the hand face up; uphold or dismiss if it is gone.",
        "ruling.claim.show": "Lay the hand face up. If it is gone and the table upholds the claim: "
        "{ruling}",
        # Proposed rulings: too many cards in a hand.
        "ruling.six_cards.declare": "2 points against the makers, who are euchred: declare who "
        "made trump.",
        "ruling.six_cards.declare_maker": "It counts against the maker, who is euchred: declare "
        "who made trump.",
        "ruling.six_cards.declare_bidder": "It counts against the bidder, who is set: declare who "
        "bid.",
        "ruling.six_cards.makers": "{points:point|points} to {side}: the makers are euchred.",
        "ruling.six_cards.offender": "{points:point|points} to {side}: the offending side counts "
        "as euchred.",
        "ruling.six_cards.adds": "{seat} adds {points:point|points}, as one who was set; nobody "
        "else scores.",
        "ruling.six_cards.player": "All {points} points go to {seat}, as if {seat_offender} had "
        "been euchred.",
        "ruling.six_cards.each": "{points:point|points} to each of {seats}, as if the other side "
        "had been euchred.",
        # Proposed rulings, by the kind of finding.
        "ruling.duplicate_card": "Look at both cards and correct the one that was misread; until "
        "then no revoke of this deal is judged.",
        "ruling.foreign_card": "Take the card from the table and correct the play, or throw the "
        "deal in.",
        "ruling.too_many_table_cards": "Look at the cards and take back the one that is no table "
        "card.",
        "ruling.lead_out_of_turn": "The card may be taken back before the next seat plays; once "
        "the trick is complete it stands.",
        "ruling.play_out_of_turn": "The card may be taken back before the next seat plays; once "
        "the trick is complete it stands.",
        "ruling.played_twice": "The second card goes back to the hand; correct the play if the "
        "first was taken back.",
        "ruling.sitting_out_played": "The card goes back: the partner of a lone hand plays no "
        "cards.",
        "ruling.sitting_out_played.dropped": "The card goes back: a seat that dropped plays no "
        "cards. If it did not drop, correct that.",
        "ruling.turned_down_played": "The turned-down card is out of play: look at the card again, "
        "or throw the deal in.",
        "ruling.short_trick": "Undo the answer or the correction that took the card away, and name "
        "the card.",
        "ruling.exposed_card": "The card goes back to the hand; the deal goes on.",
        "ruling.wrong_dealer": "Name the right dealer before the first lead; after it the deal "
        "stands.",
        "ruling.upcard_conflict": "Ask who made trump, and which suit, and declare again.",
        "ruling.partner_must_go_alone": "The dealer's partner orders up only alone: the table "
        "decides.",
        "ruling.alone_not_allowed": "Only the maker may go alone in this game: the table decides.",
        "ruling.no_trump_out_of_round": "No trump may be named in the second round only: the table "
        "decides.",
        "ruling.no_trump_out_of_round.not_played": "Declare a suit, or mend the rules if no trump "
        "was agreed on.",
        "ruling.trump_in_doubt": "Ask which suit is trump and declare it again; if it is "
        "right, say so.",
        "ruling.reading_in_doubt": "Look at the card again, there or in its picture, and correct "
        "it; if it was right, say so, and what was found counts.",
        "ruling.too_few_cards": "The same dealer deals again, if it is noticed before the first "
        "trick is complete; after that the table decides.",
        "ruling.joker_turned_up": "The same dealer deals again.",
        "ruling.joker_not_named_by_dealer": "With a joker turned up the dealer names a suit: "
        "declare again, or the table decides.",
        "ruling.dealer_must_name": "The dealer names a suit; if the cards are in the pack already, "
        "the deal stays thrown in.",
        "ruling.defender_alone_not_allowed": "The table decides; correct the declaration if it was "
        "a slip.",
        "ruling.exchange_not_allowed": "The passed card goes back if the first lead has not been "
        "made; after it the table decides.",
        "ruling.taken_back_late": "The card laid first counts; if it was a revoke, it stays one.",
        "ruling.no_natural_trump": "The call was against the rules: the table decides.",
        "ruling.natural_trump_unresolved": "Show the discard face up (a maker who sat out: the "
        "hand).",
        "ruling.claim_unresolved": "Lay the hand face up under the camera; uphold or dismiss if it "
        "is gone.",
        "ruling.deal_abandoned": "Nobody scores and the deal passes.",
        # Reviews: what the camera could not read.
        "review.upcard.foreign": "The up-card looks like {card}, which is not in the pack. What is "
        "it?",
        "review.upcard": "The up-card may be {card}. What is it?",
        "review.upcard.unread": "What is the up-card?",
        "review.table": "A card that lies open before {seat} looks like {card}. Which card is it?",
        "review.table.unread": "A card that lies open before {seat} could not be read. Which card "
        "is it?",
        "review.draw": "{seat}'s card in the draw may be {card}. Which card is it?",
        "review.draw.unread": "{seat}'s card in the draw could not be read. Which card is it?",
        "review.draw.seat": "Who drew {card}?",
        "review.missed": "{seat}'s card[ in trick {trick}] was not seen. Which card was it?",
        "review.seat": "Who played {card}[ in trick {trick}]?",
        "review.seat.unread": "Who played this card[ in trick {trick}]?",
        "review.duplicate": "{seat}'s card[ in trick {trick}] looks like {card}, already seen in "
        "this deal. What is it?",
        "review.foreign": "{seat}'s card[ in trick {trick}] looks like {card}, which is not in the "
        "pack. What is it?",
        "review.changed": "{seat}'s card[ in trick {trick}] looks like {card} now. Which card is "
        "it?",
        "review.unsure": "{seat}'s card[ in trick {trick}] may be {card}. Which card is it?",
        "review.unread": "{seat}'s card[ in trick {trick}] could not be read. Which card is it?",
        # Questions to the table.
        "ask.declare_late": "Who made trump in deal {deal}, and which suit?",
        "ask.paused": "Paused: nothing on the table counts until it is played on.",
        "ask.upcard": "Which card was turned up?",
        "ask.dealer_of": "Who dealt deal {deal}?",
        "ask.declare": "Who makes trump, and which suit?",
        "ask.joker": "A joker was turned up: {seat} names a suit before looking. Which?",
        "ask.exchange": "{seat} passes one card face down to {seat_alone}, who plays alone, before "
        "the lead.",
        "ask.discard": "{seat} takes the up-card and lays one card away before the first lead.",
        "ask.dealer_first": "Who deals first?",
        "ask.dealer": "Who deals?",
        "ask.draw.black_jack": "Deal cards face up, one to each in turn: whoever gets the first "
        "black jack deals.",
        "ask.draw.highest_card": "Everybody cuts a card, the highest deals: {seats:and} to cut.",
        "ask.turn_up": "{seat} deals: turn up a card.",
        "ask.confirm": "Deal {deal}, {result}: {changes:and}. Mark it?",
        "ask.bid_first": "{seat} deals. Who bids, and how many tricks?",
        "ask.bid_any": "Who bids, and how many tricks?",
        "ask.bid": "{seat} bids or passes.",
        "ask.bid_more": "{seat} bids more than {tricks}, or passes.",
        "ask.bid_of": "How many tricks did {seat} bid?",
        "ask.names": "{seat} names trump, or no trump.",
        "ask.stay": "Does {seats:or} stay or drop?",
        "ask.two_hand": "{seat_dealer} deals; {seat} names trump or passes.",
        "ask.must_name": "{seat} must name trump.",
        "ask.names_or_passes": "{seat} names trump or passes.",
        "ask.ace": "Which ace does {seat} call?",
        "ask.ace_of": "Which ace does {seat} call in deal {deal}?",
        # The history, a line a fact.
        "fact.card_played": "{seat} played {card}",
        "fact.trick_cleared": "The trick was gathered",
        "fact.upcard_shown": "{seat} dealt; {card} was turned up",
        "fact.upcard_shown.unknown": "{card:The} was turned up",
        "fact.upcard_taken": "The dealer took the up-card",
        "fact.upcard_turned_down": "The up-card was turned down",
        "fact.declared": "[Deal {deal}: ]{parts}",
        "fact.declared.made": "{seat} made {suit}",
        "fact.declared.alone": "{seat} plays alone",
        "fact.declared.both_alone": "{seats} play alone",
        "fact.declared.bid": "bid {tricks:trick|tricks}",
        "fact.declared.dropped": "{seats} dropped",
        "fact.declared.ace": "called {card}",
        "fact.tricks_bid": "{seat} bid {tricks:trick|tricks}",
        "fact.widow_swapped": "{seat} took the widow",
        "fact.stayed": "{seat} stayed",
        "fact.dropped": "{seat} dropped",
        "fact.ace_called": "{card:The} was called",
        "fact.table_card_shown": "{card:The} lies open before {seat}",
        "fact.called.pass": "{seat} passed",
        "fact.called.order_up": "{seat} ordered up",
        "fact.called.pick_up": "{seat} picked up",
        "fact.called.name": "{seat} named {suit}",
        "fact.called.name_unknown": "{seat} named trump",
        "fact.discarded": "{seat} discarded",
        "fact.card_lifted": "A card was lifted off the table",
        "fact.card_taken_back": "The card of entry {entry} was taken back",
        "fact.hand_shown": "[Deal {deal}: ]{seat} showed {cards}",
        "fact.card_passed": "{seat} passed a card to the lone hand",
        "fact.card_passed.refused": "{seat} passed a card to the lone hand; it was laid away "
        "unseen",
        "fact.game_started": "The game began",
        "fact.dealer_named": "{seat} deals",
        "fact.draw_begun": "The first dealer is drawn",
        "fact.card_drawn": "{seat} drew {card}",
        "fact.thrown_in.passed_out": "Everybody passed: the deal was thrown in",
        "fact.thrown_in.misdeal": "The deal was a misdeal and was thrown in",
        "fact.thrown_in.redeal": "The deal is dealt again",
        "fact.thrown_in.abandoned": "The deal was abandoned: nobody scores",
        "fact.thrown_in.other": "The deal was thrown in: {reason}",
        "fact.deal_kept": "Counted by hand: {side} made trump and took {tricks:trick|tricks}",
        "fact.deal_kept.alone": "Counted by hand: {side} made trump, alone, and took "
        "{tricks:trick|tricks}",
        "fact.deal_kept.defended": "Counted by hand: {side} made trump against a lone defender "
        "and took {tricks:trick|tricks}",
        "fact.deal_kept.both": "Counted by hand: {side} made trump, alone against a lone "
        "defender, and took {tricks:trick|tricks}",
        "fact.deal_confirmed": "The points of deal {deal} were marked",
        "fact.review_answered": "Question {question} was answered: {card:bare}",
        "fact.review_answered.no_card": "Question {question} was answered: not a card",
        "fact.corrected": "Entry {entry} was corrected: {fact}[ ({reason})]",
        "fact.corrected.struck": "Entry {entry} was taken back[ ({reason})]",
        "fact.inserted": "Put in before entry {entry}: {fact}[ ({reason})]",
        "fact.moved": "Entry {entry} was moved before entry {before}[ ({reason})]",
        "fact.amended": "{parts}[ ({reason})]",
        "fact.amended.struck": "Taken back: {entries:entry|entries}",
        "fact.finding_upheld": "The finding {finding} was upheld[ ({reason})]",
        "fact.finding_dismissed": "The finding {finding} was dismissed[ ({reason})]",
        "fact.score_adjusted": "The score was adjusted: {changes:and} ({reason})",
        "fact.score_adjusted.nothing": "The score was adjusted: nothing ({reason})",
        "fact.pack_shuffled.machine": "{seat} shuffled: {passes:pass|passes} by the machine",
        "fact.pack_shuffled.hand": "{seat} shuffled: {passes:pass|passes} by hand",
        "fact.game_paused": "The game was paused",
        "fact.game_paused.reason": "The game was paused: {reason}",
        "fact.game_resumed": "The table plays on",
        "fact.game_confirmed": "{seat} confirmed the score of the game",
        "fact.game_ended": "The game was ended: {reason}",
    }
)

#: A key of the table; any other is a sentence itself.
_KEY: Final = re.compile(r"[a-z_]+(\.[a-z_]+)+|words")
#: ``{name}`` or ``{name:mark}``, and what may be left out.
_FIELD: Final = re.compile(r"\{(\w+)(?::([^}]*))?\}")
_OPTIONAL: Final = re.compile(r"\[([^\]]*)\]")


def english(sentence: Sentence, names: Names = SEAT_NAMES) -> str:
    """The sentence in English, with the names of the players."""

    def field(found: re.Match[str]) -> str:
        name, mark = found.groups()
        return _spoken(name, sentence.args[name], mark or "", names)

    def optional(found: re.Match[str]) -> str:
        inside = found[1]
        asked = [name for name, _ in _FIELD.findall(inside)]
        return "" if any(sentence.args[name] is None for name in asked) else inside

    template = SENTENCES.get(sentence.key, sentence.key)
    return _FIELD.sub(field, _OPTIONAL.sub(optional, template))


def _spoken(name: str, value: Arg, mark: str, names: Names) -> str:
    """One argument in words, by the first word of its name and the mark of the template."""
    if "|" in mark:
        return _counted(value, *mark.split("|"))
    kind = name.partition("_")[0]
    match value:
        case Sentence():
            return english(value, names)
        case tuple():
            words = [_spoken(kind.removesuffix("s"), item, "", names) for item in value]
            if kind not in ("seats", "cards", "suits") and not mark:
                return "; ".join(words)
            return listed(words, mark or "and")
        case int() if kind == "seat":
            return seat_name(value, names)
        case int() if kind == "side":
            return side_name(value, names)
        case int():
            return f"{value:+d}" if mark == "+" else str(value)
        case None:
            return "a card" if kind == "card" else "Somebody"
    if kind == "suit":
        return trump_name(value)
    if kind != "card":
        return value
    bare = card_name(Card(value))
    return bare if mark == "bare" else f"The {bare}" if mark == "The" else f"the {bare}"


def _counted(value: Arg, one: str, many: str) -> str:
    if isinstance(value, tuple):
        return f"{one if len(value) == 1 else many} {listed([str(item) for item in value])}"
    return f"{value} {one if value == 1 else many}"


def seat_name(seat: Seat | None, names: Names = SEAT_NAMES) -> str:
    if seat is None:
        return "Somebody"
    # A log may hold a fact of a seat that its game has not.
    return names[seat] if seat < len(names) else f"Seat {seat}"


def side_name(side: Side, names: Names = SEAT_NAMES) -> str:
    """The side's players: two partners where four play, else a player alone."""
    if len(names) == 4 and side < 2:
        if names[side] == names[side + 2]:
            # A game kept by hand knows its teams and not who sits where.
            return names[side]
        return f"{names[side]} and {names[side + 2]}"
    return seat_name(side, names)


def wins(side: Side, names: Names = SEAT_NAMES) -> str:
    """``North and South win``, ``North wins``."""
    return f"{side_name(side, names)} {'win' if len(names) == 4 else 'wins'}"


def the(card: Card) -> str:
    """``the king of hearts``."""
    return f"the {card_name(card)}"


def listed(words: Sequence[str], joiner: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joiner} {words[-1]}"


def counted(number: int, noun: str) -> str:
    """``1 point``, ``2 points``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def dashed(numbers: Sequence[int]) -> str:
    """A score as it is written: ``11–1``, ``12–15–9``; ``−3, 5, 0`` where one is below zero."""
    below_zero = any(number < 0 for number in numbers)
    return (", " if below_zero else "–").join(str(number).replace("-", "−") for number in numbers)


def points_said(points: Sequence[int]) -> tuple[Sentence, ...]:
    """Who gains and who loses what, a sentence a side: ``2 points to North and South``.

    Where scores count down, what comes off is said so: ``3 points off Ann``.
    """
    return tuple(
        say("points.to" if number > 0 else "points.off", points=abs(number), side=side)
        for side, number in enumerate(points)
        if number
    )


def points_words(points: Sequence[int], names: Names = SEAT_NAMES) -> str:
    """:func:`points_said` in English; ``no points`` where nobody gains or loses."""
    return listed([english(said, names) for said in points_said(points)]) or "no points"


def result_said(result: str) -> Sentence:
    """The name of a result; a deal may be thrown in for any reason somebody gave."""
    if not result:
        return say("result.unknown")
    key = f"result.{result}"
    return say(key) if key in SENTENCES else say("words", words=result.replace("_", " "))


def result_words(result: str) -> str:
    return english(result_said(result))


def revoke_said(
    *,
    seat: Seat,
    suit: Trump,
    trick: int,
    card: Card,
    proof: Card,
    proven_at_trick: int,
    how: str,
    doubt: Sentence | None,
) -> Sentence:
    """A proved revoke: what was done, and the card that proves it."""
    if how == "played" and proven_at_trick == trick:
        how = "in_place"
    return say(
        f"finding.revoke.{how}",
        seat=seat,
        suit=suit,
        trick=trick,
        card=card,
        card_proof=proof,
        proven_at_trick=proven_at_trick,
        doubt=doubt,
    )


def claim_said(*, seat: Seat, offence: str, by: Seat | None, trick: int | None) -> Sentence:
    """``North claims that East revoked in trick 1``."""
    if offence == "revoke":
        return say("claim.revoke", seat=seat, seat_by=by, trick=trick)
    return say(f"claim.{offence}", seat=seat, seat_by=by)


def trump_doubted(trump: Trump, alternatives: Sequence[Trump]) -> Sentence:
    """The question to ask before anybody is accused."""
    return say("finding.trump_in_doubt", suit=trump, suits=tuple(alternatives) or None)


def review_said(
    *,
    subject: str,
    seat: Seat | None,
    candidates: Votes,
    reason: str,
    trick: int | None,
) -> Sentence:
    """The question a review asks."""
    best = candidates[0][0] if candidates else None
    if subject == "upcard":
        if best is None:
            return say("review.upcard.unread")
        return say("review.upcard.foreign" if reason == "foreign" else "review.upcard", card=best)
    if subject == "table":
        if best is None:
            return say("review.table.unread", seat=seat)
        return say("review.table", seat=seat, card=best)
    if subject == "draw":
        if seat is None:
            return say("review.draw.seat", card=best)
        if best is None:
            return say("review.draw.unread", seat=seat)
        return say("review.draw", seat=seat, card=best)
    match reason:
        case "missed":
            return say("review.missed", seat=seat, trick=trick)
        case "seat":
            if best is None:
                return say("review.seat.unread", trick=trick)
            return say("review.seat", card=best, trick=trick)
    if best is None:
        return say("review.unread", seat=seat, trick=trick)
    known = reason if reason in ("duplicate", "foreign", "changed") else "unsure"
    return say(f"review.{known}", seat=seat, card=best, trick=trick)


def review_text(
    *,
    subject: str,
    seat: Seat | None,
    candidates: Votes,
    reason: str,
    trick: int | None,
    names: Names = SEAT_NAMES,
) -> str:
    """:func:`review_said` in English."""
    said = review_said(
        subject=subject, seat=seat, candidates=candidates, reason=reason, trick=trick
    )
    return english(said, names)


def fact_text(fact: Fact, names: Names = SEAT_NAMES) -> str:
    """What happened, as one line of the game's history, in English."""
    return english(fact_said(fact), names)


def fact_said(fact: Fact) -> Sentence:
    """What happened, as one line of the game's history."""
    match fact:
        case CardPlayed():
            return say("fact.card_played", seat=fact.seat, card=fact.card)
        case TrickCleared():
            return say("fact.trick_cleared")
        case UpcardShown(dealer=None):
            return say("fact.upcard_shown.unknown", card=fact.card)
        case UpcardShown():
            return say("fact.upcard_shown", seat=fact.dealer, card=fact.card)
        case UpcardTaken():
            return say("fact.upcard_taken")
        case UpcardTurnedDown():
            return say("fact.upcard_turned_down")
        case Declared():
            return _declared_said(fact)
        case TricksBid():
            return say("fact.tricks_bid", seat=fact.seat, tricks=fact.tricks)
        case WidowSwapped():
            return say("fact.widow_swapped", seat=fact.seat)
        case Stayed():
            return say("fact.stayed", seat=fact.seat)
        case Dropped():
            return say("fact.dropped", seat=fact.seat)
        case AceCalled():
            return say("fact.ace_called", card=fact.card)
        case TableCardShown():
            return say("fact.table_card_shown", card=fact.card, seat=fact.seat)
        case Called():
            called = (
                say("fact.called.name", seat=fact.seat, suit=fact.suit)
                if fact.call == "name" and fact.suit
                else say(
                    f"fact.called.{'name_unknown' if fact.call == 'name' else fact.call}",
                    seat=fact.seat,
                )
            )
            return say("said.alone", said=called) if fact.alone else called
        case Discarded():
            return say("fact.discarded", seat=fact.seat)
        case CardLifted():
            return say("fact.card_lifted")
        case CardTakenBack():
            return say("fact.card_taken_back", entry=fact.target)
        case HandShown():
            return say("fact.hand_shown", deal=fact.deal, seat=fact.seat, cards=fact.cards)
        case CardPassed():
            key = "fact.card_passed" if fact.kept else "fact.card_passed.refused"
            return say(key, seat=fact.seat)
        case Claimed():
            return claim_said(seat=fact.seat, offence=fact.offence, by=fact.by, trick=fact.trick)
        case GameStarted():
            return say("fact.game_started")
        case DealerNamed():
            return say("fact.dealer_named", seat=fact.dealer)
        case DrawBegun():
            return say("fact.draw_begun")
        case CardDrawn():
            return say("fact.card_drawn", seat=fact.seat, card=fact.card)
        case DealThrownIn():
            key = f"fact.thrown_in.{fact.reason}"
            if key in SENTENCES:
                return say(key)
            return say("fact.thrown_in.other", reason=fact.reason)
        case DealKept():
            key = {
                (False, False): "fact.deal_kept",
                (True, False): "fact.deal_kept.alone",
                (False, True): "fact.deal_kept.defended",
                (True, True): "fact.deal_kept.both",
            }[fact.alone, fact.defended]
            return say(key, side=fact.makers, tricks=fact.tricks)
        case DealConfirmed():
            return say("fact.deal_confirmed", deal=fact.deal)
        case ReviewRaised():
            return review_said(
                subject=fact.subject,
                seat=fact.seat,
                candidates=fact.candidates,
                reason=fact.reason,
                trick=None,
            )
        case ReviewAnswered(card=None):
            return say("fact.review_answered.no_card", question=fact.review)
        case ReviewAnswered():
            return say("fact.review_answered", question=fact.review, card=fact.card)
        case Corrected() | Inserted() | Moved() | Amended():
            return _change_said(fact)
        case FindingRuled():
            key = "fact.finding_upheld" if fact.ruling == "uphold" else "fact.finding_dismissed"
            return say(key, finding=fact.finding, reason=fact.reason or None)
        case ScoreAdjusted():
            changes = tuple(
                say("points.changed", points=number, side=side)
                for side, number in enumerate(fact.points)
                if number
            )
            if not changes:
                return say("fact.score_adjusted.nothing", reason=fact.reason)
            return say("fact.score_adjusted", changes=changes, reason=fact.reason)
        case PackShuffled():
            key = f"fact.pack_shuffled.{'machine' if fact.machine else 'hand'}"
            return say(key, seat=fact.seat, passes=fact.passes)
        case GamePaused():
            if not fact.reason:
                return say("fact.game_paused")
            return say("fact.game_paused.reason", reason=fact.reason)
        case GameResumed():
            return say("fact.game_resumed")
        case GameConfirmed():
            return say("fact.game_confirmed", seat=fact.seat)
        case GameEnded():  # pragma: no branch - the last kind of fact there is
            return say("fact.game_ended", reason=fact.reason)


def _declared_said(fact: Declared) -> Sentence:
    parts = [say("fact.declared.made", seat=fact.maker, suit=fact.trump)]
    alone = tuple(seat for seat in (fact.alone, fact.defender_alone) if seat is not None)
    if len(alone) == 1:
        parts.append(say("fact.declared.alone", seat=alone[0]))
    elif alone:
        parts.append(say("fact.declared.both_alone", seats=alone))
    if fact.bid is not None:
        parts.append(say("fact.declared.bid", tricks=fact.bid))
    if fact.dropped:
        parts.append(say("fact.declared.dropped", seats=fact.dropped))
    if fact.ace is not None:
        parts.append(say("fact.declared.ace", card=fact.ace))
    return say("fact.declared", deal=fact.deal, parts=tuple(parts))


def _change_said(fact: Corrected | Inserted | Moved | Amended) -> Sentence:
    reason = fact.reason or None
    match fact:
        case Corrected(replacement=None):
            return say("fact.corrected.struck", entry=fact.target, reason=reason)
        case Corrected():
            assert fact.replacement is not None
            said = fact_said(fact.replacement)
            return say("fact.corrected", entry=fact.target, fact=said, reason=reason)
        case Inserted():
            said = fact_said(fact.fact)
            return say("fact.inserted", entry=fact.before, fact=said, reason=reason)
        case Moved():
            return say("fact.moved", entry=fact.target, before=fact.before, reason=reason)
    gone = [c for c in fact.changes if isinstance(c, Corrected) and c.replacement is None]
    parts = [fact_said(replace(c, reason="")) for c in fact.changes if c not in gone]
    if gone:
        entries = tuple(change.target for change in gone)
        parts.insert(0, say("fact.amended.struck", entries=entries))
    return say("fact.amended", parts=tuple(parts), reason=reason)
