// A seat's own page, for a phone: what this seat may say now, in large buttons, and how it stands.
// It gets the same snapshots as every page; nothing that another seat may not see is among them.
import { codeBox, onMe } from "./access.js";
import { announcer, lookAsked } from "./announce.js";
import { pickCard, seatRow } from "./boards/pick.js";
import { chip, face, suitSign } from "./cards.js";
import { ask, send } from "./commands.js";
import { el, paint, unpaint } from "./dom.js";
import { closeSheet, openSheet } from "./sheet.js";
import { openStream } from "./stream.js";
import { SUITS, SUIT_NAME, SUIT_WORD, cardWord, nameWord, plural, say, sayIt, seatName } from "./words.js";

const $ = (id) => document.getElementById(id);
const seat = Number(document.body.dataset.seat);
const heartbeatS = Number(document.body.dataset.heartbeatS) || 10;

let snapshot = null;
let who = { role: "watch", seat: null };
let shuffle = null;
let camera = true;
const choice = { alone: false, trump: null, made: false };

const mine = () => who.role === "table" || who.role === "director" || (who.role === "seat" && who.seat === seat);
const me = () => snapshot?.seats?.find((s) => s.seat === seat) ?? null;
const big = (content, onClick, { cls = "", focus, label = null, disabled = false } = {}) => el("button", {
  type: "button", class: `button big ${cls}`, data: { focus }, aria: { label }, disabled, on: { click: (event) => onClick(event.currentTarget) } }, content);
const tell = (command) => (control) => send(command, { button: control });
const group = (title, ...children) => el("div", { class: "seat-group" }, title ? el("h2", { text: title }) : null, children);

// ---- how it stands ---------------------------------------------------------------------

function drawStand() {
  const { game, deal, sides = [] } = snapshot;
  paint($("stand"), [game, sides, deal && [deal.number, deal.trump, deal.maker, deal.alone, deal.dealer, deal.result, deal.points], snapshot.seats], () => {
    if (!game?.id) return el("p", { class: "empty", text: say("No game is on the table. It is begun on the shared tablet.") });
    const own = me();
    const line = (s) => el("span", { class: `stand-side side-${s.side}${own?.side === s.side ? " own" : ""}` },
      el("span", { class: "stand-name", text: own?.side === s.side && sides.length === 2 ? say("We") : sides.length === 2 ? say("They") : nameWord(s.name) }),
      el("b", { class: "stand-points", text: String(s.score) }), el("span", { class: "stand-tricks", text: plural(s.tricks ?? 0, "{n} trick", "{n} tricks") }));
    const ours = own ? [...sides].sort((a, b) => (b.side === own.side) - (a.side === own.side)) : sides;
    const made = deal?.maker ?? null;
    return [el("div", { class: "stand-score" }, ours.map(line)),
      el("p", { class: "stand-trump" }, deal?.trump ? [suitSign(deal.trump, "stand-sign"), el("span", { text: made === null
        ? say("{suit} are trump", { suit: SUIT_WORD[deal.trump] })
        : say("{suit} are trump, made by {name}", { suit: SUIT_WORD[deal.trump], name: made === seat ? say("you") : seatName(snapshot, made) }) }),
      deal.alone?.length ? el("span", { class: "tag alone", text: say("alone: {names}", { names: deal.alone.map((s) => seatName(snapshot, s)).join(", ") }) }) : null]
        : el("span", { text: game.over ? say("The game is over") : deal ? say("Trump is not named yet") : say("Between two deals") }))];
  });
}

function drawLying() {
  const trick = snapshot.deal?.tricks?.at(-1);
  const plays = trick && !trick.cleared ? trick.plays : [];
  const up = snapshot.deal?.upcard;
  paint($("lying"), [plays, up, snapshot.seats?.map((s) => [s.name, s.turn])], () => {
    const cards = plays.map((play) => el("figure", { class: `lay${play.last ? " last" : ""}` },
      play.card ? face(play.card) : chip(null),
      el("figcaption", { text: play.seat === seat ? say("you") : seatName(snapshot, play.seat) })));
    if (!cards.length && up?.card && up.state === "shown") {
      cards.push(el("figure", { class: "lay" }, face(up.card), el("figcaption", { text: say("up-card") })));
    }
    return cards.length ? el("div", { class: "lays" }, cards) : null;
  });
}

// ---- what this seat may say ------------------------------------------------------------

const CALL_WORD = { pass: say("Pass"), order_up: say("Order up"), pick_up: say("Pick it up") };

