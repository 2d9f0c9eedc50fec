"""What a command does to the game: the facts it adds, or why it is refused.

Only a command that makes no sense is refused; a play that breaks a rule is recorded, and the
rules find it. Every refusal names the value and the cure.
"""

from __future__ import annotations

from typing import Final

from engine import corrections
from engine.bidding import wrong_call
from engine.cards import SEAT_NAMES, default_names, side_of
from engine.commands import (
    AdjustScore,
    AnswerReview,
    BidTricks,
    Call,
    CallAce,
    Claim,
    ClearTrick,
    Command,
    ConfirmDeal,
    ConfirmGame,
    Correct,
    Declare,
    Discard,
    DrawDealer,
    Drop,
    EndGame,
    Insert,
    Move,
    NameDealer,
    PassCard,
    PauseGame,
    PlayCard,
    Rejected,
    ReportShuffle,
    ResumeGame,
    RuleFinding,
    ShowHand,
    ShowTableCard,
    ShowUpcard,
    StartGame,
    Stay,
    StrikeDeal,
    SwapWidow,
    TakeBack,
    TakeUpcard,
    ThrowIn,
    TurnDownUpcard,
    Undo,
)
from engine.deal import Deal
from engine.facts import (
    Called,
    CardDrawn,
    CardPassed,
    CardPlayed,
    CardTakenBack,
    Claimed,
    DealConfirmed,
    DealerNamed,
    DealThrownIn,
    Declared,
    Discarded,
    DrawBegun,
    Fact,
    FindingRuled,
    GameConfirmed,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    HandShown,
    PackShuffled,
    ReviewAnswered,
    ReviewRaised,
    ScoreAdjusted,
    TrickCleared,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.follow import NO_TRUMP, TRUMPS
from engine.games import game_for
from engine.intake import missed_cards
from engine.refusals import (
    card_fault,
    declared_deal,
    malformed,
    no_such,
    not_now,
    pack_fault,
    refused,
    seat_fault,
    seat_fault_among,
)
from engine.ruleset import BadRuleset, ruleset_from, to_mapping
from engine.state import State
from engine.wording import NUMBER_WORDS, worded

#: Commands that move the game on; once it is over only mending remains.
_PLAYING: Final = (
    NameDealer,
    DrawDealer,
    ShowUpcard,
    TakeUpcard,
    TurnDownUpcard,
    Call,
    BidTricks,
    SwapWidow,
    Stay,
    Drop,
    CallAce,
    ShowTableCard,
    PlayCard,
    TakeBack,
    PassCard,
    ThrowIn,
    PauseGame,
    ResumeGame,
    EndGame,
)

#: What happens at the table, and so not during a pause; whatever mends the past goes on.
_ON_THE_TABLE: Final = (
    ShowUpcard,
    TakeUpcard,
    TurnDownUpcard,
    Call,
    BidTricks,
    SwapWidow,
    Stay,
    Drop,
    CallAce,
    ShowTableCard,
    PlayCard,
    TakeBack,
    PassCard,
    Discard,
    ClearTrick,
    ThrowIn,
)


def decide(state: State, command: Command) -> tuple[Fact, ...] | Rejected:
    """The facts that ``command`` adds to the game in ``state``, or a :class:`Rejected`."""
    if isinstance(command, StartGame):
        return _start(state, command)
    if not state.started:
        return not_now("no game has begun: start one first")
    if state.over and isinstance(command, _PLAYING):
        return not_now("the game is over: start a new one, or correct or undo what was wrong")
    if state.paused is not None and isinstance(command, _ON_THE_TABLE):
        return not_now("the game is paused: play on first, then tell what is on the table")
    if state.drawing and isinstance(command, _ON_THE_TABLE):
        return _draw_card(state, command)
    own = game_for(state.ruleset).decide(state, command)
    if own is not None:
        return own
    match command:
        case BidTricks() | SwapWidow() | Stay() | Drop():
            return not_now("tricks are bid in buck only: start a game of buck3, or declare trump")
        case CallAce():
            return not_now("a card is called in call-ace only: leave it out")
        case ShowTableCard():
            return not_now("cards lie open in the game for two only: play the card")
        case NameDealer():
            return seat_fault(state, "dealer", command.dealer) or (
                DealerNamed(dealer=command.dealer),
            )
        case DrawDealer():
            return _draw_dealer(state)
        case ShowUpcard():
            return _show_upcard(state, command)
        case TakeUpcard() | TurnDownUpcard():
            return _settle_upcard(state, command)
        case Call():
            return _call(state, command)
        case Declare():
            return _declare(state, command)
        case PlayCard():
            return _play_card(state, command)
        case TakeBack():
            return _take_back(state, command)
        case Discard():
            return _discard(state, command)
        case ShowHand():
            return _show_hand(state, command)
        case PassCard():
            return _pass_card(state, command)
        case Claim():
            return _claim(state, command)
        case ClearTrick():
            return _clear_trick(state)
        case ThrowIn():
            return _throw_in(state, command)
        case ConfirmDeal():
            return _confirm(state, command)
        case AnswerReview():
            return _answer(state, command)
        case Correct():
            return corrections.correct(state, command)
        case Insert():
            return corrections.insert(state, command)
        case Move():
            return corrections.move(state, command)
        case StrikeDeal():
            return corrections.strike_deal(state, command)
        case Undo():
            return corrections.undo(state, command)
        case RuleFinding():
            return _rule(state, command)
        case AdjustScore():
            return _adjust(state, command)
        case ReportShuffle():
            return _shuffled(state, command)
        case PauseGame():
            if state.paused is not None:
                return not_now("the game is paused already: play on when the table is ready")
            return (GamePaused(reason=command.reason),)
        case ResumeGame():
            if state.paused is None:
                return not_now("the game is not paused: pause it first")
            return (GameResumed(),)
        case ConfirmGame():
            return _confirm_game(state, command)
        case EndGame():  # pragma: no branch - the last kind of command there is
            if not command.reason:
                return malformed("reason is empty: say why the game ends")
            return (GameEnded(reason=command.reason),)


def _start(state: State, command: StartGame) -> tuple[Fact, ...] | Rejected:
    if state.started:
        return not_now("this game has begun: end it, or start the new one under another id")
    try:
        ruleset = ruleset_from(command.rules)
    except BadRuleset as error:
        return refused("malformed", error.said)
    game = game_for(ruleset)
    names = tuple(command.names)
    if names == SEAT_NAMES and game.seats != len(SEAT_NAMES):
        names = default_names(game.seats)
    if len(names) != game.seats or not all(isinstance(n, str) and n for n in names):
        return malformed(
            "names {value}: give {count}, North first, clockwise",
            value=repr(command.names),
            count=worded(NUMBER_WORDS[game.seats]),
        )
    if command.dealer is not None:
        fault = seat_fault_among(names, "dealer", command.dealer)
        if fault is not None:
            return fault
    return (
        GameStarted(
            rules=to_mapping(ruleset),
            names=names,
            dealer=command.dealer,
            title=command.title,
            initial_score=game.initial_score(ruleset),
        ),
    )


def _draw_dealer(state: State) -> tuple[Fact, ...] | Rejected:
    if state.deals:
        return not_now("the first deal has begun: name who dealt it instead")
    if state.ruleset.first_dealer == "agreed":
        return not_now("this table agrees on who deals first: name the dealer, or mend the rules")
    if state.drawing:
        return not_now("the first dealer is being drawn already: tap the cards as they fall")
    return (DrawBegun(),)


def _draw_card(state: State, command: Command) -> tuple[Fact, ...] | Rejected:
    """A tap while the first dealer is drawn: a card that fell to a seat."""
    draw = state.draw
    if draw is None or not isinstance(command, PlayCard):
        return not_now(
            "the first dealer is being drawn: tap the card and whose it is, or name who deals"
        )
    fault = seat_fault(state, "seat", command.seat) or pack_fault(state, command.card)
    if fault is not None:
        return fault
    asked = next((r for r in draw.reviews if r.seat == command.seat), None)
    if asked is not None:
        return (ReviewAnswered(review=asked.version, card=command.card, seat=command.seat),)
    if draw.method == "highest_card" and command.seat not in draw.awaited:
        return not_now(
            "{seat} has cut a card, or is out of the draw: correct that card instead",
            state.names,
            seat=command.seat,
        )
    lies = next((c for c in draw.lying if c.card == command.card), None)
    if lies is not None and lies.seat is not None:
        return not_now(
            "{card} fell to {seat} already: correct that card first",
            state.names,
            card=command.card,
            seat=lies.seat,
        )
    return (CardDrawn(seat=command.seat, card=command.card),)


def _show_upcard(state: State, command: ShowUpcard) -> tuple[Fact, ...] | Rejected:
    fault = pack_fault(state, command.card)
    if fault is not None:
        return fault
    if command.dealer is not None:
        fault = seat_fault(state, "dealer", command.dealer)
        if fault is not None:
            return fault
    deal = state.open_deal
    if deal is not None and deal.upcard is not None:
        up = deal.upcard
        if up.review is not None and up.card is None:
            return (ReviewAnswered(review=up.review, card=command.card, seat=command.dealer),)
        return not_now(
            "deal {deal} has an up-card[, {card}]: correct it, or throw the deal in first",
            deal=deal.number,
            card=up.card,
        )
    return (UpcardShown(card=command.card, dealer=command.dealer),)


def _settle_upcard(
    state: State, command: TakeUpcard | TurnDownUpcard
) -> tuple[Fact, ...] | Rejected:
    deal = state.open_deal
    if deal is None or deal.upcard is None:
        return not_now("no up-card is known in this deal: show it first")
    if deal.declared is not None or deal.upcard.settled_by is not None:
        return not_now(
            "the up-card is taken already: undo that first"
            if deal.upcard.state == "taken"
            else "the up-card is turned down already: undo that first"
        )
    return (UpcardTaken() if isinstance(command, TakeUpcard) else UpcardTurnedDown(),)


def _call(state: State, command: Call) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is not None:
        return fault
    if command.call not in ("pass", "order_up", "pick_up", "name"):
        return malformed(
            "{value} is no call: say pass, order_up, pick_up or name", value=repr(command.call)
        )
    if command.call != "name" and command.suit is not None:
        return malformed("suit {value} goes only with name: leave it out", value=repr(command.suit))
    if command.call == "pass" and command.alone:
        return malformed("nobody passes alone: leave alone out")
    deal = state.open_deal
    if deal is None:
        return not_now("no deal is under way: show the up-card first")
    if deal.declared is not None:
        return not_now("trump was declared: correct the declaration instead")
    wrong = wrong_call(deal, command, state.ruleset)
    if wrong is not None:
        return refused("not_now", wrong, state.names)
    called = Called(seat=command.seat, call=command.call, suit=command.suit, alone=command.alone)
    if command.call == "pass" and len(deal.calls) == 2 * deal.seats - 1:
        return (called, DealThrownIn(reason="passed_out"))
    return (called,)


def _declare(state: State, command: Declare) -> tuple[Fact, ...] | Rejected:
    for name, seat in (
        ("maker", command.maker),
        ("alone", command.alone),
        ("defender_alone", command.defender_alone),
    ):
        if seat is not None or name == "maker":
            fault = seat_fault(state, name, seat)
            if fault is not None:
                return fault
    if command.bid is not None or command.dropped:
        return malformed("bid and dropped belong to buck: leave them out")
    if command.ace is not None:
        return malformed("an ace is called in call-ace only: leave ace out")
    if command.trump not in TRUMPS:
        return malformed("{value} is no trump: declare c, d, h or s", value=repr(command.trump))
    rules = state.ruleset
    if command.trump == NO_TRUMP and rules.no_trump == "off":
        return malformed("no trump is not played in this game: declare c, d, h or s")
    maker, alone, defender = command.maker, command.alone, command.defender_alone
    if alone is not None and side_of(alone) != side_of(maker):
        return malformed(
            "{seat} is not on the makers' side: a defender who plays alone goes into "
            "defender_alone",
            state.names,
            seat=alone,
        )
    if defender is not None:
        if rules.defend_alone == "off":
            return malformed("no defender plays alone in this game: leave defender_alone out")
        if side_of(defender) == side_of(maker):
            return malformed("{seat} is on the makers' side: use alone", state.names, seat=defender)
        if rules.defend_alone == "vs_lone" and alone is None:
            return malformed("a defender plays alone only against a lone maker: name alone too")
    number = declared_deal(state, command, has_upcard=True)
    if isinstance(number, Rejected):
        return number
    return (
        Declared(
            maker=maker,
            trump=command.trump,
            alone=alone,
            defender_alone=defender,
            deal=number,
        ),
    )


def _play_card(state: State, command: PlayCard) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat) or pack_fault(state, command.card)
    if fault is not None:
        return fault
    deal = state.open_deal
    if deal is None:
        if state.declared_next is None and game_for(state.ruleset).has_upcard:
            return not_now("no deal is under way: show its up-card first")
    elif deal.trick is not None and not deal.trick.closed:
        for play in deal.trick.plays:
            if play.seat == command.seat and play.card == command.card:
                return not_now("{card} lies there already", card=command.card)
    return (CardPlayed(seat=command.seat, card=command.card),)


