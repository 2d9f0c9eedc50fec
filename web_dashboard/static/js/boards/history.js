// The whole record of a game, deal by deal, every line open to mending. The kit says which facts
// stand, what became of them and who said so; here they are only listed.
import { el } from "../dom.js";
import { send } from "../commands.js";
import { openSheet, closeSheet } from "../sheet.js";
import { lineWord, mendSheet, missedSheet } from "./mend.js";
import { clockWord, say, sayIt, sayWhy } from "../words.js";

async function ledgerOf(gameId) {
  const answer = await fetch(`/api/games/${encodeURIComponent(gameId)}/ledger`, { cache: "no-store" });
  const told = await answer.json();
  if (!told.lines) throw new Error(sayWhy(told, String(answer.status)));
  return told;
}

/** Who says it, as people read it. */
const sourceWord = (snapshot, source) => {
  const seat = /^seat:(\d+)$/.exec(source);
  if (seat) return snapshot.seats?.find((s) => s.seat === Number(seat[1]))?.name ?? source;
  return { page: say("the tablet"), camera: say("the camera"), director: say("the director"), sim: say("the simulated table"), import: say("imported") }[source] ?? source;
};

function lineButton(snapshot, line, onLine) {
  const last = line.mends.filter((m) => m.stands).at(-1);
  return el("li", { class: line.struck ? "struck" : "", data: { version: line.version, kind: line.kind } },
    el("button", { type: "button", class: "log-line", data: { focus: `ledger-${line.version}` }, aria: { label: say("{what}. Correct", { what: lineWord(line) }) }, on: { click: () => onLine(line) } },
      el("span", { class: "log-body" },
        el("span", { class: "log-text", text: lineWord(line) }),
        line.now && line.now !== line.text ? el("small", { class: "log-was", text: say("was: {what}", { what: sayIt(line) }) }) : null,
        last ? el("small", { class: "log-was", text: `${sayIt(last)} (${sourceWord(snapshot, last.source)})` }) : null),
      el("span", { class: "log-meta", text: `${clockWord(line.at_us)} · ${sourceWord(snapshot, line.source)}` })));
}

/** The sheet; `deal` is the deal that stands open at first, the newest where none is named. */
export async function historySheet(snapshot, { deal = null } = {}) {
  const host = el("div", { class: "ledger" }, el("p", { class: "empty", text: say("Reading the record…") }));
  openSheet(say("The whole record"), host);
  let ledger;
  try { ledger = await ledgerOf(snapshot.game.id); } catch (error) {
    host.replaceChildren(el("p", { class: "warning", text: say("The record cannot be read: {why}.", { why: error.message }) }));
    return;
  }
  const again = (number) => historySheet({ ...snapshot, version: ledger.version }, { deal: number });
  const numbers = [...new Set(ledger.lines.map((line) => line.deal ?? 0))].sort((a, b) => a - b);
  const open = deal ?? numbers.at(-1);
  host.replaceChildren(
    el("p", { class: "hint", text: say("Tap a line to change it, take it back, put it elsewhere or put in what was missed. Everything after it is worked out anew.") }),
    ...numbers.map((number) => {
      const lines = ledger.lines.filter((line) => (line.deal ?? 0) === number);
      const standing = lines.filter((line) => !line.struck);
      const next = ledger.lines.find((line) => (line.deal ?? 0) > number && !line.struck);
      const onLine = (line) => mendSheet(snapshot, { ...line, lookedAt: ledger.version }, { around: number === 0 ? [] : lines, then: () => again(number) });
      return el("details", { class: "ledger-deal", open: number === open, data: { deal: number } },
        el("summary", {}, el("b", { text: number === 0 ? say("Before the first deal") : say("Deal {n}", { n: number }) }), " ",
          el("small", { text: ledger.results[number] ?? "" })),
        el("ol", { class: "log" }, lines.map((line) => lineButton(snapshot, line, onLine))),
        number === 0 ? null : el("div", { class: "answer-buttons" },
          next && standing.length ? el("button", { type: "button", class: "button", data: { focus: `missed-end-${number}` }, text: say("Missed at the end…"),
            on: { click: () => missedSheet(snapshot, { before: next.version, text: lineWord(next), reason: say("missed by the camera"), then: () => again(number) }) } }) : null,
          el("button", { type: "button", class: "button danger", data: { focus: `strike-deal-${number}` }, text: say("Take the whole deal out…"), on: { click: () => strikeSheet(number, () => again(null)) } })));
    }));
}

function strikeSheet(deal, then) {
  const why = el("input", { type: "text", class: "field", maxlength: "120", placeholder: say("Why (needed)"), aria: { label: say("Reason") } });
  openSheet(say("Take deal {n} out?", { n: deal }), el("p", { text: say("As if it had never been dealt: its points go, and later deals move up one number. It can be undone.") }), why,
    el("div", { class: "answer-buttons" },
      el("button", { type: "button", class: "button danger", data: { focus: "strike-deal-now" }, text: say("Take it out"), on: { click: async (event) => {
        if (!why.value.trim()) { why.focus(); return; }
        if (await send({ kind: "strike_deal", deal, reason: why.value.trim() }, { button: event.currentTarget })) then();
      } } }),
      el("button", { type: "button", class: "button", text: say("Leave it"), on: { click: closeSheet } })));
}
