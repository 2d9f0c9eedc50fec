// What people say before the cards are played: bids, passes, names, staying, the called ace, the
// cards laid away and passed. Which words make sense now, the snapshot's offers say.
import { el } from "../dom.js";
import { chip, suitSign } from "../cards.js";
import { send } from "../commands.js";
import { pickCard } from "./pick.js";
import { SUIT_WORD, cardWord, nameWord, plural, say, seatName } from "../words.js";

const button = (content, onClick, { cls = "", focus = null, label = null } = {}) =>
  el("button", { type: "button", class: `button ${cls}`, data: { focus }, aria: { label }, on: { click: (event) => onClick(event.currentTarget) } }, content);
const tell = (command) => (control) => send(command, { button: control });

const seatsWith = (snapshot, offers) => (snapshot.seats ?? []).filter((s) => offers.some((o) => o.seat === s.seat));

/** Who speaks: the seat that is due, or the one that was tapped. */
function speakers(snapshot, offers, chosen, pick, label) {
  const able = seatsWith(snapshot, offers);
  const due = snapshot.ask?.seat ?? null;
  const seat = able.some((s) => s.seat === chosen) ? chosen : able.some((s) => s.seat === due) ? due : able[0]?.seat ?? null;
  // One who alone can speak is named, not chosen.
  const row = able.length === 1 ? el("p", { class: "speaker", data: { speaker: able[0].seat } }, el("b", { text: nameWord(able[0].name) })) : !able.length ? null : el("div", { class: "options seats", role: "radiogroup", aria: { label } }, able.map((s) => el("button", {
    type: "button", class: `option side-${s.side}`, role: "radio", aria: { checked: String(s.seat === seat) }, data: { focus: `speaks-${s.seat}` }, on: { click: () => pick(s.seat) },
  }, nameWord(s.name))));
  return { seat, row };
}

// ---- buck ------------------------------------------------------------------------------

/** Bids of tricks, or a pass; the widow before the bidding. `state` lives across repaints. */
export function bidPanel(snapshot, state, repaint) {
  const offers = (snapshot.offers ?? []).filter((o) => o.kind === "bid_tricks" || (o.kind === "call" && o.call === "pass"));
  const swaps = (snapshot.offers ?? []).filter((o) => o.kind === "swap_widow");
  const { seat, row } = speakers(snapshot, offers, state.speaker ?? null, (next) => { state.speaker = next; repaint(); }, say("Who bids"));
  const mine = offers.filter((o) => o.seat === seat);
  const bids = mine.filter((o) => o.kind === "bid_tricks");
  const pass = mine.find((o) => o.kind === "call");
  const name = seatName(snapshot, seat);
  const take = (offer) => async (control) => { if (await send(offer, { button: control })) state.speaker = null; };
  return [row,
    el("div", { class: "options bids", role: "group", aria: { label: say("{name} bids", { name }) } },
      bids.map((o) => el("button", { type: "button", class: "option", data: { focus: `bid-${o.tricks}` }, aria: { label: plural(o.tricks, "{name} bids {n} trick", "{name} bids {n} tricks", { name }) }, on: { click: (e) => take(o)(e.currentTarget) } }, el("b", { class: "bid-number", text: String(o.tricks) }))),
      pass ? el("button", { type: "button", class: "option", data: { focus: "bid-pass" }, aria: { label: say("{name} passes", { name }) }, on: { click: (e) => take(pass)(e.currentTarget) } }, say("Pass")) : null),
    swaps.length ? el("div", { class: "answer-buttons quiet-row" }, el("span", { class: "row-word", text: say("Takes the widow:") }), swaps.map((o) => button(seatName(snapshot, o.seat), tell(o), { focus: `swap-${o.seat}`, label: say("{name} takes the widow", { name: seatName(snapshot, o.seat) }) }))) : null];
}

/** Stay or drop, for each who has not said. */
export function stayPanel(snapshot) {
  const offers = (snapshot.offers ?? []).filter((o) => o.kind === "stay" || o.kind === "drop");
  const open = seatsWith(snapshot, offers).filter((s) => offers.some((o) => o.kind === "stay" && o.seat === s.seat) && offers.some((o) => o.kind === "drop" && o.seat === s.seat));
  return open.map((s) => el("div", { class: "said-by", role: "group", aria: { label: nameWord(s.name) } }, el("b", { text: nameWord(s.name) }),
    button(say("Stays"), tell({ kind: "stay", seat: s.seat }), { cls: "primary", focus: `stay-${s.seat}`, label: say("{name} stays", { name: nameWord(s.name) }) }),
    button(say("Drops"), tell({ kind: "drop", seat: s.seat }), { focus: `drop-${s.seat}`, label: say("{name} drops", { name: nameWord(s.name) }) })));
}

