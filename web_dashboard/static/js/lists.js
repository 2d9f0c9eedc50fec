// The deal trick by trick, the deals so far, and what was recorded: three tabs.
import { el, paint } from "./dom.js";
import { chip, suitSign } from "./cards.js";
import { scoreWord, signed } from "./boards/shapes.js";
import { SUIT_WORD, cardWord, clockWord, nameWord, plural, resultWord, say, sayIt, seatName, sideName } from "./words.js";

const TABS = [["deal", say("This deal")], ["deals", say("Score sheet")], ["log", say("History")]];

function dealList(snapshot, actions) {
  const tricks = snapshot.deal?.tricks ?? [];
  const seats = snapshot.seats ?? [];
  if (!tricks.some((t) => t.plays.length)) return el("p", { class: "empty", text: snapshot.deal ? say("No card has been played in this deal.") : say("No deal is under way.") });
  return el("table", { class: `tricks of-${seats.length}` },
    el("thead", {}, el("tr", {}, el("th", { text: "#", aria: { label: say("Trick") } }), seats.map((s) => el("th", { scope: "col", text: nameWord(s.name) })))),
    el("tbody", {}, tricks.map((trick) => el("tr", {}, el("th", { scope: "row", text: String(trick.number) }),
      seats.map((s) => {
        const plays = trick.plays.filter((p) => p.seat === s.seat);
        const won = trick.winner === s.seat;
        return el("td", { class: `${won ? "won " : ""}${trick.leader === s.seat ? "led" : ""}`.trim() },
          plays.map((play) => {
            const what = say("{name}, trick {n}: {card}", { name: nameWord(s.name), n: trick.number, card: cardWord(play.card) });
            const spoken = won ? say("{what}, won", { what }) : what;
            return actions.onCard
              ? el("button", { type: "button", class: "chip-button", data: { focus: `chip-${play.version}`, version: play.version },
                  aria: { label: say("{what}. Correct", { what: spoken }) }, on: { click: () => actions.onCard(play) } }, chip(play.card))
              : chip(play.card);
          }));
      })))),
    el("caption", { text: actions.onCard ? say("▸ led, shaded: won. Tap a card to correct it.") : say("▸ led, shaded: won.") }));
}

/** Who made it, in which suit; in buck for how many tricks, in call-ace with which ace. */
const madeBy = (snapshot, d) => d.maker === null || d.maker === undefined ? "–" : [seatName(snapshot, d.maker), " ",
  d.trump ? el("span", { class: "sign", role: "img", aria: { label: SUIT_WORD[d.trump] } }, suitSign(d.trump)) : null,
  d.bid ? el("small", { text: ` ${plural(d.bid, "bid of {n} trick", "bid of {n} tricks")}` }) : null,
  d.called ? [" ", chip(d.called)] : null,
  d.alone?.length ? el("small", { text: ` ${say("alone")}` }) : null];

function dealsList(snapshot, actions) {
  const deals = snapshot.deals ?? [];
  const sides = snapshot.sides ?? [];
  if (!deals.length) return el("p", { class: "empty", text: say("No deal has been scored yet.") });
  const number = (d) => actions.onDeal ? el("button", { type: "button", class: "chip-button", data: { focus: `deal-${d.number}` }, aria: { label: say("Deal {n}: look closer", { n: d.number }) }, text: String(d.number), on: { click: () => actions.onDeal(d) } }) : String(d.number);
  const rows = [...deals].reverse();
  if (sides.length !== 2) return ownSheet(snapshot, rows, number);
  return el("table", { class: "deals" },
    el("thead", {}, el("tr", {}, el("th", { text: say("Deal") }), el("th", { text: say("Made by") }), el("th", { text: say("Tricks") }), el("th", { text: say("Result") }), el("th", { text: say("Score") }))),
    el("tbody", {}, rows.map((d) => {
      const gained = d.points ? d.points.findIndex((p) => p > 0) : -1;
      return el("tr", {},
        el("th", { scope: "row" }, number(d)), el("td", {}, madeBy(snapshot, d)), el("td", { text: d.tricks ? d.tricks.join("–") : "" }),
        el("td", {}, resultWord(d.result), gained >= 0 ? el("small", { class: "gain", text: ` ${signed(d.points[gained])} ${sideName(snapshot, gained)}` }) : null),
        el("td", { class: "num", text: d.score ? d.score.map(scoreWord).join("–") : "" }));
    })));
}

/** Each scores alone: a column a player, the score and what it moved by. */
const ownSheet = (snapshot, rows, number) => el("table", { class: "deals own" },
  el("thead", {}, el("tr", {}, el("th", { text: say("Deal") }), el("th", { text: say("Made by") }), (snapshot.sides ?? []).map((s) => el("th", { class: "num", scope: "col", text: sideName(snapshot, s.side) })))),
  el("tbody", {}, rows.map((d) => el("tr", {}, el("th", { scope: "row" }, number(d)),
    el("td", {}, madeBy(snapshot, d), el("small", { class: "gain", text: ` ${resultWord(d.result)}` })),
    (snapshot.sides ?? []).map((s) => el("td", { class: "num" }, d.score ? scoreWord(d.score[s.side]) : "", el("small", { text: d.points ? ` ${signed(d.points[s.side])}` : "" })))))));

function logList(snapshot, actions) {
  const lines = [...(snapshot.history ?? [])].reverse();
  if (!lines.length) return el("p", { class: "empty", text: say("Nothing has been recorded yet.") });
  return [actions.onRecord ? el("button", { type: "button", class: "button wide record", data: { focus: "record" }, text: say("The whole record…"), on: { click: () => actions.onRecord() } }) : null,
    el("ol", { class: "log", reversed: true }, lines.map((line) => {
      const body = [el("span", { class: "log-text", text: sayIt(line) }), el("span", { class: "log-meta", text: `${clockWord(line.at_us)} · ${line.source}` })];
      return el("li", { class: line.struck ? "struck" : "", data: { version: line.version, kind: line.kind } },
        actions.onLine && !line.struck
          ? el("button", { type: "button", class: "log-line", data: { focus: `line-${line.version}` }, aria: { label: say("{what}. Correct or take back", { what: sayIt(line) }) }, on: { click: () => actions.onLine(line) } }, body)
          : el("div", { class: "log-line" }, body));
    }))];
}

const chosen = new WeakMap();

/** `actions`: onCard(play), onLine(line), onDeal(deal), onRecord(), each optional. */
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
      tab === "deal" ? dealList(snapshot, actions) : tab === "deals" ? dealsList(snapshot, actions) : logList(snapshot, actions)),
  ]);
}
