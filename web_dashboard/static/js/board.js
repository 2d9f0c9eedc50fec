// The score and the table, drawn from a snapshot alone. Live page and replay share this; what is
// special to a game of another shape is in boards/shapes.js.
import { el, paint, unpaint } from "./dom.js";
import { back, chip, face, suitSign, unread } from "./cards.js";
import { placeOf, scoreWord, shapeOf, signed } from "./boards/shapes.js";
import { SUIT_WORD, cardWord, nameWord, plural, resultWord, say, sayIt, seatName, sideName } from "./words.js";

const trickNow = (deal) => deal?.tricks?.length ? deal.tricks[deal.tricks.length - 1] : null;
const isNone = (value) => value === null || value === undefined;

// ---- the score -------------------------------------------------------------------------

/** Tricks of a deal as marks to count; as a bar where there are too many to count. */
function pips(won, handSize) {
  const label = plural(won, "{n} trick in this deal", "{n} tricks in this deal");
  const marks = handSize > 7
    ? [el("progress", { class: "trick-bar", max: String(handSize), value: String(won), tabindex: "-1", aria: { hidden: "true" } })]
    : Array.from({ length: Math.max(handSize, won) }, (_, i) => el("i", { class: i < won ? "on" : "" }));
  return el("div", { class: "pips", role: "img", aria: { label } }, marks, el("b", { text: String(won), aria: { hidden: "true" } }));
}

function side(snapshot, s, isNew) {
  const members = (snapshot.seats ?? []).filter((seat) => seat.side === s.side);
  const names = members.map((m) => nameWord(m.name)).join(" & ");
  const won = snapshot.game?.over && snapshot.game.winner === s.side;
  const turn = members.length === 1 && members[0].turn;
  return el("div", { class: `score-side side-${s.side}${won ? " won" : ""}${turn ? " turn" : ""}`, data: { side: s.side } },
    el("div", { class: "score-name" }, el("span", { text: names || s.name }),
      s.makers ? el("span", { class: "tag makers", text: members.length === 1 ? say("maker") : say("makers") }) : null),
    el("div", { class: `score-points${isNew ? " bump" : ""}`, role: "img", aria: { label: plural(s.score, "{side}: {n} point", "{side}: {n} points", { side: sideName(snapshot, s.side) }) } },
      el("span", { text: scoreWord(s.score), data: { score: s.side } })),
    pips(s.tricks ?? 0, snapshot.game?.hand_size ?? 5));
}

/** What the game is played to; counting down, to nothing. */
function goalWord(game) {
  if (!game) return "";
  if (game.counts === "down") return say("down to 0");
  return game.target ? say("to {n}", { n: game.target }) : "";
}

function trumpPlate(snapshot) {
  const { game, deal } = snapshot;
  if (!deal) {
    return el("div", { class: "trump empty" }, el("div", { class: "trump-to", text: goalWord(game) }),
      el("div", { class: "trump-word", text: game ? say("Next deal") : say("No game") }));
  }
  const alone = deal.alone ?? [];
  const called = isNone(deal.maker) ? say("not declared yet")
    : deal.trump ? say("{name} made it", { name: seatName(snapshot, deal.maker) }) : say("{name} names trump", { name: seatName(snapshot, deal.maker) });
  const goal = goalWord(game);
  return el("div", { class: `trump${deal.trump ? "" : " empty"}` },
    el("div", { class: "trump-to", text: [say("Deal {n}", { n: deal.number }), goal].filter(Boolean).join(" · ") }),
    deal.trump ? suitSign(deal.trump, "trump-sign") : el("span", { class: "trump-sign unknown", text: "?", aria: { hidden: "true" } }),
    el("div", { class: "trump-word" }, deal.trump ? SUIT_WORD[deal.trump] : say("Trump unknown")),
    el("div", { class: "trump-by" }, called,
      alone.length ? el("span", { class: "tag alone", text: alone.length === 1 && alone[0] === deal.maker ? say("alone") : say("{names} alone", { names: alone.map((a) => seatName(snapshot, a)).join(", ") }) }) : null),
    shapeOf(snapshot).lines(snapshot).map((line) => el("div", { class: "trump-by trump-more" }, line)));
}

const lastScores = new WeakMap();