function aloneBox() {
  return el("label", { class: "check big-check" }, el("input", { type: "checkbox", checked: choice.alone, data: { focus: "alone" }, on: { change: (event) => { choice.alone = event.target.checked; redraw(); } } }),
    el("span", { text: say("I play alone") }));
}

/** The words of the bidding that are this seat's to say now. */
function callsOf() {
  const offers = (snapshot.offers ?? []).filter((o) => o.seat === seat);
  const due = snapshot.ask?.seat ?? null;
  if (!offers.length || (due !== null && due !== seat)) return null;
  const calls = offers.filter((o) => o.kind === "call");
  const mayAlone = snapshot.game?.alone_by !== "nobody" && calls.some((o) => o.call !== "pass");
  const take = (offer) => async (control) => {
    const command = offer.kind === "call" ? { ...offer, alone: offer.call !== "pass" && mayAlone && choice.alone } : offer;
    if (await send(command, { button: control })) choice.alone = false;
  };
  const plain = calls.filter((o) => o.call !== "name");
  const names = calls.filter((o) => o.call === "name");
  const bids = offers.filter((o) => o.kind === "bid_tricks");
  const rest = offers.filter((o) => ["stay", "drop", "swap_widow"].includes(o.kind));
  const REST = { stay: say("I stay"), drop: say("I drop"), swap_widow: say("I take the widow") };
  return group(say("You speak"),
    el("div", { class: "bigs" }, plain.map((o) => big(CALL_WORD[o.call], take(o), { focus: `call-${o.call}`, cls: o.call === "pass" ? "" : "primary" }))),
    bids.length ? el("div", { class: "bigs bids" }, bids.map((o) => big(String(o.tricks), take(o), { focus: `bid-${o.tricks}`, label: plural(o.tricks, "I bid {n} trick", "I bid {n} tricks") }))) : null,
    names.length ? el("div", { class: "bigs suits" }, names.map((o) => big([suitSign(o.suit), el("span", { text: SUIT_WORD[o.suit] })], take(o), { focus: `name-${o.suit}` }))) : null,
    rest.length ? el("div", { class: "bigs" }, rest.map((o) => big(REST[o.kind], take(o), { focus: o.kind }))) : null,
    mayAlone ? aloneBox() : null);
}

/** "I made it": one tap for those who do not tell every pass; also late, while cards lie there. */
function madeOf() {
  const { deal, game } = snapshot;
  if (!deal || deal.points || (deal.maker !== null && deal.maker !== undefined && deal.maker !== seat)) return null;
  if (game.shape === "buck" || game.shape === "call_ace") return null;
  const trumps = [...SUITS, "n"].filter((suit) => (game.trumps ?? SUITS).includes(suit));
  const own = deal.maker === seat;
  const up = deal.upcard?.state === "shown" ? deal.upcard.card?.[1] : null;
  const panel = [el("div", { class: "bigs suits" }, trumps.map((suit) => big([suitSign(suit), el("span", { text: SUIT_WORD[suit] }), up === suit ? el("small", { text: say("up-card") }) : null], async (control) => {
    const command = { kind: "declare", maker: seat, trump: suit, alone: choice.alone ? seat : null, deal: deal.number };
    if (await send(command, { button: control })) { choice.alone = false; choice.made = false; redraw(); }
  }, { focus: `made-${suit}`, label: choice.alone ? say("I made {suit}, alone", { suit: SUIT_NAME[suit] }) : say("I made {suit}", { suit: SUIT_NAME[suit] }) }))),
  game.alone_by === "nobody" ? null : aloneBox()];
  if (!own && !callsOf()) return group(say("I made trump"), panel);
  return el("details", { class: "seat-group rare", open: choice.made, on: { toggle: (event) => { choice.made = event.target.open; } } },
    el("summary", { text: own ? say("Change what I made") : say("I made trump") }), panel);
}

