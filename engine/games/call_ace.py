"""Call-ace for five or six players: a partner whom nobody knows until a card falls.

Source: RULES.md, "Two packs, more seats, fewer seats". Trump is made around a card turned up, as
where four play. After the discard the maker calls an ace; whoever holds it is the partner, and
plays so. Everybody plays to every trick and scores alone: the maker and the partner 1 or 2 each,
a lone maker 4 for all five, a euchre 2 to each of the others. A called ace that nobody held
(buried), or that the maker played, scores as alone, and so does a maker who said so.

Until the ace falls nobody can say whose side an offender is on, so a revoke's points wait.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from engine.breaches import about_no_trump
from engine.cards import Card, Seat, left_of, suit_of
from engine.commands import CallAce, Command, Declare, Rejected
from engine.deal import Deal, DealFacts, Partnership, Upcard, UpcardState
from engine.facts import (
    AceCalled,
    Called,
    Declared,
    Discarded,
    Fact,
    Recorded,
    Trump,
)
from engine.findings import Trial
from engine.follow import NO_TRUMP, TRUMPS
from engine.games import Game, Question
from engine.games.individual import (
    Settled,
    goal_words,
    hand_words,
    highest_at_target,
    is_played_out,
    lay_out,
    next_dealer,
    revoke_words,
    ruled,
)
from engine.games.partnership import dealer_of, read_upcard
from engine.refusals import declared_deal, malformed, not_now, pack_fault, seat_fault
from engine.ruleset import Ruleset, first_dealer_said
from engine.rulings import RULED_EUCHRE, revoke_points
from engine.scoring import score_deal
from engine.wording import Sentence, say, seat_name, the, worded

if TYPE_CHECKING:
    from engine.state import State

#: Standings that score as alone, and those in which the sides are known.
_ALONE: Final = ("alone", "own", "buried")
_KNOWN: Final = (*_ALONE, "partner")


def read_deal(facts: DealFacts, *, seats: int) -> Deal:
    """The deal that ``facts`` tell of."""
    upcard, exposed = read_upcard(facts.facts)
    dealer = dealer_of(facts)
    maker, trump, alone, state = _made(facts, upcard, seats)
    if upcard is not None and state is not None:
        upcard = replace(upcard, state=state)
    leads = _leads(dealer, maker, alone, facts.ruleset, seats)
    called = _called(facts)
    deal = lay_out(
        facts,
        seats=seats,
        dealer=dealer,
        maker=maker,
        trump=trump,
        leads=leads,
        alone=(maker,) if alone and maker is not None else (),
        upcard=upcard,
        exposed=exposed,
        particulars=Partnership(called=called, partner=None, standing="uncalled"),
    )
    deal = replace(deal, particulars=_partnership(deal, called, facts))
    trial = Trial(
        leads=leads,
        revoke_ruling=lambda seat, trick: _proposed(deal, seat, trick, facts.ruleset),
        hand_ruling=lambda seat: _hand_proposed(deal, seat, facts.ruleset),
    )
    return ruled(
        replace(deal, findings=about_no_trump(deal, facts)),
        facts,
        trial=trial,
        played=_played(deal, facts.ruleset),
        settle=lambda judged, upheld: _settle(judged, upheld, facts.ruleset),
        euchred=_euchred,
    )


def score_tricks(
    makers_tricks: int, *, makers: Sequence[Seat], alone: bool, seats: int, ruleset: Ruleset
) -> Settled:
    """Points of each player: the table of the four-handed game, to each of a side its own."""
    result = score_deal(
        makers=0,
        makers_tricks=makers_tricks,
        maker_alone=alone,
        defender_alone=False,
        ruleset=ruleset,
    )
    return (
        tuple(
            result.points if (seat in makers) == (result.side == 0) else 0 for seat in range(seats)
        ),
        result.case,
    )


def initial_score(ruleset: Ruleset, *, seats: int) -> tuple[int, ...]:
    return (0,) * seats


def fewest_plays(
    facts: Sequence[Recorded], declared: Declared | None, ruleset: Ruleset, *, seats: int
) -> int:
    return ruleset.hand_size * seats


def points_anyway(deal: Deal, ruleset: Ruleset) -> Settled | None:
    """Points where every way the unknown tricks may have gone gives the same."""
    if deal.maker is None or deal.trump is None or _of(deal).standing not in _KNOWN:
        return None
    unknown = ruleset.hand_size - sum(deal.tricks_won)
    known = sum(deal.tricks_won[seat] for seat in _makers(deal))
    ways = [_scored(deal, known + more, ruleset) for more in range(unknown + 1)]
    if len({points for points, _ in ways}) > 1:
        return None
    return min(ways, key=lambda way: way[1])


def deal_json(deal: Deal) -> dict[str, Any]:
    own = _of(deal)
    return {"called": own.called, "partner": own.partner, "standing": own.standing}


def deal_words(deal: Deal, names: Sequence[str]) -> list[str]:
    own = _of(deal)
    if own.called is None:
        return []
    told = {
        "hidden": "its holder is not known yet",
        "partner": f"{seat_name(own.partner, names)} was the partner",
        "own": "the maker held it: alone",
        "buried": "nobody held it: alone",
    }.get(own.standing, "")
    return [f"Called: {the(own.called)}" + (f" ({told})" if told else "")]


def decide(state: State, command: Command) -> tuple[Fact, ...] | Rejected | None:
    """Calling the ace; None: a command decided in the common way."""
    match command:
        case CallAce():
            return _calls_ace(state, command)
        case Declare():
            return _declares(state, command)
    return None


def ask(state: State) -> Question | None:
    """Which ace is called; everything else is asked as where four play."""
    for deal in state.deals:
        if deal.maker is None or deal.trump is None or deal.thrown_in is not None:
            continue
        if _of(deal).standing == "uncalled" and deal.points is None:
            said = (
                say("ask.ace", seat=deal.maker)
                if deal is state.deal
                else say("ask.ace_of", seat=deal.maker, deal=deal.number)
            )
            return Question(kind="ace", said=said, deal=deal.number, seat=deal.maker)
    return None


def _of(deal: Deal) -> Partnership:
    assert isinstance(deal.particulars, Partnership)
    return deal.particulars


def _made(
    facts: DealFacts, upcard: Upcard | None, seats: int
) -> tuple[Seat | None, Trump | None, bool, UpcardState | None]:
    """Maker, trump, whether alone, and what became of the up-card, as far as known."""
    suit = suit_of(upcard.card) if upcard is not None and upcard.card is not None else None
    declared = facts.declared
    if declared is not None:
        state: UpcardState | None = None
        if suit is not None:
            state = "taken" if declared.trump == suit else "turned_down"
        return declared.maker, declared.trump, declared.alone is not None, state
    passes = 0
    for recorded in facts.facts:
        match recorded.fact:
            case Called(call="pass"):
                passes += 1
            case Called(call="name", seat=seat, suit=named, alone=alone):
                return seat, named, alone, "turned_down"
            case Called(seat=seat, alone=alone):
                return seat, suit, alone, "taken"
    if upcard is not None and upcard.state == "taken":
        return None, suit, False, None
    return None, None, False, "turned_down" if passes >= seats else None


def _leads(
    dealer: Seat | None, maker: Seat | None, alone: bool, ruleset: Ruleset, seats: int
) -> Seat | None:
    """The left of a maker who said to go alone (``left_of_lone``), else the dealer's left."""
    if maker is None:
        return None
    if alone and ruleset.lone_lead == "left_of_lone":
        return left_of(maker, seats)
    return None if dealer is None else left_of(dealer, seats)


