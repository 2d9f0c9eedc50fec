// What opens over the page: undo, the menu, what is said in passing, starting a game. Mending what
// was recorded is in boards/mend.js and boards/history.js.
import { partsList } from "./parts.js";
import { codesSheet, whoNow } from "./access.js";
import { el } from "./dom.js";
import { chip, face, grid } from "./cards.js";
import { declarePanel, freshChoice } from "./ask.js";
import { historySheet } from "./boards/history.js";
import { THROWN, mendPlay, mendUpcard, mendTableCard, mendSheet, staleSheet } from "./boards/mend.js";
import { padOn, setPad } from "./boards/pad.js";
import { pickCard, seatRow } from "./boards/pick.js";
import { ask, send, toast } from "./commands.js";
import { deviceSheet } from "./device.js";
import { closeSheet, openSheet } from "./sheet.js";
import { SEATS, SEAT_KEYS, ageWord, agoWord, cardWord, nameWord, plural, presetLine, presetWord, say, sayIt, sayRules, sayWhy, seatName, sideName } from "./words.js";

export { mendPlay as correctPlay, mendUpcard as correctUpcard, mendTableCard as correctTableCard };

const done = async (sent) => { if (await sent) closeSheet(); };
const button = (text, onClick, cls = "", focus = null) =>
  el("button", { type: "button", class: `button ${cls}`, data: { focus }, on: { click: (e) => onClick(e.currentTarget) } }, text);
const part = (title, ...children) => el("section", { class: "sheet-part" }, el("h3", { text: title }), ...children);
const whyField = (needed) => el("input", { type: "text", class: "field", maxlength: "120", placeholder: needed ? say("Why (needed)") : say("Why, if it matters (optional)"), aria: { label: say("Reason") } });

/** A line of the history tab; the whole record knows more about it, so it is read first. */
export async function correctLine(snapshot, line) {
  try {
    const told = await (await fetch(`/api/games/${encodeURIComponent(snapshot.game.id)}/ledger`, { cache: "no-store" })).json();
    const known = told.lines.find((l) => l.version === line.version);
    if (known) {
      mendSheet(snapshot, { ...known, lookedAt: told.version }, { around: told.lines.filter((l) => l.deal === known.deal) });
      return;
    }
  } catch { /* the line itself is enough to take it back */ }
  mendSheet(snapshot, { version: line.version, text: line.text, say: line.say, fact: null });
}

// ---- undo ------------------------------------------------------------------------------

// The newest line that stands and is not itself a taking back: undoing goes on to what came before it.
const lastStanding = (snapshot) => [...(snapshot.history ?? [])].reverse().find((line) => !line.struck && !line.strikes && line.kind !== "game_started");

/** Undo says what it would take back, and takes back that very line and no other. */
export function undoSheet(snapshot) {
  const line = lastStanding(snapshot);
  if (!line) { toast(say("There is nothing to take back."), "note"); return; }
  const command = { kind: "correct", target: line.version, strike: true, reason: "undo" };
  const onRefused = (told) => {
    if (told.code !== "stale") return false;
    staleSheet(told, say("taken back: {what}", { what: sayIt(line) }), (b) => send(command, { button: b }));
    return true;
  };
  openSheet(say("Take this back?"), el("p", { class: "big-line", text: sayIt(line) }),
    el("div", { class: "answer-buttons" },
      button(say("Take it back"), (b) => done(send(command, { expectVersion: snapshot.version, button: b, onRefused }).then((sent) => sent)), "primary", "undo-now"),
      button(say("Keep it"), closeSheet)),
    el("div", { class: "answer-buttons" }, button(say("Something earlier…"), () => historySheet(snapshot), "", "earlier")));
}

/** Undo without asking, for the card pad: the newest line goes, and a word says which. */
export async function undoNow(snapshot) {
  const line = lastStanding(snapshot);
  if (!line) { toast(say("There is nothing to take back."), "note"); return null; }
  const told = await ask("/api/command", { command: { kind: "correct", target: line.version, strike: true, reason: "undo" }, expect_version: snapshot.version });
  if (told) toast(say("Taken back: {what}", { what: sayIt(line) }), "note");
  return told;
}

// ---- corrections -----------------------------------------------------------------------

