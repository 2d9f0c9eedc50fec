// A card drawn: its face (an SVG of the project's own deck), a chip for lists, grids to pick from.
import { el } from "./dom.js";
import { SUITS, SUIT_SIGN, SUIT_WORD, cardSigns, cardWord, isRed } from "./words.js";

// Which of two colours, and which of four (people.css): the reader chooses between them.
const ink = (suit) => `${isRed(suit) ? "red" : "black"} ink-${suit}`;
const fourColours = () => document.documentElement.dataset.suits === "four";
const faceFile = (card) => card === "B" || card === "b" ? `/static/cards/${card === "B" ? "joker_high" : "joker_low"}.svg`
  : `${fourColours() && "dc".includes(card[1]) ? "/cards/four" : "/static/cards"}/${card}.svg`;

/** The face, with the index in plain text beneath in case the drawing does not load. */
export function face(card, { label = cardWord(card) } = {}) {
  const [rank, sign] = cardSigns(card);
  const img = el("img", { src: faceFile(card), alt: "", draggable: "false", decoding: "sync" });
  img.addEventListener("error", () => img.remove());
  return el("span", { class: `face ${ink(card[1])}`, role: "img", aria: { label } },
    el("span", { class: "face-index", aria: { hidden: "true" } }, el("b", { text: rank }), el("i", { text: sign })), img);
}

export function back(label = "face-down card") {
  const img = el("img", { src: "/static/cards/back.svg", alt: "", draggable: "false" });
  img.addEventListener("error", () => img.remove());
  return el("span", { class: "face is-back", role: "img", aria: { label } }, img);
}

/** A card nobody could read. */
export function unread(label = "a card waiting for an answer") {
  return el("span", { class: "face is-unread", role: "img", aria: { label } }, el("span", { text: "?" }));
}

/** "K♥" for lists. */
export function chip(card) {
  if (!card) return el("span", { class: "chip unread", aria: { label: "unread card" }, text: "?" });
  const [rank, sign] = cardSigns(card);
  return el("span", { class: `chip ${ink(card[1])}`, role: "img", aria: { label: cardWord(card) } },
    el("b", { text: rank }), el("i", { text: sign }));
}

export function suitSign(suit, extra = "") {
  return el("span", { class: `suit ${suit === "n" ? "none" : ink(suit)} ${extra}`, text: SUIT_SIGN[suit] ?? "?", aria: { hidden: "true" } });
}

const EUCHRE_RANKS = ["9", "T", "J", "Q", "K", "A"];
const LOW_RANKS = ["2", "3", "4", "5", "6", "7", "8"];

/** The 24 cards to tap; the cards outside the common pack behind one more tap. */
export function grid(onPick, { marked = null } = {}) {
  const cell = (card) => {
    const [rank, sign] = cardSigns(card);
    return el("button", {
      type: "button", class: `cell ${ink(card[1])}`, aria: { label: cardWord(card), pressed: marked === card ? "true" : null },
      data: { card }, on: { click: () => onPick(card) },
    }, el("b", { text: rank }), el("i", { text: sign }));
  };
  const rows = (ranks) => SUITS.map((suit) => el("div", { class: "grid-row", role: "group", aria: { label: SUIT_WORD[suit] } }, ranks.map((rank) => cell(rank + suit))));
  return el("div", { class: "grid" }, rows(EUCHRE_RANKS),
    el("details", { class: "grid-more" }, el("summary", { text: "A card outside the 24" }),
      el("div", { class: "low" }, rows(LOW_RANKS), el("div", { class: "grid-row jokers" }, cell("B"), cell("b")))));
}