def _take_back(state: State, command: TakeBack) -> tuple[Fact, ...] | Rejected:
    deal = state.deal
    plays = [play for trick in deal.tricks for play in (*trick.plays, *trick.extra)] if deal else []
    if all(play.version != command.target for play in plays):
        return no_such(
            "entry {entry} is no card of this deal: name the entry of a play", entry=command.target
        )
    return (CardTakenBack(target=command.target),)


def _discard(state: State, command: Discard) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is None and command.card is not None:
        fault = pack_fault(state, command.card)
    if fault is not None:
        return fault
    if state.deal is None:
        return not_now("no deal is under way: show the up-card first")
    return (Discarded(seat=command.seat, card=command.card),)


def _show_hand(state: State, command: ShowHand) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is not None:
        return fault
    if not command.cards:
        return malformed("cards are none: name the cards that lie face up")
    for card in command.cards:
        fault = pack_fault(state, card)
        if fault is not None:
            return fault
    if len(set(command.cards)) < len(command.cards):
        return malformed("cards {value}: name each card once", value=repr(list(command.cards)))
    number = _known_deal(state, command.deal)
    if isinstance(number, Rejected):
        return number
    return (HandShown(seat=command.seat, cards=tuple(command.cards), deal=number),)


def _pass_card(state: State, command: PassCard) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is None and command.card is not None:
        fault = pack_fault(state, command.card)
    if fault is not None:
        return fault
    if state.open_deal is None:
        return not_now("no deal is under way: nobody passes a card")
    return (CardPassed(seat=command.seat, kept=command.kept, card=command.card),)


