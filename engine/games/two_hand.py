"""Euchre for two, with its layout of covered cards.

Source: RULES.md, "Two packs, more seats, fewer seats". All 24 cards are dealt: each player has
four face down, four face up on them and four in hand. The non-dealer names trump or passes, then
the dealer must name; the non-dealer leads. Twelve tricks are played. A maker who takes seven or
more leaves a point a trick to each; otherwise all twelve go to the other.

At the table a card laid before a player is a table card, a card laid in the middle is a play.
An open card proves a revoke on the trick itself. A covered card is no proof of anything before
it was uncovered: a later card counts against a player only where it is known that it lay open
or was in hand, which needs the table cards to have been seen all along.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from engine.breaches import about_no_trump
from engine.cards import Card, Seat, left_of, short
from engine.commands import (
    Call,
    Command,
    Declare,
    Rejected,
    ShowTableCard,
    ShowUpcard,
    TakeUpcard,
    TurnDownUpcard,
)
from engine.deal import Deal, DealFacts, Finding, Layout, TableCard
from engine.facts import (
    Called,
    CardPlayed,
    Declared,
    Fact,
    Recorded,
    ReviewRaised,
    TableCardShown,
    TrickCleared,
    Trump,
)
from engine.findings import Trial
from engine.follow import NO_TRUMP, TRUMPS
from engine.games import Game, Question
from engine.games.individual import (
    Settled,
    dealer_of,
    goal_words,
    hand_words,
    highest_at_target,
    is_played_out,
    lay_out,
    next_dealer,
    revoke_words,
    ruled,
    same_every_way,
)
from engine.proofs import ShownCard
from engine.refusals import declared_deal, malformed, not_now, pack_fault, seat_fault
from engine.ruleset import Ruleset, first_dealer_said, pack_of
from engine.rulings import finding_of
from engine.sightings import CardReread, CardRested, Place, Sighting
from engine.wording import Sentence, say, seat_name, the, worded

if TYPE_CHECKING:
    from engine.intake import Ignored
    from engine.state import State

_SEATS: Final = 2
#: Cards that lie face up before each player from the deal on, and as many covered under them.
COLUMNS: Final = 4
_HAND: Final = 4
#: Tricks the maker needs of twelve.
NEEDED: Final = 7


def read_deal(facts: DealFacts) -> Deal:
    """The deal that ``facts`` tell of."""
    dealer = dealer_of(facts)
    maker, trump = _made(facts)
    layout = Layout(cards=_table_cards(facts))
    leads = None if dealer is None else left_of(dealer, _SEATS)
    deal = lay_out(
        facts,
        seats=_SEATS,
        dealer=dealer,
        maker=maker,
        trump=trump,
        leads=leads,
        particulars=layout,
    )
    deal = replace(deal, turn=None if maker is None and not deal.tricks else deal.turn)
    trial = Trial(
        leads=leads,
        revoke_ruling=lambda seat, trick: _proposed(seat, trick, facts.ruleset),
        hand_ruling=lambda seat: _hand_proposed(seat, maker, facts.ruleset),
        table=_Hands(deal),
        owners={c.card: c.seat for c in reversed(layout.cards) if c.card is not None},
    )
    return ruled(
        replace(deal, findings=(*about_no_trump(deal, facts), *_layout_faults(deal, facts))),
        facts,
        trial=trial,
        played=_played(deal),
        settle=lambda judged, upheld: _settle(judged, upheld, facts.ruleset),
        euchred=lambda judged, offenders: _euchred(offenders, facts.ruleset),
    )


def score_tricks(tricks: Sequence[int], *, maker: Seat) -> Settled:
    """Points of each player, and the result: ``made`` or ``euchre``."""
    if tricks[maker] >= NEEDED:
        return tuple(tricks), "made"
    return tuple(0 if seat == maker else sum(tricks) for seat in range(_SEATS)), "euchre"


def initial_score(ruleset: Ruleset) -> tuple[int, ...]:
    return (0,) * _SEATS


def fewest_plays(facts: Sequence[Recorded], declared: Declared | None, ruleset: Ruleset) -> int:
    return ruleset.hand_size * _SEATS


def points_anyway(deal: Deal, ruleset: Ruleset) -> Settled | None:
    """Points where every way the unknown tricks may have gone gives the same."""
    maker = deal.maker
    if maker is None or deal.trump is None:
        return None
    return same_every_way(deal, ruleset, lambda tricks: score_tricks(tricks, maker=maker))


def deal_json(deal: Deal) -> dict[str, Any]:
    played = deal.seen()
    return {
        "layout": [
            {
                "seat": seat,
                "open": [
                    {"card": c.card, "version": c.version}
                    for c in _layout(deal).cards
                    if c.seat == seat and c.card not in played
                ],
                "covered": max(0, COLUMNS - len(_uncovered(deal, seat))),
            }
            for seat in range(_SEATS)
        ]
    }


def deal_words(deal: Deal, names: Sequence[str]) -> list[str]:
    lines = []
    for seat in range(_SEATS):
        dealt, uncovered = _dealt_open(deal, seat), _uncovered(deal, seat)
        if dealt or uncovered:
            later = "".join(f", {short(c.card)} from trick {c.playable_from}" for c in uncovered)
            cards = " ".join(short(c.card) for c in dealt)
            lines.append(f"Open before {seat_name(seat, names)}: {cards}{later}")
    return lines


def decide(state: State, command: Command) -> tuple[Fact, ...] | Rejected | None:
    """Naming trump and table cards; None: a command decided in the common way."""
    match command:
        case ShowTableCard():
            return _shows(state, command)
        case Call():
            return _calls(state, command)
        case Declare():
            return _declares(state, command)
        case ShowUpcard() | TakeUpcard() | TurnDownUpcard():
            return not_now("no card is turned up in the game for two: name trump, or declare")
    return None


def interpret(state: State, sighting: Sighting) -> tuple[Fact, ...] | Ignored | None:
    """Table cards; a card in the middle goes the common way, as a play."""
    match sighting:
        case CardRested():
            return _rested(state, sighting)
        case CardReread():
            return _reread(state, sighting)
    return None


def ask(state: State) -> Question | None:
    """Who deals, who names trump."""
    deal = state.open_deal
    number = len(state.deals) + (deal is None)
    dealer = state.next_dealer if deal is None else deal.dealer
    if dealer is None:
        return Question(kind="dealer", said=say("ask.dealer"), deal=number)
    other = left_of(dealer, _SEATS)
    if deal is None:
        said = say("ask.two_hand", seat_dealer=dealer, seat=other)
        return Question(kind="declare", said=said, deal=number, seat=other)
    if deal.maker is not None:
        return None
    if any(call.call == "pass" for call in deal.calls):
        said = say("ask.must_name", seat=dealer)
        return Question(kind="declare", said=said, deal=number, seat=dealer)
    said = say("ask.names_or_passes", seat=other)
    return Question(kind="declare", said=said, deal=number, seat=other)


def _layout(deal: Deal) -> Layout:
    assert isinstance(deal.particulars, Layout)
    return deal.particulars


def _made(facts: DealFacts) -> tuple[Seat | None, Trump | None]:
    if facts.declared is not None:
        return facts.declared.maker, facts.declared.trump
    for recorded in facts.facts:
        fact = recorded.fact
        if isinstance(fact, Called) and fact.call == "name" and fact.suit is not None:
            return fact.seat, fact.suit
    return None, None


def _table_cards(facts: DealFacts) -> tuple[TableCard, ...]:
    """The table cards in order, each with the first trick it could be played to.

    One that was turned up while a trick was under way counts from the next: it may have been
    turned before or after its player's card, and nobody is accused on a may-be.
    """
    doubted = {
        r.fact.track
        for r in facts.facts
        if isinstance(r.fact, ReviewRaised) and r.fact.subject == "table" and r.fact.track
    }
    cards: list[TableCard] = []
    laid = swept = 0
    for recorded in facts.facts:
        fact = recorded.fact
        playable_from = max((laid + _SEATS - 1) // _SEATS, swept) + 1
        match fact:
            case TrickCleared():
                swept += 1
            case CardPlayed() | ReviewRaised(subject="play"):
                laid += isinstance(fact, CardPlayed) or fact.reason != "changed"
            case TableCardShown():
                doubtful = fact.track is not None and fact.track in doubted
                cards.append(
                    TableCard(
                        seat=fact.seat,
                        card=None if doubtful else fact.card,
                        version=recorded.version,
                        playable_from=playable_from,
                        track=fact.track,
                        evidence=fact.evidence,
                    )
                )
            case ReviewRaised(subject="table") if fact.reason != "changed":
                if fact.seat is not None:
                    cards.append(
                        TableCard(
                            seat=fact.seat,
                            card=None,
                            version=recorded.version,
                            playable_from=playable_from,
                            track=fact.track,
                            evidence=fact.evidence,
                        )
                    )
    return tuple(cards)


def _dealt_open(deal: Deal, seat: Seat) -> list[TableCard]:
    return [c for c in _layout(deal).cards if c.seat == seat and c.playable_from == 1]


def _uncovered(deal: Deal, seat: Seat) -> list[TableCard]:
    return [c for c in _layout(deal).cards if c.seat == seat and c.playable_from > 1]


def _plays(deal: Deal, seat: Seat) -> list[tuple[int, Card | None]]:
    return [(t.number, p.card) for t in deal.tricks for p in t.plays if p.seat == seat]


def _open_at(deal: Deal, seat: Seat, trick: int) -> tuple[ShownCard, ...]:
    """The cards that lay open before ``seat`` when it played to ``trick``."""
    played = {card for number, card in _plays(deal, seat) if number < trick}
    return tuple(
        ShownCard(
            card=c.card,
            version=c.version,
            evidence=c.evidence,
            order=-1,
            trick=c.playable_from - 1,
            how="open",
        )
        for c in _layout(deal).cards
        if c.seat == seat
        and c.card is not None
        and c.playable_from <= trick
        and c.card not in played
    )


class _Hands:
    """The table cards as proofs ask for them; each player's cards are read once."""

    __slots__ = ("_deal", "_since")

    def __init__(self, deal: Deal) -> None:
        self._deal = deal
        self._since: dict[Seat, Mapping[Card, int | None]] = {}

    def playable_from(self, seat: Seat, card: Card) -> int | None:
        """The first trick ``card`` could be played to by ``seat``, None where nobody knows."""
        if seat not in self._since:
            self._since[seat] = _playable(self._deal, seat)
        return self._since[seat].get(card)

    def open_cards(self, seat: Seat, trick: int) -> tuple[ShownCard, ...]:
        """What lay open before ``seat`` when it played to ``trick``."""
        return _open_at(self._deal, seat, trick)