export function drawScore(node, snapshot) {
  const sides = snapshot.sides ?? [];
  const before = lastScores.get(node) ?? {};
  const game = snapshot.game?.id ?? null;
  node.dataset.sides = String(sides.length);
  const { deal } = snapshot;
  const inputs = [sides, snapshot.seats?.map((s) => [s.name, s.side, sides.length === 2 ? 0 : s.turn]), snapshot.game?.target, snapshot.game?.over, snapshot.game?.winner,
    deal && [deal.number, deal.trump, deal.maker, deal.alone, deal.bid, deal.called, deal.partner, deal.standing]];
  paint(node, inputs, () => {
    const drawn = sides.map((s) => side(snapshot, s, before.game === game && before.scores[s.side] !== s.score));
    return drawn.length === 2 ? [drawn[0], trumpPlate(snapshot), drawn[1]] : [...drawn, trumpPlate(snapshot)];
  });
  lastScores.set(node, { game, scores: Object.fromEntries(sides.map((s) => [s.side, s.score])) });
}

// ---- the table -------------------------------------------------------------------------

function plate(snapshot, seat) {
  const { deal } = snapshot;
  const shape = shapeOf(snapshot);
  const states = [
    seat.turn ? "turn" : "", seat.sits_out ? "sits-out" : "", seat.maker ? "maker" : "",
  ].filter(Boolean).join(" ");
  const inHand = shape.inHand?.(snapshot, seat) ?? seat.cards_left ?? 0;
  const left = Math.max(0, Math.min(7, inHand));
  const name = nameWord(seat.name);
  const sitsOut = seat.sits_out && snapshot.game?.shape !== "buck";
  const more = shape.tags(snapshot, seat).filter(Boolean);
  const spoken = [name, seat.dealer ? say("deals") : "", seat.maker ? say("made trump") : "", seat.alone ? say("plays alone") : "",
    sitsOut ? say("sits out") : "", ...more.map((t) => t.textContent), seat.turn ? say("to play") : "", plural(left, "{n} card left", "{n} cards left")].filter(Boolean).join(", ");
  return el("div", { class: `plate ${states} side-${seat.side}`, data: { seat: seat.seat }, role: "group", aria: { label: spoken } },
    el("div", { class: "plate-name", aria: { hidden: "true" } }, el("span", { text: name })),
    el("div", { class: "plate-tags", aria: { hidden: "true" } },
      seat.dealer ? el("span", { class: "tag dealer", text: say("dealer") }) : null,
      seat.maker && deal?.trump ? el("span", { class: "tag made" }, suitSign(deal.trump)) : null,
      seat.alone ? el("span", { class: "tag alone", text: say("alone") }) : null,
      sitsOut ? el("span", { class: "tag", text: say("sits out") }) : null,
      more,
      seat.turn ? el("span", { class: "tag to-play", text: say("to play") }) : null),
    el("div", { class: "backs", aria: { hidden: "true" } }, seat.sits_out ? null : Array.from({ length: left }, () => el("i"))));
}

const isWaiting = (play) => play.card === null || (!isNone(play.review) && !play.card);

/** Put onto a card's node what is said of it now; its face is drawn again only when it changed. */
function dressCard(snapshot, node, play, { isButton, isNew, nth }) {
  const waiting = isWaiting(play);
  const what = waiting ? say("a card waiting for an answer") : cardWord(play.card);
  const label = [`${seatName(snapshot, play.seat)}: ${what}`, play.winning ? say("winning") : "", play.last ? say("last card") : ""].filter(Boolean).join(", ");
  node.className = `lie at-${placeOf(snapshot, play.seat)}${nth ? " again" : ""}${play.last ? " last" : ""}${play.winning ? " winning" : ""}${isNew ? " fresh" : ""}${waiting ? " waiting" : ""}`;
  node.setAttribute("aria-label", isButton ? say("{what}. Correct", { what: label }) : label);
  const before = node.dataset.drawn;
  const drawn = waiting ? "?" : play.card;
  Object.assign(node.dataset, { version: String(play.version), seat: String(play.seat), card: play.card ?? "", focus: `play-${play.version}`, drawn });
  if (before !== drawn) { node.querySelector(".face")?.remove(); node.prepend(waiting ? unread("") : face(play.card, { label: "" })); }
  for (const mark of node.querySelectorAll(".mark")) mark.remove();
  if (play.winning) node.append(el("span", { class: "mark winning", text: say("winning") }));
  if (play.last) node.append(el("span", { class: "mark last", text: say("last") }));
}

/**
 * The cards of the trick, each on a node of its own that stays while the card lies there: a new
 * card costs the drawing of that card, not of the whole table.
 */