/** One trick's cards to tap, for those who look for "correct" and not for the card itself. */
export function chooseSheet(snapshot, onCard) {
  const tricks = [...(snapshot.deal?.tricks ?? [])].reverse().filter((t) => t.plays.length);
  openSheet(say("What is wrong?"),
    tricks.length ? tricks.map((trick) => part(say("Trick {n}", { n: trick.number }),
      el("div", { class: "choose" }, trick.plays.map((play) => el("button", { type: "button", class: "choose-card", data: { version: play.version }, on: { click: () => onCard(play) } },
        play.card ? face(play.card, { label: cardWord(play.card) }) : chip(null), el("span", { text: seatName(snapshot, play.seat) }))))))
      : el("p", { text: say("No card has been played in this deal.") }),
    button(say("Anything else, this deal or earlier…"), () => historySheet(snapshot), "wide", "whole-record"));
}

export function declareSheet(snapshot, about = null) {
  const choice = freshChoice();
  const host = el("div", { class: "ask-body" });
  const deals = (snapshot.deals ?? []).map((d) => d.number);
  let deal = about ?? snapshot.deal?.number ?? deals.at(-1) ?? null;
  const draw = () => host.replaceChildren(
    deals.length ? el("label", { class: "pick" }, el("span", { text: say("Deal") }), el("select", {
      class: "field", on: { change: (e) => { deal = Number(e.target.value); draw(); } },
    }, [...new Set([...deals, ...(snapshot.deal ? [snapshot.deal.number] : [])])].reverse().map((n) => el("option", { value: String(n), selected: n === deal, text: n === snapshot.deal?.number ? say("{n} (now)", { n }) : String(n) })))) : "",
    declarePanel(snapshot, choice, draw, { deal, onSent: closeSheet }));
  draw();
  openSheet(say("Who made trump?"), host);
}

/** The deal as a director would draw it, from the kit. */
export async function diagramSheet(snapshot, deal) {
  const host = el("div", {}, el("p", { class: "empty", text: say("Drawing the deal…") }));
  openSheet(say("Deal {n} on paper", { n: deal }), host);
  try {
    const answer = await fetch(`/api/games/${encodeURIComponent(snapshot.game.id)}/deals/${deal}`, { cache: "no-store" });
    const told = await answer.json();
    if (!answer.ok) throw new Error(sayWhy(told, String(answer.status)));
    host.replaceChildren(el("pre", { class: "paper", text: told.lines.join("\n"), tabindex: "0" }));
  } catch (error) {
    host.replaceChildren(el("p", { class: "warning", text: say("The deal cannot be drawn: {why}.", { why: error.message }) }));
  }
}

// ---- said in passing -------------------------------------------------------------------

/** Cards of a hand that lie face up: tapped one by one, then told together. */
export function handSheet(snapshot, seat = null, deal = null) {
  const cards = new Set();
  const host = el("div", { class: "sheet-part" });
  const draw = () => host.replaceChildren(
    seatRow(snapshot, { chosen: seat, label: say("Whose hand is it?"), onPick: (next) => { seat = next; draw(); }, name: "hand-seat" }),
    seat === null ? el("p", { text: say("Whose hand is it?") }) : el("div", { class: "sheet-part" },
      grid((card) => { if (cards.has(card)) cards.delete(card); else cards.add(card); draw(); }, { pack: snapshot.game?.pack, stateOf: (card) => (cards.has(card) ? say("chosen") : "") }),
      el("p", { class: "chosen-cards", aria: { live: "polite" } }, [...cards].map((card) => chip(card))),
      el("button", { type: "button", class: "button primary wide", data: { focus: "hand-now" }, disabled: !cards.size, on: { click: (e) => done(send({ kind: "show_hand", seat, cards: [...cards], ...(deal === null ? {} : { deal }) }, { button: e.currentTarget })) } },
        cards.size ? plural(cards.size, "{name} shows {n} card", "{name} shows {n} cards", { name: seatName(snapshot, seat) }) : say("Tap the cards that lie face up"))));
  draw();
  openSheet(say("A hand laid face up"), host);
}

const OFFENCES = [["revoke", () => say("did not follow suit")], ["six_cards", () => say("has too many cards")], ["no_discard", () => say("laid nothing away before the lead")], ["too_few_cards", () => say("has too few cards")]];