def _playable(deal: Deal, seat: Seat) -> dict[Card, int | None]:
    """Since when each card that ``seat`` played was playable.

    A card that lay open: since then. A card never seen on the table came from the hand, unless
    it may have been uncovered unseen: where not all four were seen dealt, where more table cards
    had been played than were seen uncovered since, where one of them was not read, or where
    more than four cards would have come from the hand.
    """
    shown = {c.card: c.playable_from for c in _layout(deal).cards if c.seat == seat and c.card}
    dealt = _dealt_open(deal, seat)
    uncovered = _uncovered(deal, seat)
    unread = any(c.card is None for c in (*dealt, *uncovered))
    plays = _plays(deal, seat)
    from_hand = sum(card is not None and card not in shown for _, card in plays)
    all_seen = len(dealt) == COLUMNS and not unread and from_hand <= _HAND
    tops = {c.card for c in dealt}
    since: dict[Card, int | None] = {}
    tops_played = 0
    for number, card in plays:
        if card is None:
            # It may have been any card, a table card too.
            all_seen = False
            continue
        if card in shown:
            since[card] = shown[card]
        else:
            seen_since = sum(c.playable_from <= number for c in uncovered)
            since[card] = 1 if all_seen and seen_since >= tops_played else None
        tops_played += card in tops
    return since