function remindersOf() {
  const asked = snapshot.ask;
  const deal = snapshot.deal;
  const parts = [];
  if (deal?.upcard?.state === "shown" && deal.dealer === seat && (snapshot.offers ?? []).some((o) => o.kind === "take_upcard") && deal.maker === null) {
    parts.push(group(say("You deal"), el("div", { class: "bigs" },
      big(say("I take the up-card"), tell({ kind: "take_upcard" }), { focus: "take" }), big(say("It is turned down"), tell({ kind: "turn_down_upcard" }), { focus: "down" }))));
  }
  if (asked?.kind === "discard" && asked.seat === seat) {
    parts.push(group(say("Lay one card away before the first lead"), big(say("Done, it is laid away"), tell({ kind: "discard", seat }), { cls: "primary", focus: "discard" })));
  }
  if (asked?.kind === "exchange" && asked.seat === seat) {
    parts.push(group(sayIt(asked), el("div", { class: "bigs" }, big(say("Passed and kept"), tell({ kind: "pass_card", seat, kept: true }), { focus: "kept" }), big(say("Passed and refused"), tell({ kind: "pass_card", seat, kept: false }), { focus: "refused" }))));
  }
  if (asked?.kind === "ace" && deal?.maker === seat) {
    parts.push(group(sayIt(asked), el("div", { class: "bigs" }, (snapshot.offers ?? []).filter((o) => o.kind === "call_ace").map((o) => big(chip(o.card), tell(o), { focus: `ace-${o.card}`, label: cardWord(o.card) })))));
  }
  if (asked?.kind === "confirm") {
    parts.push(group(sayIt(asked), big([el("span", { class: "thumb", text: "👍", aria: { hidden: "true" } }), say("Yes, mark it")], tell({ kind: "confirm_deal", deal: asked.deal ?? null }), { cls: "primary", focus: "confirm" })));
  }
  for (const review of snapshot.reviews ?? []) {
    if (review.seat !== seat || !review.candidates?.length) continue;
    parts.push(group(sayIt(review), el("div", { class: "answers" }, review.candidates.slice(0, 3).map(([card]) => el("button", {
      type: "button", class: "answer card-answer", data: { focus: `review-${review.id}-${card}` }, aria: { label: say("It is the {card}", { card: cardWord(card) }) },
      on: { click: (event) => send({ kind: "answer_review", review: review.id, card }, { button: event.currentTarget }) } }, face(card, { label: "" })))),
    el("p", { class: "note", text: say("Another card is tapped in on the shared tablet.") })));
  }
  return parts;
}

/** At the end both sides say that the score is right. */
function agreeOf() {
  const { game, sides = [] } = snapshot;
  if (!game?.over) return null;
  const agreed = game.confirmed ?? [];
  const own = me()?.side ?? null;
  const states = sides.map((s) => el("li", { class: agreed.includes(s.side) ? "yes" : "" }, el("span", { aria: { hidden: "true" }, text: agreed.includes(s.side) ? "👍 " : "… " }),
    agreed.includes(s.side) ? say("{name}: confirmed", { name: nameWord(s.name) }) : say("{name}: not confirmed yet", { name: nameWord(s.name) })));
  const winner = sides.find((s) => s.side === game.winner);
  return group(winner ? say("{name}: won, {score}", { name: nameWord(winner.name), score: sides.map((s) => s.score).join("–") }) : say("The game is over, {score}", { score: sides.map((s) => s.score).join("–") }),
    agreed.includes(own) ? null : big([el("span", { class: "thumb", text: "👍", aria: { hidden: "true" } }), say("The score is right")], tell({ kind: "confirm_game", seat }), { cls: "primary", focus: "agree" }),
    el("ul", { class: "agreed" }, states));
}

function shuffleOf() {
  if (!snapshot.game?.id || snapshot.game.over) return null;
  const between = !snapshot.deal || Boolean(snapshot.deal.points);
  if (!shuffle?.fitted) {
    if (!between || snapshot.game.dealer !== seat || snapshot.ask?.kind === "confirm") return null;
    return group(say("You deal next"), big(say("I shuffled by hand"), (control) => ask("/api/shuffle", { do: "by_hand", seat, passes: 3 }, { button: control }), { focus: "by-hand" }));
  }
  const lit = (shuffle.may_start ?? []).includes(seat);
  const works = shuffle.seat === seat && !["idle", "done"].includes(shuffle.phase);
  if (!lit && !works && !(between && snapshot.game.dealer === seat)) return null;
  return group(say("Shuffler"), el("p", { class: "seat-text", text: sayIt(shuffle) }),
    el("div", { class: "bigs" },
      big(say("Start the shuffler"), (control) => ask("/api/shuffle", { do: "start", seat }, { button: control }), { cls: lit ? "primary lit" : "", focus: "shuffle", disabled: !lit }),
      works ? big(say("Stop"), (control) => ask("/api/shuffle", { do: "stop" }, { button: control }), { cls: "danger", focus: "stop" }) : null),
    !lit && shuffle.refused ? el("p", { class: "note", text: shuffle.refused }) : null);
}

