// Figures of one game and of all of them: drawn from what the kit counted.
import { el } from "./dom.js";
import { linePlot } from "./plot.js";
import { bothWord, nameWord, phrase, plural, readerLanguage, resultWord, say, sayWhy } from "./words.js";

const $ = (id) => document.getElementById(id);
const share = (part, whole) => whole ? `${Math.round(100 * part / whole)}%` : "–";
const PLACES = { dealer: phrase("the dealer"), left: phrase("dealer's left"), across: phrase("dealer's partner"), right: phrase("dealer's right") };
/** Columns of figures: heading, what it means, and the cell of one row. */
const FIGURES = [
  [say("Deals"), say("deals that counted"), (f) => String(f.deals)],
  [say("Points"), say("points the side scored"), (f) => String(f.points)],
  [say("Calls"), say("deals in which they made trump"), (f) => String(f.calls)],
  [say("Made"), say("calls that came off"), (f) => `${f.made} · ${share(f.made, f.calls)}`],
  [say("Euchred"), say("calls that failed"), (f) => String(f.euchred)],
  [say("Marches"), say("all tricks taken after a call"), (f) => String(f.marches)],
  [say("Loners"), say("played alone, and those that took every trick"), (f) => `${f.loners} · ${f.lone_marches}`],
  [say("Euchres"), say("euchred the other side"), (f) => String(f.euchres)],
];

function table(caption, first, rows, columns) {
  return el("div", { class: "wide-table", tabindex: "0", role: "group", aria: { label: caption } }, el("table", {},
    el("caption", { class: "unseen", text: caption }),
    el("thead", {}, el("tr", {}, el("th", { scope: "col", text: first }), columns.map(([word, means]) => el("th", { scope: "col" }, el("abbr", { title: means, text: word }))))),
    el("tbody", {}, rows.map(([name, figures]) => el("tr", {}, el("th", { scope: "row", text: name }), columns.map(([, , cell]) => el("td", { text: cell(figures) })))))));
}

/** Bars with their numbers beside them. */
const bars = (rows) => el("ul", { class: "bars" }, rows.map(({ name, n, most, more, cls }) => el("li", {},
  el("span", { class: "bar-name", text: name }),
  el("span", { class: "bar", aria: { hidden: "true" } }, el("i", { class: cls ?? "", style: { width: `${most ? Math.round(100 * n / most) : 0}%` } })),
  el("span", { class: "bar-number", text: more }))));

function callBars(rows) {
  const most = Math.max(1, ...rows.map((r) => r.calls));
  return bars(rows.map((r) => ({ name: r.name, n: r.calls, most, cls: r.cls, more: say("{calls} · {made} made", { calls: plural(r.calls, "{n} call", "{n} calls"), made: r.made }) })));
}

function drawGame(game) {
  const sides = game.sides.map((side) => bothWord(side.name));
  const deals = game.scores.length - 1;
  const label = say("Points after each deal: {ends}", { ends: sides.map((name, i) => `${name} ${game.scores.at(-1)[i]}`).join(", ") });
  const down = game.counts === "down";
  return [
    deals ? linePlot({
      label, ...(innerWidth < 600 ? { width: 400, height: 260 } : {}), xWord: say("deals played"), goal: down ? 0 : game.target || null, goalWord: down ? "" : say("to {n}", { n: game.target }),
      lines: sides.map((name, i) => ({ name, values: game.scores.map((score) => score[i]), cls: `line-${i}` })),
    }) : el("p", { class: "empty", text: say("No deal of this game has points yet.") }),
    table(say("What each side did"), say("Side"), game.sides.map((side, i) => [sides[i], side]), FIGURES),
    el("h3", { text: say("Who called") }), callBars(game.seats.map((seat) => ({ ...seat, name: nameWord(seat.name), cls: `side-${seat.side}` }))),
    deals ? el("details", { class: "rare" }, el("summary", { text: say("The points as a table") }), table(say("Points after each deal"), say("Deal"),
      game.scores.slice(1).map((score, i) => [String(i + 1), { score, result: game.results[i] }]),
      [[say("Result"), "", (r) => resultWord(r.result)], ...sides.map((name, i) => [name, "", (r) => String(r.score[i])])])) : null,
    el("p", {}, el("a", { class: "button", href: `/replay/${encodeURIComponent(game.game_id)}`, text: say("Look back at this game") })),
  ];
}

function gamePicker(games, show) {
  const when = (us) => us > 1e15 ? new Date(us / 1000).toLocaleString(readerLanguage, { dateStyle: "medium", timeStyle: "short" }) : "";
  return el("label", { class: "pick" }, el("span", { text: say("Game") }), el("select", { class: "field", id: "which-game", on: { change: (event) => show(event.target.value) } },
    games.map((game) => el("option", { value: game.game_id, text: [game.title || game.sides.map(bothWord).join(" – "), when(game.started_at_us), plural(game.deals, "{n} deal", "{n} deals")].filter(Boolean).join(" · ") }))));
}

async function ask(path) {
  const response = await fetch(path, { cache: "no-store" });
  const told = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(sayWhy(told, String(response.status)));
  return told;
}

async function start() {
  let all;
  try { all = await ask("/api/statistics"); } catch (error) {
    $("nothing").textContent = say("The figures cannot be told: {why}.", { why: error.message });
    $("statistics").removeAttribute("aria-busy");
    return;
  }
  $("statistics").removeAttribute("aria-busy");
  const played = all.games.filter((game) => game.deals > 0);
  if (!played.length) {
    $("nothing").textContent = say("Nothing to count yet: figures appear with the first deal that has points.");
    return;
  }
  $("nothing").remove();
  const host = el("div", { class: "one-game" });
  const show = async (id) => {
    try { host.replaceChildren(...drawGame(await ask(`/api/statistics/${encodeURIComponent(id)}`)).filter(Boolean)); } catch (error) {
      host.replaceChildren(el("p", { class: "empty", text: say("The figures cannot be told: {why}.", { why: error.message }) }));
    }
  };
  $("one-game").replaceChildren(el("h2", { text: say("Points over time") }), gamePicker(played, show), host);
  const asked = new URLSearchParams(location.search).get("game");
  const first = played.find((game) => game.game_id === asked)?.game_id ?? played[0].game_id;
  $("which-game").value = first;
  $("one-game").hidden = false;
  const players = all.players.filter((p) => p.deals);
  $("players").replaceChildren(el("h2", { text: say("Players over all games") }),
    table(say("Players over all games"), say("Player"), players.map((p) => [nameWord(p.name), p]), [[say("Games"), say("games, and those won"), (f) => `${f.games} · ${f.won}`], ...FIGURES]),
    el("p", { class: "note", text: say("Counted by name: who wants to be counted apart plays under another name.") }));
  $("players").hidden = false;
  if (all.places.some((place) => place.calls)) {
    $("places").replaceChildren(el("h2", { text: say("Calls by place") }), callBars(all.places.map((place) => ({ ...place, name: say(PLACES[place.place]) }))));
    $("places").hidden = false;
  }
  await show(first);
}

start();