def _layout_faults(deal: Deal, facts: DealFacts) -> tuple[Finding, ...]:
    """Table cards that cannot be: more than were dealt, or one in two places.

    A play was taken for a table card, or a card misread; nobody is accused on them.
    """
    found: list[Finding] = []
    first: dict[Card, TableCard] = {}
    for shown in _layout(deal).cards:
        if shown.card is None:
            continue
        earlier = first.setdefault(shown.card, shown)
        if earlier is not shown:
            found.append(
                finding_of(
                    deal,
                    facts,
                    "duplicate_card",
                    seat=shown.seat,
                    said=say(
                        "finding.duplicate_card.open",
                        card=shown.card,
                        seat_first=earlier.seat,
                        seat=shown.seat,
                    ),
                    card=shown.card,
                )
            )
    for seat in range(_SEATS):
        dealt, uncovered = _dealt_open(deal, seat), _uncovered(deal, seat)
        if len(dealt) <= COLUMNS and len(uncovered) <= COLUMNS:
            continue
        many = len(dealt) if len(dealt) > COLUMNS else len(uncovered)
        where = "dealt" if len(dealt) > COLUMNS else "uncovered"
        found.append(
            finding_of(
                deal,
                facts,
                "too_many_table_cards",
                seat=seat,
                said=say(
                    f"finding.too_many_table_cards.{where}", count=many, seat=seat, most=COLUMNS
                ),
            )
        )
    return tuple(found)