def _called(facts: DealFacts) -> Card | None:
    """The card that was called: the newest word counts, a tap of its own or a declaration."""
    called: Card | None = None
    version = 0
    for recorded in facts.facts:
        if isinstance(recorded.fact, AceCalled):
            called, version = recorded.fact.card, recorded.version
    declared, declared_version = facts.declared, facts.declared_version or 0
    if declared is not None and declared.ace is not None and declared_version > version:
        return declared.ace
    return called


def _partnership(deal: Deal, called: Card | None, facts: DealFacts) -> Partnership:
    """What the called card has told so far."""
    if deal.alone:
        return Partnership(called=called, partner=None, standing="alone")
    if called is None:
        return Partnership(called=None, partner=None, standing="uncalled")
    fell = deal.seen().get(called)
    if fell is not None and fell.seat is not None and deal.maker is not None:
        if fell.seat == deal.maker:
            return Partnership(called=called, partner=None, standing="own")
        return Partnership(called=called, partner=fell.seat, standing="partner")
    up = deal.upcard
    laid_away = (up is not None and up.card == called and up.state == "turned_down") or any(
        isinstance(r.fact, Discarded) and r.fact.card == called for r in facts.facts
    )
    if laid_away or _every_card_known(deal, facts.ruleset):
        return Partnership(called=called, partner=None, standing="buried")
    return Partnership(called=called, partner=None, standing="hidden")


def _every_card_known(deal: Deal, ruleset: Ruleset) -> bool:
    """Whether all hands were played out and every card of them was read."""
    plays = [play for trick in deal.tricks for play in trick.plays]
    return len(plays) == ruleset.hand_size * deal.seats and all(p.card for p in plays)


