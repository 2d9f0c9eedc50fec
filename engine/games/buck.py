"""Buck euchre for three players: an auction, a widow, staying or dropping.

Source: RULES.md, "Two packs, more seats, fewer seats". Four hands of five are dealt and no card
is turned up; the fourth hand is the widow, for which each seat may change its own before the
bidding. The high bidder names trump or no trump; the others stay or drop. Scores count down: a
trick taken subtracts 1, a bidder who falls short or a stayer without a trick adds 5. A revoke
adds points to the offender and, as an award, replaces everybody's result.

What the sources leave open, beside the options ``buck_swap_order``, ``buck_bid_rounds`` and
``buck_lead``: when all others drop, nothing is played and the bidder counts all five tricks;
when several revoke, each of them pays.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from engine.cards import Seat, left_of
from engine.commands import (
    BidTricks,
    Call,
    Command,
    Declare,
    Drop,
    Rejected,
    ShowUpcard,
    Stay,
    SwapWidow,
    TakeUpcard,
    TurnDownUpcard,
)
from engine.deal import Auction, Deal, DealFacts
from engine.facts import (
    Called,
    DealThrownIn,
    Declared,
    Dropped,
    Fact,
    Recorded,
    Stayed,
    TricksBid,
    Trump,
    WidowSwapped,
)
from engine.findings import Trial
from engine.follow import TRUMPS
from engine.games import Game, Outcome, Question
from engine.games.individual import (
    Settled,
    dealer_of,
    goal_words,
    hand_words,
    is_played_out,
    lay_out,
    next_dealer,
    revoke_words,
    ruled,
    same_every_way,
)
from engine.refusals import declared_deal, malformed, not_now, refused, seat_fault
from engine.ruleset import Ruleset, first_dealer_said
from engine.turns import first_in_play
from engine.wording import Sentence, counted, listed, say, seat_name, worded

if TYPE_CHECKING:
    from engine.state import State

_SEATS: Final = 3
#: What a bidder who falls short, or a stayer without a trick, adds.
BUCKED: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spoken:
    """The auction as it was said: bids and passes in order, and who named trump."""

    bids: tuple[TricksBid, ...]
    order: tuple[Seat, ...]
    passed: tuple[Seat, ...]
    named_by: Seat | None
    trump: Trump | None


def read_deal(facts: DealFacts) -> Deal:
    """The deal that ``facts`` tell of."""
    spoken = _spoken(facts.facts)
    dealer = dealer_of(facts)
    declared = facts.declared
    high = spoken.bids[-1] if spoken.bids else None
    maker: Seat | None
    trump: Trump | None
    if declared is not None:
        maker, trump = declared.maker, declared.trump
    else:
        maker, trump = spoken.named_by, spoken.trump
        if maker is None and high is not None and _is_over(spoken, dealer, facts.ruleset):
            maker = high.seat
    dropped = tuple(seat for seat in _dropped(facts) if seat != maker)
    particulars = Auction(
        bids=spoken.bids,
        bid=_bid(declared, spoken.bids, maker),
        swapped=tuple(r.fact.seat for r in facts.facts if isinstance(r.fact, WidowSwapped)),
        stayed=tuple(seat for seat in _stayed(facts) if seat not in dropped),
        dropped=dropped,
    )
    leads = _leads(dealer, maker, dropped, facts.ruleset)
    deal = lay_out(
        facts,
        seats=_SEATS,
        dealer=dealer,
        maker=maker,
        trump=trump,
        leads=leads,
        sits_out=dropped,
        particulars=particulars,
    )
    trial = Trial(
        leads=leads,
        revoke_ruling=lambda seat, trick: _proposed(seat, facts),
        hand_ruling=lambda seat: _hand_proposed(seat, maker, facts.ruleset),
    )
    return ruled(
        deal,
        facts,
        trial=trial,
        played=_played(deal, facts.ruleset),
        settle=lambda judged, upheld: _settle(judged, upheld, facts.ruleset),
        euchred=lambda judged, offenders: _euchred(offenders),
    )


def score_tricks(
    tricks: Sequence[int], *, maker: Seat, bid: int, dropped: Sequence[Seat]
) -> Settled:
    """What each seat's score moves by, and the result: ``bid_made`` or ``set``."""
    points = tuple(
        0 if seat in dropped else BUCKED if taken < (bid if seat == maker else 1) else -taken
        for seat, taken in enumerate(tricks)
    )
    return points, "bid_made" if tricks[maker] >= bid else "set"


