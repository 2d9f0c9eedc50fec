// The score keeper: hand after hand by taps, with no camera and no kit. The game lives on this
// device. What a hand scores is looked up in a table that the kit's rules made.
import { el, paint } from "./dom.js";
import { closeSheet, openSheet } from "./sheet.js";
import { RESULT_WORD, plural, readerLanguage, say, sayWhy } from "./words.js";

const $ = (id) => document.getElementById(id);
const KEY = "upcard.keeper";
const KEPT_GAMES = 50;
const KEPT_STEPS = 60;
const rules = JSON.parse($("keeper-rules").textContent);
const inFile = document.body.dataset.keeper === "file";

// ---- what is kept ----------------------------------------------------------------------

/** `filled`: the side whose tricks nobody tapped, since they are what the other side left. */
const freshHand = () => ({ tricks: [null, null], called: null, alone: false, defended: false, filled: null });
const freshGame = (like = null) => ({
  id: Array.from(crypto.getRandomValues(new Uint8Array(8)), (b) => b.toString(16).padStart(2, "0")).join(""),
  started_at_ms: Date.now(), names: like?.names ?? ["", ""], target: like?.target ?? rules.target,
  lone_euchre: like?.lone_euchre ?? rules.lone_euchres[0], super_euchre: like?.super_euchre ?? false,
  hands: [], sent: null,
});

function sound(kept) {
  return kept && typeof kept === "object" && kept.game && Array.isArray(kept.game.hands) ? kept : null;
}

function load() {
  try { return sound(JSON.parse(localStorage.getItem(KEY) ?? "null")); } catch { return null; }
}

let kept = load() ?? { game: freshGame(), entry: freshHand(), steps: [], past: [] };
kept.entry ??= freshHand();
kept.steps ??= [];
kept.past ??= [];
let keeps = true;
let editing = null;

function save() {
  try { localStorage.setItem(KEY, JSON.stringify(kept)); keeps = true; } catch { keeps = false; }
}

/** Do `change` to the game; it can be undone. `what` is said to those who listen. */
function act(change, what = "") {
  kept.steps.push(JSON.stringify({ game: kept.game, entry: kept.entry }));
  kept.steps.splice(0, Math.max(0, kept.steps.length - KEPT_STEPS));
  change();
  save();
  draw();
  if (what) $("says").textContent = what;
}

function undo() {
  const step = kept.steps.pop();
  if (!step) return;
  Object.assign(kept, JSON.parse(step));
  editing = null;
  save();
  draw();
  $("says").textContent = say("Taken back. {us} {a}, {them} {b}.", standing());
}

// Another tab of this device keeps the same game: never two that overwrite each other.
addEventListener("storage", (event) => { if (event.key === KEY) { kept = load() ?? kept; draw(); } });

// ---- what it comes to ------------------------------------------------------------------

const teamName = (side) => kept.game.names[side] || (side === 0 ? say("Us") : say("Them"));

/** {case, side, points} of a complete hand, or null. */
function scored(game, hand) {
  if (hand.passed) return { case: "passed_out", side: null, points: 0 };
  if (hand.called === null || hand.tricks.some((n) => n === null)) return null;
  if (hand.tricks[0] + hand.tricks[1] !== rules.hand_size) return null;
  const row = rules.tables[`${game.lone_euchre}:${game.super_euchre}`][`${hand.tricks[hand.called]}:${hand.alone}:${hand.defended}`];
  return { case: row[0], side: row[1] === "makers" ? hand.called : 1 - hand.called, points: row[2] };
}

/** The score after every hand: [[2, 0], [4, 0] ...]. */
function running(game) {
  const now = [0, 0];
  return game.hands.map((hand) => {
    const result = scored(game, hand);
    if (result?.side !== null && result) now[result.side] += result.points;
    return [...now];
  });
}

const totals = (game) => running(game).at(-1) ?? [0, 0];
const winner = (game) => {
  const [us, them] = totals(game);
  return us === them || Math.max(us, them) < game.target ? null : us > them ? 0 : 1;
};
function standing() {
  const [a, b] = totals(kept.game);
  return { us: teamName(0), them: teamName(1), a, b };
}