/** A claim: who says it, of whom, what, and for a revoke in which trick. */
export function claimSheet(snapshot) {
  const claim = { by: null, seat: null, offence: "revoke", trick: null };
  const tricks = (snapshot.deal?.tricks ?? []).map((t) => t.number);
  const host = el("div", { class: "sheet-part" });
  const draw = () => host.replaceChildren(
    part(say("Who claims it"), seatRow(snapshot, { chosen: claim.by, label: say("Who claims it"), onPick: (seat) => { claim.by = seat; draw(); }, name: "claim-by" })),
    part(say("Who did it"), seatRow(snapshot, { chosen: claim.seat, label: say("Who did it"), onPick: (seat) => { claim.seat = seat; draw(); }, name: "claim-seat" })),
    part(say("What"), el("div", { class: "menu", role: "radiogroup", aria: { label: say("What") } }, OFFENCES.map(([id, word]) => el("button", {
      type: "button", class: "option", role: "radio", aria: { checked: String(claim.offence === id) }, data: { focus: `claim-${id}` }, on: { click: () => { claim.offence = id; claim.trick = null; draw(); } } }, word())))),
    claim.offence === "revoke" && tricks.length ? part(say("In which trick"), el("div", { class: "options", role: "radiogroup", aria: { label: say("In which trick") } },
      [null, ...tricks].map((n) => el("button", { type: "button", class: "option", role: "radio", aria: { checked: String(claim.trick === n) }, data: { focus: `claim-trick-${n ?? "any"}` }, on: { click: () => { claim.trick = n; draw(); } } }, n === null ? say("any") : String(n))))) : "",
    el("button", { type: "button", class: "button primary wide", data: { focus: "claim-now" }, disabled: claim.seat === null, on: { click: (e) => done(send({ kind: "claim", ...claim }, { button: e.currentTarget })) } },
      claim.seat === null ? say("Choose who did it") : say("{name} {offence}", { name: seatName(snapshot, claim.seat), offence: OFFENCES.find(([id]) => id === claim.offence)[1]() })));
  draw();
  openSheet(say("A claim"), host);
}

/** Everybody is asked to look at the table, as a seat's button asks with a long press. */
function lookSheet(snapshot) {
  openSheet(say("Who asks everybody to look?"), seatRow(snapshot, { label: say("Who asks everybody to look?"), role: "button", name: "looks",
    onPick: (seat, control) => done(ask("/api/look", { seat }, { button: control })) }));
}

/** A card laid away face down, or passed to a lone hand: by whom, and which if it was seen. */
function laidAwaySheet(snapshot) {
  let seat = snapshot.ask?.seat ?? snapshot.deal?.dealer ?? null;
  const host = el("div", { class: "sheet-part" });
  const draw = () => host.replaceChildren(
    seatRow(snapshot, { chosen: seat, label: say("Who laid it away"), onPick: (next) => { seat = next; draw(); }, name: "away" }),
    seat === null ? "" : button(say("Nobody saw which"), (b) => done(send({ kind: "discard", seat }, { button: b })), "primary", "away-unseen"),
    seat === null ? "" : part(say("It was shown"), grid((card) => done(send({ kind: "discard", seat, card })), { pack: snapshot.game?.pack })));
  draw();
  openSheet(say("A card laid away"), host);
}

function passedSheet(snapshot) {
  let seat = snapshot.ask?.kind === "exchange" ? snapshot.ask.seat : null;
  const host = el("div", { class: "sheet-part" });
  const pass = (kept, card = null) => (control) => done(send({ kind: "pass_card", seat, kept, ...(card ? { card } : {}) }, { button: control }));
  const draw = () => host.replaceChildren(
    seatRow(snapshot, { chosen: seat, label: say("Who passed it"), onPick: (next) => { seat = next; draw(); }, name: "pass" }),
    seat === null ? "" : el("div", { class: "answer-buttons" }, button(say("Passed and kept"), pass(true), "primary", "pass-kept"), button(say("Passed and refused"), pass(false), "", "pass-refused")),
    seat === null ? "" : part(say("It was seen"), grid((card) => pass(true, card)(null), { pack: snapshot.game?.pack })));
  draw();
  openSheet(say("A card passed to the lone hand"), host);
}

/** A card laid goes back into the hand it came from, in time. */
function takeBackSheet(snapshot) {
  const plays = [...(snapshot.deal?.tricks ?? [])].reverse().slice(0, 2).flatMap((t) => [...t.plays].reverse());
  openSheet(say("Which card goes back into the hand?"),
    el("p", { text: say("Not a misread card: the player takes it back and lays another. Whether it was in time the rules say.") }),
    el("div", { class: "choose" }, plays.map((play) => el("button", { type: "button", class: "choose-card", data: { version: play.version }, on: { click: (e) => done(send({ kind: "take_back", target: play.version }, { button: e.currentTarget })) } },
      play.card ? face(play.card, { label: cardWord(play.card) }) : chip(null), el("span", { text: seatName(snapshot, play.seat) })))));
}

