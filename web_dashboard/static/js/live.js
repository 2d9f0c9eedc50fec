// The live page: one stream in, taps out, and the drawing in between.
import { el, paint } from "./dom.js";
import { drawScore, drawTable } from "./board.js";
import { drawAsk } from "./ask.js";
import { drawLists } from "./lists.js";
import { chooseSheet, correctLine, correctPlay, correctUpcard, declareSheet, healthSheet, menuSheet, startForm, undoSheet } from "./sheets.js";
import { openStream } from "./stream.js";
import { ageWord, seatName } from "./words.js";

const $ = (id) => document.getElementById(id);
const presets = JSON.parse(document.body.dataset.presets || "[]");
const heartbeatS = Number(document.body.dataset.heartbeatS) || 10;

let snapshot = null;
let state = "connecting";
let health = null;
let clockSkewUs = 0;
let changedAt = null;

// ---- drawing ---------------------------------------------------------------------------

const hasGame = (s) => Boolean(s?.game && s.game.id);

function draw() {
  if (!snapshot) return;
  const playing = hasGame(snapshot);
  document.body.classList.toggle("no-game", !playing);
  $("game-title").textContent = playing ? [snapshot.game.title, snapshot.game.preset && `${snapshot.game.preset.replaceAll("_", " ")} rules`].filter(Boolean).join(" · ") : "";
  document.title = playing ? `${(snapshot.sides ?? []).map((s) => s.score).join("–")} · Upcard` : "Upcard · the table";
  if (!playing) {
    paint($("score"), "none", () => null);
    paint($("table"), ["start", presets], () => el("div", { class: "felt starting" },
      el("div", { class: "welcome" }, el("h2", { text: "No game yet" }), el("p", { text: "Four players, one pack. Start the game and deal." }), startForm(presets))));
  } else {
    drawScore($("score"), snapshot);
    drawTable($("table"), snapshot, {
      onCard: (play) => correctPlay(snapshot, play),
      onUpcard: (up) => correctUpcard(snapshot, up),
      onNewGame: () => menuSheet(snapshot, presets),
      replayHref: `/replay/${encodeURIComponent(snapshot.game.id)}`,
    });
  }
  drawAsk($("ask"), snapshot, {
    onDeclare: (deal) => declareSheet(snapshot, deal),
    onCorrect: () => chooseSheet(snapshot, (play) => correctPlay(snapshot, play)),
  });
  drawLists($("lists"), snapshot, { onCard: (play) => correctPlay(snapshot, play), onLine: (line) => correctLine(snapshot, line) });
  drawActions();
  speak();
}

function drawActions() {
  const running = hasGame(snapshot) && !snapshot.game.over;
  paint($("actions"), [running, Boolean(snapshot.deal || snapshot.deals?.length)], () => [
    el("button", { type: "button", class: "action", id: "undo", data: { focus: "undo" }, disabled: !hasGame(snapshot), on: { click: () => undoSheet(snapshot) } }, el("span", { aria: { hidden: "true" }, text: "↶" }), "Undo"),
    el("button", { type: "button", class: "action", id: "correct", data: { focus: "correct" }, disabled: !snapshot.deal, on: { click: () => chooseSheet(snapshot, (play) => correctPlay(snapshot, play)) } }, el("span", { aria: { hidden: "true" }, text: "✎" }), "Correct"),
    el("button", { type: "button", class: "action", id: "declare", data: { focus: "declare-open" }, disabled: !running || !(snapshot.deal || snapshot.deals?.length), on: { click: () => declareSheet(snapshot) } }, el("span", { aria: { hidden: "true" }, text: "♠" }), "Trump"),
  ]);
}

// ---- for those who listen --------------------------------------------------------------

let spokenVersion = null;
let spokenAsk = null;

function speak() {
  const says = [];
  const game = snapshot.game?.id ?? null;
  if (spokenVersion && spokenVersion.game === game) {
    const fresh = (snapshot.history ?? []).filter((line) => line.version > spokenVersion.version && !line.struck);
    says.push(...fresh.slice(-3).map((line) => line.text));
  }
  const ask = snapshot.ask?.text ?? null;
  if (ask && ask !== spokenAsk) says.push(ask);
  else if (says.length) {
    const turn = snapshot.seats?.find((s) => s.turn);
    if (turn) says.push(`${seatName(snapshot, turn.seat)} to play`);
  }
  spokenAsk = ask;
  spokenVersion = { game, version: snapshot.version };
  if (says.length) $("says").textContent = says.map((s) => s.replace(/[.!?]?$/, ".")).join(" ");
}

// ---- the light: is this what lies on the table? ----------------------------------------

const STATE_WORD = { connecting: "Connecting", live: "Live", polling: "Slow", lost: "No connection" };

function drawLink() {
  const link = $("link");
  const silentS = stream.silentS();
  const frozen = health && typeof health.frame_age_us === "number" && health.frame_age_us / 1e6 + silentS > 15;
  const shown = state === "live" && (frozen || health?.ok === false) ? "warn" : state;
  if (link.dataset.state !== shown) link.dataset.state = shown;
  $("link-word").textContent = shown === "warn" ? (frozen ? "Camera still" : "Look here") : STATE_WORD[state];
  const ageS = changedAt === null ? null : (Date.now() * 1000 + clockSkewUs - changedAt) / 1e6;
  $("link-age").textContent = state === "live" || state === "polling" ? (ageS === null ? "" : ageWord(Math.max(0, ageS))) : `last word ${ageWord(silentS)} ago`;
  link.setAttribute("aria-label", `${$("link-word").textContent}. Last change ${ageS === null ? "none yet" : ageWord(Math.max(0, ageS))}. Open the kit's state.`);
  document.body.classList.toggle("stale", state === "lost");
}

const stream = openStream({
  heartbeatS,
  onSnapshot(next) {
    const moved = !snapshot || snapshot.version !== next.version || snapshot.game?.id !== next.game?.id;
    snapshot = next;
    if (moved) changedAt = next.history?.length ? next.history[next.history.length - 1].at_us : next.game?.started_at_us ?? null;
    // A clip's own stamps are no times of day: then the age counts from when the page heard.
    if (changedAt !== null && Math.abs(Date.now() * 1000 + clockSkewUs - changedAt) > 864e8 * 2 && moved) changedAt = Date.now() * 1000 + clockSkewUs;
    draw();
    drawLink();
  },
  onBeat(beat) {
    clockSkewUs = beat.now_us - Date.now() * 1000;
    if (beat.health) health = beat.health;
    drawLink();
  },
  onState(next) {
    state = next;
    queueMicrotask(drawLink);
  },
});

$("menu").addEventListener("click", () => menuSheet(snapshot, presets));
$("link").addEventListener("click", () => healthSheet({
  state, silentS: stream.silentS(), health, clockSkewS: clockSkewUs / 1e6,
  ageS: changedAt === null ? null : Math.max(0, (Date.now() * 1000 + clockSkewUs - changedAt) / 1e6),
}));
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "u" && hasGame(snapshot)) undoSheet(snapshot);
  if (event.key === "t" && hasGame(snapshot)) declareSheet(snapshot);
  if (event.key === "c" && snapshot?.deal) chooseSheet(snapshot, (play) => correctPlay(snapshot, play));
});
setInterval(drawLink, 1000);

// A tablet on the table should not fall asleep. Browsers allow this on localhost and HTTPS only;
// elsewhere the tablet's own setting must do it.
const stayAwake = () => {
  if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => {});
};
document.addEventListener("visibilitychange", stayAwake);
stayAwake();
