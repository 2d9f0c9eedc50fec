// The one dialog: corrections, undo, cards to pick, the menu. Escape and a tap outside close it.
import { el } from "./dom.js";

const dialog = () => document.getElementById("sheet");

export function closeSheet() { const d = dialog(); if (d.open) d.close(); }

/** Show `children` under `title`. Answers nothing: the buttons inside act and close. */
export function openSheet(title, ...children) {
  const d = dialog();
  d.replaceChildren(
    el("header", { class: "sheet-head" }, el("h2", { id: "sheet-title", text: title }),
      el("button", { type: "button", class: "close", aria: { label: "Close" }, text: "×", on: { click: closeSheet } })),
    el("div", { class: "sheet-body" }, ...children));
  if (!d.open) d.showModal();
  d.scrollTop = 0;
  d.onclick = (event) => { if (event.target === d) closeSheet(); };
}