def _claim(state: State, command: Claim) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is None and command.by is not None:
        fault = seat_fault(state, "by", command.by)
    if fault is not None:
        return fault
    if command.offence not in ("revoke", "six_cards", "no_discard", "too_few_cards"):
        return malformed(
            "{value} cannot be claimed: claim revoke, six_cards, no_discard or too_few_cards",
            value=repr(command.offence),
        )
    most = state.ruleset.hand_size
    if command.trick is not None and (
        type(command.trick) is not int or not 1 <= command.trick <= most
    ):
        return malformed(
            "trick {value}: give 1 to {most}, or leave it out", value=repr(command.trick), most=most
        )
    if command.trick is not None and command.offence != "revoke":
        return malformed("a trick goes only with a revoke: leave it out")
    number = _known_deal(state, command.deal)
    if isinstance(number, Rejected):
        return number
    return (
        Claimed(
            seat=command.seat,
            offence=command.offence,
            by=command.by,
            trick=command.trick,
            deal=number,
        ),
    )


def _known_deal(state: State, number: int | None) -> int | Rejected:
    """The number of the deal that is spoken of: the last one where none is given."""
    if not state.deals:
        return not_now("no deal has begun: show the up-card first")
    if number is None:
        return len(state.deals)
    if _deal(state, number) is None:
        return no_such(
            "there is no deal {deal}: deals 1 to {count} are known",
            deal=number,
            count=len(state.deals),
        )
    return number