def _played(deal: Deal) -> Settled | None:
    if not is_played_out(deal) or deal.maker is None or deal.trump is None:
        return None
    return score_tricks(deal.tricks_won, maker=deal.maker)


def _settle(deal: Deal, upheld: Sequence[tuple[Seat, int]], ruleset: Ruleset) -> Settled | None:
    """The deal with its upheld revokes; None where it must be played out first."""
    played = deal.played_points
    offenders = {seat for seat, _ in upheld}
    award = ruleset.revoke_mode == "award"
    if played is None and not (award and ruleset.revoke_ends_hand):
        return None
    if len(offenders) == _SEATS:
        return (0,) * _SEATS, "both_revoked"
    (offender,) = offenders
    points = ruleset.revoke_points
    if award or played is None:
        return tuple(0 if seat == offender else points for seat in range(_SEATS)), "revoke"
    if ruleset.revoke_mode == "deduct":
        return (
            tuple(p - points if seat == offender else p for seat, p in enumerate(played)),
            deal.played_result or "revoke",
        )
    assert deal.maker is not None
    lost = {trick for _, trick in upheld}
    won = [
        left_of(offender, _SEATS) if number in lost else winner
        for number, winner in enumerate(deal.winners, start=1)
    ]
    return score_tricks([won.count(seat) for seat in range(_SEATS)], maker=deal.maker)


def _proposed(seat: Seat, trick: int, ruleset: Ruleset) -> Sentence:
    other, points = left_of(seat, _SEATS), ruleset.revoke_points
    match ruleset.revoke_mode:
        case "deduct":
            return say("ruling.revoke.player_deduct", seat=seat, points=points)
        case "loss_of_trick":
            return say("ruling.revoke.player_lose_trick", trick=trick, seat=other)
        case _:
            return say("ruling.revoke.player_award", points=points, seats=(other,))


def _euchred(offenders: Collection[Seat], ruleset: Ruleset) -> Settled:
    """All tricks' points go to the other player; both at fault: nobody scores."""
    if len(offenders) == _SEATS:
        return (0,) * _SEATS, "six_cards"
    points = (0 if seat in offenders else ruleset.hand_size for seat in range(_SEATS))
    return tuple(points), "six_cards"


def _hand_proposed(seat: Seat, maker: Seat | None, ruleset: Ruleset) -> Sentence:
    if ruleset.six_cards == "makers":
        if maker is None:
            return say("ruling.six_cards.declare_maker")
        seat = maker
    return say(
        "ruling.six_cards.player",
        points=ruleset.hand_size,
        seat=left_of(seat, _SEATS),
        seat_offender=seat,
    )


