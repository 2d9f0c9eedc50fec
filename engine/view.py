"""Snapshots: what an audience may see of the table, as plain JSON values.

The page draws a snapshot and knows no rules, so everything it shows is here. Built from an
allow-list: nothing of the state leaks by being added to it. Shape (four-handed game)::

  {"version": 12,                      # facts folded; the page asks for changes after it
   "game": {"id": "...", "title": "", "preset": "home", "target": 10, "started_at_us": 0,
            "over": false, "winner": null, "dealer": 0 | null,
            "paused": null | "why, perhaps empty",
            "confirmed": [0]},              # sides that say the finished game's score is right
   "sides": [{"side": 0, "name": "North and South", "score": 4, "tricks": 2, "makers": true}],
   "seats": [{"seat": 0, "name": "North", "side": 0, "dealer": false, "turn": true,
              "maker": false, "alone": false, "sits_out": false, "cards_left": 3}],
   "deal": null | {"number": 3, "dealer": 0 | null,
            "phase": "bidding" | "play" | "undeclared" | "scored",
            "upcard": null | {"card": "Kh", "state": "shown" | "taken" | "turned_down",
                              "version": 7},
            "trump": "h" | null, "maker": 2 | null, "alone": [2],
            "tricks": [{"number": 1, "leader": 1, "winner": 3 | null, "cleared": true,
                        "plays": [{"seat": 1, "card": "9h" | null, "version": 9,
                                   "confidence": 0.99, "evidence": "hash" | null,
                                   "last": false, "winning": false, "review": null | 9}]}],
            "points": null | [0, 2], "result": null | "euchre" | "march" | "made" | ...},
   "deals": [{"number": 1, "dealer": 0, "maker": 1 | null, "trump": "c" | null,
              "alone": [], "tricks": [2, 3], "points": [0, 1], "score": [0, 1],
              "result": "made"}],
   "draw": null | {"method": "black_jack" | "highest_card", "dealer": 2 | null,   # for first dealer
            "awaited": [0, 1],              # by the highest card: who has yet to cut one
            "cards": [{"seat": 1 | null, "card": "Jc" | null, "version": 2,
                       "evidence": "hash" | null, "review": null | 2}]},
   "ask": null | {"kind": "declare" | "review" | "finding" | "confirm" | "upcard" | "dealer"
                          | "discard" | "exchange"   # reminders, before the first lead
                          | "draw" | "paused" | ...,
                  "text": "one plain sentence", "deal": 3,
                  "seat": 1},             # where it is known: who is to say something
   "reviews": [{"id": 9, "subject": "play", "seat": 2 | null, "candidates": [["Kh", 0.6]],
                "reason": "unsure", "text": "one plain sentence", "evidence": "hash" | null,
                "deal": 3, "trick": 2}],
   "findings": [{"id": "3:revoke:2:1", "kind": "revoke", "deal": 3, "seat": 2, "trick": 1,
                 "card": "9c", "led": "Ah", "proof": "Kd", "proven_at_trick": 3,
                 "text": "one plain sentence", "evidence": ["hash", "hash"],
                 "status": "open" | "upheld" | "dismissed", "ruling": "proposed ruling in words",
                 "verdict": null | "open" | "proved" | "cleared" | "rejected" | "unresolved"}],
   "history": [{"version": 12, "at_us": 0, "source": "camera", "text": "East played the 9 of
                clubs", "kind": "card_played", "struck": false,   # taken back itself
                "strikes": false,                         # takes another line back
                "card": "9c" | null, "seat": 1 | null}]}   # newest last, the last 30

In every game ``game`` has ``"shape": "partnership" | "buck" | "two_hand" | "call_ace"``,
``"players": 4``, ``"counts": "up" | "down"`` (down: ``target`` is 0 and the lowest wins) and
``"hand_size": 5``; and of the rules, for the buttons: ``"pack": ["9c", ...]`` (by suit, low to
high, jokers last), ``"trumps": ["c", "d", "h", "s"]`` (what may be trump; ``n`` where no trump
is played), ``"alone_by": "maker" | "either_partner" | "nobody"``, ``"defend_alone": "off" |
"vs_lone" | "any"`` and ``"lone_exchange": "none" | ...``.

``"offers": [{"kind": "call", "seat": 1, "call": "pass", ...}, {"kind": "bid_tricks", ...}]`` are
the calls and bids that would be taken now, as commands (:func:`engine.offers.offers`).

Beside each ``text`` stands ``"say": {"key": "finding.wrong_dealer", "args": {"seat": 1, ...}}``,
beside a finding's ``ruling`` its ``"say_ruling": {...}``: the same sentence for any language
(:mod:`engine.wording` says how it is read and holds the English).

Games in which each scores alone have the same shape with one side a seat, of the same number and
with the player's name: 3 in buck, 2 for two, 5 or 6 in call-ace. ``points``, ``tricks`` and
``score`` of a deal then have an entry a seat, ``winner`` is a seat, and ``points`` may be below
zero (buck counts down; a deduction). Such a deal, under way or finished, has keys besides::

  buck      "bid": 3 | null, "bids": [{"seat": 1, "tricks": 2}], "swapped": [2], "stayed": [0],
            "dropped": [1]                       # a dropped seat has "sits_out": true
  two_hand  "layout": [{"seat": 0, "open": [{"card": "Kh" | null, "version": 5}], "covered": 4}]
  call_ace  "called": "Ah" | null, "partner": 3 | null, "standing": "uncalled" | "hidden" |
            "partner" | "own" | "buried" | "alone"

and ``ask`` may be of kind ``bid`` (a bid of tricks, or a pass), ``stay`` (stay or drop) and
``ace`` (which ace the maker calls).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from engine.bidding import call_due
from engine.cards import JOKERS, RANKS, SUITS, Card, partner_of, rank_of, side_of, suit_of
from engine.codec import command_to_json, kind_of
from engine.deal import Deal, Finding, Play, Review, Trick
from engine.errors import EngineError
from engine.facts import (
    CardDrawn,
    CardPassed,
    CardPlayed,
    Corrected,
    Discarded,
    Fact,
    Inserted,
    Recorded,
    ReviewAnswered,
    UpcardShown,
)
from engine.follow import NO_TRUMP, effective_suit, trick_strength
from engine.games import Game, Question, game_for
from engine.offers import offers
from engine.ruleset import Ruleset, pack_of
from engine.state import State, changes, struck
from engine.wording import (
    Sentence,
    english,
    fact_said,
    points_said,
    result_said,
    review_said,
    say,
    say_json,
    side_name,
)

#: Everything on this kit's page is in the open: one audience so far.
AUDIENCES: Final = ("public",)
_HISTORY: Final = 30
#: Findings that hold the score up until somebody answers.
_ASKED_FINDINGS: Final = (
    "revoke",
    "trump_in_doubt",
    "reading_in_doubt",
    "short_trick",
    "six_cards",
    "no_discard",
    "too_few_cards",
    "joker_turned_up",
    "deal_abandoned",
    "natural_trump_unresolved",
)
#: Findings that wait for cards to be shown, as long as the deal's cards lie there.
_ASKED_AT_ONCE: Final = ("claim_unresolved", "revoke_claim")


class UnknownAudience(EngineError, ValueError):
    """A snapshot was asked for an audience that there is not."""


def snapshot(
    state: State, records: Sequence[Recorded], *, audience: str = "public"
) -> dict[str, Any]:
    """What ``audience`` may see of ``state``, as described above.

    ``records`` are the game's facts as recorded. Raise :class:`UnknownAudience`.
    """
    if audience not in AUDIENCES:
        raise UnknownAudience(f"{audience!r} is no audience: ask for {', '.join(AUDIENCES)}")
    deal = state.deal
    game = game_for(state.ruleset)
    return {
        "version": state.version,
        "game": {
            "id": state.game_id,
            "title": state.title,
            "preset": state.ruleset.preset,
            "shape": game.name,
            "players": game.seats,
            "counts": "down" if game.lowest_wins else "up",
            "hand_size": state.ruleset.hand_size,
            "target": 0 if game.lowest_wins else state.ruleset.target,
            "started_at_us": state.started_at_us,
            "over": state.over,
            "winner": state.winner,
            "paused": state.paused,
            "confirmed": list(state.confirmed),
            "dealer": state.next_dealer if deal is None or deal.complete else deal.dealer,
            **_rules(state.ruleset, game),
        },
        "sides": [_side(state, deal, side) for side in range(game.sides)],
        "seats": [_seat(state, deal, seat) for seat in range(game.seats)],
        "deal": None if deal is None else {**_deal(deal), **game.deal_json(deal)},
        "deals": [
            {**_finished(state, d), **game.deal_json(d)}
            for d in state.deals
            if d.complete and d.points is not None
        ],
        "draw": _draw(state),
        "ask": _ask(state),
        "offers": []
        if state.paused is not None
        else [command_to_json(command) for command in offers(state)],
        "reviews": [_review(state, review) for review in state.reviews],
        "findings": [_finding(finding) for finding in state.findings],
        "history": _history(state, records),
    }


def _rules(ruleset: Ruleset, game: Game) -> dict[str, Any]:
    """What of the rules decides which buttons there are."""
    plays_alone = game.name in ("partnership", "call_ace")
    partners = game.name == "partnership"
    # Buck names no trump as freely as a suit; elsewhere it is an option.
    no_trump = game.name == "buck" or ruleset.no_trump != "off"
    return {
        "pack": sorted(pack_of(ruleset), key=_in_order),
        "trumps": [*SUITS, NO_TRUMP] if no_trump else list(SUITS),
        "alone_by": ruleset.alone_by if plays_alone else "nobody",
        "defend_alone": ruleset.defend_alone if partners else "off",
        "lone_exchange": ruleset.lone_exchange if partners else "none",
    }


def _in_order(card: Card) -> tuple[int, int]:
    suit = suit_of(card)
    if suit is None:
        return len(SUITS), -JOKERS.index(card)
    return SUITS.index(suit), RANKS.index(rank_of(card))


def deal_view(state: State, number: int) -> dict[str, Any] | None:
    """Deal ``number`` (from 1) card by card, shaped like ``deal`` of a snapshot; None: no such."""
    if not 1 <= number <= len(state.deals):
        return None
    deal = state.deals[number - 1]
    return {**_deal(deal), **game_for(state.ruleset).deal_json(deal)}


def _side(state: State, deal: Deal | None, side: int) -> dict[str, Any]:
    return {
        "side": side,
        "name": side_name(side, state.names),
        "score": state.score[side],
        "tricks": 0 if deal is None else deal.tricks_won[side],
        "makers": deal is not None and deal.makers == side,
    }


def _seat(state: State, deal: Deal | None, seat: int) -> dict[str, Any]:
    dealer = state.next_dealer if deal is None else deal.dealer
    return {
        "seat": seat,
        "name": state.names[seat],
        "side": side_of(seat, len(state.names)),
        "dealer": dealer == seat,
        "turn": deal is not None and deal.turn == seat and not state.over,
        "maker": deal is not None and deal.maker == seat,
        "alone": deal is not None and seat in deal.alone,
        "sits_out": deal is not None and seat in deal.sits_out,
        "cards_left": _cards_left(state, deal, seat),
    }


def _cards_left(state: State, deal: Deal | None, seat: int) -> int:
    if deal is None:
        return 0
    if seat in deal.sits_out:
        return 0
    laid = sum(play.seat == seat for trick in deal.tricks for play in trick.plays)
    return max(0, state.ruleset.hand_size - laid)


def _deal(deal: Deal) -> dict[str, Any]:
    up = deal.upcard
    return {
        "number": deal.number,
        "dealer": deal.dealer,
        "phase": deal.phase,
        "upcard": None
        if up is None
        else {"card": up.card, "state": up.state, "version": up.version},
        "trump": deal.trump,
        "maker": deal.maker,
        "alone": list(deal.alone),
        "tricks": [_trick(deal, trick) for trick in deal.tricks],
        "points": None if deal.points is None else list(deal.points),
        "result": deal.result,
    }


def _trick(deal: Deal, trick: Trick) -> dict[str, Any]:
    ahead = _ahead(deal, trick)
    newest = max((play.version for t in deal.tricks for play in t.plays), default=0)
    return {
        "number": trick.number,
        "leader": trick.leader,
        "winner": trick.winner,
        "cleared": trick.closed,
        "plays": [
            {
                "seat": play.seat,
                "card": play.card,
                "version": play.version,
                "confidence": play.confidence,
                "evidence": play.evidence,
                "last": play.version == newest,
                "winning": play is ahead,
                "review": play.review,
            }
            for play in (*trick.plays, *trick.extra)
        ],
    }


def _ahead(deal: Deal, trick: Trick) -> Play | None:
    """The play that wins the trick so far; None while trump or a card is unknown."""
    if deal.trump is None or not trick.plays:
        return None
    cards: list[tuple[Play, Card]] = []
    for play in trick.plays:
        if play.card is None:
            return None
        cards.append((play, play.card))
    trump = deal.trump
    led = effective_suit(cards[0][1], trump)
    # max keeps the earlier of equals, as the trick itself does.
    return max(cards, key=lambda laid: trick_strength(laid[1], led=led, trump=trump))[0]


def _finished(state: State, deal: Deal) -> dict[str, Any]:
    return {
        "number": deal.number,
        "dealer": deal.dealer,
        "maker": deal.maker,
        "trump": deal.trump,
        "alone": list(deal.alone),
        "tricks": list(deal.tricks_won),
        "points": None if deal.points is None else list(deal.points),
        "score": list(state.scores[deal.number - 1]),
        "result": deal.result,
    }


def _draw(state: State) -> dict[str, Any] | None:
    """The cards of the draw for first dealer, until the first deal."""
    draw = state.draw
    if draw is None or state.deals:
        return None
    return {
        "method": draw.method,
        "dealer": draw.dealer,
        "awaited": list(draw.awaited),
        "cards": [
            {
                "seat": card.seat,
                "card": card.card,
                "version": card.version,
                "evidence": card.evidence,
                "review": card.review,
            }
            for card in draw.cards
        ],
    }


def _review(state: State, review: Review) -> dict[str, Any]:
    return {
        "id": review.version,
        "subject": review.subject,
        "seat": review.seat,
        "candidates": [[card, probability] for card, probability in review.candidates],
        "reason": review.reason,
        **_spoken(_review_said(review), state),
        "evidence": review.evidence,
        "deal": review.deal,
        "trick": review.trick,
    }


def _spoken(said: Sentence, state: State) -> dict[str, Any]:
    """A sentence as ``text``, in English, and as ``say``, for any language."""
    return {"text": english(said, state.names), "say": say_json(said)}


def _review_said(review: Review) -> Sentence:
    return review_said(
        subject=review.subject,
        seat=review.seat,
        candidates=review.candidates,
        reason=review.reason,
        trick=review.trick,
    )


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "kind": finding.kind,
        "deal": finding.deal,
        "seat": finding.seat,
        "trick": finding.trick,
        "card": finding.card,
        "led": finding.led,
        "proof": finding.proof,
        "proven_at_trick": finding.proven_at_trick,
        "text": finding.text,
        "say": say_json(finding.said),
        "evidence": list(finding.evidence),
        "status": finding.status,
        "ruling": finding.ruling,
        "say_ruling": say_json(finding.proposed),
        "verdict": finding.verdict,
    }


def _ask(state: State) -> dict[str, Any] | None:
    """The one question that matters most now: what holds the score up comes first."""
    if not state.started:
        return None
    question = _question(state)
    if question is None:
        return None
    asked = {"kind": question.kind, **_spoken(question.said, state), "deal": question.deal}
    return asked if question.seat is None else {**asked, "seat": question.seat}


def _question(state: State) -> Question | None:
    if state.paused is not None:
        return Question(kind="paused", said=say("ask.paused"), deal=len(state.deals))
    if state.reviews:
        review = state.reviews[0]
        return Question(kind="review", said=_review_said(review), deal=review.deal)
    for deal in state.deals:
        if deal.phase == "undeclared":
            said = say("ask.declare_late", deal=deal.number)
            return Question(kind="declare", said=said, deal=deal.number)
    for finding in state.findings:
        if finding.status == "open" and _is_asked(state, finding):
            return Question(kind="finding", said=finding.said, deal=finding.deal)
    if state.over:
        return None
    deal_or_none = state.deal
    if deal_or_none is not None and deal_or_none.complete:
        confirm = _confirm(deal_or_none)
        if confirm is not None:
            return confirm
    if state.drawing and state.draw is not None:
        method, seats = state.draw.method, state.draw.awaited or None
        said = say(f"ask.draw.{method}", **({"seats": seats} if method == "highest_card" else {}))
        return Question(kind="draw", said=said, deal=1)
    own = game_for(state.ruleset).ask(state)
    if own is not None:
        return own
    if not game_for(state.ruleset).has_upcard:
        return None
    if deal_or_none is None or deal_or_none.complete:
        return _ask_between(state)
    return _ask_in(state, deal_or_none)


def _ask_in(state: State, deal: Deal) -> Question | None:
    """What a deal with an up-card still needs, else what is to be done before the lead."""
    number = deal.number
    if deal.upcard is None and deal.declared is None:
        return Question(kind="upcard", said=say("ask.upcard"), deal=number)
    if deal.dealer is None:
        return Question(kind="dealer", said=say("ask.dealer_of", deal=number), deal=number)
    if deal.maker is None:
        due = call_due(deal)
        seat = None if due is None else due.seat
        return Question(kind="declare", said=say("ask.declare"), deal=number, seat=seat)
    if deal.trump is None:
        said = say("ask.joker", seat=deal.maker)
        return Question(kind="declare", said=said, deal=number, seat=deal.maker)
    return _reminder(state, deal)


def _reminder(state: State, deal: Deal) -> Question | None:
    """What is to be done before the first lead, told before it is too late."""
    if deal.tricks:
        return None
    told = [r.fact for r in state.readings[-1][0].facts]
    lone = next((seat for seat in deal.alone if side_of(seat) == deal.makers), None)
    if deal.passes_cards and lone is not None and deal.seats == 4:
        if any(isinstance(fact, CardPassed) for fact in told):
            return None
        giver = partner_of(lone)
        said = say("ask.exchange", seat=giver, seat_alone=lone)
        return Question(kind="exchange", said=said, deal=deal.number, seat=giver)
    if deal.upcard_state != "taken" or deal.dealer is None:
        return None
    if any(isinstance(fact, Discarded) for fact in told):
        return None
    said = say("ask.discard", seat=deal.dealer)
    return Question(kind="discard", said=said, deal=deal.number, seat=deal.dealer)


def _is_asked(state: State, finding: Finding) -> bool:
    """Whether the page asks for a ruling; a game that was stopped asks for no more hands."""
    if finding.kind == "deal_abandoned":
        return state.ended is None
    if finding.kind in _ASKED_AT_ONCE:
        waits = finding.verdict == "unresolved" and state.ended is None
        return waits and finding.deal == len(state.deals)
    return finding.kind in _ASKED_FINDINGS


def _confirm(deal: Deal) -> Question | None:
    if deal.points is None or deal.confirmed or not any(deal.points):
        return None
    said = say(
        "ask.confirm",
        deal=deal.number,
        result=result_said(deal.result or ""),
        changes=points_said(deal.points),
    )
    return Question(kind="confirm", said=said, deal=deal.number)


def _ask_between(state: State) -> Question:
    number = len(state.deals) + 1
    if state.next_dealer is None:
        key = "ask.dealer_first" if number == 1 else "ask.dealer"
        return Question(kind="dealer", said=say(key), deal=number)
    return Question(kind="upcard", said=say("ask.turn_up", seat=state.next_dealer), deal=number)


def _history(state: State, records: Sequence[Recorded]) -> list[dict[str, Any]]:
    latest: dict[int, Fact] = {r.version: r.fact for r in state.standing}
    pointing = {
        r.version for r in records if changes(r.fact) or isinstance(r.fact, ReviewAnswered)
    } - struck(records)
    return [
        {
            "version": recorded.version,
            "at_us": recorded.at_us,
            "source": recorded.source,
            **_spoken(_line(recorded, latest.get(recorded.version)), state),
            "kind": kind_of(recorded.fact),
            "strikes": isinstance(recorded.fact, Corrected) and recorded.fact.replacement is None,
            "struck": recorded.version not in latest and recorded.version not in pointing,
            "card": _card_of(latest.get(recorded.version, recorded.fact)),
            "seat": _seat_of(latest.get(recorded.version, recorded.fact)),
        }
        for recorded in records[-_HISTORY:]
    ]


def _line(recorded: Recorded, now: Fact | None) -> Sentence:
    said = fact_said(recorded.fact)
    inserted = [change.fact for change in changes(recorded.fact) if isinstance(change, Inserted)]
    if now is None or now is recorded.fact or now in inserted:
        return said
    return say("said.now", said=said, now=fact_said(now))


def _card_of(fact: Fact) -> Card | None:
    return fact.card if isinstance(fact, CardPlayed | UpcardShown | CardDrawn) else None


def _seat_of(fact: Fact) -> int | None:
    match fact:
        case CardPlayed():
            return fact.seat
        case UpcardShown():
            return fact.dealer
    seat = getattr(fact, "seat", None)
    return seat if isinstance(seat, int) else None
