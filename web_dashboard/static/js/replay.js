// Stepping through a recorded game: by card, trick and deal, by hand or by itself.
import { el, paint } from "./dom.js";
import { drawScore, drawTable } from "./board.js";
import { drawLists } from "./lists.js";
import { picture } from "./ask.js";
import { toast } from "./commands.js";
import { clockWord } from "./words.js";

const $ = (id) => document.getElementById(id);
const game = document.body.dataset.game;
const address = `/api/games/${encodeURIComponent(game)}`;
const PLAY_MS = 1100;

let steps = [];
let at = 0;
let wanted = 0;
let timer = 0;
const kept = new Map();

// ---- fetching --------------------------------------------------------------------------

/** The snapshot at a version; each is fetched once. */
function snapshotAt(version) {
  if (!kept.has(version)) {
    kept.set(version, fetch(`${address}?version=${version}`).then((answer) => {
      if (!answer.ok) throw new Error(`the kit answered ${answer.status}`);
      return answer.json();
    }).catch((error) => { kept.delete(version); throw error; }));
    if (kept.size > 400) kept.delete(kept.keys().next().value);
  }
  return kept.get(version);
}

// ---- where to step ---------------------------------------------------------------------

const CARD = new Set(["card_played", "upcard_shown", "review_raised", "declared"]);
const STOPS = {
  card: (step) => CARD.has(step.kind),
  trick: (step, next) => step.kind === "trick_cleared" || next?.kind === "trick_cleared",
  deal: (step, next) => !next || next.kind === "upcard_shown",
};

function target(unit, direction) {
  const last = steps.length;
  for (let v = at + direction; v > 0 && v < last; v += direction) {
    // A trick stands best at its last card, before it is swept.
    if (unit === "trick" ? STOPS.trick({ kind: "" }, steps[v]) : STOPS[unit](steps[v - 1], steps[v])) return v;
  }
  return direction > 0 ? last : 0;
}

// ---- drawing ---------------------------------------------------------------------------

async function show(version) {
  wanted = Math.max(0, Math.min(steps.length, version));
  const mine = wanted;
  $("scrub").value = String(mine);
  let snapshot;
  try { snapshot = await snapshotAt(mine); } catch (error) {
    pause();
    toast(`This step cannot be shown: ${error.message}.`);
    return;
  }
  if (mine !== wanted) return; // a later tap overtook this one
  at = mine;
  const step = steps[mine - 1];
  $("step-text").textContent = step?.text ?? "Before the first fact";
  $("step-at").textContent = step ? `${mine} of ${steps.length} · ${step.at_us > 1e15 ? clockWord(step.at_us) : `${(step.at_us / 1e6).toFixed(1)} s`} · ${step.source}` : `${steps.length} facts`;
  $("scrub").setAttribute("aria-valuetext", step?.text ?? "before the first fact");
  const quiet = { ...snapshot, ask: null };
  if (snapshot.game?.id) { drawScore($("score"), quiet); drawTable($("table"), quiet, {}); }
  else { paint($("score"), "none", () => null); paint($("table"), "none", () => el("div", { class: "felt" }, el("div", { class: "centre said" }, el("b", { text: "Before the game" })))); }
  drawLists($("lists"), quiet, {});
  drawFound(snapshot);
  drawButtons();
  for (const near of [mine + 1, mine + 2]) if (near <= steps.length) snapshotAt(near).catch(() => {});
}

function drawFound(snapshot) {
  const reviews = snapshot.reviews ?? [];
  const findings = snapshot.findings ?? [];
  paint($("found"), [reviews, findings], () => [
    ...reviews.map((r) => el("article", { class: "item review" }, el("p", { class: "item-kind", text: "Review open" }), el("p", { class: "item-text", text: r.text }), r.evidence ? picture(r.evidence, r.text) : null)),
    ...findings.map((f) => el("article", { class: "item finding" },
      el("p", { class: "item-kind", text: `${f.kind.replaceAll("_", " ")} · ${f.status}` }), el("p", { class: "item-text", text: f.text }),
      f.evidence?.some(Boolean) ? el("div", { class: "shots" }, f.evidence.map((hash) => el("figure", { class: "shot" }, picture(hash, f.text)))) : null)),
  ]);
  $("found").classList.toggle("asking", reviews.length + findings.length > 0);
}

const BUTTONS = [
  ["deal-back", "⏮", "deal", () => show(target("deal", -1)), "Back to the end of the deal before"],
  ["trick-back", "⏪", "trick", () => show(target("trick", -1)), "Back a trick"],
  ["card-back", "◀", "card", () => show(target("card", -1)), "Back a card"],
  ["play", null, null, () => (timer ? pause() : play()), null],
  ["card-on", "▶", "card", () => show(target("card", 1)), "On a card"],
  ["trick-on", "⏩", "trick", () => show(target("trick", 1)), "On a trick"],
  ["deal-on", "⏭", "deal", () => show(target("deal", 1)), "On to the end of the deal"],
];

function drawButtons() {
  const [start, end, playing] = [at === 0, at === steps.length, Boolean(timer)];
  paint($("deck-buttons"), [start, end, playing], () => BUTTONS.map(([id, sign, word, act, label]) => id === "play"
    ? el("button", { type: "button", class: "play", id: "play", data: { focus: id }, aria: { label: playing ? "Pause" : "Play", keyshortcuts: "Space" }, on: { click: act } },
        el("b", { text: playing ? "❚❚" : "▶", aria: { hidden: "true" } }), el("small", { text: playing ? "pause" : "play" }))
    : el("button", { type: "button", id, data: { focus: id }, disabled: id.endsWith("back") ? start : end, aria: { label }, on: { click: () => { pause(); act(); } } },
        el("b", { text: sign, aria: { hidden: "true" } }), el("small", { text: word }))));
}

function play() {
  if (at >= steps.length) at = 0;
  const tick = async () => {
    await show(at + 1);
    if (at >= steps.length) pause(); else if (timer) timer = setTimeout(tick, PLAY_MS);
  };
  timer = setTimeout(tick, 150);
  drawButtons();
}

function pause() { clearTimeout(timer); timer = 0; drawButtons(); }

// ---- hands -----------------------------------------------------------------------------

$("scrub").addEventListener("input", (event) => { pause(); show(Number(event.target.value)); });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog, [role=tablist]")) return;
  const unit = event.shiftKey ? "trick" : "card";
  const act = {
    ArrowRight: () => show(target(unit, 1)), ArrowLeft: () => show(target(unit, -1)),
    PageDown: () => show(target("deal", 1)), PageUp: () => show(target("deal", -1)),
    Home: () => show(0), End: () => show(steps.length),
    ".": () => show(at + 1), ",": () => show(at - 1),
  }[event.key];
  if (event.key === " " && !event.target.closest("button, a, input")) { event.preventDefault(); if (timer) pause(); else play(); return; }
  if (!act) return;
  event.preventDefault();
  pause();
  act();
});

try {
  const told = await (await fetch(address)).json();
  if (!told.steps) throw new Error(told.reason ?? "the kit did not tell its steps");
  steps = told.steps;
  $("scrub").max = String(steps.length);
  const asked = Number(new URLSearchParams(location.search).get("version"));
  await show(Number.isInteger(asked) && asked > 0 ? asked : target("card", 1));
} catch (error) {
  toast(`The game cannot be shown: ${error.message}.`);
}