// ---- call-ace --------------------------------------------------------------------------

export function acePanel(snapshot) {
  const aces = (snapshot.offers ?? []).filter((o) => o.kind === "call_ace");
  return el("div", { class: "options suits", role: "group", aria: { label: say("Which ace") } }, aces.map((o) => el("button", {
    type: "button", class: "option", data: { focus: `ace-${o.card}`, card: o.card }, aria: { label: cardWord(o.card) }, on: { click: (e) => tell(o)(e.currentTarget) },
  }, chip(o.card))));
}

// ---- before the lead -------------------------------------------------------------------

/** The dealer laid a card away; which one only where somebody saw it. */
export function discardPanel(snapshot) {
  const seat = snapshot.ask?.seat ?? null;
  const name = seatName(snapshot, seat);
  return el("div", { class: "answer-buttons" },
    button(say("Done, it is laid away"), tell({ kind: "discard", seat }), { cls: "primary", focus: "discard-done" }),
    button(say("It was shown…"), () => pickCard(snapshot, say("Which card did {name} lay away?", { name }), (card) => send({ kind: "discard", seat, card })), { focus: "discard-card" }));
}

/** The partner of a lone hand passes one card. */
export function exchangePanel(snapshot) {
  const seat = snapshot.ask?.seat ?? null;
  const name = seatName(snapshot, seat);
  return el("div", { class: "answer-buttons" },
    button(say("Passed and kept"), tell({ kind: "pass_card", seat, kept: true }), { cls: "primary", focus: "pass-kept" }),
    button(say("Passed and refused"), tell({ kind: "pass_card", seat, kept: false }), { focus: "pass-refused" }),
    button(say("It was seen…"), () => pickCard(snapshot, say("Which card did {name} pass?", { name }), (card) => send({ kind: "pass_card", seat, kept: true, card })), { focus: "pass-card" }));
}

// ---- call by call ----------------------------------------------------------------------

/** Every call of the bidding, for tables that tell it word by word. */
export function callsPanel(snapshot, state, repaint) {
  const offers = (snapshot.offers ?? []).filter((o) => o.kind === "call");
  if (!offers.length) return null;
  const { seat, row } = speakers(snapshot, offers, state.speaker ?? null, (next) => { state.speaker = next; repaint(); }, say("Who speaks"));
  const name = seatName(snapshot, seat);
  const mine = offers.filter((o) => o.seat === seat);
  const mayAlone = snapshot.game?.alone_by !== "nobody" && mine.some((o) => o.call !== "pass");
  const take = (offer) => async (control) => {
    const alone = offer.call !== "pass" && mayAlone && state.callAlone === true;
    if (await send({ ...offer, alone }, { button: control })) { state.speaker = null; state.callAlone = false; }
  };
  const word = { pass: say("Pass"), order_up: say("Order up"), pick_up: say("Pick up") };
  const plain = mine.filter((o) => o.call !== "name");
  const names = mine.filter((o) => o.call === "name");
  const suits = snapshot.game?.trumps ?? [];
  return [row,
    plain.length ? el("div", { class: "answer-buttons" }, plain.map((o) => button(word[o.call], take(o), { focus: `call-${o.call}`, cls: o.call === "pass" ? "" : "primary", label: `${name}: ${word[o.call]}` }))) : null,
    names.length ? el("div", { class: "options suits", role: "group", aria: { label: say("{name} names trump", { name }) } }, suits.map((suit) => names.find((o) => o.suit === suit)).filter(Boolean).map((o) => el("button", {
      type: "button", class: "option", data: { focus: `call-name-${o.suit}` }, aria: { label: say("{name} names {suit}", { name, suit: SUIT_WORD[o.suit] }) }, on: { click: (e) => take(o)(e.currentTarget) },
    }, suitSign(o.suit), el("span", { class: "option-word", text: SUIT_WORD[o.suit] })))) : null,
    mayAlone ? el("label", { class: "check" }, el("input", { type: "checkbox", checked: state.callAlone === true, data: { focus: "call-alone" }, on: { change: (e) => { state.callAlone = e.target.checked; } } }), el("span", { text: say("and plays alone") })) : null];
}
