// Games of another shape: where their seats are drawn, and what their deals say beside the common
// words. Everything comes from the snapshot; nothing here knows what a bid or an ace is worth.
import { el } from "../dom.js";
import { back, chip, face } from "../cards.js";
import { cardWord, plural, say, seatName } from "../words.js";

/** Where each seat is drawn, by how many sit there: 0 top, 1 right, 2 bottom, 3 left. */
const PLACES = {
  2: ["0", "2"], 3: ["0", "1", "2"], 4: ["0", "1", "2", "3"],
  5: ["0", "ne", "se", "sw", "nw"], 6: ["0", "ne", "se", "2", "sw", "nw"],
};

/** The place at the table of a seat: "0" to "3", or a corner. */
export const placeOf = (snapshot, seat) => PLACES[snapshot?.seats?.length]?.[seat] ?? "nobody";

/** A number with its sign in front, for points won and lost. */
export const signed = (n) => (n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0");

/** A score as it is written; below zero with a proper minus. */
export const scoreWord = (n) => String(n).replace("-", "−");

const tag = (text, cls = "") => el("span", { class: `tag ${cls}`, text });

// ---- buck ------------------------------------------------------------------------------

const buck = {
  lines: ({ deal }) => [deal.bid ? plural(deal.bid, "bid of {n} trick", "bid of {n} tricks") : null].filter(Boolean),
  tags(snapshot, seat) {
    const { deal } = snapshot;
    if (!deal) return [];
    const bid = (deal.bids ?? []).filter((b) => b.seat === seat.seat).at(-1);
    const made = seat.maker && deal.bid ? deal.bid : bid?.tricks;
    return [
      made ? tag(say("bids {n}", { n: made }), "bid") : null,
      deal.swapped?.includes(seat.seat) ? tag(say("took the widow")) : null,
      deal.stayed?.includes(seat.seat) ? tag(say("stays")) : null,
      deal.dropped?.includes(seat.seat) ? tag(say("dropped")) : null,
    ];
  },
  /** The spare hand lies where nobody sits. */
  felt: ({ deal }) => deal ? el("div", { class: "widow", role: "img", aria: { label: say("The widow: a spare hand, face down") } },
    el("span", { class: "widow-cards", aria: { hidden: "true" } }, [0, 1, 2].map(() => back(""))), el("span", { class: "up-word", text: say("Widow"), aria: { hidden: "true" } })) : null,
};

// ---- two players -----------------------------------------------------------------------

const laidOf = (snapshot, seat) => snapshot.deal?.layout?.find((l) => l.seat === seat) ?? { open: [], covered: 0 };

/** The cards before one player: covered ones, and the open ones on them. */
function laid(snapshot, seat, { onTableCard }) {
  const { open, covered } = laidOf(snapshot, seat);
  const columns = Math.max(open.length, covered, snapshot.deal ? 4 : 0);
  const name = seatName(snapshot, seat);
  const label = say("Before {name}: {open} open, {covered} covered", { name, open: open.length, covered });
  return el("div", { class: `laid before-${placeOf(snapshot, seat)}`, role: "group", aria: { label } }, Array.from({ length: columns }, (_, i) => {
    const shown = open[i] ?? null;
    const inside = [i < covered ? el("span", { class: "under-card", aria: { hidden: "true" } }, back("")) : null,
      shown ? el("span", { class: "open-card" }, shown.card ? face(shown.card, { label: "" }) : el("span", { class: "face is-unread" }, el("span", { text: "?" }))) : null];
    const cls = `stack${shown ? "" : " bare"}${i < covered ? " on-back" : ""}`;
    if (!shown) return el("div", { class: cls, aria: { hidden: "true" } }, inside);
    const words = say("{card}, open before {name}", { card: cardWord(shown.card), name });
    const data = { card: shown.card ?? "", version: shown.version, focus: `open-${shown.version}` };
    return onTableCard
      ? el("button", { type: "button", class: cls, data, aria: { label: say("{what}. Correct", { what: words }) }, on: { click: () => onTableCard({ ...shown, seat }) } }, inside)
      : el("div", { class: cls, data, role: "img", aria: { label: words } }, inside);
  }));
}

const twoHand = {
  lines: () => [],
  tags: () => [],
  felt: (snapshot, actions) => (snapshot.seats ?? []).map((s) => laid(snapshot, s.seat, actions)),
  /** Of the cards a player has left, those in the hand. */
  inHand(snapshot, seat) {
    const { open, covered } = laidOf(snapshot, seat.seat);
    return Math.max(0, (seat.cards_left ?? 0) - open.length - covered);
  },
};

// ---- call-ace --------------------------------------------------------------------------

const STANDING = {
  uncalled: () => say("no ace called yet"), hidden: () => say("partner not known yet"), own: () => say("held it: alone"),
  buried: () => say("nobody held it: alone"), alone: () => say("plays alone"), partner: () => "",
};

const callAce = {
  lines(snapshot) {
    const { deal } = snapshot;
    if (deal.maker === null || deal.maker === undefined) return [];
    const called = deal.called ? el("span", { class: "called" }, say("calls"), " ", chip(deal.called)) : null;
    const who = deal.standing === "partner" ? say("with {name}", { name: seatName(snapshot, deal.partner) }) : STANDING[deal.standing]?.();
    return [called, who ? el("span", { text: who }) : null].filter(Boolean);
  },
  tags: (snapshot, seat) => [snapshot.deal && snapshot.deal.partner === seat.seat ? tag(say("partner"), "partner") : null],
  felt: () => null,
};

const plain = { lines: () => [], tags: () => [], felt: () => null };
const SHAPES = { buck, two_hand: twoHand, call_ace: callAce };

/** What the board draws beside the common parts: `lines`, `tags`, `felt` and perhaps `inHand`. */
export const shapeOf = (snapshot) => SHAPES[snapshot?.game?.shape] ?? plain;
