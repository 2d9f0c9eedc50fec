// The director's page: what the rules found, with the evidence; the score, the game, the codes.
import { codeBox, codesPanel, onMe, roleWord } from "./access.js";
import { lookAsked } from "./announce.js";
import { picture, rulingWords } from "./ask.js";
import { chip, face, suitSign } from "./cards.js";
import { ask, send, toast } from "./commands.js";
import { el, paint, unpaint } from "./dom.js";
import { closeSheet, openSheet } from "./sheet.js";
import { partsList } from "./parts.js";
import { openStream } from "./stream.js";
import { SEAT_KEYS, SUIT_WORD, bothWord, cardWord, clockWord, nameWord, plural, presetLine, presetWord, readerLanguage, say, sayIt, sayRules, seatName } from "./words.js";

const $ = (id) => document.getElementById(id);
const heartbeatS = Number(document.body.dataset.heartbeatS) || 10;

let snapshot = null;
let who = { role: "watch" };
let presets = [];
const deals = new Map();
const reasons = new Map();

const button = (text, onClick, { cls = "", focus = null, disabled = false, label = null } = {}) =>
  el("button", { type: "button", class: `button ${cls}`, data: { focus }, disabled, aria: { label }, on: { click: (event) => onClick(event.currentTarget) } }, text);
const directs = () => who.role === "director" || (who.role === "table" && who.home);
const field = (label, props) => el("label", { class: "pick" }, el("span", { text: label }), el("input", { class: "field", autocomplete: "off", ...props }));

// ---- the game --------------------------------------------------------------------------

function rulesInWords(name) {
  const words = sayRules(presets.find((p) => p.name === name));
  return el("ul", { class: "rules-words", id: "rules-words" }, words.map((line) => el("li", { text: line })));
}

/** Preset, rules in words, players, title: what a game begins with. */
function startForm() {
  const host = el("form", { class: "start", id: "start-form" });
  let chosen = presets[0]?.name ?? "home";
  const title = el("input", { class: "field", type: "text", maxlength: "60", autocomplete: "off", id: "game-name" });
  const words = el("div", { aria: { live: "polite" } });
  const players = el("div", { class: "names-row" });
  const dealer = el("select", { class: "field" });
  const seatWords = (count) => count === 4 ? SEAT_KEYS.map((key) => say(key)) : Array.from({ length: count }, (_, i) => say("Player {n}", { n: i + 1 }));
  const show = () => {
    const count = presets.find((p) => p.name === chosen)?.players ?? 4;
    words.replaceChildren(rulesInWords(chosen));
    const typed = [...players.querySelectorAll("input")].map((input) => input.value);
    players.replaceChildren(...seatWords(count).map((word, i) => field(word, { type: "text", maxlength: "24", placeholder: word, value: typed[i] ?? "", id: `player-${i}` })));
    dealer.replaceChildren(el("option", { value: "", text: say("Seen from the first up-card") }), el("option", { value: "draw", text: say("Drawn from the cards") }), ...seatWords(count).map((word, i) => el("option", { value: String(i), text: word })));
  };
  const select = el("select", { class: "field", id: "preset", on: { change: (event) => { chosen = event.target.value; show(); } } },
    presets.map((p) => el("option", { value: p.name, text: [presetWord(p.name), presetLine(p.name)].filter(Boolean).join(": ") })));
  show();
  host.append(
    el("label", { class: "pick" }, el("span", { text: say("Name of the game") }), title),
    el("label", { class: "pick" }, el("span", { text: say("Rules") }), select), words,
    el("fieldset", { class: "names" }, el("legend", { text: say("Players") }), players),
    el("label", { class: "pick" }, el("span", { text: say("First dealer") }), dealer),
    el("button", { type: "submit", class: "button primary wide", id: "start-game", text: say("Start the game") }));
  host.addEventListener("submit", async (event) => {
    event.preventDefault();
    const inputs = [...players.querySelectorAll("input")];
    // Seats nobody named keep the engine's own names, which every page shows in its language.
    const own = inputs.length === 4 ? SEAT_KEYS : inputs.map((_, i) => `Player ${i + 1}`);
    const draws = dealer.value === "draw";
    const started = await send({ kind: "start_game", rules: chosen, title: title.value.trim(), names: inputs.map((input, i) => input.value.trim() || own[i]),
      dealer: draws || dealer.value === "" ? null : Number(dealer.value) }, { button: host.querySelector("[type=submit]") });
    if (started && draws) await send({ kind: "draw_dealer" });
  });
  return host;
}