function widowSheet(snapshot) {
  openSheet(say("Who took the widow?"), seatRow(snapshot, { label: say("Who took the widow?"), role: "button", name: "widow", onPick: (seat, control) => done(send({ kind: "swap_widow", seat }, { button: control })) }));
}

function tableCardSheet(snapshot) {
  let seat = snapshot.seats?.[0]?.seat ?? null;
  const host = el("div", { class: "sheet-part" });
  const draw = () => host.replaceChildren(
    seatRow(snapshot, { chosen: seat, label: say("Before whom?"), onPick: (next) => { seat = next; draw(); }, name: "lies" }),
    grid((card) => done(send({ kind: "show_table_card", seat, card })), { pack: snapshot.game?.pack }));
  draw();
  openSheet(say("A card lies open"), host);
}

// ---- the game --------------------------------------------------------------------------

function scoreSheet(snapshot) {
  const fields = (snapshot.sides ?? []).map((s) => el("input", { type: "number", class: "field", value: "0", min: "-40", max: "40", step: "1", inputmode: "numeric", aria: { label: say("Points for {side}", { side: sideName(snapshot, s.side) }) } }));
  const reason = whyField(true);
  openSheet(say("Adjust the score"),
    el("p", { text: say("Points added to each side, or taken away with a minus: a penalty, or a mistake of earlier.") }),
    el("div", { class: "adjust" }, (snapshot.sides ?? []).map((s, i) => el("label", { class: "pick" }, el("span", { text: sideName(snapshot, s.side) }), fields[i]))), reason,
    button(say("Adjust"), (b) => {
      if (!reason.value.trim()) { toast(say("Say why the score changes: it stays in the record.")); reason.focus(); return; }
      done(send({ kind: "adjust_score", points: fields.map((f) => Number(f.value) || 0), reason: reason.value.trim() }, { expectVersion: snapshot.version, button: b }));
    }, "primary", "adjust-now"));
}

function endSheet(snapshot) {
  const reason = whyField(false);
  openSheet(say("End this game?"), el("p", { text: say("The score stays as it is and the game is closed. It can be looked at under Games.") }), reason,
    el("div", { class: "answer-buttons" },
      button(say("End the game"), (b) => done(send({ kind: "end_game", reason: reason.value.trim() || say("ended on the page") }, { expectVersion: snapshot.version, button: b })), "danger", "end-now"),
      button(say("Play on"), closeSheet)));
}

function throwSheet(snapshot) {
  const reason = whyField(false);
  const throwIn = (why) => (b) => done(send({ kind: "throw_in", reason: why }, { expectVersion: snapshot.version, button: b }));
  openSheet(say("Throw this deal in?"), el("p", { text: say("The deal ends without points.") }),
    el("div", { class: "menu" }, THROWN.map(([id, word]) => button(word(), throwIn(id), id === "passed_out" ? "primary" : "", `throw-${id}`))),
    part(say("For another reason"), reason, button(say("Throw it in for this reason"), (b) => {
      if (!reason.value.trim()) { reason.focus(); toast(say("Say why: it stays in the record.")); return; }
      throwIn(reason.value.trim())(b);
    }, "", "throw-other")),
    button(say("Play on"), closeSheet));
}

const dealerSheet = (snapshot) => openSheet(say("Who deals?"), el("p", { text: say("The present deal, or the next one when none is under way.") }),
  seatRow(snapshot, { chosen: snapshot.game?.dealer ?? null, label: say("Who deals?"), role: "button", name: "deals", onPick: (seat, control) => done(send({ kind: "name_dealer", dealer: seat }, { button: control })) }));

const startSheet = (presets) => openSheet(say("New game"), startForm(presets, closeSheet));