def outcome(score: tuple[int, ...], deals_scored: int, ruleset: Ruleset) -> Outcome:
    """The first to zero or below wins; several at once: the lowest, else they play on."""
    best = min(score)
    winner = score.index(best) if score.count(best) == 1 else None
    if ruleset.deals is not None:
        over = deals_scored >= ruleset.deals
    else:
        over = best <= 0 and winner is not None
    return Outcome(over=over, winner=winner if over else None)


def initial_score(ruleset: Ruleset) -> tuple[int, ...]:
    """Everyone starts at the target and counts down."""
    return (ruleset.target,) * _SEATS


def fewest_plays(facts: Sequence[Recorded], declared: Declared | None, ruleset: Ruleset) -> int:
    """Cards of every seat that has not dropped; none where only the bidder is left."""
    out = {r.fact.seat for r in facts if isinstance(r.fact, Dropped)}
    if declared is not None:
        out.update(declared.dropped)
    in_play = _SEATS - len(out)
    return ruleset.hand_size * in_play if in_play > 1 else 0


def points_anyway(deal: Deal, ruleset: Ruleset) -> Settled | None:
    """Points where every way the unknown tricks may have gone gives the same."""
    auction = _auction(deal)
    maker, bid = deal.maker, auction.bid
    if maker is None or bid is None or deal.trump is None:
        return None
    return same_every_way(
        deal,
        ruleset,
        lambda tricks: score_tricks(tricks, maker=maker, bid=bid, dropped=auction.dropped),
    )


def deal_json(deal: Deal) -> dict[str, Any]:
    auction = _auction(deal)
    return {
        "bid": auction.bid,
        "bids": [{"seat": bid.seat, "tricks": bid.tricks} for bid in auction.bids],
        "swapped": list(auction.swapped),
        "stayed": list(auction.stayed),
        "dropped": list(auction.dropped),
    }


def deal_words(deal: Deal, names: Sequence[str]) -> list[str]:
    auction = _auction(deal)
    lines = []
    if auction.bids:
        bids = ", ".join(f"{seat_name(bid.seat, names)} {bid.tricks}" for bid in auction.bids)
        lines.append(f"Bids: {bids}")
    elif auction.bid is not None:
        lines.append(f"Bid: {counted(auction.bid, 'trick')}")
    if auction.swapped:
        lines.append(f"Took the widow: {listed([seat_name(s, names) for s in auction.swapped])}")
    if auction.dropped:
        lines.append(f"Dropped: {listed([seat_name(s, names) for s in auction.dropped])}")
    return lines


def decide(state: State, command: Command) -> tuple[Fact, ...] | Rejected | None:
    """Bids, the widow, staying and dropping; None: a command decided in the common way."""
    match command:
        case BidTricks():
            return _bids(state, command)
        case Call():
            return _calls(state, command)
        case SwapWidow():
            return _swaps(state, command)
        case Stay() | Drop():
            return _stays(state, command)
        case Declare():
            return _declares(state, command)
        case ShowUpcard() | TakeUpcard() | TurnDownUpcard():
            return not_now("no card is turned up in buck: bid tricks, or declare")
    return None