/** What is wrong with a hand as it stands, in a sentence; null where nothing is. */
function fault(hand) {
  if (hand.passed || hand.tricks.some((n) => n === null)) return null;
  const sum = hand.tricks[0] + hand.tricks[1];
  return sum === rules.hand_size ? null
    : plural(sum, "That is {n} trick, and a hand has {all}: count again.", "That is {n} tricks, and a hand has {all}: count again.", { all: rules.hand_size });
}

const resultText = (result) => result.side === null ? RESULT_WORD[result.case]
  : `${RESULT_WORD[result.case]}: ${plural(result.points, "{n} point to {team}", "{n} points to {team}", { team: teamName(result.side) })}`;

// ---- drawing ---------------------------------------------------------------------------

const button = (text, onClick, props = {}) => el("button", { type: "button", class: "button", ...props, on: { click: onClick } }, text);

function drawNotices() {
  const plain = !inFile && !window.isSecureContext;
  paint($("notices"), [keeps, plain, inFile], () => [
    keeps ? null : el("p", { class: "warning", role: "alert", text: say("This browser keeps nothing: the game is lost when the page is closed. Leave its private mode, or allow storage.") }),
    plain ? el("p", { class: "note-box" },
      el("span", { text: say("Over plain HTTP a browser cannot keep this page. Take it along as one file: it works without any network.") }), " ",
      el("a", { class: "button", href: "/keeper/file", download: "upcard-keeper.html", text: say("The keeper as a file") })) : null,
  ]);
}

function drawTotals() {
  const { game } = kept;
  const score = totals(game);
  const won = winner(game);
  paint($("totals"), [score, game.names, game.target, won, document.documentElement.lang], () => [
    ...[0, 1].map((side) => el("div", { class: `total side-${side}${won === side ? " won" : ""}` },
      el("input", { class: "team", type: "text", maxlength: "24", value: game.names[side], placeholder: side === 0 ? say("Us") : say("Them"), autocomplete: "off",
        aria: { label: side === 0 ? say("Name of the first team") : say("Name of the second team") }, data: { focus: `team-${side}` },
        on: { change: (event) => act(() => { game.names[side] = event.target.value.trim(); }) } }),
      el("b", { class: "points", data: { total: side }, aria: { label: plural(score[side], "{team}: {n} point", "{team}: {n} points", { team: teamName(side) }) }, text: String(score[side]) }))),
    el("label", { class: "target" }, el("span", { text: say("Game target") }),
      el("input", { class: "field", id: "target", type: "number", min: "1", max: "100", step: "1", inputmode: "numeric", value: String(game.target), list: "targets", data: { focus: "target" },
        on: { change: (event) => {
          const wanted = Math.round(Number(event.target.value));
          if (!(wanted >= 1 && wanted <= 100)) { event.target.value = String(game.target); $("says").textContent = say("A target is 1 to 100 points."); return; }
          act(() => { game.target = wanted; });
        } } }),
      el("datalist", { id: "targets" }, rules.targets.map((n) => el("option", { value: String(n) })))),
  ]);
}

/** The tricks of one side: a row of numbers to tap. The other side gets the rest until it is tapped itself. */
function trickRow(hand, side, change) {
  return el("fieldset", { class: `trick-row side-${side}` }, el("legend", { text: say("Tricks of {team}", { team: teamName(side) }) }),
    el("div", { class: "numbers" }, Array.from({ length: rules.hand_size + 1 }, (_, n) => el("label", { class: "number" },
      el("input", { type: "radio", name: `tricks-${side}`, value: String(n), checked: hand.tricks[side] === n, data: { focus: `tricks-${side}-${n}` },
        on: { change: () => change(() => {
          hand.tricks[side] = n;
          if (hand.filled === side) hand.filled = null;
          if (hand.tricks[1 - side] === null || hand.filled === 1 - side) {
            hand.tricks[1 - side] = rules.hand_size - n;
            hand.filled = 1 - side;
          }
        }) } }), el("span", { text: String(n) })))));
}

const box = (text, checked, onChange, focus) => el("label", { class: "pill" },
  el("input", { type: "checkbox", checked, data: { focus }, on: { change: onChange } }), el("span", { text }));

