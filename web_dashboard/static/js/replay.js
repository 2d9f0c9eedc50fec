// Stepping through a recorded game: by card, trick and deal, by hand or by itself; as it was seen
// then, or as it truly was; from moment to moment; as a link, and as a file.
import { el, paint } from "./dom.js";
import { drawScore, drawTable } from "./board.js";
import { drawLists } from "./lists.js";
import { kindWord, picture, shots } from "./ask.js";
import { toast } from "./commands.js";
import { openSheet } from "./sheet.js";
import { clockWord, readNames, say, sayIt, sayWhy } from "./words.js";

const $ = (id) => document.getElementById(id);
const game = document.body.dataset.game;
const address = `/api/games/${encodeURIComponent(game)}`;

/** How fast it plays by itself; 0: as it was, by the stamps of the facts. */
const SPEEDS = [[0.5, "½×"], [1, "1×"], [2, "2×"], [4, "4×"], [0, say("as it was")]];
const PLAY_MS = 1100;
/** A pause at the table is not sat through again. */
const LONGEST_MS = 4000;

let steps = [];
let stops = { trick: [], deal: [] };
let moments = [];
let at = 0;
let wanted = 0;
let view = "known";
let speed = 1;
let timer = 0;
const kept = new Map();

// ---- fetching --------------------------------------------------------------------------

/** The snapshot at a version, as seen then or as true; each is fetched once. */
function snapshotAt(version) {
  const key = `${view} ${version}`;
  if (!kept.has(key)) {
    kept.set(key, fetch(`${address}?version=${version}&view=${view}`).then(async (answer) => {
      if (!answer.ok) throw new Error(sayWhy(await answer.json().catch(() => ({})), say("the kit answered {status}", { status: answer.status })));
      return answer.json();
    }).catch((error) => { kept.delete(key); throw error; }));
    if (kept.size > 400) kept.delete(kept.keys().next().value);
  }
  return kept.get(key);
}

// ---- where to step ---------------------------------------------------------------------

const CARD = new Set(["card_played", "upcard_shown", "table_card_shown", "review_raised", "declared", "called", "tricks_bid"]);

function target(unit, direction) {
  const last = steps.length;
  if (unit === "card") {
    for (let v = at + direction; v > 0 && v < last; v += direction) if (CARD.has(steps[v - 1].kind)) return v;
  } else {
    const places = unit === "moment" ? moments.map((m) => m.version) : stops[unit];
    const next = direction > 0 ? places.find((v) => v > at) : places.findLast((v) => v < at);
    if (next !== undefined) return next;
  }
  return direction > 0 ? last : 0;
}

// ---- drawing ---------------------------------------------------------------------------

const sourceAndTime = (step) => `${step.at_us > 1e15 ? clockWord(step.at_us) : say("{n} s", { n: (step.at_us / 1e6).toFixed(1) })} · ${step.source}`;

async function show(version) {
  wanted = Math.max(0, Math.min(steps.length, version));
  const mine = wanted;
  const mineView = view;
  $("scrub").value = String(mine);
  let snapshot;
  try { snapshot = await snapshotAt(mine); } catch (error) {
    pause();
    toast(say("This step cannot be shown: {why}.", { why: error.message }));
    return;
  }
  if (mine !== wanted || mineView !== view) return; // a later tap overtook this one
  readNames(snapshot);
  at = mine;
  const step = steps[mine - 1];
  $("step-text").textContent = step ? sayIt(step) : say("Before the first fact");
  $("step-at").textContent = step ? say("{n} of {all} · {when}", { n: mine, all: steps.length, when: sourceAndTime(step) }) : say("{n} facts", { n: steps.length });
  $("scrub").setAttribute("aria-valuetext", step ? sayIt(step) : say("before the first fact"));
  const quiet = { ...snapshot, ask: null, offers: [] };
  if (snapshot.game?.id) { drawScore($("score"), quiet); drawTable($("table"), quiet, {}); }
  else { paint($("score"), "none", () => null); paint($("table"), "none", () => el("div", { class: "felt" }, el("div", { class: "centre said" }, el("b", { text: say("Before the game") })))); }
  drawLists($("lists"), quiet, {});
  drawFound(snapshot, step);
  drawButtons();
  remember();
  for (const near of [mine + 1, mine + 2]) if (near <= steps.length) snapshotAt(near).catch(() => {});
}

