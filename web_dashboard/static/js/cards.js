// A card drawn: its face (an SVG of the project's own deck), a chip for lists, grids to pick from.
import { el } from "./dom.js";
import { SUITS, SUIT_SIGN, SUIT_WORD, cardSigns, cardWord, isRed, say } from "./words.js";

// Which of two colours, and which of four (people.css): the reader chooses between them.
const ink = (suit) => `${isRed(suit) ? "red" : "black"} ink-${suit}`;
const fourColours = () => document.documentElement.dataset.suits === "four";
const faceFile = (card) => card === "B" || card === "b" ? `/static/cards/${card === "B" ? "joker_high" : "joker_low"}.svg`
  : `${fourColours() && "dc".includes(card[1]) ? "/cards/four" : "/static/cards"}/${card}.svg`;

// Drawn by the style sheet (people.css): a name is read out instead, and nothing is said twice.
const letters = (rank, sign) => [el("b", { data: { text: rank } }), el("i", { data: { text: sign } })];
/** A picture with a name, or none where what it stands in has one. */
const pictured = (label) => label ? { role: "img", aria: { label } } : { aria: { hidden: "true" } };

/** The face, with the index in plain text beneath in case the drawing does not load. */
export function face(card, { label = cardWord(card) } = {}) {
  const [rank, sign] = cardSigns(card);
  const img = el("img", { src: faceFile(card), alt: "", draggable: "false", decoding: "sync" });
  img.addEventListener("error", () => img.remove());
  return el("span", { class: `face ${ink(card[1])}`, ...pictured(label) },
    el("span", { class: "face-index", aria: { hidden: "true" } }, letters(rank, sign)), img);
}

export function back(label = say("face-down card")) {
  const img = el("img", { src: "/static/cards/back.svg", alt: "", draggable: "false" });
  img.addEventListener("error", () => img.remove());
  return el("span", { class: "face is-back", ...pictured(label) }, img);
}

/** A card nobody could read. */
export function unread(label = say("a card waiting for an answer")) {
  return el("span", { class: "face is-unread", ...pictured(label) }, el("span", { data: { text: "?" } }));
}

/** "K♥" for lists. */
export function chip(card) {
  if (!card) return el("span", { class: "chip unread", role: "img", aria: { label: say("unread card") }, data: { text: "?" } });
  const [rank, sign] = cardSigns(card);
  return el("span", { class: `chip ${ink(card[1])}`, role: "img", aria: { label: cardWord(card) } },
    letters(rank, sign));
}

export function suitSign(suit, extra = "") {
  return el("span", { class: `suit ${suit === "n" ? "none" : ink(suit)} ${extra}`, text: SUIT_SIGN[suit] ?? "?", aria: { hidden: "true" } });
}

const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"];
const JOKERS = ["B", "b"];
/** Where nobody says which pack is played. */
const COMMON = SUITS.flatMap((suit) => RANKS.slice(7).map((rank) => rank + suit));

/** One card of a grid to tap. `state`: "" or why it is unlikely now, said after its name. */
export function cell(card, onPick, { marked = false, state = "" } = {}) {
  const [rank, sign] = cardSigns(card);
  return el("button", {
    type: "button", class: `cell ${ink(card[1])}${state ? " spent" : ""}`, aria: { label: state ? `${cardWord(card)}, ${state}` : cardWord(card), pressed: marked ? "true" : null },
    data: { card, suit: card[1] ?? "joker", focus: `cell-${card}` }, on: { click: (event) => onPick(card, event.currentTarget) },
  }, letters(rank, sign));
}

/**
 * The pack of the game to tap, a suit a row; the other cards there are behind one more tap.
 * `stateOf(card)` answers why a card is unlikely now, or "".
 */
export function grid(onPick, { marked = null, pack = COMMON, stateOf = () => "", rest = true } = {}) {
  const draw = (card) => cell(card, onPick, { marked: marked === card, state: stateOf(card) });
  const row = (cards, label) => cards.length ? el("div", { class: "grid-row", role: "group", aria: { label } }, cards.map(draw)) : null;
  const rows = (cards) => [...SUITS.map((suit) => row(cards.filter((card) => card[1] === suit), SUIT_WORD[suit])), row(cards.filter((card) => JOKERS.includes(card)), say("Jokers"))];
  const others = [...SUITS.flatMap((suit) => RANKS.map((rank) => rank + suit)), ...JOKERS].filter((card) => !pack.includes(card));
  return el("div", { class: "grid" }, rows(pack), rest && others.length
    ? el("details", { class: "grid-more" }, el("summary", { text: say("A card outside the pack") }), el("div", { class: "low" }, rows(others)))
    : null);
}
