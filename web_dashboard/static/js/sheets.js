// What opens over the page: correcting a card or a line, undo, the menu, starting a game.
import { el } from "./dom.js";
import { chip, face, grid } from "./cards.js";
import { declarePanel, freshChoice, picture } from "./ask.js";
import { send, toast } from "./commands.js";
import { closeSheet, openSheet } from "./sheet.js";
import { SEATS, ageWord, cardWord, seatName } from "./words.js";

const done = async (sent) => { if (await sent) closeSheet(); };
const button = (text, onClick, cls = "", focus = null) =>
  el("button", { type: "button", class: `button ${cls}`, data: { focus }, on: { click: (e) => onClick(e.currentTarget) } }, text);

/** A played card, an up-card or a line of the history: change the card, the seat, or strike it. */
export function correctSheet(snapshot, { version, card = null, seat = null, text, evidence = null, changeable = true, subject = "play" }) {
  const reason = el("input", { type: "text", class: "field", maxlength: "120", placeholder: "Why, if it matters (optional)", aria: { label: "Reason" } });
  const why = () => reason.value.trim() || "corrected on the page";
  const change = (changes) => done(send({ kind: "correct", target: version, reason: why(), looked_at: snapshot.version, ...changes }));
  openSheet(text,
    evidence ? picture(evidence, text) : null,
    changeable ? el("section", { class: "sheet-part" }, el("h3", { text: "It was another card" }), grid((next) => change({ card: next }), { marked: card })) : null,
    changeable && subject === "play" ? el("section", { class: "sheet-part" }, el("h3", { text: "It was another seat" }),
      el("div", { class: "options seats" }, (snapshot.seats ?? []).map((s) =>
        el("button", { type: "button", class: `option side-${s.side}`, aria: { pressed: String(s.seat === seat) }, disabled: s.seat === seat, on: { click: () => change({ seat: s.seat }) } }, s.name)))) : null,
    el("section", { class: "sheet-part" }, el("h3", { text: "It never happened" }),
      button("Take it back", () => change({ strike: true }), "danger", "strike")),
    el("section", { class: "sheet-part" }, reason));
}

// The newest line that stands and is not itself a taking back: undoing goes on to what came before.
const lastStanding = (snapshot) => [...(snapshot.history ?? [])].reverse().find((line) => !line.struck && !line.strikes && line.kind !== "game_started");

/** Undo says what it would take back, and takes back that very line and no other. */
export function undoSheet(snapshot) {
  const line = lastStanding(snapshot);
  if (!line) { toast("There is nothing to take back.", "note"); return; }
  openSheet("Take this back?", el("p", { class: "big-line", text: line.text }),
    el("div", { class: "answer-buttons" },
      button("Take it back", (b) => done(send({ kind: "correct", target: line.version, strike: true, reason: "undo" }, { expectVersion: snapshot.version, button: b })), "primary", "undo-now"),
      button("Keep it", closeSheet)));
}

/** One trick's cards to tap, for those who look for "correct" and not for the card itself. */
export function chooseSheet(snapshot, onCard) {
  const tricks = [...(snapshot.deal?.tricks ?? [])].reverse().filter((t) => t.plays.length);
  openSheet("Which card is wrong?",
    tricks.length ? tricks.map((trick) => el("section", { class: "sheet-part" }, el("h3", { text: `Trick ${trick.number}` }),
      el("div", { class: "choose" }, trick.plays.map((play) => el("button", { type: "button", class: "choose-card", on: { click: () => onCard(play) } },
        play.card ? face(play.card, { label: cardWord(play.card) }) : chip(null), el("span", { text: seatName(snapshot, play.seat) }))))))
      : el("p", { text: "No card has been played in this deal. Lines of the History tab can be corrected too." }));
}

export function declareSheet(snapshot, about = null) {
  const choice = freshChoice();
  const host = el("div", { class: "ask-body" });
  const deals = (snapshot.deals ?? []).map((d) => d.number);
  let deal = about ?? snapshot.deal?.number ?? deals.at(-1) ?? null;
  const draw = () => host.replaceChildren(
    deals.length ? el("label", { class: "pick" }, el("span", { text: "Deal " }), el("select", {
      class: "field", on: { change: (e) => { deal = Number(e.target.value); draw(); } },
    }, [...new Set([...deals, ...(snapshot.deal ? [snapshot.deal.number] : [])])].reverse().map((n) => el("option", { value: String(n), selected: n === deal, text: `${n}${n === snapshot.deal?.number ? " (now)" : ""}` })))) : "",
    declarePanel(snapshot, choice, draw, { deal, onSent: closeSheet }));
  draw();
  openSheet("Who made trump?", host);
}