def ask(state: State) -> Question | None:
    """Who deals, bids, names trump, stays: what the table has not said yet."""
    deal = state.open_deal
    number = len(state.deals) + (deal is None)
    dealer = state.next_dealer if deal is None else deal.dealer
    if dealer is None:
        return Question(kind="dealer", said=say("ask.dealer"), deal=number)
    if deal is None:
        said, speaker = say("ask.bid_first", seat=dealer), left_of(dealer, _SEATS)
        return Question(kind="bid", said=said, deal=number, seat=speaker)
    if deal.maker is None:
        return _ask_bid(deal, dealer, state)
    auction = _auction(deal)
    if auction.bid is None:
        said = say("ask.bid_of", seat=deal.maker)
        return Question(kind="bid", said=said, deal=number, seat=deal.maker)
    if deal.trump is None:
        said = say("ask.names", seat=deal.maker)
        return Question(kind="declare", said=said, deal=number, seat=deal.maker)
    silent = tuple(
        seat
        for seat in range(_SEATS)
        if seat != deal.maker and seat not in auction.stayed and seat not in auction.dropped
    )
    if silent and deal.declared is None and not deal.tricks:
        return Question(kind="stay", said=say("ask.stay", seats=silent), deal=number)
    return None


def _ask_bid(deal: Deal, dealer: Seat, state: State) -> Question:
    spoken = _spoken_of(deal, state)
    speaker = _to_speak(spoken, dealer)
    if speaker is None:
        said = say("ask.bid_any")
    elif spoken.bids:
        said = say("ask.bid_more", seat=speaker, tricks=spoken.bids[-1].tricks)
    else:
        said = say("ask.bid", seat=speaker)
    return Question(kind="bid", said=said, deal=deal.number, seat=speaker)


def _auction(deal: Deal) -> Auction:
    assert isinstance(deal.particulars, Auction)
    return deal.particulars


def _spoken(facts: Sequence[Recorded]) -> _Spoken:
    bids: list[TricksBid] = []
    order: list[Seat] = []
    passed: list[Seat] = []
    named_by: Seat | None = None
    trump: Trump | None = None
    for recorded in facts:
        match recorded.fact:
            case TricksBid() as bid:
                bids.append(bid)
                order.append(bid.seat)
            case Called(call="pass", seat=seat):
                passed.append(seat)
                order.append(seat)
            case Called(call="name", seat=seat, suit=suit) if suit is not None:
                named_by, trump = seat, suit
    return _Spoken(
        bids=tuple(bids),
        order=tuple(order),
        passed=tuple(passed),
        named_by=named_by,
        trump=trump,
    )


def _spoken_of(deal: Deal, state: State) -> _Spoken:
    facts = next(facts for facts, read in state.readings if read.number == deal.number)
    return _spoken(facts.facts)


def _is_over(spoken: _Spoken, dealer: Seat | None, ruleset: Ruleset) -> bool:
    """Whether nobody is left to bid. A seat that was passed over without a word has passed."""
    if spoken.bids and spoken.bids[-1].tricks >= ruleset.hand_size:
        return True
    if ruleset.buck_bid_rounds == "until_two_pass":
        return len(set(spoken.passed)) >= _SEATS - 1 and bool(spoken.bids)
    return len(set(spoken.order)) >= _SEATS or (dealer is not None and dealer in spoken.order)


def _to_speak(spoken: _Spoken, dealer: Seat) -> Seat | None:
    """Whose bid it is while nobody has the bid; None where all have passed."""
    seat = left_of(spoken.order[-1] if spoken.order else dealer, _SEATS)
    for _ in range(_SEATS):
        if seat not in spoken.passed:
            return seat
        seat = left_of(seat, _SEATS)
    return None


def _bid(declared: Declared | None, bids: Sequence[TricksBid], maker: Seat | None) -> int | None:
    """What the maker bid: as declared, else the maker's last bid."""
    if declared is not None and declared.bid is not None:
        return declared.bid
    return next((bid.tricks for bid in reversed(bids) if bid.seat == maker), None)


def _last_words(facts: DealFacts) -> dict[Seat, bool]:
    """Whether each seat stays, by the last it said; a declaration tells who dropped, too."""
    words: dict[Seat, bool] = {}
    if facts.declared is not None:
        words.update(dict.fromkeys(facts.declared.dropped, False))
    for recorded in facts.facts:
        match recorded.fact:
            case Stayed(seat=seat):
                words[seat] = True
            case Dropped(seat=seat):
                words[seat] = False
    return words