function drawPlays(parts, snapshot, shown, isNew) {
  const isButton = Boolean(parts.actions.onCard);
  const there = new Map();
  shown.forEach((play, i) => {
    const nth = shown.slice(0, i).filter((other) => other.seat === play.seat).length;
    const key = JSON.stringify([play, nth, seatName(snapshot, play.seat), isButton]);
    const known = parts.cards.get(play.version);
    const card = known && known.isButton === isButton ? known : { isButton, key: null, node: isButton
      ? el("button", { type: "button", on: { click: () => parts.actions.onCard(card.play) } }) : el("div", { role: "img" }) };
    card.play = play;
    if (card.key !== key) { dressCard(snapshot, card.node, play, { isButton, isNew: card.key === null && isNew(play), nth }); card.key = key; }
    there.set(play.version, card);
  });
  const nodes = [...there.values()].map((card) => card.node);
  for (const old of [...parts.plays.children]) if (!nodes.includes(old)) old.remove();
  nodes.forEach((node, i) => { if (parts.plays.children[i] !== node) parts.plays.insertBefore(node, parts.plays.children[i] ?? null); });
  parts.cards = there;
}

/** The card drawn last at each seat, as a play: while the first dealer is drawn, and until the first deal. */
function drawnCards({ draw }) {
  const cards = draw?.cards ?? [];
  return cards.filter((card, i) => !isNone(card.seat) && !cards.slice(i + 1).some((later) => later.seat === card.seat))
    .map((card) => ({ ...card, last: card === cards.at(-1), winning: card.seat === draw.dealer }));
}

const UPCARD_WORD = { shown: () => say("Up-card"), taken: () => say("Taken up"), turned_down: () => say("Turned down") };

function upcard(snapshot, { onUpcard }) {
  const { deal } = snapshot;
  if (!deal?.upcard) return null;
  const { card, state } = deal.upcard;
  const central = state === "shown" && !(trickNow(deal)?.plays.length);
  const words = (UPCARD_WORD[state] ?? UPCARD_WORD.shown)();
  const body = [state === "turned_down" ? back("") : card ? face(card, { label: "" }) : unread(""),
    el("span", { class: "up-word" }, words, central ? null : chip(card))];
  const props = { class: `up ${central ? "central" : "aside"} ${state}`, data: { card, state, focus: "upcard" } };
  const label = `${words}: ${cardWord(card)}`;
  return onUpcard
    ? el("button", { ...props, type: "button", aria: { label: say("{what}. Correct", { what: label }) }, on: { click: () => onUpcard(deal.upcard) } }, body)
    : el("div", { ...props, role: "img", aria: { label } }, body);
}

/** The points of a finished deal: to one side, or what each moved by. */
function pointsWords(snapshot) {
  const moved = snapshot.deal.points.map((points, n) => ({ points, side: n })).filter((m) => m.points !== 0);
  if (!moved.length) return say("no points");
  if (moved.length === 1 && moved[0].points > 0) return plural(moved[0].points, "{n} to {side}", "{n} to {side}", { side: sideName(snapshot, moved[0].side) });
  return moved.map((m) => `${sideName(snapshot, m.side)} ${signed(m.points)}`).join(" · ");
}

function centre(snapshot) {
  const { deal, game } = snapshot;
  if (!game || game.over) return null;
  const trick = trickNow(deal);
  const said = (text, cls = "") => el("div", { class: `centre said ${cls}` }, el("span", { class: "centre-text", text }));
  if (deal && deal.points) {
    return el("div", { class: `centre said${trick && !trick.cleared && trick.plays.length ? " on-cards" : ""}` }, el("b", { text: resultWord(deal.result) || say("Deal over") }),
      el("span", { text: pointsWords(snapshot) }));
  }
  const asked = ["upcard", "bid", "dealer", "draw"].includes(snapshot.ask?.kind) ? sayIt(snapshot.ask) : null;
  if (!deal) return said(asked ?? (game.shape === "partnership" || game.shape === "call_ace" ? say("Waiting for the up-card") : say("Waiting for the deal")));
  if (trick && !isNone(trick.winner) && (trick.cleared || !trick.plays.length)) {
    return el("div", { class: "centre said quiet-said" }, el("span", { text: say("{name} took trick {n}", { name: seatName(snapshot, trick.winner), n: trick.number }) }));
  }
  if (deal.phase === "bidding" && !deal.upcard) return said(asked ?? (game.shape === "partnership" || game.shape === "call_ace" ? say("Waiting for the up-card") : ""));
  return null;
}