/** Everything that is not needed every minute. */
export function menuSheet(snapshot, presets) {
  const item = (text, open, on = true, focus = null) => on ? el("button", { type: "button", class: "menu-item", data: { focus }, on: { click: open } }, text) : null;
  const group = (title, ...items) => items.some(Boolean) ? part(title, el("div", { class: "menu" }, items)) : null;
  const running = Boolean(snapshot?.game && !snapshot.game.over);
  const game = Boolean(snapshot?.game);
  const dealt = running && Boolean(snapshot.deal);
  const shape = snapshot?.game?.shape;
  const turnsUp = shape === "partnership" || shape === "call_ace";
  openSheet(say("Menu"),
    group(say("Mend"),
      item(say("The whole record…"), () => historySheet(snapshot), game, "menu-history"),
      item(say("Correct a card…"), () => chooseSheet(snapshot, (play) => mendPlay(snapshot, play)), dealt, "menu-correct"),
      item(say("Who made trump…"), () => declareSheet(snapshot), running && Boolean(snapshot.deal || snapshot.deals?.length), "menu-declare"),
      item(say("Who deals…"), () => dealerSheet(snapshot), running, "menu-dealer")),
    group(say("Say"),
      item(say("Look at the table…"), () => lookSheet(snapshot), game, "menu-look"),
      item(say("A claim…"), () => claimSheet(snapshot), game && Boolean(snapshot.deal || snapshot.deals?.length), "menu-claim"),
      item(say("A hand laid face up…"), () => handSheet(snapshot), game && Boolean(snapshot.deal || snapshot.deals?.length), "menu-hand"),
      item(say("A card laid away…"), () => laidAwaySheet(snapshot), dealt && turnsUp, "menu-away"),
      item(say("A card passed to the lone hand…"), () => passedSheet(snapshot), dealt && snapshot.game.lone_exchange !== "none" && shape === "partnership", "menu-passed"),
      item(say("A card taken back…"), () => takeBackSheet(snapshot), dealt && snapshot.deal.tricks?.some((t) => t.plays.length), "menu-takeback"),
      item(say("The widow was taken…"), () => widowSheet(snapshot), running && shape === "buck", "menu-widow"),
      item(say("A card lies open…"), () => tableCardSheet(snapshot), running && shape === "two_hand", "menu-open"),
      item(say("The trick is swept"), () => done(send({ kind: "clear_trick" })), dealt, "menu-swept"),
      item(say("Throw the deal in…"), () => throwSheet(snapshot), dealt, "menu-throw")),
    group(say("Game"),
      item(say("Adjust the score…"), () => scoreSheet(snapshot), game, "menu-score"),
      item(say("End this game…"), () => endSheet(snapshot), running, "menu-end"),
      item(say("New game…"), () => startSheet(presets), true, "menu-new"),
      whoNow().role === "table" || whoNow().role === "director" ? item(say("A phone for each seat…"), codesSheet, true, "menu-codes") : null,
      el("a", { class: "menu-item", href: "/director", text: say("The director's page") }),
      el("a", { class: "menu-item", href: "/replay", text: say("Earlier games") }),
      el("a", { class: "menu-item", href: "/statistics", text: say("Statistics") }),
      el("a", { class: "menu-item", href: "/shuffle", text: say("Shuffling") }),
      el("a", { class: "menu-item", href: "/keeper", text: say("Score keeper") }),
      el("a", { class: "menu-item", href: "/calibrate", text: say("Camera and seats") }),
      item(say("This device…"), deviceSheet)),
    group(say("This device"),
      item(padOn() ? say("Put the card pad away") : say("Tap the cards in by hand"), () => { setPad(!padOn()); closeSheet(); }, true, "menu-pad")));
}

// ---- a new game ------------------------------------------------------------------------

/** What stands in the fields until somebody types a name: the sides of the table, or numbers. */
const placeholders = (players) => players === 2 ? [SEATS[0], SEATS[2]] : players <= 4 ? SEATS.slice(0, players) : Array.from({ length: players }, (_, i) => say("Player {n}", { n: i + 1 }));
const plainNames = (players) => players === 2 ? [SEAT_KEYS[0], SEAT_KEYS[2]] : players <= 4 ? SEAT_KEYS.slice(0, players) : Array.from({ length: players }, (_, i) => `Player ${i + 1}`);