function withReason(title, text, action, { cls = "primary", needed = true, offered = "" } = {}) {
  const reason = el("input", { class: "field", type: "text", maxlength: "200", id: "reason", value: offered, aria: { label: say("Reason") }, placeholder: needed ? say("Why (needed)") : say("Why (optional)") });
  openSheet(title, text ? el("p", { text }) : null, reason,
    button(title, async (control) => {
      if (needed && !reason.value.trim()) { toast(say("Say why: it stays in the record.")); reason.focus(); return; }
      if (await action(reason.value.trim(), control)) closeSheet();
    }, { cls: `${cls} wide`, focus: "with-reason" }));
  reason.focus();
}

function drawGame() {
  const { game, sides = [], seats = [] } = snapshot;
  const running = Boolean(game?.id && !game.over);
  paint($("game-body"), [game, sides.map((s) => [s.name, s.score]), seats.map((s) => s.name), presets.length, directs()], () => {
    if (!running) {
      return [game?.id ? el("p", { text: say("The last game is over: {score}.", { score: sides.map((s) => `${bothWord(s.name)} ${s.score}`).join(", ") }) }) : null,
        presets.length ? startForm() : el("p", { text: say("Asking for the rules…") })];
    }
    return [el("dl", { class: "facts" },
      el("dt", { text: say("Name") }), el("dd", { text: game.title || "–" }),
      el("dt", { text: say("Players") }), el("dd", { text: seats.map((s) => nameWord(s.name)).join(", ") }),
      el("dt", { text: say("Score") }), el("dd", { text: sides.map((s) => `${bothWord(s.name)} ${s.score}`).join(" · ") }),
      el("dt", { text: say("State") }), el("dd", { text: game.paused !== null ? (game.paused ? say("Paused: {reason}", { reason: game.paused }) : say("Paused")) : say("Running") })),
    el("div", { class: "answer-buttons" },
      game.paused !== null ? button(say("Play on"), (b) => send({ kind: "resume_game" }, { button: b }), { cls: "primary", focus: "resume" })
        : button(say("Pause the game"), () => withReason(say("Pause the game"), say("What lies on the table meanwhile is no play."), (reason, b) => send({ kind: "pause_game", reason }, { button: b }), { needed: false }), { focus: "pause" }),
      button(say("End the game"), () => withReason(say("End the game"), say("The score stays as it is and the game is closed."), (reason, b) => send({ kind: "end_game", reason }, { button: b, expectVersion: snapshot.version }), { cls: "danger" }), { cls: "danger", focus: "end" })),
    el("details", {}, el("summary", { text: say("The rules in words") }), game.preset && presets.some((p) => p.name === game.preset) ? rulesInWords(game.preset) : el("p", { text: say("These rules are the table's own.") }))];
  });
}

// ---- findings --------------------------------------------------------------------------

/** The deal as a diagram: a row a trick, a column a seat; the cards a finding rests on are marked. */
function diagram(deal, finding) {
  const seats = snapshot.seats ?? [];
  const rests = (trick, play) => (play.seat === finding.seat && (trick.number === finding.trick && play.card === finding.card || trick.number === finding.proven_at_trick && play.card === finding.proof))
    || (trick.number === finding.trick && play.card === finding.led && play.seat === trick.leader);
  return el("div", { class: "diagram-scroll", tabindex: "0", role: "region", aria: { label: say("Deal {n}, trick by trick", { n: deal.number }) } }, el("table", { class: "tricks diagram" },
    el("caption", {}, say("Deal {n}", { n: deal.number }), deal.trump ? [" · ", suitSign(deal.trump), ` ${SUIT_WORD[deal.trump]}`, deal.maker === null ? "" : ` · ${say("{name} made it", { name: seatName(snapshot, deal.maker) })}`] : ""),
    el("thead", {}, el("tr", {}, el("th", { scope: "col", text: "#", aria: { label: say("Trick") } }), seats.map((s) => el("th", { scope: "col", text: nameWord(s.name) })))),
    el("tbody", {}, deal.tricks.map((trick) => el("tr", {}, el("th", { scope: "row", text: String(trick.number) }),
      seats.map((s) => el("td", { class: `${trick.winner === s.seat ? "won " : ""}${trick.leader === s.seat ? "led" : ""}`.trim() },
        trick.plays.filter((p) => p.seat === s.seat).map((p) => el("span", { class: rests(trick, p) ? "rests" : "" }, chip(p.card))))))))));
}

async function fetchDeal(number) {
  const key = `${snapshot.game.id}:${number}:${snapshot.version}`;
  if (deals.has(key)) return;
  deals.set(key, null);
  try {
    const answer = await fetch(`/api/deals/${number}`);
    if (answer.ok) { deals.set(key, await answer.json()); unpaint($("findings-body")); drawFindings(); }
  } catch { deals.delete(key); }
}

const KIND_STATUS = { open: say("open"), upheld: say("upheld"), dismissed: say("dismissed") };

