// The one dialog: corrections, undo, cards to pick, the menu. Escape and a tap outside close it.
import { el } from "./dom.js";
import { say } from "./words.js";

function dialog() {
  const there = document.getElementById("sheet");
  if (there) return there;
  const made = el("dialog", { class: "sheet", id: "sheet", aria: { labelledby: "sheet-title" } });
  document.body.append(made);
  return made;
}

export function closeSheet() {
  const d = dialog();
  if (!d.open) return;
  d.close();
  document.body.append(...d.querySelectorAll("#toasts"));
}

/** Show `children` under `title`. Answers nothing: the buttons inside act and close. */
export function openSheet(title, ...children) {
  const d = dialog();
  const toasts = d.querySelectorAll("#toasts");
  d.replaceChildren(
    el("header", { class: "sheet-head" }, el("h2", { id: "sheet-title", text: title }),
      el("button", { type: "button", class: "close", aria: { label: say("Close") }, text: "×", on: { click: closeSheet } })),
    el("div", { class: "sheet-body" }, ...children), ...toasts);
  if (!d.open) d.showModal();
  d.scrollTop = 0;
  d.onclick = (event) => { if (event.target === d) closeSheet(); };
}
