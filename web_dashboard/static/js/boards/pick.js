// Picking a card or a seat in a sheet: the whole pack of the game, likely ones first.
import { el } from "../dom.js";
import { grid } from "../cards.js";
import { closeSheet, openSheet } from "../sheet.js";
import { nameWord } from "../words.js";

/**
 * The pack in a sheet; `onPick(card)` answers whether it was taken, and the sheet then closes.
 * `marked` is the card as it stands now, `first` the likeliest names.
 */
export function pickCard(snapshot, title, onPick, { marked = null, above = null } = {}) {
  openSheet(title, above, grid(async (card) => { if (await onPick(card)) closeSheet(); }, { marked, pack: snapshot.game?.pack }));
}

/** Seats as a row of choices; one may be marked and one left out. */
export function seatRow(snapshot, { chosen = null, label, onPick, without = null, role = "radio", name = "seat" }) {
  return el("div", { class: "options seats", role: role === "radio" ? "radiogroup" : "group", aria: { label } }, (snapshot.seats ?? []).filter((s) => s.seat !== without).map((s) => el("button", {
    type: "button", class: `option side-${s.side}`, role: role === "radio" ? "radio" : null,
    aria: role === "radio" ? { checked: String(s.seat === chosen) } : { pressed: String(s.seat === chosen) }, data: { focus: `${name}-${s.seat}`, seat: s.seat },
    on: { click: (event) => onPick(s.seat, event.currentTarget) },
  }, nameWord(s.name))));
}