/** What the camera saw at this step, what was asked and what was found by then. */
function drawFound(snapshot, step) {
  const reviews = snapshot.reviews ?? [];
  const findings = snapshot.findings ?? [];
  const seen = step?.evidence ?? null;
  paint($("found"), [reviews, findings, seen, at], () => [
    seen ? el("article", { class: "item evidence" }, el("p", { class: "item-kind quiet-kind", text: say("What the camera saw") }), picture(seen, sayIt(step))) : null,
    ...reviews.map((r) => el("article", { class: "item review" }, el("p", { class: "item-kind", text: say("Review open") }), el("p", { class: "item-text", text: sayIt(r) }), r.evidence && r.evidence !== seen ? picture(r.evidence, sayIt(r)) : null)),
    ...findings.map((f) => el("article", { class: "item finding" },
      el("p", { class: "item-kind", text: `${kindWord(f.kind)} · ${STATUS[f.status]?.() ?? f.status}` }), el("p", { class: "item-text", text: sayIt(f) }),
      f.kind === "revoke" || f.evidence?.some(Boolean) ? el("div", { class: "shots" }, shots(f).filter(Boolean)) : null)),
  ]);
  $("found").classList.toggle("asking", Boolean(seen) || reviews.length + findings.length > 0);
  $("found").classList.toggle("calm", reviews.length + findings.length === 0);
}
const STATUS = { open: () => say("open"), upheld: () => say("upheld"), dismissed: () => say("dismissed") };

const BUTTONS = [
  ["deal-back", "⏮", say("deal"), () => show(target("deal", -1)), say("Back to the end of the deal before")],
  ["trick-back", "⏪", say("trick"), () => show(target("trick", -1)), say("Back a trick")],
  ["card-back", "◀", say("card"), () => show(target("card", -1)), say("Back a card")],
  ["play", null, null, () => (timer ? pause() : play()), null],
  ["card-on", "▶", say("card"), () => show(target("card", 1)), say("On a card")],
  ["trick-on", "⏩", say("trick"), () => show(target("trick", 1)), say("On a trick")],
  ["deal-on", "⏭", say("deal"), () => show(target("deal", 1)), say("On to the end of the deal")],
];

function drawButtons() {
  const [start, end, playing] = [at === 0, at === steps.length, Boolean(timer)];
  paint($("deck-buttons"), [start, end, playing], () => BUTTONS.map(([id, sign, word, act, label]) => id === "play"
    ? el("button", { type: "button", class: "play", id: "play", data: { focus: id }, aria: { label: playing ? say("Pause") : say("Play"), keyshortcuts: "Space" }, on: { click: act } },
        el("b", { text: playing ? "❚❚" : "▶", aria: { hidden: "true" } }), el("small", { text: playing ? say("pause") : say("play") }))
    : el("button", { type: "button", id, data: { focus: id }, disabled: id.endsWith("back") ? start : end, aria: { label }, on: { click: () => { pause(); act(); } } },
        el("b", { text: sign, aria: { hidden: "true" } }), el("small", { text: word }))));
  const [earlier, later] = [moments.some((m) => m.version < at), moments.some((m) => m.version > at)];
  paint($("deck-more"), [view, speed, moments.length, earlier, later], () => [
    el("label", { class: "deck-pick" }, el("span", { class: "unseen", text: say("Speed") }), el("select", { class: "field", id: "speed", data: { focus: "speed" }, on: { change: (e) => { speed = Number(e.target.value); } } },
      SPEEDS.map(([value, word]) => el("option", { value: String(value), selected: value === speed, text: word })))),
    el("div", { class: "deck-view", role: "radiogroup", aria: { label: say("What is shown") } }, [["known", say("As seen")], ["truth", say("As true")]].map(([id, word]) => el("button", {
      type: "button", class: "option", role: "radio", id: `view-${id}`, aria: { checked: String(view === id) }, data: { focus: `view-${id}` }, on: { click: () => { view = id; drawButtons(); show(at); } } }, word))),
    el("div", { class: "deck-moments", role: "group", aria: { label: say("Moments of this game") } },
      el("button", { type: "button", class: "button", id: "moment-back", data: { focus: "moment-back" }, aria: { label: say("Back to the moment before") }, disabled: !earlier, on: { click: () => { pause(); show(target("moment", -1)); } } }, "‹"),
      el("button", { type: "button", class: "button", id: "moments", data: { focus: "moments" }, disabled: !moments.length, on: { click: momentsSheet } }, say("Moments")),
      el("button", { type: "button", class: "button", id: "moment-on", data: { focus: "moment-on" }, aria: { label: say("On to the next moment") }, disabled: !later, on: { click: () => { pause(); show(target("moment", 1)); } } }, "›")),
    el("button", { type: "button", class: "button", id: "share", data: { focus: "share" }, on: { click: copyLink } }, say("Link")),
    el("button", { type: "button", class: "button", id: "export", data: { focus: "export" }, on: { click: exportSheet } }, say("Save…"))]);
}

