"""From indices to cards: which belong to one card, what it is called, what of it is seen.

An index is a witness; two of one card that agree are worth more than one. Where the
witnesses disagree, or one name turns up in two places, nothing is named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import HIGH_JOKER, LOW_JOKER, Card
from vision.body import TELLING
from vision.classify import IndexReading, angle_between
from vision.find import BackSpot, IndexSpot
from vision.ports import Box, Detection, Quad

#: Width of a card over its height: 63 x 88 mm (poker) and 57 x 88 mm (bridge) lie around it.
CARD_ASPECT = 0.69
#: A card's height in heights of its index, for the decks with the smallest ones.
CARD_IN_INDICES = 6.0
JOKERS = (Card("B"), Card("b"))
#: Two indices that say the same are one card where their places allow it, even if the
#: middles they foretell lie far apart: the right-hand index of a four-index card is easily
#: taken for a left-hand one.
AGREEING_SLACK = 1.4
#: Two strong indices that say different things are of one card only if the middles they foretell
#: lie so near (in cards) and they are turned against each other by at most so much (degrees):
#: the neighbours in a fan foretell nearly the same middle, but each lies at its own angle.
RIVAL_SLACK = 0.14
RIVAL_TURN = 14.0
#: Opposite ones that say the same rank of two suits are far likelier one card, its suit misread
#: once: their middles may lie further apart.
MISREAD_SLACK = 0.3
#: Middles that lie further apart than this part of a card are of two cards.
APART = 0.15
#: Two indices further apart than this, in cards, are of two cards.
_MOST_GAP: Final = 1.5
#: Two indices read beyond doubt that say different things are of two cards, unless the middles
#: they foretell are one point, to this part of a card: no card bears two names. Not where cards
#: have four indices: there a right-hand one foretells its card on the wrong side. Probability,
#: the finder's score, height in the picture; chosen on the half of the held-out decks to choose by
#: and the held-out photographs (docs/training.md).
CERTAIN, CERTAIN_SCORE, CERTAIN_PX, ONE_POINT = 0.99, 0.6, 15.0, 0.07
#: An index lies in a corner if it is this near to where it should be, in its own heights.
CORNER_REACH = 1.2
#: An index that is sure enough to stand alone but for its size, or for the finder's doubt of it,
#: names its card if the card has another that says the same at this probability. Not a joker.
SECONDED = 0.7
#: A best index of this probability is enough where the card's body shows that very card.
BACKED = 0.5
#: Of a card that shows one end alone, and crosses others no one knows how, this much of either side
#: is boxed, from the corner that was seen. Of the eight middles of docs/training.md that lay beside
#: what is seen, four still do at .8, two at .7, and no fewer at .6.
SEEN_SHARE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """When a name is given. Probabilities are calibrated ones (``reader.toml``).

    ``alone``: one index is enough from here. ``alone_small``: what is asked of one that is
    less than ``small_px`` high in the picture, or of which the finder is less sure than
    ``lone_score`` (one of a joker's indices has to have that much). ``alone_joker``: what is
    asked of a joker's. ``agreeing``: each of two indices of one card that say the same.
    ``rival``: another index of the card that says something else at this probability forbids
    the name. ``worth_asking``: below it a spot is not even reported.
    """

    alone: float = 0.9
    alone_small: float = 0.9
    alone_joker: float = 0.9
    small_px: float = 15.0
    lone_score: float = 0.4
    agreeing: float = 0.7
    rival: float = 0.5
    worth_asking: float = 0.3
    foreign: float = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a card's body says of the name meant for it, as probabilities; None: nothing.

    ``against``: it is another's. ``backing``: it is that card's and no other's.
    """

    against: float | None = None
    backing: float | None = None


#: Says of each outline and the name meant for it what the card's body has to say.
Witness: TypeAlias = Callable[[Sequence[tuple[Quad, Card]]], Sequence[Statement]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The indices of one card.

    ``contested``: it is one index only, and foretells the place where two others that agree
    know another card to lie: a right-hand index taken for a left-hand one, or a card under it.
    """

    readings: tuple[IndexReading, ...]
    contested: bool = False


def same_card(one: IndexReading, two: IndexReading, *, slack: float) -> bool:
    """Whether two indices can lie on one card.

    Either they stand opposite (half a turn apart, each pointing to the other's end) or side
    by side (four-index decks); the card's middle that each foretells must agree within
    ``slack`` card heights. A slack of a whole card or more also allows for outlines squashed
    by a steep view.
    """
    loose = slack >= 1
    a, b = one.spot, two.spot
    if max(a.height_px, b.height_px) > 1.9 * min(a.height_px, b.height_px):
        return False
    card_px = (a.card_px + b.card_px) / 2
    # a card that fills the picture was never seen whole in training: its size is foretold low
    longest_px = max(card_px, CARD_IN_INDICES * max(a.height_px, b.height_px))
    gap = math.hypot(b.x - a.x, b.y - a.y)
    if gap > _MOST_GAP * longest_px:
        return False
    turn = angle_between(a, b)
    most = 45 if loose else RIVAL_TURN if slack <= RIVAL_SLACK else 32
    if most < turn < 180 - most:
        return False
    if gap < 0.25 * card_px and not loose:
        return False
    if not loose and gap > 1.35 * card_px:
        return False
    if loose:
        card_px = max(card_px, 0.75 * longest_px)
    # least distances: parts of the card, but for large-print indices, a third of its height,
    # the index itself is the better measure
    index_px = (a.height_px + b.height_px) / 2
    aside_px, below_px = 0.28 * card_px, 0.3 * card_px
    if loose:
        aside_px, below_px = min(aside_px, 0.9 * index_px), min(below_px, 0.8 * index_px)
    # b as seen from a: along a's up, and across it
    along = (b.x - a.x) * a.up_x + (b.y - a.y) * a.up_y
    across = (b.x - a.x) * -a.up_y + (b.y - a.y) * a.up_x
    if turn <= 90:
        # side by side: same up, next to each other
        if abs(along) > (0.5 if loose else 0.28) * card_px:
            return False
        if not aside_px < abs(across) < (1.15 if loose else 0.85) * card_px:
            return False
    elif along > -below_px:
        # opposite: the other one must lie towards a's foot
        return False
    apart = math.hypot(a.middle_x - b.middle_x, a.middle_y - b.middle_y)
    return apart < slack * card_px


def group_readings(readings: Sequence[IndexReading], rules: Rules) -> list[Group]:
    """Gather the indices of each card.

    Those that say the same are joined first, generously; then doubtful ones join the card
    whose pose they fit; two strong ones that disagree join only where the pose leaves hardly
    a doubt (then the card is in conflict, and not named).
    """
    near = _neighbours(readings)
    across = [_opposite(k, readings, near[k], rules) for k in range(len(readings))]
    # those whose card's place is sure come first: the others are measured by them
    order = sorted(range(len(readings)), key=lambda k: (across[k] is None, -readings[k].confidence))
    four_indexed = _four_indexed(readings, near, rules)
    groups: list[list[int]] = []
    group_of: dict[int, int] = {}
    contested: set[int] = set()
    for k in order:
        mine = readings[k]
        best: tuple[float, int] | None = None
        # a group of which none is near cannot be joined
        for index in sorted({group_of[m] for m in near[k] if m in group_of}):
            group = groups[index]
            lead = readings[group[0]]
            agree = mine.card == lead.card
            weak = mine.confidence < rules.rival
            slack = AGREEING_SLACK if agree else 0.3 if weak else RIVAL_SLACK
            if slack == RIVAL_SLACK and _suit_misread(mine, lead):
                slack = MISREAD_SLACK
            apart = math.hypot(
                mine.spot.middle_x - lead.spot.middle_x, mine.spot.middle_y - lead.spot.middle_y
            ) / max(lead.spot.card_px, 1.0)
            certain = _certain(mine) and _certain(lead) and not four_indexed
            if not agree and certain and apart > ONE_POINT:
                continue
            fits = [m in near[k] and _fits(mine, readings[m], slack) for m in group]
            if not agree and not weak and any(fits):
                mates = across[k], across[group[0]]
                if _are_two_cards(mine.spot, mates[0], lead.spot, mates[1]):
                    if mates[0] is None:
                        contested.add(k)
                    continue
            # one witness that says the same vouches for the pose; else all have to allow it
            if len(group) >= 4 or not (any(fits) if agree else all(fits)):
                continue
            cost = apart - (0.5 if agree else 0.0)
            if best is None or cost < best[0]:
                best = (cost, index)
        if best is None:
            group_of[k] = len(groups)
            groups.append([k])
        else:
            group_of[k] = best[1]
            groups[best[1]].append(k)
    doubted = {id(readings[k]) for k in contested}
    return [
        Group(
            readings=tuple(sorted(g, key=lambda r: -r.confidence)),
            contested=len(g) == 1 and id(g[0]) in doubted,
        )
        for g in _without_twins([[readings[k] for k in g] for g in groups])
    ]


def _neighbours(readings: Sequence[IndexReading]) -> list[set[int]]:
    """For each reading, those near enough to be of its card: on a full table one in ten.

    It lets pass whatever ``same_card`` may, and spares most pairs its exact look.
    """
    if not readings:
        return []
    x, y, height, card_px = np.array(
        [(r.spot.x, r.spot.y, r.spot.height_px, r.spot.card_px) for r in readings], np.float64
    ).T
    size = np.add.outer(card_px, card_px) / 2
    longest = np.maximum(size, CARD_IN_INDICES * np.maximum.outer(height, height))
    gap = np.hypot(np.subtract.outer(x, x), np.subtract.outer(y, y))
    # a little more than same_card's own limit: the two may round in different ways
    close = gap <= _MOST_GAP * 1.001 * longest
    np.fill_diagonal(close, False)
    return [set(np.flatnonzero(row).tolist()) for row in close]


def _four_indexed(
    readings: Sequence[IndexReading], near: Sequence[Collection[int]], rules: Rules
) -> bool:
    """Whether a card of the picture shows two indices side by side, both sure of its name."""
    return any(
        one.card is not None
        and one.card == readings[j].card
        and min(one.confidence, readings[j].confidence) >= rules.alone
        and angle_between(one.spot, readings[j].spot) < 45
        and _fits(one, readings[j], 1.0)
        for k, one in enumerate(readings)
        for j in near[k]
        if j > k
    )


def _certain(reading: IndexReading) -> bool:
    """Whether an index is read beyond doubt; never a joker's, which print and stars pass for."""
    spot = reading.spot
    return (
        reading.confidence >= CERTAIN
        and spot.score >= CERTAIN_SCORE
        and spot.height_px >= CERTAIN_PX
        and reading.card not in JOKERS
    )


def _suit_misread(one: IndexReading, two: IndexReading) -> bool:
    """Whether two indices that say different things may be one card's but for a suit misread."""
    return (
        one.card is not None
        and two.card is not None
        and str(one.card)[0] == str(two.card)[0]
        and angle_between(one.spot, two.spot) > 180 - RIVAL_TURN
    )


def _opposite(
    k: int, readings: Sequence[IndexReading], near: Collection[int], rules: Rules
) -> IndexSpot | None:
    """The index in the opposite corner of reading ``k``'s card that says the same, if any."""
    mine = readings[k]
    if mine.confidence < rules.rival:
        return None
    for j in sorted(near):
        other = readings[j]
        if other.card != mine.card or other.confidence < rules.rival:
            continue
        if _fits(mine, other, AGREEING_SLACK) and diagonal(Group(readings=(mine, other))):
            return other.spot
    return None


def _are_two_cards(
    one: IndexSpot, ones_mate: IndexSpot | None, two: IndexSpot, twos_mate: IndexSpot | None
) -> bool:
    """Whether two indices that say different things are known to be of two cards.

    Halfway between opposite indices that agree lies a card's middle, better than one index
    foretells it. Where ``one`` has such a mate, both middles must agree for the two to be of
    one card; where only ``two`` has, ``one`` must lie in a corner that is left of its card.
    """
    if ones_mate is not None:
        x, y = (one.x + ones_mate.x) / 2, (one.y + ones_mate.y) / 2
        its_x, its_y = two.middle_x, two.middle_y
        if twos_mate is not None:
            its_x, its_y = (two.x + twos_mate.x) / 2, (two.y + twos_mate.y) / 2
        return math.hypot(x - its_x, y - its_y) > APART * two.card_px
    if twos_mate is None:
        return False
    x, y = (two.x + twos_mate.x) / 2, (two.y + twos_mate.y) / 2
    along = (two.x - x) * two.up_x + (two.y - y) * two.up_y
    aside = (two.x - x) * -two.up_y + (two.y - y) * two.up_x
    return all(
        math.hypot(
            x + sign * (along * two.up_x + aside * two.up_y) - one.x,
            y + sign * (along * two.up_y - aside * two.up_x) - one.y,
        )
        > CORNER_REACH * two.height_px
        for sign in (1, -1)
    )


def _without_twins(groups: Sequence[list[IndexReading]]) -> list[list[IndexReading]]:
    """Join groups of one name that foretell the same card.

    A height that the finder misjudges keeps two indices of a card apart; the card would then
    be its own duplicate. The same way up (or half a turn from it) and the same middle is one
    card: two alike would lie across each other.
    """
    kept: list[list[IndexReading]] = []
    for group in groups:
        lead = group[0]
        for other in kept:
            its = other[0]
            turn = angle_between(lead.spot, its.spot)
            card_px = max(lead.spot.card_px, its.spot.card_px)
            apart = math.hypot(
                lead.spot.middle_x - its.spot.middle_x, lead.spot.middle_y - its.spot.middle_y
            )
            if (
                lead.card is not None
                and lead.card == its.card
                and min(turn, 180 - turn) < 20
                and apart < 0.4 * card_px
            ):
                other.extend(group[: 4 - len(other)])
                break
        else:
            kept.append(list(group))
    return kept


def _fits(one: IndexReading, two: IndexReading, slack: float) -> bool:
    """``same_card`` either way round, also for the diagonal neighbours of a four-index card."""
    return same_card(one, two, slack=slack) or same_card(two, one, slack=slack)


def joined(first: float, second: float) -> float:
    """The probability of a name that two witnesses give, each with its own probability.

    Their errors share the picture, so the second counts for half of an independent one.
    """
    odds = first / max(1 - first, 1e-6) * math.sqrt(max(second / max(1 - second, 1e-6), 1.0))
    return odds / (1 + odds)


def asked_alone(reading: IndexReading, rules: Rules) -> float:
    """The probability from which this index names its card by itself."""
    asked = rules.alone
    if reading.card is not None and reading.card in JOKERS:
        asked = max(asked, rules.alone_joker)
    if reading.spot.height_px < rules.small_px or reading.spot.score < rules.lone_score:
        asked = max(asked, rules.alone_small)
    return asked


def name_group(group: Group, rules: Rules) -> tuple[Card | None, float, str | None]:
    """The card's name (or best guess), its probability, and why it is not named (None: it is)."""
    lead = group.readings[0]
    card, confidence = lead.card, lead.confidence
    backers = [r for r in group.readings[1:] if r.card == card and r.confidence >= 0.35]
    rivals = [r for r in group.readings[1:] if r.card != card and r.confidence >= rules.rival]
    if card is None or (lead.none > 0.5 and lead.none > confidence):
        return None, max(confidence, 0.0), "foreign"
    if group.contested:
        return card, min(confidence, 0.5), "conflict"
    if rivals:
        return card, confidence * (1 - rivals[0].confidence), "conflict"
    if card in JOKERS and all(r.spot.score < rules.lone_score for r in (lead, *backers)):
        # any letters may stand as a joker's do: that they are an index the finder has to say
        return card, min(confidence, 0.89), "low"
    if backers:
        second = backers[0].confidence
        both = joined(confidence, second)
        asked = asked_alone(lead, rules)
        if confidence >= asked or (confidence >= rules.agreeing and second >= rules.agreeing):
            return card, both, None
        if confidence >= rules.alone and second >= SECONDED and card not in JOKERS:
            return card, both, None
        return card, min(both, 0.89), "low"
    if confidence >= asked_alone(lead, rules):
        return card, confidence, None
    return card, confidence, "low"


def _corner_quad(
    x: float, y: float, up: tuple[float, float], card_px: float, width_px: float | None = None
) -> Quad:
    """An upright card around (x, y), clockwise from its own top left corner."""
    ux, uy = up
    rx, ry = -uy, ux  # to the right of up
    h, w = card_px / 2, (card_px * CARD_ASPECT if width_px is None else width_px) / 2
    return (
        (x + ux * h - rx * w, y + uy * h - ry * w),
        (x + ux * h + rx * w, y + uy * h + ry * w),
        (x - ux * h + rx * w, y - uy * h + ry * w),
        (x - ux * h - rx * w, y - uy * h - ry * w),
    )


def quad_of(group: Group) -> Quad:
    """The card's outline. Two indices in opposite corners fix it; else it is as foretold."""
    lead = group.readings[0].spot
    ups, middles, heights = [], [], []
    for reading in group.readings:
        s = reading.spot
        sign = 1.0 if s.up_x * lead.up_x + s.up_y * lead.up_y > 0 else -1.0
        ups.append((s.up_x * sign, s.up_y * sign))
        middles.append((s.middle_x, s.middle_y))
        heights.append(s.card_px)
    ux, uy = sum(u[0] for u in ups), sum(u[1] for u in ups)
    length = math.hypot(ux, uy) or 1.0
    up = (ux / length, uy / length)
    across = diagonal(group)
    if across is None:
        x = sum(m[0] for m in middles) / len(middles)
        y = sum(m[1] for m in middles) / len(middles)
        return _corner_quad(x, y, up, sum(heights) / len(heights))
    one, two = across
    gap_x, gap_y = two.x - one.x, two.y - one.y
    index_px = (one.height_px + two.height_px) / 2
    # an index's middle lies some 0.75 of its height from the short edge, 0.35 from the long one
    tall = abs(gap_x * up[0] + gap_y * up[1]) + 1.5 * index_px
    wide = abs(gap_x * -up[1] + gap_y * up[0]) + 0.7 * index_px
    return _corner_quad((one.x + two.x) / 2, (one.y + two.y) / 2, up, tall, wide)


def diagonal(group: Group) -> tuple[IndexSpot, IndexSpot] | None:
    """Two indices of the card in opposite corners: its middle lies halfway. None without."""
    spots = [r.spot for r in group.readings]
    for k, one in enumerate(spots):
        for two in spots[k + 1 :]:
            size = (one.card_px + two.card_px) / 2
            gap_x, gap_y = two.x - one.x, two.y - one.y
            aside = abs(gap_x * -one.up_y + gap_y * one.up_x)
            least = min(0.25 * size, 0.8 * (one.height_px + two.height_px) / 2)
            if angle_between(one, two) > 140 and aside > least:
                return one, two
    return None


def hidden_points(group: Group, quad: Quad) -> list[tuple[float, float]]:
    """Where the card should show an index opposite a seen one, and none was found."""
    x = sum(p[0] for p in quad) / 4
    y = sum(p[1] for p in quad) / 4
    points = []
    for reading in group.readings:
        s = reading.spot
        px, py = 2 * x - s.x, 2 * y - s.y
        near = (math.hypot(r.spot.x - px, r.spot.y - py) for r in group.readings)
        if min(near) > s.height_px:
            points.append((px, py))
    return points


def end_of(group: Group, quad: Quad) -> Quad | None:
    """What of the outline is surely seen where all its indices lie at one end; None: at both."""
    origin, right, _, foot = np.array(quad)
    side, down = right - origin, foot - origin
    spots = np.array([(r.spot.x, r.spot.y) for r in group.readings]) - origin
    # places within the card: 0 to 1 across it and down
    across = spots @ side / max(float(side @ side), 1.0)
    along = spots @ down / max(float(down @ down), 1.0)
    if along.min() <= 0.5 <= along.max():
        return None

    def kept(places: NDArray[np.float64]) -> tuple[float, float]:
        if places.max() < 0.5:
            return 0.0, SEEN_SHARE
        return (1 - SEEN_SHARE, 1.0) if places.min() > 0.5 else (0.0, 1.0)

    (left, far), (top, low) = kept(across), kept(along)
    one, two, three, four = (
        (float(x), float(y))
        for x, y in (
            origin + a * side + d * down
            for a, d in ((left, top), (far, top), (far, low), (left, low))
        )
    )
    return one, two, three, four


def settled_bodies(readings: Sequence[IndexReading], rules: Rules) -> list[Quad]:
    """The inner parts of cards whose opposite indices agree, each sure enough to name it alone.

    An index of another card may reach into the outer part, a tenth on every side.
    """
    alike: dict[Card, list[IndexReading]] = {}
    for reading in readings:
        if reading.card is not None and reading.confidence >= rules.alone:
            alike.setdefault(reading.card, []).append(reading)
    bodies: list[Quad] = []
    for first, *others in alike.values():
        group = Group(readings=(first, *others))
        if not all(_fits(first, other, AGREEING_SLACK) for other in others):
            continue  # one name in two places
        if diagonal(group) is None:
            continue
        quad = np.array(quad_of(group))
        middle = quad.mean(axis=0)
        inner = middle + 0.8 * (quad - middle)
        one, two, three, four = ((float(x), float(y)) for x, y in inner)
        bodies.append((one, two, three, four))
    return bodies


def holds(quad: Quad, x: float, y: float) -> bool:
    """Whether the outline holds the point."""
    return cv2.pointPolygonTest(np.array(quad, np.float32), (x, y), False) >= 0


def visible_boxes(
    quads: Sequence[Quad],
    seen: Sequence[Sequence[tuple[float, float]]],
    *,
    width_px: int,
    height_px: int,
    hidden: Sequence[Sequence[tuple[float, float]]] | None = None,
    ends: Sequence[Quad | None] | None = None,
) -> list[Box]:
    """The box of what is seen of each card.

    ``seen``: points of each card known to be in view; ``hidden``: points where it should
    show an index and shows none. Of two cards whose outlines cross, one lies on top by its
    points seen inside the other's outline and the other's points hidden inside its own;
    where that says nothing, neither hides the other, but of a card with an entry in ``ends``
    only that part is taken to be seen.
    """
    unseen = hidden if hidden is not None else [()] * len(quads)
    bounds = [bounds_of(quad) for quad in quads]
    boxes: list[Box] = []
    for k, quad in enumerate(quads):
        over = []
        shown = quad
        end = ends[k] if ends is not None else None
        for other, its in enumerate(quads):
            if other == k or not _meet(bounds[k], bounds[other]):
                continue
            theirs = sum(holds(quad, *p) for p in seen[other])
            theirs += sum(holds(its, *p) for p in unseen[k])
            ours = sum(holds(its, *p) for p in seen[k])
            ours += sum(holds(quad, *p) for p in unseen[other])
            if theirs > ours:
                over.append(its)
            elif theirs == ours and end is not None and _crosses(its, quad):
                shown = end
        x0, y0, x1, y1 = bounds_of(shown)
        if over:
            scale = 160 / max(x1 - x0, y1 - y0, 1.0)
            size = (int((y1 - y0) * scale) + 2, int((x1 - x0) * scale) + 2)
            mask = np.zeros(size, np.uint8)
            points, origin = np.array(shown), np.array([x0, y0])
            cv2.fillPoly(mask, [((points - origin) * scale).astype(np.int32)], 1)
            for its in over:
                cv2.fillPoly(mask, [((np.array(its) - origin) * scale).astype(np.int32)], 0)
            # foretold outlines are a few pixels off: slivers along an edge are not to be seen
            mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((13, 13), np.uint8))
            rows, columns = np.nonzero(mask)
            if len(rows):
                left, top = x0 + columns.min() / scale, y0 + rows.min() / scale
                x1, y1 = x0 + (columns.max() + 1) / scale, y0 + (rows.max() + 1) / scale
                x0, y0 = left, top
            for px, py in seen[k]:
                x0, y0, x1, y1 = min(x0, px), min(y0, py), max(x1, px), max(y1, py)
        boxes.append(
            (
                min(max(float(x0), 0.0), float(width_px)),
                min(max(float(y0), 0.0), float(height_px)),
                min(max(float(x1), 0.0), float(width_px)),
                min(max(float(y1), 0.0), float(height_px)),
            )
        )
    return boxes


def lies_free(
    k: int,
    quads: Sequence[Quad],
    *,
    width_px: int,
    height_px: int,
    bounds: Sequence[Box] | None = None,
) -> bool:
    """Whether card ``k`` lies in the picture whole, under no other card that was found.

    ``bounds``: of all ``quads``, where the caller has them.
    """
    around = bounds if bounds is not None else [bounds_of(quad) for quad in quads]
    if not _within(around[k], width_px, height_px):
        return False
    return not any(
        j != k and _meet(around[k], around[j]) and _crosses(other, quads[k])
        for j, other in enumerate(quads)
    )


def _crosses(other: Quad, quad: Quad) -> bool:
    """Whether ``other`` covers more of ``quad`` than foretold outlines do by chance."""
    mine = np.array(quad, np.float32)
    shared, _ = cv2.intersectConvexConvex(mine, np.array(other, np.float32))
    return float(shared) > 0.04 * abs(float(cv2.contourArea(mine)))


def bounds_of(quad: Quad) -> Box:
    """The upright box around an outline."""
    # plain numbers: arrays of four points would cost ten times as much
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return min(ax, bx, cx, dx), min(ay, by, cy, dy), max(ax, bx, cx, dx), max(ay, by, cy, dy)


def _within(box: Box, width_px: int, height_px: int) -> bool:
    """Whether an outline with these bounds lies in the picture whole."""
    x0, y0, x1, y1 = box
    return x0 >= -2 and y0 >= -2 and x1 <= width_px + 2 and y1 <= height_px + 2


def _meet(one: Box, two: Box) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _votes(group: Group) -> tuple[tuple[Card, float], ...]:
    best: dict[Card, float] = {}
    for reading in group.readings:
        for card, p in reading.votes:
            best[card] = max(best.get(card, 0.0), p)
    ordered = sorted(best.items(), key=lambda v: -v[1])
    return tuple((c, round(p, 4)) for c, p in ordered[:4])


_NOTHING_HEARD: Final = Statement()


def detections_of(
    readings: Sequence[IndexReading],
    backs: Sequence[BackSpot],
    *,
    rules: Rules,
    width_px: int,
    height_px: int,
    witness: Witness | None = None,
    still: bool = False,
) -> tuple[Detection, ...]:
    """Every card of one picture: named ones first, then unsure ones, then backs.

    ``witness`` may withhold the name of a card that lies free, and bear out a doubtful one that
    lies in the picture whole; it gives none of its own. ``still``: there is no other picture of
    this table, so a box holds what is surely seen. In live ones it must not shrink and grow with
    an index that comes and goes: the tracker tells cards by their boxes.
    """
    groups = kept_groups(readings, rules)
    quads = [quad_of(g) for g in groups]
    heard: dict[int, Statement] = {}
    if witness is not None:
        bounds = [bounds_of(quad) for quad in quads]
        free: dict[int, Card] = {}
        doubted: dict[int, Card] = {}
        for k, group in enumerate(groups):
            card, _, why = name_group(group, rules)
            if card is None or why not in (None, "low"):
                continue
            if lies_free(k, quads, width_px=width_px, height_px=height_px, bounds=bounds):
                free[k] = card
            elif (
                why == "low"
                and str(card)[0] in TELLING
                and group.readings[0].confidence >= BACKED
                and _within(bounds[k], width_px, height_px)
            ):
                doubted[k] = card
        claims = [*free.items(), *doubted.items()]
        said = witness([(quads[k], card) for k, card in claims])
        for (k, _), one in zip(claims, said, strict=True):
            # what covers a card in part may speak against it, but not count its pips
            heard[k] = one if k in free else replace(one, against=None)
    seen = [[(r.spot.x, r.spot.y) for r in g.readings] for g in groups]
    hidden = [hidden_points(g, q) for g, q in zip(groups, quads, strict=True)]
    ends = [end_of(g, q) for g, q in zip(groups, quads, strict=True)] if still else None
    boxes = visible_boxes(
        quads, seen, width_px=width_px, height_px=height_px, hidden=hidden, ends=ends
    )
    back_quads = [
        _corner_quad(back.x, back.y, (back.axis_x, back.axis_y), back.card_px) for back in backs
    ]
    found: list[Detection] = []
    for k, (group, quad, box) in enumerate(zip(groups, quads, boxes, strict=True)):
        card, confidence, why = name_group(group, rules)
        body = heard.get(k, _NOTHING_HEARD)
        if body.against is not None:
            # its corners say one thing and its body another: none of our cards looks so
            card, confidence, why = None, confidence * (1 - body.against), "foreign"
        elif why == "low" and body.backing is not None and group.readings[0].confidence >= BACKED:
            confidence, why = joined(group.readings[0].confidence, body.backing), None
        if why == "low" and confidence < rules.worth_asking:
            continue
        joker = card in (HIGH_JOKER, LOW_JOKER)
        if why == "low" and joker and _in_back_pattern(seen[k], back_quads):
            continue
        found.append(
            Detection(
                kind="unsure" if why else "card",
                card=card,
                confidence=round(confidence, 4),
                box=box,
                quad=quad,
                votes=_votes(group),
                why=why,
            )
        )
    found = _without_shadows(without_duplicates(found))
    for back, quad in zip(backs, back_quads, strict=True):
        if any(d.quad is not None and _middle_near(d.quad, back) for d in found):
            continue  # a face lies there
        box = visible_boxes([quad], [[]], width_px=width_px, height_px=height_px)[0]
        found.append(
            Detection(kind="back", card=None, confidence=round(back.score, 4), box=box, quad=quad)
        )
    order = {"card": 0, "unsure": 1, "back": 2}
    return tuple(sorted(found, key=lambda d: (order[d.kind], d.box[1], d.box[0])))


def kept_groups(readings: Sequence[IndexReading], rules: Rules) -> list[Group]:
    """The groups that :func:`detections_of` makes cards of: spots that are nothing left out."""
    return group_readings([r for r in readings if _worth_keeping(r, rules)], rules)


def _worth_keeping(reading: IndexReading, rules: Rules) -> bool:
    """Whether a spot is a reading, a foreign index, or nothing at all."""
    if reading.confidence >= rules.worth_asking:
        return True
    foreign = reading.none > 0.5 and reading.suit_seen > 0.5
    return foreign and reading.spot.score >= rules.foreign


def without_duplicates(found: Sequence[Detection]) -> list[Detection]:
    """A name given in two places is given in neither: both become unsure, ``duplicate``."""
    named = [d.card for d in found if d.kind == "card"]
    twice = {c for c in named if named.count(c) > 1}
    return [
        replace(d, kind="unsure", why="duplicate") if d.kind == "card" and d.card in twice else d
        for d in found
    ]


def _without_shadows(found: Sequence[Detection]) -> list[Detection]:
    """Leave out doubtful spots in the body of a named card: they are its pips or its picture.

    A foreign or low spot whose own middle lies on a named card's middle is that card's.
    """
    named = [d for d in found if d.kind == "card" and d.quad is not None]

    def is_shadow(one: Detection) -> bool:
        if one.kind != "unsure" or one.why in ("duplicate", "conflict") or one.quad is None:
            return False
        middle = np.array(one.quad).mean(axis=0)
        for d in named:
            quad = np.array(d.quad)
            size = float(np.linalg.norm(quad[3] - quad[0]))
            if np.linalg.norm(quad.mean(axis=0) - middle) < 0.22 * size:
                return True
        return False

    return [d for d in found if not is_shadow(d)]


#: A pile of tricks is larger than the one back that was found in it.
_PATTERN_REACH: Final = 1.7


def _in_back_pattern(points: Sequence[tuple[float, float]], backs: Sequence[Quad]) -> bool:
    """Whether all of a card's indices lie on face-down cards.

    Backs bear words, stars and figures, as the corners of jokers do: a doubtful joker there is
    the pattern. One that is read beyond doubt is a joker, wherever it lies.
    """
    grown = [_grown(back, _PATTERN_REACH) for back in backs]
    return all(any(holds(back, x, y) for back in grown) for x, y in points)


def _grown(quad: Quad, by: float) -> Quad:
    """The outline drawn larger about its middle."""
    corners = np.array(quad, np.float64)
    middle = corners.mean(axis=0)
    a, b, c, d = ((float(x), float(y)) for x, y in middle + by * (corners - middle))
    return a, b, c, d


def _middle_near(quad: Quad, back: BackSpot) -> bool:
    middle = np.array(quad).mean(axis=0)
    return bool(np.hypot(middle[0] - back.x, middle[1] - back.y) < 0.3 * back.card_px)