def _shows(state: State, command: ShowTableCard) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat) or pack_fault(state, command.card)
    if fault is not None:
        return fault
    deal = state.open_deal
    if deal is not None:
        owner = _owner(deal, command.card)
        if owner is not None:
            return not_now(
                "{card} lies open before {seat} already", state.names, card=command.card, seat=owner
            )
        if command.card in deal.seen():
            return not_now("{card} was played in this deal: correct that first", card=command.card)
    return (TableCardShown(seat=command.seat, card=command.card),)


def _calls(state: State, command: Call) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is not None:
        return fault
    if command.alone:
        return malformed("two players are alone already: leave alone out")
    if command.call not in ("pass", "name"):
        return malformed(
            "{value}: no card is turned up for two; pass or name", value=repr(command.call)
        )
    if command.call == "pass" and command.suit is not None:
        return malformed("suit {value} goes only with name: leave it out", value=repr(command.suit))
    deal = state.open_deal
    if deal is not None and deal.maker is not None:
        return not_now("trump is made: correct it instead of calling again")
    dealer = state.next_dealer if deal is None else deal.dealer
    passed = deal is not None and any(call.call == "pass" for call in deal.calls)
    if command.call == "pass":
        if passed or command.seat == dealer:
            return not_now("the dealer must name trump: name a suit")
        return (Called(seat=command.seat, call="pass"),)
    wrong = _wrong_trump(command.suit, state.ruleset)
    if wrong is not None:
        return wrong
    if passed and dealer is not None and command.seat != dealer:
        return not_now("{seat} has passed: the dealer names trump", state.names, seat=command.seat)
    if not passed and command.seat == dealer:
        return not_now(
            "{seat} speaks first: name trump or pass",
            state.names,
            seat=left_of(command.seat, _SEATS),
        )
    return (Called(seat=command.seat, call="name", suit=command.suit),)


def _wrong_trump(trump: Trump | None, ruleset: Ruleset) -> Rejected | None:
    if trump not in TRUMPS:
        return malformed("{value} is no trump: name c, d, h or s", value=repr(trump))
    if trump == NO_TRUMP and ruleset.no_trump == "off":
        return malformed("no trump is not played in this game: name c, d, h or s")
    return None


def _declares(state: State, command: Declare) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "maker", command.maker) or _wrong_trump(command.trump, state.ruleset)
    if fault is not None:
        return fault
    if command.alone is not None or command.defender_alone is not None:
        return malformed("two players are alone already: leave alone and defender_alone out")
    if command.bid is not None or command.dropped or command.ace is not None:
        return malformed("bid, dropped and ace belong to other games: leave them out")
    number = declared_deal(state, command, has_upcard=False)
    if isinstance(number, Rejected):
        return number
    return (Declared(maker=command.maker, trump=command.trump, deal=number),)


def _owner(deal: Deal, card: Card) -> Seat | None:
    """The player before whom the card lies, or lay, open."""
    return next((c.seat for c in _layout(deal).cards if c.card == card), None)


def _expects_table_card(deal: Deal | None, seat: Seat) -> bool:
    """Whether a card laid before ``seat`` can be a table card: one dealt, or one uncovered."""
    if deal is None:
        return True
    dealt = _dealt_open(deal, seat)
    if not deal.tricks:
        return len(dealt) < COLUMNS
    played = {card for _, card in _plays(deal, seat)}
    tops_played = sum(c.card in played for c in dealt)
    return len(_uncovered(deal, seat)) < tops_played