function playSheet(snapshot) {
  let seat = snapshot.seats?.find((s) => s.turn)?.seat ?? null;
  const host = el("div", { class: "ask-body" });
  const draw = () => host.replaceChildren(
    el("div", { class: "options seats" }, (snapshot.seats ?? []).map((s) => el("button", {
      type: "button", class: `option side-${s.side}`, role: "radio", aria: { checked: String(seat === s.seat) }, on: { click: () => { seat = s.seat; draw(); } } }, s.name))),
    seat === null ? el("p", { text: "Whose card is it?" }) : grid((card) => done(send({ kind: "play_card", seat, card }))));
  draw();
  openSheet("Tap in a card by hand", host);
}

function scoreSheet(snapshot) {
  const fields = (snapshot.sides ?? []).map((s) => el("input", { type: "number", class: "field", value: "0", min: "-20", max: "20", step: "1", inputmode: "numeric", aria: { label: `Points for ${s.name}` } }));
  const reason = el("input", { type: "text", class: "field", maxlength: "120", placeholder: "Why (needed)", aria: { label: "Reason" } });
  openSheet("Adjust the score",
    el("div", { class: "adjust" }, (snapshot.sides ?? []).map((s, i) => el("label", { class: "pick" }, el("span", { text: `${s.name} ` }), fields[i]))), reason,
    button("Adjust", (b) => {
      if (!reason.value.trim()) { toast("Say why the score changes: it stays in the record."); reason.focus(); return; }
      done(send({ kind: "adjust_score", points: fields.map((f) => Number(f.value) || 0), reason: reason.value.trim() }, { expectVersion: snapshot.version, button: b }));
    }, "primary"));
}

const endSheet = (snapshot) => openSheet("End this game?", el("p", { text: "The score stays as it is and the game is closed. It can be looked at under Games." }),
  el("div", { class: "answer-buttons" },
    button("End the game", (b) => done(send({ kind: "end_game", reason: "ended on the page" }, { expectVersion: snapshot.version, button: b })), "danger"),
    button("Play on", closeSheet)));

const throwSheet = (snapshot) => openSheet("Throw this deal in?", el("p", { text: "The deal ends without points." }),
  el("div", { class: "answer-buttons" },
    button("Everybody passed", (b) => done(send({ kind: "throw_in", reason: "passed_out" }, { expectVersion: snapshot.version, button: b })), "primary"),
    button("Misdeal", (b) => done(send({ kind: "throw_in", reason: "misdeal" }, { expectVersion: snapshot.version, button: b }))),
    button("Play on", closeSheet)));

const dealerSheet = (snapshot) => openSheet("Who deals?", el("p", { text: "The present deal, or the next one when none is under way." }),
  el("div", { class: "options seats" }, (snapshot.seats ?? []).map((s) =>
    button(s.name, (b) => done(send({ kind: "name_dealer", dealer: s.seat }, { button: b })), `side-${s.side}`))));

const startSheet = (presets) => openSheet("New game", startForm(presets, closeSheet));

/** Everything that is not needed every minute. */
export function menuSheet(snapshot, presets) {
  const item = (text, open, on = true) => el("button", { type: "button", class: "menu-item", disabled: !on, on: { click: open } }, text);
  const running = Boolean(snapshot?.game && !snapshot.game.over);
  openSheet("Menu",
    el("div", { class: "menu" },
      item("Who made trump…", () => declareSheet(snapshot), running && Boolean(snapshot.deal || snapshot.deals?.length)),
      item("Correct a card…", () => chooseSheet(snapshot, (play) => correctPlay(snapshot, play)), Boolean(snapshot?.deal)),
      item("Tap in a card by hand…", () => playSheet(snapshot), running),
      item("Who deals…", () => dealerSheet(snapshot), running),
      item("Throw the deal in…", () => throwSheet(snapshot), running && Boolean(snapshot.deal)),
      item("The trick is swept", () => done(send({ kind: "clear_trick" })), running && Boolean(snapshot.deal)),
      item("Adjust the score…", () => scoreSheet(snapshot), running),
      item("End this game…", () => endSheet(snapshot), running),
      item("New game…", () => startSheet(presets)),
      el("a", { class: "menu-item", href: "/replay" }, "Earlier games")));
}