def _clear_trick(state: State) -> tuple[Fact, ...] | Rejected:
    deal = state.deal
    trick = None if deal is None else deal.trick
    if deal is None or trick is None or not trick.plays or trick.cleared:
        return not_now("no trick lies on the table")
    return (*missed_cards(deal), TrickCleared())


def _throw_in(state: State, command: ThrowIn) -> tuple[Fact, ...] | Rejected:
    if not command.reason:
        return malformed("reason is empty: say passed_out, misdeal, redeal or why")
    if state.open_deal is None:
        return not_now("no deal is under way: nothing to throw in")
    return (DealThrownIn(reason=command.reason),)


def _confirm_game(state: State, command: ConfirmGame) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is not None:
        return fault
    if not state.over:
        return not_now("the game is not over: its score is confirmed when it is")
    if side_of(command.seat, len(state.names)) in state.confirmed:
        return not_now(
            "the side of {seat} has confirmed this score already: correct it instead",
            state.names,
            seat=command.seat,
        )
    return (GameConfirmed(seat=command.seat, score=state.score),)


def _confirm(state: State, command: ConfirmDeal) -> tuple[Fact, ...] | Rejected:
    deal: Deal | None
    if command.deal is None:
        deal = next((d for d in reversed(state.deals) if d.points is not None), None)
        if deal is None:
            return not_now("no deal has been scored yet")
    else:
        deal = _deal(state, command.deal)
        if deal is None:
            return no_such(
                "there is no deal {deal}: deals 1 to {count} are known",
                deal=command.deal,
                count=len(state.deals),
            )
    if deal.points is None:
        return not_now(
            "deal {deal} has no points yet: answer what is asked first", deal=deal.number
        )
    if deal.confirmed:
        return not_now("the points of deal {deal} are marked already", deal=deal.number)
    return (DealConfirmed(deal=deal.number),)