function drawEntry() {
  const { game } = kept;
  const hand = editing === null ? kept.entry : editing.hand;
  const number = editing === null ? game.hands.length + 1 : editing.index + 1;
  const won = editing === null ? winner(game) : null;
  const wrong = fault(hand);
  const result = scored(game, hand);
  const change = (how) => { if (editing) { how(); draw(); } else { how(); save(); draw(); } };
  paint($("entry"), [hand, number, game, won, editing?.index, document.documentElement.lang], () => {
    if (won !== null) {
      const [us, them] = totals(game);
      return el("div", { class: "keeper-over" }, el("h2", { text: say("{team} win {a}–{b}", { team: teamName(won), a: Math.max(us, them), b: Math.min(us, them) }) }),
        el("div", { class: "answer-buttons" },
          button(say("New game"), newGame, { class: "button primary", id: "new-game", data: { focus: "new-game" } }),
          inFile ? null : button(say("Send it to the kit"), sendGame, { id: "send-game", data: { focus: "send-game" }, disabled: game.sent !== null }),
          button(say("Save it as a file"), saveGame, { id: "save-game", data: { focus: "save-game" } })),
        game.sent ? el("p", { class: "note", text: say("The kit has it as game {id}.", { id: game.sent }) }) : null);
    }
    return [
      el("h2", { class: "entry-title", text: say("Hand {n}: enter the tricks", { n: number }) }),
      el("div", { class: "trick-rows" }, trickRow(hand, 0, change), trickRow(hand, 1, change)),
      el("fieldset", {}, el("legend", { text: say("Who called trump") }), el("div", { class: "choices" },
        [0, 1].map((side) => el("label", { class: `pill side-${side}` },
          el("input", { type: "radio", name: "called", value: String(side), checked: hand.called === side, data: { focus: `called-${side}` }, on: { change: () => change(() => { hand.called = side; }) } }),
          el("span", { text: teamName(side) }))))),
      el("div", { class: "choices" },
        box(say("The maker went alone"), hand.alone, (event) => change(() => { hand.alone = event.target.checked; }), "alone"),
        box(say("A defender went alone"), hand.defended, (event) => change(() => { hand.defended = event.target.checked; }), "defended")),
      el("p", { class: wrong ? "warning" : "preview", id: "hand-says", role: "status", text: wrong ?? (result ? resultText(result) : say("Tap the tricks of one team and who called.")) }),
      el("div", { class: "answer-buttons" },
        editing === null
          ? button(say("+ Add this hand"), addHand, { class: "button primary wide", id: "add-hand", disabled: !result, data: { focus: "add-hand" } })
          : [button(say("Change hand {n}", { n: number }), changeHand, { class: "button primary", id: "change-hand", disabled: !result, data: { focus: "change-hand" } }),
            button(say("Take hand {n} out", { n: number }), removeHand, { class: "button danger", id: "remove-hand", data: { focus: "remove-hand" } }),
            button(say("Leave it"), () => { editing = null; draw(); }, { data: { focus: "leave-hand" } })],
        editing === null ? button(say("Everybody passed"), passHand, { id: "pass-hand", data: { focus: "pass-hand" } }) : null),
    ];
  });
}

function drawHands() {
  const { game } = kept;
  const scores = running(game);
  paint($("hands"), [game.hands, game.names, scores, game.lone_euchre, game.super_euchre, document.documentElement.lang], () => game.hands.length === 0
    ? el("p", { class: "empty", text: say("No hand yet. After each hand, tap the tricks each team took and which team called.") })
    : el("div", { class: "hands-scroll", tabindex: "0", role: "group", aria: { label: say("Hands so far") } }, el("table", { class: "hands-table" },
      el("thead", {}, el("tr", {}, [say("Hand"), say("Called"), say("Tricks"), say("This hand"), teamName(0), teamName(1)].map((text) => el("th", { scope: "col", text })), el("th", { scope: "col" }, el("span", { class: "unseen", text: say("Change") })))),
      el("tbody", {}, game.hands.map((hand, i) => {
        const result = scored(game, hand);
        return el("tr", { data: { hand: i + 1 } },
          el("th", { scope: "row", text: String(i + 1) }),
          el("td", { text: hand.passed ? "–" : teamName(hand.called) + (hand.alone ? ` · ${say("alone")}` : "") }),
          el("td", { text: hand.passed ? "–" : `${hand.tricks[0]}–${hand.tricks[1]}` }),
          el("td", { text: RESULT_WORD[result.case] }),
          [0, 1].map((side) => el("td", { class: "run" }, el("b", { text: String(scores[i][side]) }),
            result.side === side ? el("small", { text: `+${result.points}` }) : null)),
          el("td", {}, button("✎", () => editHand(i), { class: "chip-button", title: say("Change hand {n}", { n: i + 1 }), aria: { label: say("Change hand {n}", { n: i + 1 }) }, data: { focus: `edit-${i}` } })));
      })))));
}