export function correctPlay(snapshot, play) {
  correctSheet(snapshot, {
    version: play.version, card: play.card, seat: play.seat, evidence: play.evidence, subject: "play",
    text: play.card ? `${seatName(snapshot, play.seat)} played the ${cardWord(play.card)}` : `${seatName(snapshot, play.seat)} played a card nobody could read`,
    changeable: Boolean(play.card),
  });
}

export function correctLine(snapshot, line) {
  const subject = line.kind === "upcard_shown" ? "upcard" : "play";
  correctSheet(snapshot, { version: line.version, card: line.card, seat: line.seat, text: line.text, subject, changeable: ["card_played", "upcard_shown"].includes(line.kind) });
}

export function correctUpcard(snapshot, upcard) {
  correctSheet(snapshot, { version: upcard.version, card: upcard.card, text: `The up-card: ${cardWord(upcard.card)}`, subject: "upcard" });
}

/** Ruleset, names, dealer: what a game begins with. */
export function startForm(presets, onStarted = () => {}) {
  const names = SEATS.map((seat, i) => el("input", { class: "field", type: "text", maxlength: "24", autocomplete: "off", placeholder: seat, id: `name-${i}` }));
  const rules = presets.map(([name, title], i) => el("label", { class: "rule" },
    el("input", { type: "radio", name: "rules", value: name, checked: i === 0 }), el("span", {}, el("b", { text: name.replaceAll("_", " ") }), el("small", { text: title.startsWith(`${name}: `) ? title.slice(name.length + 2) : title }))));
  const dealer = el("select", { class: "field", id: "first-dealer" }, el("option", { value: "", text: "Seen from the first up-card" }),
    SEATS.map((seat, i) => el("option", { value: String(i), text: seat })));
  return el("form", { class: "start", on: { submit: async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const started = await send({
      kind: "start_game",
      rules: form.querySelector("input[name=rules]:checked")?.value ?? presets[0]?.[0] ?? "home",
      names: names.map((field, i) => field.value.trim() || SEATS[i]),
      dealer: dealer.value === "" ? null : Number(dealer.value),
    }, { button: form.querySelector("[type=submit]") });
    if (started) onStarted();
  } } },
    el("fieldset", { class: "rules" }, el("legend", { text: "Rules" }), rules),
    el("fieldset", { class: "names" }, el("legend", { text: "Players" }), SEATS.map((seat, i) =>
      el("label", { class: `pick at-${i}` }, el("span", { text: seat }), names[i]))),
    el("label", { class: "pick" }, el("span", { text: "First dealer" }), dealer),
    el("button", { type: "submit", class: "button primary wide", id: "start-game" }, "Start the game"));
}

/** The kit's own health, from the last beat. */
export function healthSheet({ state, silentS, ageS, health, clockSkewS }) {
  const rows = [
    ["Connection", { live: "live", polling: "asking every few seconds: too many pages are open", lost: "lost, trying again", connecting: "connecting" }[state]],
    ["Last word from the kit", `${ageWord(silentS)}${silentS < 1.5 ? "" : " ago"}`],
    ["Last change at the table", ageS === null ? "none yet" : ageS < 1.5 ? "now" : `${ageWord(ageS)} ago`],
  ];
  if (Math.abs(clockSkewS) > 30) rows.push(["Clocks", `this device and the kit differ by ${ageWord(Math.abs(clockSkewS))}`]);
  const known = { camera: "Camera", frame_age_us: "Last frame", fps: "Frames a second" };
  for (const [key, value] of Object.entries(health ?? {})) {
    if (key === "ok" || key === "warnings" || value === null) continue;
    const shown = key === "frame_age_us" ? `${ageWord(value / 1e6)}${value < 1.5e6 ? "" : " ago"}` : key === "fps" ? Number(value).toFixed(1) : typeof value === "object" ? JSON.stringify(value) : String(value);
    rows.push([known[key] ?? key.replaceAll("_", " "), shown]);
  }
  openSheet("The kit",
    (health?.warnings ?? []).map((w) => el("p", { class: "warning", text: w })),
    el("dl", { class: "facts" }, rows.map(([k, v]) => [el("dt", { text: k }), el("dd", { text: v })])),
    el("p", {}, el("a", { href: "/health" }, "All of it, as JSON")));
}