def _answer(state: State, command: AnswerReview) -> tuple[Fact, ...] | Rejected:
    review = next((r for r in state.reviews if r.version == command.review), None)
    if review is None:
        asked = any(
            r.version == command.review and isinstance(r.fact, ReviewRaised) for r in state.records
        )
        if asked:
            return not_now(
                "review {question} was answered already: correct entry {question}",
                question=command.review,
            )
        return no_such("there is no review {question}", question=command.review)
    if command.card is not None:
        fault = card_fault(command.card)
        if fault is not None:
            return fault
    if command.seat is not None:
        fault = seat_fault(state, "seat", command.seat)
        if fault is not None:
            return fault
    if (
        command.card is not None
        and review.subject in ("play", "draw")
        and review.seat is None
        and command.seat is None
    ):
        return malformed(
            "review {question} does not know whose card it is: add the seat",
            question=review.version,
        )
    return (ReviewAnswered(review=command.review, card=command.card, seat=command.seat),)


def _rule(state: State, command: RuleFinding) -> tuple[Fact, ...] | Rejected:
    if command.ruling not in ("uphold", "dismiss"):
        return malformed("{value} is no ruling: say uphold or dismiss", value=repr(command.ruling))
    if all(finding.id != command.finding for finding in state.findings):
        known = ", ".join(f.id for f in state.findings) or "none"
        return no_such(
            "there is no finding {value}: findings are {words}",
            value=repr(command.finding),
            words=known,
        )
    return (FindingRuled(finding=command.finding, ruling=command.ruling, reason=command.reason),)


def _adjust(state: State, command: AdjustScore) -> tuple[Fact, ...] | Rejected:
    sides = len(state.score)
    if len(command.points) != sides or not all(type(p) is int for p in command.points):
        return malformed(
            "points {value}: give {count} whole numbers, one a side",
            value=repr(command.points),
            count=sides,
        )
    if not any(command.points):
        return malformed("points are all zero: give what is added or taken")
    if not command.reason:
        return malformed("reason is empty: say why the score is adjusted")
    return (ScoreAdjusted(points=tuple(command.points), reason=command.reason),)


def _shuffled(state: State, command: ReportShuffle) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is not None:
        return fault
    if type(command.passes) is not int or command.passes < 1:
        return malformed("passes {value}: give a whole number from 1", value=repr(command.passes))
    return (PackShuffled(seat=command.seat, passes=command.passes, machine=command.machine),)


def _deal(state: State, number: int) -> Deal | None:
    return state.deals[number - 1] if 1 <= number <= len(state.deals) else None