/** Ruleset, names, dealer: what a game begins with. */
export function startForm(presets, onStarted = () => {}) {
  let known = new Map();
  let chosen = presets[0]?.[0] ?? "home";
  const typed = Array.from({ length: 6 }, () => "");
  const title = el("input", { class: "field", type: "text", maxlength: "60", id: "game-name", autocomplete: "off", placeholder: say("A name for the game, if you like") });
  const seats = el("fieldset", { class: "names" });
  const words = el("details", { class: "rare rules-words" });
  const dealer = el("select", { class: "field", id: "first-dealer" });
  const players = () => known.get(chosen)?.players ?? 4;
  const draw = () => {
    const shown = placeholders(players());
    seats.replaceChildren(el("legend", { text: say("Players, clockwise") }), ...shown.map((place, i) => el("label", { class: `pick at-${i}` }, el("span", { text: place }),
      el("input", { class: "field", type: "text", maxlength: "24", autocomplete: "off", placeholder: place, id: `name-${i}`, value: typed[i], on: { input: (e) => { typed[i] = e.target.value; } } }))));
    const before = dealer.value;
    dealer.replaceChildren(el("option", { value: "", text: say("Seen from the first up-card") }), el("option", { value: "draw", text: say("Drawn from the cards") }),
      ...shown.map((place, i) => el("option", { value: String(i), text: place })));
    dealer.value = before === "draw" || Number(before) < shown.length ? before : "";
    const rules = sayRules(known.get(chosen));
    words.hidden = !rules.length;
    words.replaceChildren(el("summary", { text: say("These rules in words") }), el("ul", { class: "rule-words" }, rules.map((line) => el("li", { text: line }))));
  };
  const rules = presets.map(([name, line], i) => el("label", { class: "rule" },
    el("input", { type: "radio", name: "rules", value: name, checked: i === 0, on: { change: () => { chosen = name; draw(); } } }), el("span", {}, el("b", { text: presetWord(name) }), el("small", { text: presetLine(name) ?? line }))));
  draw();
  // How many sit down and what the rules say comes from the kit; four can be named meanwhile.
  fetch("/api/presets").then((answer) => answer.json()).then((told) => { known = new Map(told.presets.map((p) => [p.name, p])); draw(); }).catch(() => {});
  return el("form", { class: "start", on: { submit: async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const started = await send({
      kind: "start_game", rules: chosen, title: title.value.trim(),
      names: plainNames(players()).map((plain, i) => typed[i].trim() || plain),
      dealer: ["", "draw"].includes(dealer.value) ? null : Number(dealer.value),
    }, { button: form.querySelector("[type=submit]") });
    if (started && dealer.value === "draw") await send({ kind: "draw_dealer" });
    if (started) onStarted();
  } } },
    el("fieldset", { class: "rules" }, el("legend", { text: say("Rules") }), rules), words, seats,
    el("label", { class: "pick" }, el("span", { text: say("First dealer") }), dealer),
    el("label", { class: "pick" }, el("span", { text: say("Title") }), title),
    el("button", { type: "submit", class: "button primary wide", id: "start-game" }, say("Start the game")));
}

/** The kit's own health, from the last beat. */
export function healthSheet({ state, silentS, ageS, health, clockSkewS }) {
  const rows = [
    [say("Connection"), { live: say("live"), polling: say("asking every few seconds: too many pages are open"), lost: say("lost, trying again"), connecting: say("connecting") }[state]],
    [say("Last word from the kit"), agoWord(silentS)],
    [say("Last change at the table"), ageS === null ? say("none yet") : agoWord(ageS)],
  ];
  if (Math.abs(clockSkewS) > 30) rows.push([say("Clocks"), say("this device and the kit differ by {age}", { age: ageWord(Math.abs(clockSkewS)) })]);
  const known = { camera: say("Camera"), frame_age_us: say("Last frame"), fps: say("Frames a second") };
  for (const [key, value] of Object.entries(health ?? {})) {
    if (key === "ok" || key === "warnings" || key === "say_warnings" || value === null) continue;
    const shown = key === "frame_age_us" ? agoWord(value / 1e6) : key === "fps" ? Number(value).toFixed(1) : typeof value === "object" ? JSON.stringify(value) : String(value);
    rows.push([known[key] ?? key.replaceAll("_", " "), shown]);
  }
  openSheet(say("The kit"),
    (health?.warnings ?? []).map((text, i) => el("p", { class: "warning", text: sayIt({ text, say: health.say_warnings?.[i] }) })),
    el("dl", { class: "facts" }, rows.map(([k, v]) => [el("dt", { text: k }), el("dd", { text: v })])),
    el("h3", { text: say("Parts of this kit") }), partsList(),
    el("p", {}, el("a", { href: "/health" }, say("All of it, as JSON"))));
}
