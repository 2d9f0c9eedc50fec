"""What the rules make of a deal's cards where each player scores alone.

Source: RULES.md, "Revokes", "Other irregularities" and "Two packs, more seats, fewer seats". The
tests are those of the four-handed game, for any number of seats, with two more things asked of
a game: when a card could first be played (in the game for two a covered card could not), and
which cards lay open before a seat (such a card proves a revoke on the trick itself). A seat that
sits out is never judged. A card seen twice vetoes every accusation of its deal, and where
another trump would explain everything the question is put instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.cards import SUITS, Card, Seat, Suit
from engine.deal import Claim, Deal, DealFacts, Finding, FindingStatus, Play
from engine.facts import Trump
from engine.follow import effective_suit, trick_winner, trump_name
from engine.games.order import awaited
from engine.ruleset import Ruleset, pack_of
from engine.wording import listed, seat_name, the, trump_doubt

#: Proposals for irregularities that move no points by themselves.
_PROPOSALS: Final[Mapping[str, str]] = {
    "duplicate_card": "Look at both cards and correct the one that was misread; until then no "
    "revoke of this deal is judged.",
    "foreign_card": "Take the card from the table and correct the play, or throw the deal in.",
    "lead_out_of_turn": "The card may be taken back before the next seat plays; once the trick "
    "is complete it stands.",
    "play_out_of_turn": "The card may be taken back before the next seat plays; once the trick "
    "is complete it stands.",
    "played_twice": "The second card goes back to the hand; correct the play if the first was "
    "taken back.",
    "sitting_out_played": "The card goes back: a seat that is out of the deal plays no cards.",
    "short_trick": "Undo the answer or the correction that took the card away, and name the card.",
    "wrong_dealer": "Name the right dealer before the first lead; after it the deal stands.",
    "trump_in_doubt": "Ask which suit is trump and declare it again.",
    "out_of_play": "The card is out of play: look at it again, or throw the deal in.",
    "exposed_card": "The card goes back to the hand; the deal goes on.",
}


#: A card cannot be in two places: with one of these some reading is wrong.
_VETOES: Final = ("duplicate_card", "out_of_play", "too_many_table_cards")


def no_open_cards(seat: Seat, trick: int) -> tuple[OpenCard, ...]:
    """A game in which nothing lies open."""
    return ()


def from_the_hand(seat: Seat, card: Card) -> int | None:
    """A game in which every card is held from the first lead."""
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCard:
    """A card known to be a seat's before it is played; ``words`` say how it is known."""

    card: Card
    version: int
    evidence: str | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a game tells the judge of a deal.

    ``leads``: the seat to lead to the first trick, None while nobody can say. ``hand_size``:
    the cards a seat plays in a deal played out. ``playable_from``: the first trick a card of a
    seat could be played to, None where that is not known. ``open_cards``: those of a seat that
    were known to be playable when it played to a trick. ``revoke_ruling``: the proposed ruling
    in words. ``out_of_play``: cards nobody may play, each with why. ``not_trump``: suits that
    cannot be trump. ``owners``: seats whose card another seat cannot play.
    """

    leads: Seat | None
    hand_size: int
    revoke_ruling: Callable[[Seat, int], str]
    playable_from: Callable[[Seat, Card], int | None] = from_the_hand
    open_cards: Callable[[Seat, int], tuple[OpenCard, ...]] = no_open_cards
    out_of_play: Mapping[Card, str]
    owners: Mapping[Card, Seat]
    not_trump: Sequence[Trump] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Revoke:
    seat: Seat
    trick: int
    led: Play
    off: Play
    proof: Card
    proof_version: int
    proof_evidence: str | None
    proven_at_trick: int
    #: How the proof was known on the trick itself, None where it was played later.
    words: str | None


def judge(
    deal: Deal, facts: DealFacts, trial: Trial
) -> tuple[tuple[Finding, ...], tuple[Claim, ...]]:
    """The findings of ``deal`` and the claims still open, both in order of play.

    ``deal`` is read except for its points and claims; its findings are what the game found.
    """
    found = [
        *deal.findings,
        *_wrong_dealer(deal, facts),
        *_exposed(deal, facts),
        *_strange_cards(deal, facts, trial),
        *_places(deal, facts),
        *_short_tricks(deal, facts),
    ]
    if deal.trump is None:
        return tuple(found), ()
    vetoed = any(f.kind in _VETOES for f in found)
    revokes, claims = _revokes(deal, deal.trump, facts.ruleset, trial)
    turns = _out_of_turn(deal, facts, trial) if deal.maker is not None else []
    wrong_leads = sum(
        f.kind == "lead_out_of_turn" and f.trick is not None and f.trick > 1 for f in turns
    )
    others = _other_trumps(deal, facts.ruleset, trial) if revokes or wrong_leads > 1 else ()
    seats = {revoke.seat for revoke in revokes}
    if others and (len(seats) > 1 or wrong_leads > 1 or (seats and wrong_leads)):
        plays = [play for revoke in revokes for play in (revoke.led, revoke.off)]
        text = trump_doubt(deal.trump, others)
        found.append(finding(deal, facts, "trump_in_doubt", text=text, plays=plays))
        turns = [f for f in turns if f.kind != "lead_out_of_turn" or f.trick == 1]
        return (*found, *turns), claims
    if vetoed:
        return (*found, *turns), claims
    doubt = trump_doubt(deal.trump, others) if others or len(seats) > 1 else None
    found.extend(
        _revoke_finding(deal, facts, trial, revoke, doubt=doubt, doubtful=bool(others))
        for revoke in revokes
    )
    return (*found, *turns), claims


def finding(
    deal: Deal,
    facts: DealFacts,
    kind: str,
    *,
    text: str,
    seat: Seat | None = None,
    trick: int | None = None,
    plays: Sequence[Play] = (),
    card: Card | None = None,
    ruling: str | None = None,
) -> Finding:
    """A finding that is no revoke; ``plays`` are those it rests on.

    ``ruling`` is what is proposed, None: what is proposed for its kind in every game.
    """
    id = _id(deal, kind, seat, trick)
    return Finding(
        id=id,
        kind=kind,
        deal=deal.number,
        seat=seat,
        trick=trick,
        card=card,
        led=None,
        proof=None,
        proven_at_trick=None,
        text=text,
        ruling=_PROPOSALS[kind] if ruling is None else ruling,
        status=_status(facts, id),
        versions=tuple(play.version for play in plays),
        evidence=tuple(play.evidence for play in plays if play.evidence is not None),
    )


def upheld_revokes(findings: Sequence[Finding]) -> tuple[tuple[Seat, int], ...]:
    """The revokes that count, as (seat, trick)."""
    return tuple(
        (f.seat, f.trick)
        for f in findings
        if f.kind == "revoke"
        and f.status == "upheld"
        and f.seat is not None
        and f.trick is not None
    )


def _revokes(
    deal: Deal, trump: Trump, ruleset: Ruleset, trial: Trial
) -> tuple[tuple[_Revoke, ...], tuple[Claim, ...]]:
    """Proved revokes and open claims under ``trump``, in order of play."""
    pack = pack_of(ruleset)
    led_of: dict[int, tuple[Play, Suit]] = {}
    by_seat: dict[Seat, list[tuple[int, Play, Suit]]] = {}
    for trick in deal.tricks:
        for place, play in enumerate(trick.plays):
            if play.card is None or play.seat is None or play.card not in pack:
                continue
            suit = effective_suit(play.card, trump)
            if place == 0:
                led_of[trick.number] = (play, suit)
            by_seat.setdefault(play.seat, []).append((trick.number, play, suit))
    revokes: list[_Revoke] = []
    claims: list[Claim] = []
    for seat, plays in by_seat.items():
        for place, (number, play, suit) in enumerate(plays):
            led = led_of.get(number)
            if led is None or led[0] is play or suit == led[1]:
                continue
            revoke = _proved(
                trial, seat, number, led[0], play, led[1], plays[place + 1 :], trump=trump
            )
            if revoke is not None:
                revokes.append(revoke)
            elif len(plays) < trial.hand_size or _may_have_followed(
                trial, seat, led[1], plays[place + 1 :]
            ):
                assert play.card is not None
                assert led[0].card is not None
                claims.append(Claim(seat=seat, trick=number, card=play.card, led=led[0].card))
    revokes.sort(key=lambda revoke: (revoke.trick, revoke.seat))
    claims.sort(key=lambda claim: (claim.trick, claim.seat))
    return tuple(revokes), tuple(claims)


def _proved(
    trial: Trial,
    seat: Seat,
    number: int,
    led: Play,
    off: Play,
    suit: Suit,
    later: Sequence[tuple[int, Play, Suit]],
    *,
    trump: Trump,
) -> _Revoke | None:
    """The revoke, by a card that lay open, else by the first later card that was playable."""
    for card in trial.open_cards(seat, number):
        if card.card != off.card and effective_suit(card.card, trump) == suit:
            return _Revoke(
                seat=seat,
                trick=number,
                led=led,
                off=off,
                proof=card.card,
                proof_version=card.version,
                proof_evidence=card.evidence,
                proven_at_trick=number,
                words=card.words,
            )
    for at, play, played in later:
        if play.card is None or played != suit:
            continue
        since = trial.playable_from(seat, play.card)
        if since is not None and since <= number:
            return _Revoke(
                seat=seat,
                trick=number,
                led=led,
                off=off,
                proof=play.card,
                proof_version=play.version,
                proof_evidence=play.evidence,
                proven_at_trick=at,
                words=None,
            )
    return None


def _may_have_followed(
    trial: Trial, seat: Seat, suit: Suit, later: Sequence[tuple[int, Play, Suit]]
) -> bool:
    """Whether a later card of the suit may have been there: nobody knows where it lay."""
    return any(
        played == suit and play.card is not None and trial.playable_from(seat, play.card) is None
        for _, play, played in later
    )


def _other_trumps(deal: Deal, ruleset: Ruleset, trial: Trial) -> tuple[Trump, ...]:
    """Other suits that, as trump, would leave nothing amiss: no revoke and every lead right."""
    return tuple(
        suit
        for suit in SUITS
        if suit != deal.trump
        and suit not in trial.not_trump
        and not _revokes(deal, suit, ruleset, trial)[0]
        and _leads_agree(deal, suit)
    )


def _leads_agree(deal: Deal, trump: Trump) -> bool:
    """Whether each trick was led by the seat that won the one before, were ``trump`` trump."""
    for trick, following in zip(deal.tricks, deal.tricks[1:], strict=False):
        plays = [(p.seat, p.card) for p in trick.plays if p.seat is not None and p.card is not None]
        if not trick.complete or len(plays) < len(trick.plays) or following.leader is None:
            continue
        if trick_winner(plays, trump) != following.leader:
            return False
    return True


def _revoke_finding(
    deal: Deal,
    facts: DealFacts,
    trial: Trial,
    revoke: _Revoke,
    *,
    doubt: str | None,
    doubtful: bool,
) -> Finding:
    id = _id(deal, "revoke", revoke.seat, revoke.trick)
    assert deal.trump is not None
    assert revoke.off.card is not None
    assert revoke.led.card is not None
    status = _status(facts, id)
    if status == "open" and facts.ruleset.revoke_judge == "automatic" and not doubtful:
        status = "upheld"
    suit = trump_name(effective_suit(revoke.led.card, deal.trump))
    proved = (
        f"then {the(revoke.proof)} on trick {revoke.proven_at_trick}"
        if revoke.words is None
        else f"while {the(revoke.proof)} {revoke.words}"
    )
    text = (
        f"{seat_name(revoke.seat, facts.names)} played {the(revoke.off.card)} on trick "
        f"{revoke.trick} when {suit} were led, {proved}."
    )
    pictures = (revoke.led.evidence, revoke.off.evidence, revoke.proof_evidence)
    return Finding(
        id=id,
        kind="revoke",
        deal=deal.number,
        seat=revoke.seat,
        trick=revoke.trick,
        card=revoke.off.card,
        led=revoke.led.card,
        proof=revoke.proof,
        proven_at_trick=revoke.proven_at_trick,
        text=f"{text} {doubt}" if doubt else text,
        ruling=trial.revoke_ruling(revoke.seat, revoke.trick),
        status=status,
        versions=(revoke.led.version, revoke.off.version, revoke.proof_version),
        evidence=tuple(picture for picture in pictures if picture is not None),
        doubt=doubt,
        doubtful=doubtful,
    )


def _wrong_dealer(deal: Deal, facts: DealFacts) -> list[Finding]:
    expected, dealer = facts.expected_dealer, deal.dealer
    if facts.named_dealer is not None or expected is None or dealer is None or dealer == expected:
        return []
    text = (
        f"{seat_name(dealer, facts.names)} dealt deal {deal.number}; "
        f"it was {seat_name(expected, facts.names)}'s deal."
    )
    return [finding(deal, facts, "wrong_dealer", seat=dealer, text=text)]


def _exposed(deal: Deal, facts: DealFacts) -> list[Finding]:
    return [
        finding(
            deal,
            facts,
            "exposed_card",
            seat=play.seat,
            text=f"{the(play.card).capitalize()} was shown in front of "
            f"{seat_name(play.seat, facts.names)} before the up-card.",
            plays=[play],
            card=play.card,
        )
        for play in deal.exposed
        if play.card is not None
    ]


def _strange_cards(deal: Deal, facts: DealFacts, trial: Trial) -> list[Finding]:
    """Cards seen twice, outside the pack, or out of play."""
    pack = pack_of(facts.ruleset)
    found: list[Finding] = []
    first: dict[Card, tuple[Seat | None, int, Play]] = {}
    for trick in deal.tricks:
        for play in (*trick.plays, *trick.extra):
            card = play.card
            if card is None:
                continue
            who = seat_name(play.seat, facts.names)
            kind = text = None
            plays = [play]
            if card in first:
                seat, number, earlier = first[card]
                where = (
                    f"twice in trick {number}"
                    if number == trick.number
                    else f"in trick {number} and in trick {trick.number}"
                )
                kind, plays = "duplicate_card", [earlier, play]
                text = f"{the(card).capitalize()} was seen {where}, from "
                text += f"{seat_name(seat, facts.names)} and from {who}."
            else:
                first[card] = (play.seat, trick.number, play)
                if card not in pack:
                    kind = "foreign_card"
                    text = f"{who} played {the(card)} in trick {trick.number}, "
                    text += "which is not in the pack."
                elif card in trial.out_of_play:
                    kind = "out_of_play"
                    text = f"{who} played {the(card)} in trick {trick.number}: "
                    text += trial.out_of_play[card]
                elif play.seat is not None and trial.owners.get(card, play.seat) != play.seat:
                    kind = "duplicate_card"
                    owner = seat_name(trial.owners[card], facts.names)
                    text = f"{who} played {the(card)} in trick {trick.number}: it was {owner}'s."
            if kind is not None and text is not None:
                found.append(
                    finding(
                        deal,
                        facts,
                        kind,
                        seat=play.seat,
                        trick=trick.number,
                        text=text,
                        plays=plays,
                        card=card,
                    )
                )
    return found


def _places(deal: Deal, facts: DealFacts) -> list[Finding]:
    """A second card of a seat in a trick, and cards of a seat that is out of the deal."""
    found: list[Finding] = []
    for trick in deal.tricks:
        for play in trick.extra:
            if play.card is None or play.seat is None:
                continue
            who = seat_name(play.seat, facts.names)
            if play.seat in deal.sits_out:
                kind = "sitting_out_played"
                text = f"{who} is out of the deal and played {the(play.card)} in trick "
                text += f"{trick.number}."
            else:
                kind = "played_twice"
                text = f"{who} played a second card to trick {trick.number}: {the(play.card)}."
            found.append(
                finding(
                    deal,
                    facts,
                    kind,
                    seat=play.seat,
                    trick=trick.number,
                    text=text,
                    plays=[play],
                    card=play.card,
                )
            )
    return found


def _short_tricks(deal: Deal, facts: DealFacts) -> list[Finding]:
    """Tricks that were gathered without a card of every seat in play, and nobody is asked."""
    found: list[Finding] = []
    for trick in deal.tricks:
        if not trick.closed or trick.complete or not trick.plays:
            continue
        laid = [play.seat for play in trick.plays]
        missing = [seat for seat in deal.in_play() if seat not in laid]
        who = listed([seat_name(seat, facts.names) for seat in missing])
        found.append(
            finding(
                deal,
                facts,
                "short_trick",
                seat=missing[0] if len(missing) == 1 else None,
                trick=trick.number,
                text=f"Trick {trick.number} of deal {deal.number} has no card of {who}.",
                plays=trick.plays,
            )
        )
    return found


def _out_of_turn(deal: Deal, facts: DealFacts, trial: Trial) -> list[Finding]:
    """Leads by a seat that did not win, plays before one's turn."""
    found: list[Finding] = []
    expected = trial.leads
    for trick in deal.tricks:
        played: list[Seat | None] = []
        for place, play in enumerate(trick.plays):
            leader = trick.plays[0].seat
            if place:
                expected = (
                    None
                    if leader is None or None in played
                    else awaited(leader, played, seats=deal.seats, sits_out=deal.sits_out)
                )
            if expected is not None and play.seat is not None and play.seat != expected:
                kind = "play_out_of_turn" if place else "lead_out_of_turn"
                what = the(play.card) if play.card is not None else "a card"
                verb = "played" if place else "led"
                found.append(
                    finding(
                        deal,
                        facts,
                        kind,
                        seat=play.seat,
                        trick=trick.number,
                        text=f"{seat_name(play.seat, facts.names)} {verb} {what} to trick "
                        f"{trick.number}; it was {seat_name(expected, facts.names)}'s turn.",
                        plays=[play],
                        card=play.card,
                    )
                )
            played.append(play.seat)
        expected = trick.winner
    return found


def _id(deal: Deal, kind: str, seat: Seat | None, trick: int | None) -> str:
    return f"{deal.number}:{kind}:{_or_dash(seat)}:{_or_dash(trick)}"


def _status(facts: DealFacts, id: str) -> FindingStatus:
    ruling = facts.rulings.get(id)
    if ruling is None:
        return "open"
    return "upheld" if ruling.ruling == "uphold" else "dismissed"


def _or_dash(value: int | None) -> str:
    return "-" if value is None else str(value)