function findingCard(finding) {
  const deal = deals.get(`${snapshot.game.id}:${finding.deal}:${snapshot.version}`);
  const kept = finding.evidence ?? [];
  const cards = finding.kind === "revoke" ? [[finding.led, say("led")], [finding.card, say("played")], [finding.proof, say("held")]].filter(([card]) => card) : finding.card ? [[finding.card, ""]] : [];
  const shots = kept.length
    ? kept.map((hash, i) => el("figure", { class: "shot" }, picture(hash, cards[i]?.[0] ? `${cards[i][1]}: ${cardWord(cards[i][0])}` : sayIt(finding)), el("figcaption", {}, cards[i]?.[0] && cards.length === kept.length ? [chip(cards[i][0]), ` ${cards[i][1]}`] : say("as the camera saw it"))))
    : cards.map(([card, word]) => el("figure", { class: "shot" }, face(card), el("figcaption", {}, chip(card), ` ${word}`)));
  const reason = el("input", { class: "field", type: "text", maxlength: "200", value: reasons.get(finding.id) ?? "", data: { focus: `why-${finding.id}` }, placeholder: say("Why (needed)"), aria: { label: say("Reason of the ruling") }, on: { input: (event) => reasons.set(finding.id, event.target.value) } });
  const rule = (ruling) => async (control) => {
    if (!reason.value.trim()) { toast(say("Say why: it stays in the record.")); reason.focus(); return; }
    if (await send({ kind: "rule_finding", finding: finding.id, ruling, reason: reason.value.trim() }, { button: control })) reasons.delete(finding.id);
  };
  const [uphold, dismiss] = rulingWords(finding.kind);
  return el("article", { class: `item finding ${finding.status}`, data: { finding: finding.id, status: finding.status } },
    el("p", { class: "item-kind" }, say("Deal {n}", { n: finding.deal }), " · ", el("b", { text: KIND_STATUS[finding.status] ?? finding.status })),
    el("p", { class: "item-text", text: sayIt(finding) }),
    shots.length ? el("div", { class: "shots" }, shots) : null,
    deal ? diagram(deal, finding) : null,
    finding.ruling ? el("p", { class: "ruling" }, el("span", { text: say("Upheld, it means: ") }), finding.say_ruling ? sayIt({ text: finding.ruling, say: finding.say_ruling }) : finding.ruling) : null,
    directs() ? [reason, el("div", { class: "answer-buttons" },
      button(uphold, rule("uphold"), { cls: finding.status === "open" ? "primary" : "", focus: `uphold-${finding.id}`, disabled: finding.status === "upheld" }),
      button(dismiss, rule("dismiss"), { focus: `dismiss-${finding.id}`, disabled: finding.status === "dismissed" }))] : null);
}

function drawFindings() {
  const findings = [...(snapshot.findings ?? [])].sort((a, b) => (b.status === "open") - (a.status === "open"));
  for (const deal of new Set(findings.map((f) => f.deal))) fetchDeal(deal);
  paint($("findings-body"), [findings, directs(), [...deals.keys()].length], () => findings.length
    ? findings.map(findingCard)
    : el("p", { class: "empty", text: say("Nothing was found amiss in this game.") }));
}

// ---- the score -------------------------------------------------------------------------

function drawScore() {
  const { game, sides = [] } = snapshot;
  const adjusted = (snapshot.history ?? []).filter((line) => line.kind === "score_adjusted" && !line.struck);
  paint($("score-body"), [game?.id, sides.map((s) => [s.name, s.score]), adjusted, directs()], () => {
    if (!game?.id) return el("p", { class: "empty", text: say("No game is on the table.") });
    const fields = sides.map((s) => el("input", { class: "field", type: "number", min: "-20", max: "20", step: "1", value: "0", inputmode: "numeric", id: `points-${s.side}`, aria: { label: say("Points for {name}", { name: nameWord(s.name) }) } }));
    const reason = el("input", { class: "field", type: "text", maxlength: "200", id: "score-reason", placeholder: say("Why (needed)"), aria: { label: say("Reason") } });
    return [el("div", { class: "adjust" }, sides.map((s, i) => el("label", { class: "pick" }, el("span", { text: `${bothWord(s.name)} (${s.score})` }), fields[i]))), reason,
      button(say("Adjust"), async (control) => {
        const points = fields.map((f) => Number(f.value) || 0);
        if (points.every((n) => n === 0)) { toast(say("Give at least one side points, or take some.")); fields[0].focus(); return; }
        if (!reason.value.trim()) { toast(say("Say why: it stays in the record.")); reason.focus(); return; }
        await send({ kind: "adjust_score", points, reason: reason.value.trim() }, { expectVersion: snapshot.version, button: control });
      }, { cls: "primary", focus: "adjust", disabled: !directs() }),
      adjusted.length ? el("ul", { class: "adjusted" }, adjusted.map((line) => el("li", { text: `${clockWord(line.at_us)} · ${sayIt(line)}` }))) : null];
  });
}