def _rested(state: State, s: CardRested) -> tuple[Fact, ...] | Ignored | None:
    from engine.intake import Ignored, rested

    deal = state.open_deal
    seat = s.place.seat
    owner = None if deal is None or s.card is None else _owner(deal, s.card)
    if s.place.middle:
        by_hand = owner if s.laid_from is None else s.laid_from
        return rested(state, replace(s, place=_at(by_hand)))
    if seat is None or not s.place.clear or not _expects_table_card(deal, seat):
        if owner is not None and owner == seat and deal is not None and s.card not in deal.seen():
            return Ignored(reason=f"{the(s.card)} lies there already") if s.card else None
        return rested(state, s)
    if deal is not None and s.card is not None and (owner is not None or s.card in deal.seen()):
        if owner == seat or s.card in deal.seen():
            return Ignored(reason=f"{the(s.card)} is known in this deal already")
        return (_table_review(s, seat, reason="duplicate"),)
    if s.card is None:
        return (_table_review(s, seat, reason="unsure"),)
    if s.card not in pack_of(state.ruleset):
        return Ignored(reason=f"{the(s.card)} is not in the pack and lies apart: a marker")
    return (
        TableCardShown(
            seat=seat,
            card=s.card,
            confidence=s.confidence,
            track=s.track,
            evidence=s.evidence,
        ),
    )


def _at(seat: Seat | None) -> Place:
    return Place(seat=seat, clear=seat is not None)


def _table_review(s: CardRested, seat: Seat, *, reason: str) -> ReviewRaised:
    candidates = s.votes
    if not candidates and s.card is not None:
        candidates = ((s.card, s.confidence),)
    return ReviewRaised(
        subject="table",
        seat=seat,
        candidates=candidates,
        reason=reason,
        track=s.track,
        box=s.box,
        evidence=s.evidence,
    )


def _reread(state: State, s: CardReread) -> tuple[Fact, ...] | Ignored | None:
    """A table card read otherwise is doubted; a doubtful one read surely is answered."""
    from engine.intake import Ignored

    deal = state.open_deal
    if deal is None or any(p.track == s.track for t in deal.tricks for p in t.plays):
        return None
    if any(review.track == s.track for review in deal.reviews):
        return None
    card = next((c for c in _layout(deal).cards if c.track == s.track), None)
    if card is None:
        return None
    if card.card == s.card:
        return Ignored(reason="read as before")
    candidates = {s.card: s.confidence, **dict(s.votes)}
    if card.card is not None:  # pragma: no branch - what has no name has its review
        candidates.setdefault(card.card, 0.0)
    return (
        ReviewRaised(
            subject="table",
            seat=card.seat,
            candidates=tuple(candidates.items()),
            reason="changed",
            track=s.track,
            evidence=s.evidence,
        ),
    )


def rules_said(ruleset: Ruleset) -> list[Sentence]:
    """The rules as sentences for the table to read before the first deal."""
    points = ruleset.revoke_points
    return [
        worded(
            "Two players, {pack} cards: each has four face down, four face up on them, and four "
            "in hand.",
            pack=ruleset.pack,
        ),
        first_dealer_said(ruleset),
        worded("The non-dealer names trump or passes; then the dealer must name it."),
        *([worded("Naming no trump is allowed.")] if ruleset.no_trump != "off" else []),
        worded("The non-dealer leads. A covered card may be played once the card on it is gone."),
        worded("Table cards lie before their player; a card laid in the middle is played."),
        worded(
            "The maker needs {tricks} of twelve tricks: then each scores a point a trick, "
            "otherwise all twelve go to the other.",
            tricks=NEEDED,
        ),
        goal_words(
            ruleset,
            worded(
                "The first to {points} wins; both at once: the higher, else play goes on.",
                points=ruleset.target,
            ),
        ),
        *revoke_words(
            ruleset,
            pays=worded("costs the offender {points:point|points}", points=points),
            gains=worded("gives the other player {points:point|points}", points=points),
        ),
        hand_words(
            ruleset,
            offender=worded("the offender counts as euchred"),
            maker=worded("the maker counts as euchred"),
        ),
    ]


GAME: Final = Game(
    name="two_hand",
    seats=_SEATS,
    sides=_SEATS,
    has_upcard=False,
    initial_score=initial_score,
    read_deal=read_deal,
    fewest_plays=fewest_plays,
    next_dealer=next_dealer,
    outcome=highest_at_target,
    points_anyway=points_anyway,
    decide=decide,
    interpret=interpret,
    ask=ask,
    deal_json=deal_json,
    deal_words=deal_words,
    rules_said=rules_said,
)
