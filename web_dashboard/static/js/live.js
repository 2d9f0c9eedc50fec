// The live page: one stream in, taps out, and the drawing in between.
import { boardCodes, onMe as onWho } from "./access.js";
import { el, paint } from "./dom.js";
import { drawScore, drawTable } from "./board.js";
import { announcer, lookAsked } from "./announce.js";
import { drawAsk } from "./ask.js";
import { send } from "./commands.js";
import { drawLists } from "./lists.js";
import { cardPad } from "./boards/pad.js";
import { historySheet } from "./boards/history.js";
import { chooseSheet, correctLine, correctPlay, correctTableCard, correctUpcard, declareSheet, diagramSheet, handSheet, healthSheet, menuSheet, startForm, undoNow, undoSheet } from "./sheets.js";
import { drawShuffle, onMe, shuffleState, shufflingNow } from "./shuffle.js";
import { openStream } from "./stream.js";
import { ageWord, presetWord, readNames, say, sayIt, seatName } from "./words.js";

const $ = (id) => document.getElementById(id);
const presets = JSON.parse(document.body.dataset.presets || "[]");
const heartbeatS = Number(document.body.dataset.heartbeatS) || 10;

let snapshot = null;
let state = "connecting";
let health = null;
let clockSkewUs = 0;
let changedAt = null;
let beatAt = null;

// ---- drawing ---------------------------------------------------------------------------

const pad = cardPad({
  now: () => snapshot, onCard: (play) => correctPlay(snapshot, play), onUpcard: (up) => correctUpcard(snapshot, up), undo: () => undoNow(snapshot),
});
addEventListener("upcard-pad", () => { if (snapshot) draw(); });

const hasGame = (s) => Boolean(s?.game && s.game.id);

function draw() {
  if (!snapshot) return;
  const playing = hasGame(snapshot);
  document.body.classList.toggle("no-game", !playing);
  $("game-title").textContent = playing ? [snapshot.game.title, snapshot.game.preset && say("{preset} rules", { preset: presetWord(snapshot.game.preset) })].filter(Boolean).join(" · ") : "";
  document.title = playing ? `${(snapshot.sides ?? []).map((s) => s.score).join("–")} · Upcard` : say("Upcard · the table");
  if (!playing) {
    paint($("score"), "none", () => null);
    paint($("table"), ["start", presets], () => el("div", { class: "felt starting" },
      el("div", { class: "welcome" }, el("h2", { text: say("No game yet") }), el("p", { text: say("Choose the rules, say who sits where, and deal.") }), startForm(presets))));
  } else {
    drawScore($("score"), snapshot);
    drawTable($("table"), snapshot, {
      onCard: (play) => correctPlay(snapshot, play),
      onUpcard: (up) => correctUpcard(snapshot, up),
      onTableCard: (card) => correctTableCard(snapshot, card),
      onNewGame: () => menuSheet(snapshot, presets),
      replayHref: `/replay/${encodeURIComponent(snapshot.game.id)}`,
      onAgree: (seat, button) => send({ kind: "confirm_game", seat }, { button }),
    });
  }
  drawAsk($("ask"), snapshot, {
    onDeclare: (deal) => declareSheet(snapshot, deal),
    onCorrect: () => chooseSheet(snapshot, (play) => correctPlay(snapshot, play)),
    onHand: (seat, deal) => handSheet(snapshot, seat, deal),
    onDiagram: (deal) => diagramSheet(snapshot, deal),
  });
  if (settled) drawRest();
  boardCodes(snapshot);
  drawActions();
  speak();
  announce(snapshot);
  drawShuffling();
}

/** What is beside the score and the table: at a first visit it is drawn when those are seen. */
function drawRest() {
  pad.draw($("pad"), snapshot);
  drawLists($("lists"), snapshot, {
    onCard: (play) => correctPlay(snapshot, play), onLine: (line) => correctLine(snapshot, line),
    onDeal: (deal) => historySheet(snapshot, { deal: deal.number }), onRecord: () => historySheet(snapshot),
  });
}

let settled = document.visibilityState === "hidden";

function settle() {
  if (settled) return;
  settled = true;
  if (snapshot) drawRest();
}

let shuffling = null;

function drawShuffling() {
  const now = shufflingNow(shuffling, snapshot);
  $("shuffle").hidden = !now;
  if (now) drawShuffle($("shuffle"), shuffling, snapshot);
}

const askShuffling = () => shuffleState().then((told) => { shuffling = told ?? shuffling; if (snapshot) drawShuffling(); }).catch(() => {});

function drawActions() {
  const running = hasGame(snapshot) && !snapshot.game.over;
  paint($("actions"), [running, Boolean(snapshot.deal || snapshot.deals?.length)], () => [
    el("button", { type: "button", class: "action", id: "undo", data: { focus: "undo" }, disabled: !hasGame(snapshot), on: { click: () => undoSheet(snapshot) } }, el("span", { aria: { hidden: "true" }, text: "↶" }), say("Undo")),
    el("button", { type: "button", class: "action", id: "correct", data: { focus: "correct" }, disabled: !snapshot.deal, on: { click: () => chooseSheet(snapshot, (play) => correctPlay(snapshot, play)) } }, el("span", { aria: { hidden: "true" }, text: "✎" }), say("Correct")),
    el("button", { type: "button", class: "action", id: "declare", data: { focus: "declare-open" }, disabled: !running || !(snapshot.deal || snapshot.deals?.length), on: { click: () => declareSheet(snapshot) } }, el("span", { aria: { hidden: "true" }, text: "♠" }), say("Trump")),
  ]);
}

// ---- for those who listen --------------------------------------------------------------