// ---- codes, parts, games ---------------------------------------------------------------

async function changeCode(holder) {
  const name = holder === "all" ? say("everybody") : holder.startsWith("seat:") ? seatName(snapshot, Number(holder.slice(5))) : roleWord({ role: holder });
  openSheet(say("A new code for {name}?", { name }), el("p", { text: say("Whoever came in with the old code only watches from then on.") }),
    button(say("New code"), async (control) => {
      if (await ask("/api/codes", { change: holder }, { button: control })) { closeSheet(); drawCodes(true); }
    }, { cls: "primary wide", focus: "new-code" }));
}

function drawCodes(again = false) {
  if (again) unpaint($("codes-body"));
  paint($("codes-body"), [who.role, who.home, snapshot?.seats?.length], () => {
    if (who.role !== "director" && who.role !== "table") return el("p", { class: "empty", text: say("The codes are shown to the director.") });
    const director = who.role === "director";
    return [codesPanel({ seats: snapshot?.seats?.length || 4, change: director ? changeCode : null }),
      director ? el("label", { class: "check big-check" }, el("input", { type: "checkbox", checked: who.home, id: "home", on: { change: async (event) => {
        if (!await ask("/api/codes", { home: event.target.checked })) event.target.checked = !event.target.checked;
      } } }), el("span", { text: say("This table rules itself: the shared tablet may rule on findings, adjust the score, pause and end games") })) : null,
      director ? button(say("New codes for everybody"), () => changeCode("all"), { cls: "danger", focus: "all-codes" }) : null];
  });
}

let listedFor = null;
async function drawGames() {
  const key = `${snapshot.game?.id}:${snapshot.game?.over}`;
  if (listedFor === key) return;
  listedFor = key;
  try {
    const { games } = await (await fetch("/api/games")).json();
    $("games-body").replaceChildren(games.length ? el("ul", { class: "game-lines" }, games.slice(0, 12).map((g) => el("li", {},
      el("a", { href: `/replay/${encodeURIComponent(g.game_id)}` }, el("b", { text: g.title || (g.names ?? []).map(nameWord).join(", ") || g.game_id })),
      el("span", { text: ` ${new Date(g.started_at_us / 1000).toLocaleString(readerLanguage, { dateStyle: "medium", timeStyle: "short" })} · ${plural(g.deals ?? 0, "{n} deal", "{n} deals")} · ${(g.sides ?? []).map((s) => s.score).join("–")}` }))))
      : el("p", { class: "empty", text: say("No game has been recorded yet.") }), el("p", {}, el("a", { class: "button", href: "/replay", text: say("All games") })));
  } catch { listedFor = null; }
}

// ---- all of it -------------------------------------------------------------------------

function drawLock() {
  const lock = $("lock");
  lock.hidden = directs();
  paint(lock, [directs(), who.role], () => directs() ? null : el("div", { class: "panel locked" },
    el("p", {}, el("b", { text: say("To act here, enter the director's code.") }), " ", say("It is in the terminal where the kit was started; upcard codes shows it too.")),
    codeBox((go) => { if (go && go !== "/director") location.assign(go); })));
  document.body.classList.toggle("not-directing", !directs());
}

let spokenOpen = null;
function draw() {
  drawLock();
  if (!snapshot) return;
  document.documentElement.dataset.seats = String(snapshot.seats?.length || 4);
  drawGame();
  drawFindings();
  drawScore();
  drawCodes();
  drawGames();
  const open = (snapshot.findings ?? []).filter((f) => f.status === "open");
  const word = open.length ? plural(open.length, "{n} finding is open", "{n} findings are open") : "";
  if (word !== spokenOpen) { spokenOpen = word; $("says").textContent = word; }
  document.title = `${open.length ? `(${open.length}) ` : ""}${say("Director")} · Upcard`;
}

const STATE_WORD = { connecting: say("Connecting"), live: say("Live"), polling: say("Slow"), lost: say("No connection") };
onMe((next) => { who = next; draw(); });
fetch("/api/presets").then((answer) => answer.json()).then((told) => { presets = told.presets; if (snapshot) { unpaint($("game-body")); draw(); } }).catch(() => {});
$("parts-body").replaceChildren(partsList());
openStream({
  heartbeatS,
  onSnapshot(next) { snapshot = next; draw(); },
  onBeat() {},
  onLook: lookAsked,
  onState(next) { $("link").dataset.state = next; $("link-word").textContent = STATE_WORD[next]; document.body.classList.toggle("stale", next === "lost"); },
});
