"""What the cards prove of who held what: revokes proved, and claims still open.

Source: RULES.md, "Revokes" 1-4. In a deal played out a seat's played cards *are* its hand from
the first lead, so a seat that plays off the led suit claims to be void in it, and the first
card of the seat that counts in that suit and was in the hand then proves a revoke: a card played
later, a card shown or taken back, the up-card where it must be kept. A card taken back in time
(``revoke_correctable_until``) is a correction and claims nothing; taken back too late, it claims
what it claimed when it was laid. Suits are effective suits, so the left bower, and a joker where
there is no trump, need no case of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

from engine.cards import Card, Seat, Suit
from engine.deal import Claim, Deal, DealFacts, Play, TakenBack
from engine.facts import Discarded, HandShown, Trump, WidowSwapped
from engine.follow import effective_suit
from engine.ruleset import Ruleset, pack_of

#: How the proving card is known to have been in the hand.
How: TypeAlias = Literal["played", "shown", "taken_back", "kept", "open"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoke:
    """A proved revoke, before words and rulings; tricks from 1."""

    seat: Seat
    trick: int
    led: Play
    off: Play
    proof: Card
    proof_version: int
    proof_evidence: str | None
    proven_at_trick: int
    how: How


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCard:
    """A card known to be in a seat's hand without being played.

    ``order`` is its place among the deal's facts, ``trick`` the one under way then (0: none).
    """

    card: Card
    version: int
    evidence: str | None
    order: int
    trick: int
    how: How


class TableCards(Protocol):
    """Cards that lie on the table beside the hands, some of them covered (the game for two)."""

    def playable_from(self, seat: Seat, card: Card) -> int | None:
        """The first trick the seat could play the card to, None where nobody knows."""
        ...

    def open_cards(self, seat: Seat, trick: int) -> Sequence[ShownCard]:
        """What lay open before the seat when it played to ``trick`` (from 1)."""
        ...


class _Laid(NamedTuple):
    """A card that a seat laid: its trick (from 0), its effective suit.

    ``taken_back``: it went back into the hand, too late. (One is made for every card of every
    deal whenever a game is read, hence a tuple.)
    """

    trick: int
    play: Play
    suit: Suit
    taken_back: bool = False


def in_time(taken: TakenBack, ruleset: Ruleset) -> bool:
    """Whether the card was taken back while the rules allowed it."""
    match ruleset.revoke_correctable_until:
        case "trick_complete":
            return taken.stage == "open"
        case "next_lead":
            return taken.stage != "led"
    return False


def find_revokes(
    deal: Deal, trump: Trump, facts: DealFacts, *, table: TableCards | None = None
) -> tuple[tuple[Revoke, ...], tuple[Claim, ...]]:
    """Proved revokes and open claims under ``trump``, in order of the claims.

    ``table``: where cards lie on the table too; a card counts then from when it was playable.
    """
    ruleset = facts.ruleset
    led_of, by_seat = _laid(deal, trump, ruleset)
    shown = shown_cards(deal, facts)
    order = {r.version: n for n, r in enumerate(facts.facts)} if shown or table else {}
    may_discard = ruleset.upcard_may_be_discarded
    revokes: list[Revoke] = []
    claims: list[Claim] = []
    for seat, cards in by_seat.items():
        known = [laid.taken_back for laid in cards].count(False)
        for place, laid in enumerate(cards):
            lead = led_of[laid.trick]
            if lead is None or lead[0].seat == seat or laid.suit == lead[1]:
                continue
            led_play, led_suit = lead
            now, later = cards[: place + 1], cards[place + 1 :]
            held: Sequence[ShownCard] = shown.get(seat, ())
            unsure = False
            if table is not None:
                unsure = any(
                    card.suit == led_suit and _since(table, card) is None for card in later
                )
                later = [card for card in later if (_since(table, card) or 99) <= laid.trick + 1]
                held = (
                    *table.open_cards(seat, laid.trick + 1),
                    # Laid open at the end a hand may hold what was covered until then.
                    *(card for card in held if card.order < order[laid.play.version]),
                )
            proofs = (
                None if may_discard else _by_upcard(deal, seat, now, led_suit, trump),
                _by_shown(held, now, led_suit, trump=trump, order=order) if held else None,
                _by_later(later, led_suit),
            )
            found = [proof for proof in proofs if proof is not None]
            if found:
                # The earliest; of one trick the up-card and what was shown come first.
                proof = min(found, key=lambda p: p[1])
                card, trick = proof
                revokes.append(
                    Revoke(
                        seat=seat,
                        trick=laid.trick + 1,
                        led=led_play,
                        off=laid.play,
                        proof=card.card,
                        proof_version=card.version,
                        proof_evidence=card.evidence,
                        proven_at_trick=trick,
                        how=card.how,
                    )
                )
            elif unsure or known < ruleset.hand_size:
                assert laid.play.card is not None
                assert led_play.card is not None
                claims.append(
                    Claim(
                        seat=seat,
                        trick=laid.trick + 1,
                        card=laid.play.card,
                        led=led_play.card,
                    )
                )
    revokes.sort(key=lambda revoke: (revoke.trick, revoke.seat))
    claims.sort(key=lambda claim: (claim.trick, claim.seat))
    return tuple(_once(revokes)), tuple(c for c in claims if not _all_seen(c.seat, deal, facts))


def _laid(
    deal: Deal, trump: Trump, ruleset: Ruleset
) -> tuple[list[tuple[Play, Suit] | None], dict[Seat, list[_Laid]]]:
    """What was led to each trick, and each seat's cards in the order it laid them."""
    pack = pack_of(ruleset)
    led_of: list[tuple[Play, Suit] | None] = []
    by_seat: dict[Seat, list[_Laid]] = {}
    for index, trick in enumerate(deal.tricks):
        led: tuple[Play, Suit] | None = None
        for taken in trick.taken_back:
            play = taken.play
            if taken.stage == "led" or in_time(taken, ruleset) or play.seat is None:
                continue
            if play.card is not None and play.card in pack:
                suit = effective_suit(play.card, trump)
                late = _Laid(index, play, suit, taken_back=True)
                by_seat.setdefault(play.seat, []).append(late)
        for place, play in enumerate(trick.plays):
            if play.card is None or play.seat is None or play.card not in pack:
                continue
            suit = effective_suit(play.card, trump)
            if place == 0:
                led = (play, suit)
            by_seat.setdefault(play.seat, []).append(_Laid(index, play, suit))
        led_of.append(led)
    return led_of, by_seat