/** Both sides say that the score is right; on the shared tablet each has its button. */
function agreement(snapshot, onAgree) {
  const agreed = snapshot.game.confirmed ?? [];
  const open = (snapshot.sides ?? []).filter((s) => !agreed.includes(s.side));
  const done = (snapshot.sides ?? []).filter((s) => agreed.includes(s.side));
  return el("div", { class: "over-agree" },
    done.map((s) => el("span", { class: "agreed-side" }, el("span", { aria: { hidden: "true" }, text: "👍 " }), say("{name}: confirmed", { name: sideName(snapshot, s.side) }))),
    onAgree ? open.map((s) => el("button", { type: "button", class: "button for-acting", data: { focus: `agree-${s.side}` }, on: { click: (event) => onAgree((snapshot.seats ?? []).find((seat) => seat.side === s.side)?.seat ?? s.side, event.currentTarget) } },
      el("span", { aria: { hidden: "true" }, text: "👍 " }), say("{name}: the score is right", { name: sideName(snapshot, s.side) }))) : null);
}

function gameOver(snapshot, { onNewGame, replayHref, onAgree }) {
  const { game } = snapshot;
  if (!game?.over) return null;
  const winner = (snapshot.sides ?? []).find((s) => s.side === game.winner);
  const score = (snapshot.sides ?? []).map((s) => scoreWord(s.score)).join(" – ");
  const pair = (snapshot.seats ?? []).filter((s) => s.side === game.winner).length > 1;
  const words = !winner ? say("The game is over") : pair ? say("{side} win", { side: sideName(snapshot, winner.side) }) : say("{name} wins", { name: sideName(snapshot, winner.side) });
  return el("div", { class: `over${score.length > 12 ? " long" : ""}`, role: "status" },
    el("b", { text: words }), el("span", { class: "over-score", text: score }),
    el("div", { class: "over-buttons" },
      onNewGame ? el("button", { type: "button", class: "button primary", text: say("New game"), data: { focus: "new-game" }, on: { click: onNewGame } }) : null,
      replayHref ? el("a", { class: "button", href: replayHref, text: say("Look back") }) : null),
    agreement(snapshot, onAgree));
}

const felts = new WeakMap();

/** The parts of a felt for so many seats, empty; each is then painted by itself. */
function laidOut(node, snapshot) {
  const inPlace = () => el("div", { class: "in-place" });
  const edges = snapshot.seats.map((seat) => el("div", { class: `edge at-${placeOf(snapshot, seat.seat)}` }));
  const [extras, back, words, plays, up, over] = Array.from({ length: 6 }, inPlace);
  const felt = el("div", {}, edges, extras, el("div", { class: "middle" }, el("div", { class: "spread" }, back, words, plays)), up, over);
  unpaint(node);
  node.replaceChildren(felt);
  return { felt, edges, extras, back, words, plays, up, over, cards: new Map(), version: Infinity, actions: {} };
}

/**
 * The felt: seats, the cards of the trick, the up-card. `actions`: onCard(play),
 * onUpcard(upcard), onTableCard(card), onNewGame() and replayHref, each optional.
 */
export function drawTable(node, snapshot, actions = {}) {
  const { deal, game, seats = [] } = snapshot;
  const key = JSON.stringify([game?.id, game?.shape, seats.length]);
  let parts = felts.get(node);
  if (!parts || parts.key !== key || !node.contains(parts.felt)) {
    parts = laidOut(node, snapshot);
    parts.key = key;
    felts.set(node, parts);
  }
  parts.actions = actions;
  const shape = shapeOf(snapshot);
  const trick = trickNow(deal);
  const shown = trick && !trick.cleared ? trick.plays : drawnCards(snapshot);
  const cls = `felt of-${seats.length} shape-${game?.shape ?? "none"}${game?.over ? " is-over" : ""}`;
  if (parts.felt.className !== cls) parts.felt.className = cls;
  const dealSays = deal && { ...deal, tricks: null, upcard: null };
  seats.forEach((seat, i) => paint(parts.edges[i], [seat, dealSays], () => plate(snapshot, seat)));
  paint(parts.extras, [deal?.number, deal?.layout, seats.map((s) => s.name), Boolean(actions.onTableCard)], () => shape.felt(snapshot, actions));
  paint(parts.back, [deal?.trump], () => deal?.trump && deal.trump !== "n" ? suitSign(deal.trump, "watermark") : null);
  paint(parts.words, [dealSays, snapshot.ask?.kind, snapshot.ask?.text, trick && [trick.number, trick.winner, trick.cleared, trick.plays.length], game, seats.map((s) => s.name)], () => centre(snapshot));
  const { version } = parts;
  drawPlays(parts, snapshot, shown, (play) => play.version > version);
  paint(parts.up, [deal?.upcard, trick?.plays.length, trick?.number, Boolean(actions.onUpcard)], () => upcard(snapshot, actions));
  paint(parts.over, [game?.over, game?.winner, game?.confirmed, snapshot.sides?.map((s) => [s.name, s.score]), actions.replayHref], () => gameOver(snapshot, actions));
  parts.version = snapshot.version;
}