def _dropped(facts: DealFacts) -> tuple[Seat, ...]:
    return tuple(sorted(seat for seat, stays in _last_words(facts).items() if not stays))


def _stayed(facts: DealFacts) -> tuple[Seat, ...]:
    return tuple(sorted(seat for seat, stays in _last_words(facts).items() if stays))


def _leads(
    dealer: Seat | None, maker: Seat | None, dropped: Sequence[Seat], ruleset: Ruleset
) -> Seat | None:
    if maker is None:
        return None
    if ruleset.buck_lead == "high_bidder":
        return maker
    if dealer is None:
        return None
    return first_in_play(left_of(dealer, _SEATS), dropped, _SEATS)


def _played(deal: Deal, ruleset: Ruleset) -> Settled | None:
    auction = _auction(deal)
    if not is_played_out(deal) or deal.maker is None or auction.bid is None or deal.trump is None:
        return None
    tricks = deal.tricks_won
    if not deal.tricks:
        # All others dropped: the bidder takes every trick without a card.
        tricks = tuple(ruleset.hand_size if seat == deal.maker else 0 for seat in range(_SEATS))
    return score_tricks(tricks, maker=deal.maker, bid=auction.bid, dropped=auction.dropped)


def _settle(deal: Deal, upheld: Sequence[tuple[Seat, int]], ruleset: Ruleset) -> Settled | None:
    """Each offender adds the penalty: in place of all results, or (``deduct``) to its own."""
    played = deal.played_points
    award = ruleset.revoke_mode == "award"
    if played is None and not (award and ruleset.revoke_ends_hand):
        return None
    offenders = {seat for seat, _ in upheld}
    penalty = [ruleset.revoke_points if seat in offenders else 0 for seat in range(_SEATS)]
    if award or played is None:
        return tuple(penalty), "revoke"
    points = tuple(own + more for own, more in zip(played, penalty, strict=True))
    return points, deal.played_result or "revoke"


def _proposed(seat: Seat, facts: DealFacts) -> Sentence:
    key = "adds_instead" if facts.ruleset.revoke_mode == "award" else "adds"
    return say(f"ruling.revoke.{key}", seat=seat, points=facts.ruleset.revoke_points)


def _euchred(offenders: Collection[Seat]) -> Settled:
    """Each of them adds what one who was set adds; nobody else scores."""
    return tuple(BUCKED if seat in offenders else 0 for seat in range(_SEATS)), "six_cards"


def _hand_proposed(seat: Seat, maker: Seat | None, ruleset: Ruleset) -> Sentence:
    if ruleset.six_cards == "makers":
        if maker is None:
            return say("ruling.six_cards.declare_bidder")
        seat = maker
    return say("ruling.six_cards.adds", seat=seat, points=BUCKED)


def _bids(state: State, command: BidTricks) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is not None:
        return fault
    most = state.ruleset.hand_size
    if type(command.tricks) is not int or not 1 <= command.tricks <= most:
        return malformed("tricks {value}: bid 1 to {most}", value=repr(command.tricks), most=most)
    wrong = _wrong_speaker(state, command.seat)
    if wrong is not None:
        return refused("not_now", wrong, state.names)
    deal = state.open_deal
    if deal is not None and _auction(deal).bids:
        high = _auction(deal).bids[-1]
        if command.tricks <= high.tricks:
            return not_now(
                "{seat} bid {tricks}: bid more, or pass",
                state.names,
                seat=high.seat,
                tricks=high.tricks,
            )
    return (TricksBid(seat=command.seat, tricks=command.tricks),)


def _wrong_speaker(state: State, seat: Seat) -> Sentence | None:
    """Why the seat cannot speak in the auction now; passes before it may go untapped."""
    deal = state.open_deal
    if deal is None:
        return None
    if deal.declared is not None or deal.trump is not None or deal.tricks:
        return worded("the bidding is over: correct the declaration instead")
    spoken = _spoken_of(deal, state)
    if deal.maker is not None:
        return worded("the bidding is over: {seat} names trump", seat=deal.maker)
    if seat in spoken.passed:
        return worded("{seat} has passed", seat=seat)
    if spoken.order and seat == spoken.order[-1]:
        return worded("{seat} has just bid", seat=seat)
    if state.ruleset.buck_bid_rounds != "until_two_pass" and deal.dealer is not None:
        order = [(deal.dealer + step) % _SEATS for step in range(1, _SEATS + 1)]
        if spoken.order and order.index(seat) < order.index(spoken.order[-1]):
            return worded("{seat}'s turn to bid is over: there is one round", seat=seat)
    return None