function drawFoot() {
  const { game } = kept;
  paint($("foot"), [kept.steps.length, game.lone_euchre, game.super_euchre, kept.past.length, game.hands.length, document.documentElement.lang], () => [
    el("div", { class: "answer-buttons" },
      button(say("Undo"), undo, { id: "undo", disabled: !kept.steps.length, data: { focus: "undo" }, aria: { keyshortcuts: "u" } }),
      button(say("New game"), newGame, { id: "start-over", data: { focus: "start-over" }, disabled: !game.hands.length }),
      kept.past.length ? button(plural(kept.past.length, "{n} earlier game", "{n} earlier games"), pastSheet, { id: "past", data: { focus: "past" } }) : null),
    el("details", { class: "rare" }, el("summary", { text: say("Rules of this table") }),
      el("div", { class: "device" },
        el("fieldset", {}, el("legend", { text: say("A lone hand that is euchred gives the others") }), el("div", { class: "choices" }, rules.lone_euchres.map((n) => el("label", { class: "pill" },
          el("input", { type: "radio", name: "lone-euchre", value: String(n), checked: game.lone_euchre === n, data: { focus: `lone-euchre-${n}` }, on: { change: () => act(() => { game.lone_euchre = n; }) } }),
          el("span", { text: plural(n, "{n} point", "{n} points") }))))),
        box(say("Makers without a trick: 4 points to the others"), game.super_euchre, (event) => act(() => { game.super_euchre = event.target.checked; }), "super-euchre"))),
    inFile ? null : el("details", { class: "rare" }, el("summary", { text: say("Without a network") }),
      el("p", { class: "note" }, el("span", { text: window.isSecureContext
        ? say("This page is kept by the browser and opens without the kit. As one file it can be given to anybody.")
        : say("As one file the keeper opens on any device, without the kit and without a network.") }), " ",
        el("a", { class: "button", href: "/keeper/file", download: "upcard-keeper.html", text: say("The keeper as a file") })),
      el("p", { class: "note" }, el("label", {}, el("span", { text: say("Take in a game saved as a file") }), " ",
        el("input", { type: "file", id: "take-in", accept: "application/json,.json", on: { change: takeIn } })))),
  ]);
}

function draw() {
  drawNotices();
  drawTotals();
  drawEntry();
  drawHands();
  drawFoot();
  const { us, them, a, b } = standing();
  document.title = `${us} ${a}–${b} ${them} · ${say("Score keeper")}`;
}

// ---- what people do --------------------------------------------------------------------

function told(game) {
  const last = game.hands.at(-1);
  return [last && resultText(scored(game, last)), say("{us} {a}, {them} {b}.", standing())].filter(Boolean).join(". ");
}

function addHand() {
  act(() => { kept.game.hands.push(kept.entry); kept.entry = freshHand(); });
  $("says").textContent = told(kept.game);
  (winner(kept.game) === null ? $("entry").querySelector("input") : $("new-game"))?.focus({ preventScroll: true });
}

const passHand = () => act(() => { kept.game.hands.push({ ...freshHand(), passed: true }); }, say("Everybody passed: no points."));

function editHand(index) {
  const hand = kept.game.hands[index];
  editing = { index, hand: { ...freshHand(), ...structuredClone(hand), passed: false } };
  draw();
  $("entry").scrollIntoView({ block: "nearest" });
  $("entry").querySelector("input")?.focus({ preventScroll: true });
}

function changeHand() {
  const { index, hand } = editing;
  editing = null;
  act(() => { const { passed, ...rest } = hand; kept.game.hands[index] = rest; });
  $("says").textContent = told(kept.game);
}

function removeHand() {
  const { index } = editing;
  editing = null;
  act(() => { kept.game.hands.splice(index, 1); }, say("Hand {n} was taken out.", { n: index + 1 }));
}