/** Marks along the scrubber, where something is worth a look. */
function drawMarks() {
  paint($("marks"), [moments, steps.length], () => moments.map((m) => el("i", { class: `mark-at ${m.kind}`, style: { "--at": String(m.version / Math.max(1, steps.length)) } })));
}

// ---- by itself -------------------------------------------------------------------------

/** How long a step stands before the next: by the speed, or as long as it took then. */
function lingerMs() {
  if (speed > 0) return PLAY_MS / speed;
  const [now, next] = [steps[at - 1], steps[at]];
  return now && next ? Math.min(LONGEST_MS, Math.max(60, (next.at_us - now.at_us) / 1000)) : PLAY_MS;
}

function play() {
  if (at >= steps.length) at = 0;
  const tick = async () => {
    await show(at + 1);
    if (at >= steps.length) pause(); else if (timer) timer = setTimeout(tick, lingerMs());
  };
  timer = setTimeout(tick, 150);
  drawButtons();
}

function pause() { clearTimeout(timer); timer = 0; drawButtons(); }

// ---- moments, links, files -------------------------------------------------------------

const MOMENT_WORD = { deal: say("Deal"), finding: say("Finding"), ruling: say("Ruling"), review: say("Review"), correction: say("Correction"), adjustment: say("Adjustment") };

function momentsSheet() {
  pause();
  let only = "all";
  const host = el("div", {});
  const kinds = [...new Set(moments.map((m) => m.kind))];
  const draw = () => host.replaceChildren(
    el("div", { class: "options kinds", role: "radiogroup", aria: { label: say("Which moments") } }, ["all", ...kinds].map((kind) => el("button", { type: "button", class: "option", role: "radio", aria: { checked: String(only === kind) }, data: { focus: `kind-${kind}` }, on: { click: () => { only = kind; draw(); } } }, kind === "all" ? say("All") : MOMENT_WORD[kind] ?? kind))),
    el("ol", { class: "log" }, moments.filter((m) => only === "all" || m.kind === only).map((m) => el("li", {}, el("button", { type: "button", class: "log-line", data: { moment: m.version, kind: m.kind }, on: { click: () => { document.getElementById("sheet").close(); show(m.version); } } },
      el("span", { class: "log-text" }, el("b", { class: `moment-kind ${m.kind}`, text: MOMENT_WORD[m.kind] ?? m.kind }), " ", sayIt(m)), el("span", { class: "log-meta", text: String(m.version) }))))));
  draw();
  openSheet(say("Moments of this game"), host);
}