def _calls(state: State, command: Call) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is not None:
        return fault
    deal = state.open_deal
    if command.alone:
        return malformed("nobody goes alone in buck: leave alone out")
    if command.call == "pass":
        if command.suit is not None:
            return malformed(
                "suit {value} goes only with name: leave it out", value=repr(command.suit)
            )
        wrong = _wrong_speaker(state, command.seat)
        if wrong is not None:
            return refused("not_now", wrong, state.names)
        passed = Called(seat=command.seat, call="pass")
        spoken = None if deal is None else _spoken_of(deal, state)
        if spoken is not None and not spoken.bids and len({*spoken.passed, command.seat}) == _SEATS:
            return (passed, DealThrownIn(reason="passed_out"))
        return (passed,)
    if command.call != "name":
        return malformed(
            "{value}: no card is turned up in buck; bid, pass or name", value=repr(command.call)
        )
    if command.suit not in TRUMPS:
        return malformed("{value} is no trump: name c, d, h, s or n", value=repr(command.suit))
    if deal is None or not _auction(deal).bids:
        return not_now("nobody has bid: bid tricks first, or declare")
    if deal.trump is not None:
        return not_now("trump is named: correct it instead")
    high = _auction(deal).bids[-1]
    if command.seat != high.seat:
        return not_now("{seat} bid most and names trump", state.names, seat=high.seat)
    return (Called(seat=command.seat, call="name", suit=command.suit),)


def _swaps(state: State, command: SwapWidow) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is not None:
        return fault
    deal = state.open_deal
    if deal is None:
        return (WidowSwapped(seat=command.seat),)
    auction = _auction(deal)
    if auction.bids or deal.calls or deal.maker is not None or deal.tricks:
        return not_now("the bidding has begun: the widow is taken before it")
    if command.seat in auction.swapped:
        return not_now("{seat} has taken the widow already", state.names, seat=command.seat)
    if deal.dealer is not None and auction.swapped:
        order = swap_order(deal.dealer, state.ruleset)
        last = auction.swapped[-1]
        if order.index(command.seat) < order.index(last):
            return not_now(
                "{seat_before} took it: {seat}'s turn for the widow was before that",
                state.names,
                seat_before=last,
                seat=command.seat,
            )
    return (WidowSwapped(seat=command.seat),)


def swap_order(dealer: Seat, ruleset: Ruleset) -> tuple[Seat, ...]:
    """In whose turn the widow may be taken: the dealer last, from its right or its left."""
    step = -1 if ruleset.buck_swap_order == "dealers_right_first" else 1
    return tuple((dealer + step * turn) % _SEATS for turn in range(1, _SEATS + 1))


def _stays(state: State, command: Stay | Drop) -> tuple[Fact, ...] | Rejected:
    fault = seat_fault(state, "seat", command.seat)
    if fault is not None:
        return fault
    deal = state.open_deal
    if deal is None or deal.maker is None:
        return not_now("nobody has bid yet: bid tricks first, or declare")
    if command.seat == deal.maker:
        return not_now("{seat} is the bidder and plays", state.names, seat=command.seat)
    if isinstance(command, Stay):
        if command.seat in _auction(deal).stayed:
            return not_now("{seat} stays already", state.names, seat=command.seat)
        return (Stayed(seat=command.seat),)
    if command.seat in _auction(deal).dropped:
        return not_now("{seat} has dropped already", state.names, seat=command.seat)
    if any(play.seat == command.seat for trick in deal.tricks for play in trick.plays):
        return not_now(
            "{seat} has played in this deal: correct the plays first",
            state.names,
            seat=command.seat,
        )
    return (Dropped(seat=command.seat),)


