// Mending what was recorded: a card, a seat, a call, a declaration, the place of a line, of this
// deal or an earlier one. Every change goes with a reason, and with who says so.
import { el } from "../dom.js";
import { grid } from "../cards.js";
import { declarePanel, freshChoice, picture } from "../ask.js";
import { send, toast } from "../commands.js";
import { closeSheet, openSheet } from "../sheet.js";
import { seatRow } from "./pick.js";
import { SUIT_WORD, cardWord, nameWord, plural, say, sayIt, sayWhy, seatName } from "../words.js";

/** A line of the record as it stands, in words. */
export const lineWord = (line) => line.now ? sayIt({ text: line.now, say: line.say_now }) : sayIt(line);

const button = (text, onClick, { cls = "", focus = null, disabled = false } = {}) =>
  el("button", { type: "button", class: `button ${cls}`, data: { focus }, disabled, on: { click: (e) => onClick(e.currentTarget) } }, text);
const part = (title, ...children) => el("section", { class: "sheet-part" }, el("h3", { text: title }), ...children);

// ---- why, and who says so --------------------------------------------------------------

/** The two fields every change is asked for. `words()` is what goes into the record. */
function because(snapshot) {
  const why = el("input", { type: "text", class: "field", id: "mend-why", maxlength: "120", placeholder: say("Why, if it matters (optional)"), aria: { label: say("Reason") } });
  const who = el("select", { class: "field", id: "mend-who", aria: { label: say("Who says so") } },
    el("option", { value: "", text: say("The table says so") }),
    (snapshot.seats ?? []).map((s) => el("option", { value: nameWord(s.name), text: say("{name} says so", { name: nameWord(s.name) }) })));
  return {
    node: el("section", { class: "sheet-part because" }, el("label", { class: "pick" }, el("span", { text: say("Why") }), why), el("label", { class: "pick" }, el("span", { text: say("Who") }), who)),
    words: (fallback = say("corrected on the page")) => who.value ? `${who.value}: ${why.value.trim() || fallback}` : why.value.trim() || fallback,
    given: () => Boolean(why.value.trim()),
    focus: () => why.focus(),
  };
}

// ---- two tablets at once ---------------------------------------------------------------

/**
 * Somebody was quicker: what they did, what was meant here, and the choice between the two. The
 * edit is kept until one is taken. `again(control)` sends it once more whatever was done.
 */
export function staleSheet(told, wanted, again, then = () => {}) {
  openSheet(say("Somebody was quicker"),
    el("p", { text: say("While this was open, another tablet or the camera changed the record:") }),
    el("ul", { class: "meanwhile" }, (told.meanwhile?.length ? told.meanwhile.map((text, i) => sayIt({ text, say: told.say_meanwhile?.[i] })) : [sayWhy(told)]).map((line) => el("li", { text: line }))),
    el("p", {}, el("b", { text: say("Your change, not recorded yet:") }), " ", el("span", { class: "wanted", text: wanted })),
    el("div", { class: "answer-buttons" },
      button(say("Change it all the same"), async (b) => { if (await again(b)) { closeSheet(); then(); } }, { cls: "primary", focus: "all-the-same" }),
      button(say("Leave it as it is now"), () => { closeSheet(); then(); }, { focus: "leave-it" })));
}

/** Send a change of one fact; when it comes too late, ask instead of losing it. */
async function change(command, { button: control = null, lookedAt, wanted, then }) {
  const sent = await send({ ...command, looked_at: lookedAt }, {
    button: control,
    onRefused: (told) => {
      if (told.code !== "stale") return false;
      staleSheet(told, wanted, (b) => send(command, { button: b }), then);
      return true;
    },
  });
  if (sent) { closeSheet(); toast(say("Changed: {what}", { what: wanted }), "note"); then(); }
  return sent;
}

// ---- one line --------------------------------------------------------------------------

const CALLS = [["pass", () => say("Pass")], ["order_up", () => say("Order up")], ["pick_up", () => say("Pick up")], ["name", () => say("Name a suit")]];
const CARD_AND_SEAT = ["card_played", "table_card_shown"];
const cardPart = (snapshot, card, title, onPick) => part(title, grid(onPick, { marked: card, pack: snapshot.game?.pack }));
const seatPart = (snapshot, seat, title, onPick) => part(title, seatRow(snapshot, { chosen: seat, label: title, onPick, role: "button", name: "mend-seat" }));