const announce = announcer();
let spokenVersion = null;
let spokenAsk = null;

function speak() {
  const says = [];
  const game = snapshot.game?.id ?? null;
  if (spokenVersion && spokenVersion.game === game) {
    const fresh = (snapshot.history ?? []).filter((line) => line.version > spokenVersion.version && !line.struck);
    says.push(...fresh.slice(-3).map((line) => sayIt(line)));
  }
  const ask = snapshot.ask ? sayIt(snapshot.ask) : null;
  if (ask && ask !== spokenAsk) says.push(ask);
  else if (says.length) {
    const turn = snapshot.seats?.find((s) => s.turn);
    if (turn) says.push(say("{name} to play", { name: seatName(snapshot, turn.seat) }));
  }
  spokenAsk = ask;
  spokenVersion = { game, version: snapshot.version };
  if (says.length) $("says").textContent = says.map((s) => s.replace(/[.!?]?$/, ".")).join(" ");
}

// ---- the light: is this what lies on the table? ----------------------------------------

const STATE_WORD = { connecting: say("Connecting"), live: say("Live"), polling: say("Slow"), lost: say("No connection") };
/** A camera's picture older than this is news. */
const STILL_S = 15;

/** How old the camera's last frame is now, in seconds; null where there is no camera. */
function frameAgeS() {
  if (!health || typeof health.frame_age_us !== "number" || beatAt === null) return null;
  const sinceS = (performance.now() - beatAt) / 1000;
  // Between two beats the camera goes on: only a beat that is overdue makes its frame older.
  return health.frame_age_us / 1e6 + Math.max(0, sinceS - heartbeatS - 1);
}

function drawLink() {
  const link = $("link");
  const silentS = stream.silentS();
  const frameS = frameAgeS();
  const frozen = frameS !== null && frameS > STILL_S;
  const shown = state === "live" && (frozen || health?.ok === false) ? "warn" : state;
  if (link.dataset.state !== shown) link.dataset.state = shown;
  $("link-word").textContent = shown === "warn" ? (frozen ? say("Camera still") : say("Look here")) : STATE_WORD[state];
  const ageS = changedAt === null ? null : Math.max(0, (Date.now() * 1000 + clockSkewUs - changedAt) / 1e6);
  const connected = state === "live" || state === "polling";
  // What the light says first: how fresh the camera's eye is; where there is no camera, the record.
  const age = !connected ? say("last word {age} ago", { age: ageWord(silentS) }) : frameS !== null ? say("camera {age}", { age: ageWord(frameS) }) : ageS === null ? "" : ageWord(ageS);
  if ($("link-age").textContent !== age) $("link-age").textContent = age;
  // What is read out begins with what is seen.
  link.setAttribute("aria-label", [`${$("link-word").textContent} ${age}`.trim(), frameS === null ? say("No camera") : say("Camera's last frame: {age}", { age: ageWord(frameS) }),
    ageS === null ? say("Nothing recorded yet") : say("Last change: {age}", { age: ageWord(ageS) }), say("Open the kit's state")].join(". "));
  document.body.classList.toggle("stale", state === "lost");
}

function take(next) {
  const moved = !snapshot || snapshot.version !== next.version || snapshot.game?.id !== next.game?.id;
  snapshot = next;
  if (moved) changedAt = next.history?.length ? next.history[next.history.length - 1].at_us : next.game?.started_at_us ?? null;
  // A clip's own stamps are no times of day: then the age counts from when the page heard.
  if (changedAt !== null && Math.abs(Date.now() * 1000 + clockSkewUs - changedAt) > 864e8 * 2 && moved) changedAt = Date.now() * 1000 + clockSkewUs;
  draw();
  drawLink();
}

const stream = openStream({
  heartbeatS,
  onSnapshot: take,
  onBeat(beat) {
    clockSkewUs = beat.now_us - Date.now() * 1000;
    if (beat.health) { health = beat.health; beatAt = performance.now(); }
    drawLink();
  },
  onShuffle(next) {
    shuffling = next;
    if (snapshot) drawShuffling();
  },
  onLook: lookAsked,
  onState(next) {
    state = next;
    queueMicrotask(drawLink);
  },
});

// The page brings the state it was sent in along, so that it need not wait for the stream.
const within = JSON.parse($("first-snapshot").textContent);
if (!snapshot) { readNames(within); take(within); }
// A frame that was asked for here comes with what was drawn; what follows it comes after.
requestAnimationFrame(() => setTimeout(settle));
document.addEventListener("visibilitychange", settle);

$("menu").addEventListener("click", () => menuSheet(snapshot, presets));
$("link").addEventListener("click", () => healthSheet({
  state, silentS: stream.silentS(), health, clockSkewS: clockSkewUs / 1e6,
  ageS: changedAt === null ? null : Math.max(0, (Date.now() * 1000 + clockSkewUs - changedAt) / 1e6),
}));
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (pad.key(event)) { event.preventDefault(); return; }
  if (event.key === "u" && hasGame(snapshot)) undoSheet(snapshot);
  if (event.key === "t" && hasGame(snapshot)) declareSheet(snapshot);
  if (event.key === "c" && snapshot?.deal) chooseSheet(snapshot, (play) => correctPlay(snapshot, play));
});
setInterval(drawLink, 1000);
askShuffling();
onMe(() => { if (snapshot) drawShuffling(); });

// A tablet on the table should not fall asleep. Browsers allow this on localhost and HTTPS only;
// elsewhere the tablet's own setting must do it.
const stayAwake = () => {
  if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => {});
};
document.addEventListener("visibilitychange", stayAwake);
stayAwake();
onWho(() => { if (snapshot) draw(); });