def shown_cards(deal: Deal, facts: DealFacts) -> Mapping[Seat, Sequence[ShownCard]]:
    """Cards that seats held without playing them then: shown, exposed, taken back.

    What was shown before the first lead may have been discarded or passed on since, where the
    seat discards or passes; it then proves nothing.
    """
    shown: dict[Seat, list[ShownCard]] = {}
    taken = [(trick.number, t) for trick in deal.tricks for t in trick.taken_back]
    raised = [
        (order, recorded, recorded.fact)
        for order, recorded in enumerate(facts.facts)
        if isinstance(recorded.fact, HandShown)
    ]
    if not taken and not raised and not deal.exposed:
        return shown
    places = {r.version: n for n, r in enumerate(facts.facts)}
    began = [
        (min(places[play.version] for play in trick.plays), trick.number)
        for trick in deal.tricks
        if trick.plays
    ]
    for order, recorded, fact in raised:
        trick = max((number for start, number in began if start < order), default=0)
        if trick == 0 and not _keeps_its_hand(fact.seat, deal, facts):
            continue
        for card in fact.cards:
            shown.setdefault(fact.seat, []).append(
                ShownCard(
                    card=card,
                    version=recorded.version,
                    evidence=None,
                    order=order,
                    trick=trick,
                    how="shown",
                )
            )
    for number, back in taken:
        play = back.play
        if back.stage != "led" and play.seat is not None and play.card is not None:
            shown.setdefault(play.seat, []).append(
                ShownCard(
                    card=play.card,
                    version=play.version,
                    evidence=play.evidence,
                    order=places[back.version],
                    trick=number,
                    how="taken_back",
                )
            )
    for play in deal.exposed:
        if (
            play.seat is not None
            and play.card is not None
            and _keeps_its_hand(play.seat, deal, facts)
        ):
            shown.setdefault(play.seat, []).append(
                ShownCard(
                    card=play.card,
                    version=play.version,
                    evidence=play.evidence,
                    order=places[play.version],
                    trick=0,
                    how="shown",
                )
            )
    return shown