/** What a fact of each kind can be changed to. `put(changes, words)` sends it. */
function ways(snapshot, fact, put) {
  const name = (seat) => seatName(snapshot, seat);
  const instead = (replacement, words) => put({ replacement: { ...fact, ...replacement } }, words);
  switch (fact?.kind) {
    case "card_played": case "table_card_shown": return [
      cardPart(snapshot, fact.card, say("It was another card"), (card) => put({ card }, `${name(fact.seat)}: ${cardWord(card)}`)),
      seatPart(snapshot, fact.seat, say("It was another seat"), (seat) => put({ seat }, `${name(seat)}: ${cardWord(fact.card)}`))];
    case "upcard_shown": return [
      cardPart(snapshot, fact.card, say("It was another card"), (card) => put({ card }, `${say("Up-card")}: ${cardWord(card)}`)),
      seatPart(snapshot, fact.dealer, say("Somebody else dealt"), (seat) => put({ seat }, say("{name} dealt", { name: name(seat) })))];
    case "ace_called": return [cardPart(snapshot, fact.card, say("It was another card"), (card) => instead({ card }, cardWord(card)))];
    case "dealer_named": return [seatPart(snapshot, fact.dealer, say("Somebody else dealt"), (seat) => put({ seat }, say("{name} dealt", { name: name(seat) })))];
    case "upcard_taken": return [part(say("It was turned down"), button(say("Turned down"), () => put({ replacement: { kind: "upcard_turned_down" } }, say("Turned down")), { focus: "mend-turned" }))];
    case "upcard_turned_down": return [part(say("It was taken up"), button(say("Taken up"), () => put({ replacement: { kind: "upcard_taken" } }, say("Taken up")), { focus: "mend-taken" }))];
    case "declared": return [declaredPart(snapshot, fact, instead)];
    case "called": return calledParts(snapshot, fact, instead);
    case "tricks_bid": return [
      part(say("It was another bid"), el("div", { class: "options bids" }, Array.from({ length: snapshot.game?.hand_size ?? 5 }, (_, i) => el("button", { type: "button", class: "option", aria: { pressed: String(fact.tricks === i + 1) }, data: { focus: `mend-bid-${i + 1}` }, on: { click: () => instead({ tricks: i + 1 }, plural(i + 1, "bid of {n} trick", "bid of {n} tricks")) } }, String(i + 1))))),
      seatPart(snapshot, fact.seat, say("It was another seat"), (seat) => instead({ seat }, name(seat)))];
    case "stayed": case "dropped": return [
      part(say("It was the other way"), button(fact.kind === "stayed" ? say("Drops") : say("Stays"), () => put({ replacement: { kind: fact.kind === "stayed" ? "dropped" : "stayed", seat: fact.seat } }, fact.kind === "stayed" ? say("{name} drops", { name: name(fact.seat) }) : say("{name} stays", { name: name(fact.seat) })), { focus: "mend-other" })),
      seatPart(snapshot, fact.seat, say("It was another seat"), (seat) => instead({ seat }, name(seat)))];
    case "discarded": case "widow_swapped": case "pack_shuffled": return [
      // What was laid away unseen is told to nobody here, and so not sent back either.
      seatPart(snapshot, fact.seat, say("It was another seat"), (seat) => (fact.kind !== "widow_swapped" ? put({ seat }, name(seat)) : instead({ seat }, name(seat))))];
    case "deal_thrown_in": return [part(say("For another reason"), el("div", { class: "answer-buttons" }, THROWN.map(([reason, word]) => button(word(), () => instead({ reason }, word()), { focus: `mend-throw-${reason}`, disabled: fact.reason === reason }))))];
    case "finding_ruled": return [part(say("Rule the other way"), button(fact.ruling === "uphold" ? say("Dismiss") : say("Uphold"), () => instead({ ruling: fact.ruling === "uphold" ? "dismiss" : "uphold" }, fact.ruling === "uphold" ? say("Dismiss") : say("Uphold")), { focus: "mend-ruling" }))];
    case "score_adjusted": return [pointsPart(snapshot, fact, instead)];
    default: return [];
  }
}

/** Why a deal may be thrown in. */
export const THROWN = [["passed_out", () => say("Everybody passed")], ["misdeal", () => say("Misdeal")], ["redeal", () => say("Deal again, same dealer")], ["abandoned", () => say("Abandoned")]];