function drawMine() {
  const own = me();
  paint($("mine"), [snapshot.version, mine(), who, shuffle, choice, own], () => {
    if (!mine()) {
      return group(say("This page only watches"),
        el("p", { text: who.role === "seat" ? say("This phone acts for {name}.", { name: seatName(snapshot, who.seat) }) : say("To act for {name}, scan this seat's code from the shared tablet, or type it here.", { name: seatName(snapshot, seat) }) }),
        codeBox((go) => { if (go && go !== location.pathname) location.assign(go); }));
    }
    if (!own) return snapshot.game?.id ? el("p", { class: "empty", text: say("Nobody sits here in this game.") }) : null;
    const asked = snapshot.ask;
    const parts = [shuffleOf(), ...remindersOf(), agreeOf(), callsOf(), madeOf()].filter(Boolean);
    const head = own.turn ? el("p", { class: "seat-ask turn", text: say("You are to play") })
      : asked && !["confirm", "exchange", "ace"].includes(asked.kind) ? el("p", { class: "seat-ask", text: sayIt(asked) }) : null;
    return [head, parts.length || head ? parts : el("p", { class: "empty", text: say("Nothing to say now.") })];
  });
}

// ---- more ------------------------------------------------------------------------------

function claimSheet() {
  const state = { accused: null, trick: null };
  const host = el("div", { class: "ask-body" });
  const tricks = (snapshot.deal?.tricks ?? []).filter((t) => t.plays.length);
  const draw = () => host.replaceChildren(
    el("p", { text: say("Who did not follow suit?") }),
    seatRow(snapshot, { chosen: state.accused, label: say("Who did not follow suit?"), without: seat, onPick: (next) => { state.accused = next; draw(); } }),
    el("p", { text: say("In which trick?") }),
    el("div", { class: "options", role: "radiogroup", aria: { label: say("In which trick?") } }, [null, ...tricks.map((t) => t.number)].map((n) => el("button", {
      type: "button", class: "option", role: "radio", aria: { checked: String(state.trick === n) }, data: { trick: n ?? "any" }, on: { click: () => { state.trick = n; draw(); } } }, n === null ? say("I do not know") : String(n)))),
    el("button", { type: "button", class: "button primary wide", id: "claim-now", disabled: state.accused === null, on: { click: async (event) => {
      if (await send({ kind: "claim", seat: state.accused, offence: "revoke", by: seat, trick: state.trick }, { button: event.currentTarget })) closeSheet();
    } } }, say("Claim a revoke")),
    el("p", { class: "note", text: say("The kit says what the cards prove. Nobody is accused in public before that.") }));
  draw();
  openSheet(say("Claim a revoke"), host);
}

function drawMore() {
  const running = Boolean(snapshot.game?.id && !snapshot.game.over);
  const played = Boolean(snapshot.deal?.tricks?.some((t) => t.plays.length));
  paint($("more"), [mine(), running, played, camera, Boolean(me())], () => {
    if (!mine() || !me()) return null;
    return el("div", { class: "bigs" },
      running && !camera ? big(say("Lay a card…"), () => pickCard(snapshot, say("Which card do you lay?"), (card) => send({ kind: "play_card", seat, card })), { cls: "primary", focus: "lay" }) : null,
      snapshot.game?.id ? big(say("Claim a revoke…"), claimSheet, { focus: "claim", disabled: !played }) : null,
      snapshot.game?.id ? big(say("Look at the table"), (control) => ask("/api/look", { seat }, { button: control }), { focus: "look" }) : null);
  });
}

// ---- all of it -------------------------------------------------------------------------

let spoken = null;

function draw() {
  if (!snapshot) return;
  document.documentElement.dataset.seats = String(snapshot.seats?.length || 4);
  const own = me();
  $("seat-name").textContent = own ? nameWord(own.name) : seatName(snapshot, seat);
  document.title = `${$("seat-name").textContent} · Upcard`;
  document.body.classList.toggle("your-turn", Boolean(own?.turn) && mine());
  drawStand();
  drawMine();
  drawLying();
  drawMore();
  const word = $("mine").querySelector(".seat-ask, h2")?.textContent ?? "";
  if (word !== spoken) { spoken = word; $("says").textContent = word; }
}
const redraw = () => { unpaint($("mine")); draw(); };

const announce = announcer({ seat });
const STATE_WORD = { connecting: say("Connecting"), live: say("Live"), polling: say("Slow"), lost: say("No connection") };

onMe((next) => { who = next; draw(); });
fetch("/api/parts").then((answer) => answer.json()).then((told) => {
  camera = told.parts.some((part) => part.name === "camera" && part.present);
  draw();
}).catch(() => {});
openStream({
  heartbeatS,
  onSnapshot(next) { snapshot = next; draw(); announce(next); },
  onBeat() {},
  onShuffle(next) { shuffle = next; draw(); },
  onLook: lookAsked,
  onState(next) {
    $("link").dataset.state = next;
    $("link-word").textContent = STATE_WORD[next];
    document.body.classList.toggle("stale", next === "lost");
  },
});