/** The moment in the address, so that it can be sent to somebody and survives a reload. */
function remember() {
  const hash = `#v=${at}${view === "truth" ? "&view=truth" : ""}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

function asked() {
  const told = new URLSearchParams(location.hash.slice(1) || location.search);
  const version = Number(told.get("v") ?? told.get("version"));
  return { version: Number.isInteger(version) && version > 0 ? version : null, view: told.get("view") === "truth" ? "truth" : "known" };
}

async function copyLink() {
  remember();
  const link = location.href;
  try {
    await navigator.clipboard.writeText(link);
    toast(say("The link to this moment is copied."), "note");
  } catch {
    // Browsers give the clipboard to localhost and HTTPS only: then the link is there to be taken.
    const field = el("input", { class: "field", type: "text", readonly: true, value: link, aria: { label: say("Link to this moment") } });
    openSheet(say("Link to this moment"), field);
    field.select();
  }
}

async function exportSheet() {
  pause();
  const host = el("div", { class: "menu" }, el("p", { class: "empty", text: say("Looking what can be written…") }));
  openSheet(say("Save this game"), host);
  try {
    const answer = await fetch(`${address}/exports`);
    const told = await answer.json();
    if (!told.exports) throw new Error(sayWhy(told, String(answer.status)));
    host.replaceChildren(...told.exports.flatMap((file) => [
      file.able
        ? el("a", { class: "menu-item export", href: `${address}/export/${file.to}`, download: true, data: { to: file.to } }, el("span", {}, el("b", { text: `.${file.to}` }), " ", EXPORT_WORD[file.to]?.() ?? file.what))
        : el("p", { class: "menu-item off" }, el("span", {}, el("b", { text: `.${file.to}` }), " ", say("cannot hold this game"))),
      file.losses.length ? el("details", { class: "rare" }, el("summary", { text: say("What it cannot say ({n})", { n: file.losses.length }) }), el("ul", { class: "rule-words" }, file.losses.map((text, i) => el("li", { text: sayIt({ text, say: file.say_losses[i] }) })))) : null,
    ].filter(Boolean)), el("button", { type: "button", class: "menu-item", data: { focus: "export-png" }, on: { click: savePng } }, el("span", {}, el("b", { text: ".png" }), " ", say("The score sheet as a picture, to send"))));
  } catch (error) {
    host.replaceChildren(el("p", { class: "warning", text: say("The files cannot be told: {why}.", { why: error.message }) }));
  }
}

const EXPORT_WORD = {
  egn: () => say("Euchre Game Notation, for other programs"), jsonl: () => say("Every fact, nothing lost: can be imported again"),
  svg: () => say("The score sheet as a picture, to print"), pdf: () => say("The score sheet to print"), txt: () => say("The score sheet as text"),
};

/** The score sheet drawn by this browser, for those whose programs know no SVG. */
async function savePng() {
  try {
    const drawn = new Image();
    drawn.src = `${address}/export/svg`;
    await drawn.decode();
    const canvas = el("canvas", { width: drawn.naturalWidth * 2, height: drawn.naturalHeight * 2 });
    canvas.getContext("2d").drawImage(drawn, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve, reject) => canvas.toBlob((made) => (made ? resolve(made) : reject(new Error("no picture"))), "image/png"));
    const link = el("a", { href: URL.createObjectURL(blob), download: `upcard-${game}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  } catch (error) {
    toast(say("The picture cannot be drawn here: {why}. Save the .svg instead.", { why: error.message }));
  }
}

// ---- hands -----------------------------------------------------------------------------

$("scrub").addEventListener("input", (event) => { pause(); show(Number(event.target.value)); });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog, select, [role=tablist]")) return;
  const unit = event.shiftKey ? "trick" : "card";
  const act = {
    ArrowRight: () => show(target(unit, 1)), ArrowLeft: () => show(target(unit, -1)),
    PageDown: () => show(target("deal", 1)), PageUp: () => show(target("deal", -1)),
    Home: () => show(0), End: () => show(steps.length),
    ".": () => show(at + 1), ",": () => show(at - 1),
    n: () => show(target("moment", 1)), p: () => show(target("moment", -1)),
    v: () => { view = view === "known" ? "truth" : "known"; drawButtons(); show(at); },
  }[event.key];
  if (event.key === " " && !event.target.closest("button, a, input")) { event.preventDefault(); if (timer) pause(); else play(); return; }
  if (!act) return;
  event.preventDefault();
  pause();
  act();
});
addEventListener("hashchange", () => {
  const next = asked();
  if (next.version !== null && (next.version !== at || next.view !== view)) { pause(); view = next.view; drawButtons(); show(next.version); }
});

try {
  const told = await (await fetch(address)).json();
  if (!told.steps) throw new Error(sayWhy(told, say("the kit did not tell its steps")));
  ({ steps, stops } = told);
  $("scrub").max = String(steps.length);
  const first = asked();
  view = first.view;
  await show(first.version ?? target("card", 1));
  // What is worth a look takes the kit a moment to find; stepping need not wait for it.
  fetch(`${address}/moments`).then((answer) => answer.json()).then((found) => { moments = found.moments ?? []; drawMarks(); drawButtons(); }).catch(() => {});
} catch (error) {
  toast(say("The game cannot be shown: {why}.", { why: error.message }));
}