def _keeps_its_hand(seat: Seat, deal: Deal, facts: DealFacts) -> bool:
    """Whether the seat plays the cards it was dealt: it lays none away and changes none."""
    if facts.ruleset.lone_exchange != "none" and deal.alone:
        return False
    if any(
        isinstance(r.fact, Discarded | WidowSwapped) and r.fact.seat == seat for r in facts.facts
    ):
        return False
    return deal.dealer is not None and not (seat == deal.dealer and deal.upcard_state == "taken")


def _since(table: TableCards, laid: _Laid) -> int | None:
    # Only a known card of a known seat is laid: see _laid.
    assert laid.play.seat is not None
    assert laid.play.card is not None
    return table.playable_from(laid.play.seat, laid.play.card)


def _by_later(later: Sequence[_Laid], led: Suit) -> tuple[ShownCard, int] | None:
    for laid in later:
        if laid.suit == led and laid.play.card is not None:
            card = ShownCard(
                card=laid.play.card,
                version=laid.play.version,
                evidence=laid.play.evidence,
                order=0,
                trick=laid.trick + 1,
                how="played",
            )
            return card, laid.trick + 1
    return None


def _by_shown(
    shown: Sequence[ShownCard],
    up_to_now: Sequence[_Laid],
    led: Suit,
    *,
    trump: Trump,
    order: Mapping[int, int],
) -> tuple[ShownCard, int] | None:
    """The first shown card of suit ``led`` that was still in the hand at the last of the plays."""
    now = up_to_now[-1]
    gone = {laid.play.card for laid in up_to_now if not laid.taken_back or laid is now}
    for card in shown:
        if card.card in gone or effective_suit(card.card, trump) != led:
            continue
        before = card.order < order[now.play.version]
        return card, now.trick + 1 if before else max(card.trick, now.trick + 1)
    return None


def _by_upcard(
    deal: Deal,
    seat: Seat,
    up_to_now: Sequence[_Laid],
    led: Suit,
    trump: Trump,
) -> tuple[ShownCard, int] | None:
    """The up-card in the dealer's hand, which may not be discarded."""
    up = deal.upcard
    if (
        seat != deal.dealer
        or up is None
        or up.card is None
        or up.state != "taken"
        or effective_suit(up.card, trump) != led
        or any(laid.play.card == up.card for laid in up_to_now)
    ):
        return None
    trick = up_to_now[-1].trick + 1
    card = ShownCard(
        card=up.card,
        version=up.version,
        evidence=up.evidence,
        order=0,
        trick=trick,
        how="kept",
    )
    return card, trick


def _all_seen(seat: Seat, deal: Deal, facts: DealFacts) -> bool:
    """Whether every card of the seat's hand was played or lies open."""
    played = {p.card for trick in deal.tricks for p in trick.plays if p.seat == seat}
    played.discard(None)
    open_now = {
        card
        for r in facts.facts
        if isinstance(r.fact, HandShown) and r.fact.seat == seat
        for card in r.fact.cards
    }
    return bool(open_now) and len(played | open_now) >= facts.ruleset.hand_size


def _once(revokes: Sequence[Revoke]) -> Sequence[Revoke]:
    """One a seat and trick: a card taken back too late and its off-suit successor are one."""
    seen: dict[tuple[Seat, int], Revoke] = {}
    for revoke in revokes:
        seen.setdefault((revoke.seat, revoke.trick), revoke)
    return tuple(seen.values())
