// The deal trick by trick, the deals so far, and what was recorded: three tabs.
import { el, paint } from "./dom.js";
import { chip, suitSign } from "./cards.js";
import { SUIT_WORD, cardWord, clockWord, resultWord, seatName } from "./words.js";

const TABS = [["deal", "This deal"], ["deals", "Score sheet"], ["log", "History"]];

function dealList(snapshot, actions) {
  const tricks = snapshot.deal?.tricks ?? [];
  const seats = snapshot.seats ?? [];
  if (!tricks.some((t) => t.plays.length)) return el("p", { class: "empty", text: snapshot.deal ? "No card has been played in this deal." : "No deal is under way." });
  return el("table", { class: "tricks" },
    el("thead", {}, el("tr", {}, el("th", { text: "#", aria: { label: "Trick" } }), seats.map((s) => el("th", { scope: "col", text: s.name })))),
    el("tbody", {}, tricks.map((trick) => el("tr", {}, el("th", { scope: "row", text: String(trick.number) }),
      seats.map((s) => {
        const plays = trick.plays.filter((p) => p.seat === s.seat);
        const won = trick.winner === s.seat;
        return el("td", { class: `${won ? "won " : ""}${trick.leader === s.seat ? "led" : ""}`.trim() },
          plays.map((play) => actions.onCard
            ? el("button", { type: "button", class: "chip-button", data: { focus: `chip-${play.version}`, version: play.version },
                aria: { label: `${s.name}, trick ${trick.number}: ${cardWord(play.card)}${won ? ", won" : ""}. Correct` }, on: { click: () => actions.onCard(play) } }, chip(play.card))
            : chip(play.card)));
      })))),
    el("caption", { text: actions.onCard ? "▸ led, shaded: won. Tap a card to correct it." : "▸ led, shaded: won." }));
}

function dealsList(snapshot) {
  const deals = snapshot.deals ?? [];
  const sides = snapshot.sides ?? [];
  if (!deals.length) return el("p", { class: "empty", text: "No deal has been scored yet." });
  return el("table", { class: "deals" },
    el("thead", {}, el("tr", {}, el("th", { text: "Deal" }), el("th", { text: "Made by" }), el("th", { text: "Tricks" }), el("th", { text: "Result" }), el("th", { text: "Score" }))),
    el("tbody", {}, [...deals].reverse().map((d) => el("tr", {},
      el("th", { scope: "row", text: String(d.number) }),
      el("td", {}, d.maker === null || d.maker === undefined ? "–" : [seatName(snapshot, d.maker), " ", d.trump ? el("span", { class: "sign", role: "img", aria: { label: SUIT_WORD[d.trump] } }, suitSign(d.trump)) : null,
        d.alone?.length ? el("small", { text: " alone" }) : null]),
      el("td", { text: d.tricks ? d.tricks.join("–") : "" }),
      el("td", {}, resultWord(d.result), d.points && d.points.some((p) => p > 0) ? el("small", { class: "gain", text: ` +${Math.max(...d.points)} ${sides[d.points.findIndex((p) => p > 0)]?.name ?? ""}` }) : null),
      el("td", { class: "num", text: d.score ? d.score.join("–") : "" })))));
}

function logList(snapshot, actions) {
  const lines = [...(snapshot.history ?? [])].reverse();
  if (!lines.length) return el("p", { class: "empty", text: "Nothing has been recorded yet." });
  return el("ol", { class: "log", reversed: true }, lines.map((line) => {
    const body = [el("span", { class: "log-text", text: line.text }), el("span", { class: "log-meta", text: `${clockWord(line.at_us)} · ${line.source}` })];
    return el("li", { class: line.struck ? "struck" : "", data: { version: line.version, kind: line.kind } },
      actions.onLine && !line.struck
        ? el("button", { type: "button", class: "log-line", data: { focus: `line-${line.version}` }, aria: { label: `${line.text}. Correct or take back` }, on: { click: () => actions.onLine(line) } }, body)
        : el("div", { class: "log-line" }, body));
  }));
}

const chosen = new WeakMap();

export function drawLists(node, snapshot, actions = {}) {
  const tab = chosen.get(node) ?? "deal";
  const pick = (next) => { chosen.set(node, next); drawLists(node, snapshot, actions); };
  const inputs = [tab, snapshot.seats?.map((s) => s.name), tab === "deal" ? snapshot.deal?.tricks : tab === "deals" ? [snapshot.deals, snapshot.sides?.map((s) => s.name)] : snapshot.history];
  const arrows = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = TABS[(TABS.findIndex(([id]) => id === tab) + step + TABS.length) % TABS.length][0];
    pick(next);
    node.querySelector(`[data-focus="tab-${next}"]`)?.focus();
  };
  paint(node, inputs, () => [
    el("div", { class: "tabs", role: "tablist", on: { keydown: arrows } }, TABS.map(([id, word]) => el("button", {
      type: "button", role: "tab", id: `tab-${id}`, class: "tab", tabindex: id === tab ? "0" : "-1", text: word,
      aria: { selected: String(id === tab), controls: "tab-panel" }, data: { focus: `tab-${id}` }, on: { click: () => pick(id) },
    }))),
    el("div", { class: "tab-panel", id: "tab-panel", role: "tabpanel", tabindex: "0", aria: { labelledby: `tab-${tab}` } },
      tab === "deal" ? dealList(snapshot, actions) : tab === "deals" ? dealsList(snapshot) : logList(snapshot, actions)),
  ]);
}