function newGame() {
  const begin = () => {
    closeSheet();
    act(() => {
      if (kept.game.hands.length) kept.past.unshift(kept.game);
      kept.past.splice(KEPT_GAMES);
      kept.game = freshGame(kept.game);
      kept.entry = freshHand();
    }, say("A new game. Hand {n}: enter the tricks", { n: 1 }));
  };
  editing = null;
  if (!kept.game.hands.length || winner(kept.game) !== null) { begin(); return; }
  openSheet(say("Begin a new game?"), el("p", { text: say("This one is not finished. It stays among the earlier games.") }),
    el("div", { class: "answer-buttons" }, button(say("New game"), begin, { class: "button primary", id: "begin" }), button(say("Play on"), closeSheet)));
}

function pastSheet() {
  openSheet(say("Earlier games"), el("ul", { class: "games" }, kept.past.map((game, i) => {
    const [a, b] = totals(game);
    return el("li", { class: "game" },
      el("b", { text: `${game.names[0] || say("Us")} ${a}–${b} ${game.names[1] || say("Them")}` }),
      el("small", { text: `${new Date(game.started_at_ms).toLocaleDateString(readerLanguage)} · ${plural(game.hands.length, "{n} hand", "{n} hands")}` }),
      button(say("Open"), () => { closeSheet(); act(() => { const [back] = kept.past.splice(i, 1); if (kept.game.hands.length) kept.past.unshift(kept.game); kept.game = back; kept.entry = freshHand(); }); }));
  })));
}

// ---- out of the device -----------------------------------------------------------------

/** The game as the kit and a file take it. */
const plainGame = (game) => ({
  kind: "upcard-keeper-game", version: 1, id: game.id, started_at_ms: game.started_at_ms, names: game.names, target: game.target,
  lone_euchre: game.lone_euchre, super_euchre: game.super_euchre,
  hands: game.hands.map((hand) => hand.passed ? { passed: true } : { called: hand.called, tricks: hand.tricks, alone: hand.alone, defended: hand.defended }),
});

function notice(text, kind) {
  const node = el("p", { class: `toast ${kind}`, text });
  $("toasts").append(node);
  setTimeout(() => node.remove(), 6000);
}

async function sendGame(event) {
  const control = event.currentTarget;
  control.disabled = true;
  try {
    const { post } = await import("/static/js/access.js");
    const { ok, told: answer } = await post("/api/keeper", plainGame(kept.game));
    if (!ok) { notice(sayWhy(answer, say("The kit did not take the game.")), "bad"); return; }
    act(() => { kept.game.sent = answer.game_id; });
    notice(say("The kit has it as game {id}.", { id: answer.game_id }), "note");
  } catch {
    notice(say("The kit cannot be reached. The game stays here: send it when you are at the table, or save it as a file."), "bad");
  } finally { control.disabled = false; }
}

function saveGame() {
  const { us, them, a, b } = standing();
  const address = URL.createObjectURL(new Blob([JSON.stringify(plainGame(kept.game), null, 1)], { type: "application/json" }));
  const name = `euchre ${new Date(kept.game.started_at_ms).toISOString().slice(0, 10)} ${us} ${a}-${b} ${them}.json`.replace(/[\\/:*?"<>|]/g, "_");
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

async function takeIn(event) {
  const file = event.target.files?.[0];
  if (!file) return;
  try {
    const game = JSON.parse(await file.text());
    if (game.kind !== "upcard-keeper-game" || game.version !== 1 || !Array.isArray(game.hands)) throw new Error("not a kept game");
    const taken = { ...freshGame(), ...game, hands: game.hands.map((hand) => ({ ...freshHand(), ...hand })) };
    if (!(`${taken.lone_euchre}:${taken.super_euchre}` in rules.tables) || taken.hands.some((hand) => scored(taken, hand) === null)) throw new Error("a hand that cannot be");
    act(() => { if (kept.game.hands.length) kept.past.unshift(kept.game); kept.game = taken; kept.entry = freshHand(); }, say("The game was taken in."));
  } catch {
    notice(say("{file} holds no game of this score keeper.", { file: file.name }), "bad");
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "u" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input[type=text], input[type=number], dialog")) return;
  undo();
});

// A service worker exists over HTTPS and on the machine itself only.
if (!inFile && window.isSecureContext && "serviceWorker" in navigator) {
  navigator.serviceWorker.register("/keeper-worker.js", { scope: "/keeper" }).catch(() => {});
  navigator.storage?.persist?.().catch(() => {});
}

save();
draw();