function declaredPart(snapshot, fact, instead) {
  const choice = freshChoice(fact);
  const host = el("div", {});
  const draw = () => host.replaceChildren(declarePanel(snapshot, choice, draw, {
    deal: fact.deal,
    submit: (declared) => instead(declared, `${seatName(snapshot, declared.maker)}, ${SUIT_WORD[declared.trump]}`),
  }));
  draw();
  return part(say("It was declared otherwise"), host);
}

function calledParts(snapshot, fact, instead) {
  const suits = snapshot.game?.trumps ?? [];
  const name = seatName(snapshot, fact.seat);
  const told = (call, suit) => `${name}: ${CALLS.find(([id]) => id === call)[1]()}${suit ? ` ${SUIT_WORD[suit]}` : ""}`;
  return [
    part(say("It was another call"), el("div", { class: "answer-buttons" },
      CALLS.filter(([id]) => id !== "name" && id !== fact.call).map(([id, word]) => button(word(), () => instead({ call: id, suit: null, alone: id === "pass" ? false : fact.alone }, told(id)), { focus: `mend-call-${id}` })),
      suits.filter((suit) => suit !== fact.suit).map((suit) => button(SUIT_WORD[suit], () => instead({ call: "name", suit }, told("name", suit)), { focus: `mend-name-${suit}` })))),
    fact.call === "pass" ? null : part(say("Alone"), button(fact.alone ? say("With partner after all") : say("It was alone"), () => instead({ alone: !fact.alone }, fact.alone ? say("With partner") : say("Alone")), { focus: "mend-alone" })),
    seatPart(snapshot, fact.seat, say("It was another seat"), (seat) => instead({ seat }, seatName(snapshot, seat)))];
}

function pointsPart(snapshot, fact, instead) {
  const fields = (snapshot.sides ?? []).map((s, i) => el("input", { type: "number", class: "field", value: String(fact.points?.[i] ?? 0), min: "-40", max: "40", step: "1", aria: { label: say("Points for {side}", { side: s.name }) } }));
  return part(say("Other points"), el("div", { class: "adjust" }, fields), button(say("Change the points"), () => {
    const points = fields.map((f) => Number(f.value) || 0);
    return instead({ points }, points.join(", "));
  }, { focus: "mend-points" }));
}

/**
 * One line of the record and everything it can become. `line`: version, text and, where known,
 * fact and evidence; `around` holds the lines of its deal, for putting it elsewhere.
 */
export function mendSheet(snapshot, line, { around = [], then = () => {} } = {}) {
  const reasons = because(snapshot);
  const lookedAt = line.lookedAt ?? snapshot.version;
  const put = (changes, wanted, control = null) => change({ kind: "correct", target: line.version, reason: reasons.words(), ...changes }, { button: control, lookedAt, wanted, then });
  const { fact } = line;
  const first = fact?.kind === "game_started";
  const open = fact?.kind === "review_raised";
  openSheet(lineWord(line),
    line.evidence ? picture(line.evidence, lineWord(line)) : null,
    line.mends?.length ? el("ul", { class: "mends" }, line.mends.map((m) => el("li", { class: m.stands ? "" : "struck", text: `${sayIt(m)} · ${m.source}` }))) : null,
    open ? el("p", { text: say("This card is still in doubt: answer the question on the board first.") }) : null,
    reasons.node,
    ways(snapshot, fact, put),
    first ? startParts(snapshot, fact, put) : null,
    first ? null : part(say("It never happened"), button(say("Take it back"), (b) => put({ strike: true }, say("taken back: {what}", { what: lineWord(line) }), b), { cls: "danger", focus: "strike" })),
    around.length > 1 && fact && !first ? placePart(line, around, reasons, then) : null,
    around.length && !first ? missedPart(snapshot, line, reasons, then) : null);
}

// ---- the start of the game -------------------------------------------------------------

function startParts(snapshot, fact, put) {
  const names = fact.names.map((name, i) => el("input", { class: "field", type: "text", maxlength: "24", value: name, aria: { label: say("Name of player {n}", { n: i + 1 }) } }));
  const presets = JSON.parse(document.body.dataset.presets || "[]");
  const rules = el("select", { class: "field", id: "mend-rules", aria: { label: say("Rules") } }, presets.map(([name]) => el("option", { value: name, selected: name === fact.rules?.preset, text: name.replaceAll("_", " ") })));
  return [
    part(say("Names"), el("div", { class: "adjust" }, names), button(say("Change the names"), (b) => put({ replacement: { ...fact, names: names.map((f, i) => f.value.trim() || fact.names[i]) } }, names.map((f) => f.value).join(", "), b), { focus: "mend-names" })),
    presets.length ? part(say("Rules"), el("p", { text: say("Another set of rules judges the whole game anew.") }), rules, button(say("Change the rules"), (b) => put({ rules: rules.value }, rules.value.replaceAll("_", " "), b), { focus: "mend-rules-now" })) : null];
}