def _declares(state: State, command: Declare) -> tuple[Fact, ...] | Rejected:
    for name, seat in (("maker", command.maker), *(("dropped", s) for s in command.dropped)):
        fault = seat_fault(state, name, seat)
        if fault is not None:
            return fault
    if command.trump not in TRUMPS:
        return malformed("{value} is no trump: declare c, d, h, s or n", value=repr(command.trump))
    if command.alone is not None or command.defender_alone is not None:
        return malformed("nobody goes alone in buck: leave alone and defender_alone out")
    if command.ace is not None:
        return malformed("no ace is called in buck: leave ace out")
    if command.maker in command.dropped:
        return malformed("{seat} is the bidder and plays", state.names, seat=command.maker)
    number = declared_deal(state, command, has_upcard=False)
    if isinstance(number, Rejected):
        return number
    most = state.ruleset.hand_size
    if command.bid is None:
        deal = state.deals[number - 1] if number <= len(state.deals) else None
        bids = () if deal is None else _auction(deal).bids
        if all(bid.seat != command.maker for bid in bids):
            return malformed("bid is missing: say how many tricks, 1 to {most}", most=most)
    elif type(command.bid) is not int or not 1 <= command.bid <= most:
        return malformed(
            "bid {value}: declare 1 to {most} tricks", value=repr(command.bid), most=most
        )
    return (
        Declared(
            maker=command.maker,
            trump=command.trump,
            deal=number,
            bid=command.bid,
            dropped=tuple(sorted(set(command.dropped))),
        ),
    )


def rules_said(ruleset: Ruleset) -> list[Sentence]:
    """The rules as sentences for the table to read before the first deal."""
    adds = worded(
        "adds {points:point|points} to the offender's score", points=ruleset.revoke_points
    )
    return [
        worded(
            "Three players, {pack} cards: four hands of five are dealt, no card is turned up.",
            pack=ruleset.pack,
        ),
        first_dealer_said(ruleset),
        worded(
            "The fourth hand is the widow. Each in turn may change hands with it unseen: the "
            "dealer's right first and the dealer last. A second one gets whatever hand lies there."
            if ruleset.buck_swap_order == "dealers_right_first"
            else "The fourth hand is the widow. Each in turn may change hands with it unseen: the "
            "dealer's left first. A second one gets whatever hand lies there."
        ),
        worded(
            "From the dealer's left each bids more tricks than the last, or passes; there is one "
            "round."
            if ruleset.buck_bid_rounds == "one"
            else "From the dealer's left each bids more tricks than the last, or passes; it goes "
            "on until two have passed."
        ),
        worded(
            "When all pass the deal is thrown in and the same dealer deals again."
            if ruleset.pass_out == "same_dealer"
            else "When all pass the deal is thrown in."
        ),
        worded("The high bidder names trump or no trump; the others stay or drop."),
        worded(
            "The high bidder leads."
            if ruleset.buck_lead == "high_bidder"
            else "The first to the dealer's left who is in the deal leads."
        ),
        worded(
            "Everyone starts at {points} and takes off 1 for each trick.", points=ruleset.target
        ),
        worded(
            "A bidder who falls short, or a stayer without a trick, adds {points}.", points=BUCKED
        ),
        goal_words(
            ruleset,
            worded("The first to zero or below wins; of several the lowest, else play goes on."),
        ),
        *revoke_words(ruleset, pays=adds, gains=adds),
        hand_words(
            ruleset,
            offender=worded("the offender counts as set"),
            maker=worded("the bidder counts as set"),
        ),
    ]


GAME: Final = Game(
    name="buck",
    seats=_SEATS,
    sides=_SEATS,
    has_upcard=False,
    lowest_wins=True,
    initial_score=initial_score,
    read_deal=read_deal,
    fewest_plays=fewest_plays,
    next_dealer=next_dealer,
    outcome=outcome,
    points_anyway=points_anyway,
    decide=decide,
    ask=ask,
    deal_json=deal_json,
    deal_words=deal_words,
    rules_said=rules_said,
)