def _makers(deal: Deal) -> tuple[Seat, ...]:
    partner = _of(deal).partner
    assert deal.maker is not None
    return (deal.maker,) if partner is None else (deal.maker, partner)


def _scored(deal: Deal, makers_tricks: int, ruleset: Ruleset) -> Settled:
    return score_tricks(
        makers_tricks,
        makers=_makers(deal),
        alone=_of(deal).standing in _ALONE,
        seats=deal.seats,
        ruleset=ruleset,
    )


def _played(deal: Deal, ruleset: Ruleset) -> Settled | None:
    if not is_played_out(deal) or deal.maker is None or deal.trump is None:
        return None
    if _of(deal).standing not in _KNOWN:
        return None
    return _scored(deal, sum(deal.tricks_won[seat] for seat in _makers(deal)), ruleset)


def _settle(deal: Deal, upheld: Sequence[tuple[Seat, int]], ruleset: Ruleset) -> Settled | None:
    """The deal with its upheld revokes; None until it is known who plays with whom."""
    own, played = _of(deal), deal.played_points
    if deal.maker is None or own.standing not in _KNOWN:
        return None
    award = ruleset.revoke_mode == "award"
    if played is None and not (award and ruleset.revoke_ends_hand):
        return None
    makers = _makers(deal)
    offenders = {seat for seat, _ in upheld}
    if {seat in makers for seat in offenders} == {True, False}:
        return (0,) * deal.seats, "both_revoked"
    by_makers = next(iter(offenders)) in makers
    points = revoke_points(ruleset, anyone_alone=own.standing in _ALONE)
    if award or played is None:
        gains = tuple(0 if (seat in makers) == by_makers else points for seat in range(deal.seats))
        return gains, "revoke"
    if ruleset.revoke_mode == "deduct":
        return (
            tuple(p - points if seat in offenders else p for seat, p in enumerate(played)),
            deal.played_result or "revoke",
        )
    lost = {trick: seat in makers for seat, trick in upheld}
    taken = sum(
        not lost[number] if number in lost else winner in makers
        for number, winner in enumerate(deal.winners, start=1)
    )
    return _scored(deal, taken, ruleset)


def _euchred(deal: Deal, offenders: Collection[Seat]) -> Settled | None:
    """Points to the other side of each offender; None until it is known who plays with whom.

    Both sides at fault: nobody scores.
    """
    if deal.maker is None or _of(deal).standing not in _KNOWN:
        return None
    by_makers = {seat in _makers(deal) for seat in offenders}
    gain = set() if len(by_makers) == 2 else set(_others(deal, next(iter(offenders))))
    points = (RULED_EUCHRE if seat in gain else 0 for seat in range(deal.seats))
    return tuple(points), "six_cards"


def _others(deal: Deal, seat: Seat) -> tuple[Seat, ...]:
    """The seats of the other side."""
    makers = _makers(deal)
    return tuple(s for s in range(deal.seats) if (s in makers) != (seat in makers))


def _waits(deal: Deal) -> Sentence | None:
    """That a ruling waits for the called card; None once it is known who plays with whom."""
    if deal.maker is not None and _of(deal).standing in _KNOWN:
        return None
    called = _of(deal).called
    return say("ruling.waits.uncalled") if called is None else say("ruling.waits", card=called)


def _proposed(deal: Deal, seat: Seat, trick: int, ruleset: Ruleset) -> Sentence:
    """The proposed ruling in words; while the partner is hidden it says that it waits."""
    points = revoke_points(ruleset, anyone_alone=_of(deal).standing in _ALONE)
    if ruleset.revoke_mode == "deduct":
        return say("ruling.revoke.player_deduct", seat=seat, points=points)
    waits = _waits(deal)
    if waits is not None:
        return waits
    if ruleset.revoke_mode == "loss_of_trick":
        return say("ruling.revoke.side_lose_trick", trick=trick)
    others = _others(deal, seat)
    key = "each_award" if len(others) > 1 else "player_award"
    return say(f"ruling.revoke.{key}", points=points, seats=others)


def _hand_proposed(deal: Deal, seat: Seat, ruleset: Ruleset) -> Sentence:
    if ruleset.six_cards == "makers":
        if deal.maker is None:
            return say("ruling.six_cards.declare_maker")
        seat = deal.maker
    waits = _waits(deal)
    if waits is not None:
        return waits
    return say("ruling.six_cards.each", points=RULED_EUCHRE, seats=_others(deal, seat))