// ---- another place, or something that was missed ---------------------------------------

function placePart(line, around, reasons, then) {
  const others = around.filter((o) => !o.struck && o.version !== line.version);
  const where = el("select", { class: "field", id: "mend-place", aria: { label: say("Before") } }, others.map((o) => el("option", { value: String(o.version), text: lineWord(o) })));
  if (!others.length) return null;
  return part(say("It happened elsewhere"), el("label", { class: "pick" }, el("span", { text: say("Before") }), where),
    button(say("Put it there"), async (b) => {
      if (await send({ kind: "move", target: line.version, before: Number(where.value), reason: reasons.words(say("moved on the page")) }, { button: b })) { closeSheet(); then(); }
    }, { focus: "move-now" }));
}

function missedPart(snapshot, line, reasons, then) {
  return part(say("Something was missed before this"), button(say("Put in what was missed…"), () => missedSheet(snapshot, { before: line.version, text: lineWord(line), reason: reasons.words(say("missed by the camera")), then }), { focus: "missed" }));
}

/** A card, a swept trick, an up-card: what nobody recorded, right before the line `before`. */
export function missedSheet(snapshot, { before, text, reason, then = () => {} }) {
  let seat = null;
  const host = el("div", { class: "sheet-part" });
  const insert = async (fact, control = null) => {
    if (await send({ kind: "insert", before, fact, reason }, { button: control })) { closeSheet(); then(); }
  };
  const shape = snapshot.game?.shape;
  const draw = () => host.replaceChildren(
    el("h3", { text: say("A card was played") }),
    seatRow(snapshot, { chosen: seat, label: say("Whose card is it?"), onPick: (next) => { seat = next; draw(); }, name: "missed-seat" }),
    seat === null ? el("p", { text: say("Whose card is it?") }) : grid((card) => insert({ kind: "card_played", seat, card }), { pack: snapshot.game?.pack }));
  draw();
  openSheet(say("Missed before: {what}", { what: text }), host,
    part(say("Something else"), el("div", { class: "answer-buttons" },
      button(say("The trick was swept"), (b) => insert({ kind: "trick_cleared" }, b), { focus: "missed-swept" }),
      shape === "partnership" || shape === "call_ace" ? button(say("A card was turned up…"), () => upcardSheet(snapshot, insert), { focus: "missed-upcard" }) : null,
      button(say("The deal was thrown in"), (b) => insert({ kind: "deal_thrown_in", reason: "passed_out" }, b), { focus: "missed-throw" }))));
}

function upcardSheet(snapshot, insert) {
  let dealer = null;
  const host = el("div", { class: "sheet-part" });
  const draw = () => host.replaceChildren(
    seatRow(snapshot, { chosen: dealer, label: say("Who dealt"), onPick: (next) => { dealer = next; draw(); }, name: "missed-dealer" }),
    grid((card) => insert({ kind: "upcard_shown", card, dealer }), { pack: snapshot.game?.pack }));
  draw();
  openSheet(say("Which card was turned up?"), host);
}

// ---- shortcuts from the board ----------------------------------------------------------

/** A played card, as the board knows it. */
export function mendPlay(snapshot, play) {
  const name = seatName(snapshot, play.seat);
  mendSheet(snapshot, {
    version: play.version, evidence: play.evidence,
    text: play.card ? say("{name} played the {card}", { name, card: cardWord(play.card) }) : say("{name} played a card nobody could read", { name }),
    fact: play.card ? { kind: "card_played", seat: play.seat, card: play.card } : null,
  });
}

export function mendUpcard(snapshot, up) {
  mendSheet(snapshot, { version: up.version, text: say("The up-card: {card}", { card: cardWord(up.card) }), fact: { kind: "upcard_shown", card: up.card, dealer: snapshot.deal?.dealer ?? null } });
}

/** An open card on the table of the game for two. */
export function mendTableCard(snapshot, card) {
  mendSheet(snapshot, {
    version: card.version, text: say("{card}, open before {name}", { card: cardWord(card.card), name: seatName(snapshot, card.seat) }),
    fact: card.card ? { kind: "table_card_shown", seat: card.seat, card: card.card } : null,
  });
}

export const isPlay = (kind) => CARD_AND_SEAT.includes(kind);