def _calls_ace(state: State, command: CallAce) -> tuple[Fact, ...] | Rejected:
    fault = pack_fault(state, command.card) or _no_ace(command.card)
    if fault is not None:
        return fault
    deal = state.deal
    if deal is None or deal.maker is None or deal.thrown_in is not None:
        return not_now("nobody has made trump yet: declare it first")
    if deal.alone:
        return not_now("{seat} plays alone and calls no ace", state.names, seat=deal.maker)
    if deal.complete and _of(deal).called is not None:
        return not_now(
            "{card} was called: correct that instead", card=_of(deal).called or command.card
        )
    up = deal.upcard
    if up is not None and up.card == command.card and up.state == "turned_down":
        return not_now("{card} was turned down: call another ace", card=command.card)
    return (AceCalled(card=command.card),)


def _no_ace(card: Card) -> Rejected | None:
    if card[0] == "A":
        return None
    return malformed("{value} is no ace: call Ac, Ad, Ah or As", value=repr(card))


def _declares(state: State, command: Declare) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "maker", command.maker)
    if fault is not None:
        return fault
    if command.trump not in TRUMPS:
        return malformed("{value} is no trump: declare c, d, h or s", value=repr(command.trump))
    if command.trump == NO_TRUMP and state.ruleset.no_trump == "off":
        return malformed("no trump is not played in this game: declare c, d, h or s")
    if command.alone not in (None, command.maker) or command.defender_alone is not None:
        return malformed("only the maker goes alone in call-ace: leave others out")
    if command.bid is not None or command.dropped:
        return malformed("bid and dropped belong to buck: leave them out")
    if command.ace is not None:
        if command.alone is not None:
            return malformed("a maker who goes alone calls no ace: leave ace or alone out")
        fault = pack_fault(state, command.ace) or _no_ace(command.ace)
        if fault is not None:
            return fault
    number = declared_deal(state, command, has_upcard=True)
    if isinstance(number, Rejected):
        return number
    return (
        Declared(
            maker=command.maker,
            trump=command.trump,
            alone=command.alone,
            deal=number,
            ace=command.ace,
        ),
    )


def rules_said(ruleset: Ruleset) -> list[Sentence]:
    """The rules as sentences for the table to read before the first deal."""
    points = ruleset.revoke_points
    return [
        worded(
            "Five players, {pack} cards, five each; each scores alone."
            if ruleset.players == 5
            else "Six players, {pack} cards, five each; each scores alone.",
            pack=ruleset.pack,
        ),
        first_dealer_said(ruleset),
        worded(
            {
                "pass_deal": "When all pass twice nobody scores and the deal passes to the left.",
                "stick_dealer": "When all pass twice the dealer must name trump.",
                "same_dealer": "When all pass twice the same dealer deals again.",
            }[ruleset.pass_out]
        ),
        *([worded("Naming no trump is allowed.")] if ruleset.no_trump != "off" else []),
        worded(
            "After the discard the maker calls an ace; its holder is the partner, and says "
            "nothing until it falls."
        ),
        worded(
            "The maker may go alone and calls nothing; a called ace that nobody holds, or that "
            "the maker plays, counts as alone."
        ),
        worded(
            "Against a maker who said to go alone the seat on its left leads."
            if ruleset.lone_lead == "left_of_lone"
            else "The dealer's left always leads."
        ),
        worded(
            "Maker and partner score 1 each for three or four tricks, 2 each for five; alone it "
            "is 1, and 4 for five."
        ),
        worded(
            "A euchre gives 2 to each of the others[, {points_no_trick} when the makers take no "
            "trick][, {points_lone} against a lone maker].",
            points_no_trick=4 if ruleset.super_euchre else None,
            points_lone=ruleset.lone_euchre if ruleset.lone_euchre != 2 else None,
        ),
        goal_words(
            ruleset,
            worded(
                "The first to {points} wins; of several the highest, else play goes on.",
                points=ruleset.target,
            ),
        ),
        *revoke_words(
            ruleset,
            pays=worded("costs the offender {points:point|points}", points=points),
            gains=worded(
                "gives each player of the other side {points:point|points}", points=points
            ),
        ),
        hand_words(
            ruleset,
            offender=worded("the offender's side counts as euchred"),
            maker=worded("the maker's side counts as euchred"),
        ),
        worded("Until the called ace falls the points of a revoke wait."),
    ]


def game_of(seats: int) -> Game:
    """Call-ace for so many players."""
    return Game(
        name="call_ace",
        seats=seats,
        sides=seats,
        initial_score=partial(initial_score, seats=seats),
        read_deal=partial(read_deal, seats=seats),
        fewest_plays=partial(fewest_plays, seats=seats),
        next_dealer=next_dealer,
        outcome=highest_at_target,
        points_anyway=points_anyway,
        decide=decide,
        ask=ask,
        deal_json=deal_json,
        deal_words=deal_words,
        rules_said=rules_said,
    )


FIVE: Final = game_of(5)
SIX: Final = game_of(6)
