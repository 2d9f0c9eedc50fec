// The score and the table, drawn from a snapshot alone. Live page and replay share this.
import { el, paint } from "./dom.js";
import { back, chip, face, suitSign, unread } from "./cards.js";
import { SEATS, SUIT_WORD, cardWord, resultWord, seatName } from "./words.js";

const trickNow = (deal) => deal?.tricks?.length ? deal.tricks[deal.tricks.length - 1] : null;

// ---- the score -------------------------------------------------------------------------

function side(snapshot, s, handSize, isNew) {
  const members = (snapshot.seats ?? []).filter((seat) => seat.side === s.side);
  const names = members.map((m) => m.name).join(" & ");
  const won = snapshot.game?.over && snapshot.game.winner === s.side;
  return el("div", { class: `score-side side-${s.side}${won ? " won" : ""}`, data: { side: s.side } },
    el("div", { class: "score-name" }, el("span", { text: names || s.name }),
      s.makers ? el("span", { class: "tag makers", text: "makers" }) : null),
    el("div", { class: `score-points${isNew ? " bump" : ""}`, aria: { label: `${s.name}: ${s.score} points` } },
      el("span", { text: String(s.score), data: { score: s.side } })),
    el("div", { class: "pips", role: "img", aria: { label: `${s.tricks ?? 0} tricks in this deal` } },
      Array.from({ length: Math.max(handSize, s.tricks ?? 0) }, (_, i) => el("i", { class: i < (s.tricks ?? 0) ? "on" : "" })),
      el("b", { text: String(s.tricks ?? 0), aria: { hidden: "true" } })));
}

function trumpPlate(snapshot) {
  const { game, deal } = snapshot;
  if (!deal) {
    return el("div", { class: "trump empty" }, el("div", { class: "trump-to", text: game?.target ? `to ${game.target}` : "" }),
      el("div", { class: "trump-word", text: game ? "Next deal" : "No game" }));
  }
  const alone = deal.alone ?? [];
  const called = deal.maker === null || deal.maker === undefined ? "not declared yet"
    : `${seatName(snapshot, deal.maker)} made it`;
  return el("div", { class: `trump${deal.trump ? "" : " empty"}` },
    el("div", { class: "trump-to", text: `Deal ${deal.number}${game?.target ? ` · to ${game.target}` : ""}` }),
    deal.trump ? suitSign(deal.trump, "trump-sign") : el("span", { class: "trump-sign unknown", text: "?", aria: { hidden: "true" } }),
    el("div", { class: "trump-word" }, deal.trump ? SUIT_WORD[deal.trump] : "Trump unknown"),
    el("div", { class: "trump-by" }, called,
      alone.length ? el("span", { class: "tag alone", text: alone.length === 1 && alone[0] === deal.maker ? "alone" : `${alone.map((a) => seatName(snapshot, a)).join(", ")} alone` }) : null));
}

const lastScores = new WeakMap();

export function drawScore(node, snapshot) {
  const sides = snapshot.sides ?? [];
  const handSize = 5;
  const before = lastScores.get(node) ?? {};
  const inputs = [sides, snapshot.seats?.map((s) => [s.name, s.side]), snapshot.game?.target, snapshot.game?.over, snapshot.game?.winner,
    snapshot.deal && [snapshot.deal.number, snapshot.deal.trump, snapshot.deal.maker, snapshot.deal.alone]];
  paint(node, inputs, () => {
    const drawn = sides.map((s) => side(snapshot, s, handSize, s.side in before && before[s.side] !== s.score));
    return drawn.length === 2 ? [drawn[0], trumpPlate(snapshot), drawn[1]] : [...drawn, trumpPlate(snapshot)];
  });
  lastScores.set(node, Object.fromEntries(sides.map((s) => [s.side, s.score])));
}

// ---- the table -------------------------------------------------------------------------

function plate(snapshot, seat) {
  const { deal } = snapshot;
  const states = [
    seat.turn ? "turn" : "", seat.sits_out ? "sits-out" : "", seat.maker ? "maker" : "",
  ].filter(Boolean).join(" ");
  const left = Math.max(0, Math.min(7, seat.cards_left ?? 0));
  const spoken = [seat.name, seat.dealer ? "deals" : "", seat.maker ? "made trump" : "", seat.alone ? "plays alone" : "",
    seat.sits_out ? "sits out" : "", seat.turn ? "to play" : "", `${left} cards left`].filter(Boolean).join(", ");
  return el("div", { class: `plate ${states} side-${seat.side}`, data: { seat: seat.seat }, role: "group", aria: { label: spoken } },
    el("div", { class: "plate-name", aria: { hidden: "true" } }, el("span", { text: seat.name })),
    el("div", { class: "plate-tags", aria: { hidden: "true" } },
      seat.dealer ? el("span", { class: "tag dealer", text: "dealer" }) : null,
      seat.maker && deal?.trump ? el("span", { class: "tag made" }, suitSign(deal.trump)) : null,
      seat.alone ? el("span", { class: "tag alone", text: "alone" }) : null,
      seat.sits_out ? el("span", { class: "tag", text: "sits out" }) : null,
      seat.turn ? el("span", { class: "tag to-play", text: "to play" }) : null),
    el("div", { class: "backs", aria: { hidden: "true" } }, seat.sits_out ? null : Array.from({ length: left }, () => el("i"))));
}

/** One played card where it lies. `onCard` makes it a button. */
function playedCard(snapshot, play, { onCard, isNew, nth }) {
  const name = seatName(snapshot, play.seat);
  const waiting = play.card === null || (play.review !== null && play.review !== undefined && !play.card);
  const label = `${name}: ${waiting ? "a card waiting for an answer" : cardWord(play.card)}${play.winning ? ", winning" : ""}${play.last ? ", last card" : ""}`;
  const body = [
    waiting ? unread("") : face(play.card, { label: "" }),
    play.winning ? el("span", { class: "mark winning", text: "winning" }) : null,
    play.last ? el("span", { class: "mark last", text: "last" }) : null,
  ];
  const cls = `lie at-${play.seat ?? "nobody"}${nth ? " again" : ""}${play.last ? " last" : ""}${play.winning ? " winning" : ""}${isNew ? " fresh" : ""}${waiting ? " waiting" : ""}`;
  const data = { version: play.version, seat: play.seat, card: play.card ?? "", focus: `play-${play.version}` };
  return onCard
    ? el("button", { type: "button", class: cls, data, aria: { label: `${label}. Correct` }, on: { click: () => onCard(play) } }, body)
    : el("div", { class: cls, data, role: "img", aria: { label } }, body);
}

function upcard(snapshot, { onUpcard }) {
  const { deal } = snapshot;
  if (!deal?.upcard) return null;
  const { card, state } = deal.upcard;
  const central = state === "shown" && !(trickNow(deal)?.plays.length);
  const words = { shown: "Up-card", taken: "Taken up", turned_down: "Turned down" }[state] ?? "Up-card";
  const body = [state === "turned_down" ? back("") : face(card, { label: "" }),
    el("span", { class: "up-word" }, words, central ? null : chip(card))];
  const props = { class: `up ${central ? "central" : "aside"} ${state}`, data: { card, state, focus: "upcard" } };
  const label = `${words}: ${cardWord(card)}`;
  return onUpcard
    ? el("button", { ...props, type: "button", aria: { label: `${label}. Correct` }, on: { click: () => onUpcard(deal.upcard) } }, body)
    : el("div", { ...props, role: "img", aria: { label } }, body);
}

function centre(snapshot) {
  const { deal, game } = snapshot;
  if (!game) return null;
  if (game.over) return null;
  const trick = trickNow(deal);
  if (deal && deal.points) {
    const sides = snapshot.sides ?? [];
    const which = deal.points.findIndex((p) => p > 0);
    return el("div", { class: `centre said${trick && !trick.cleared && trick.plays.length ? " on-cards" : ""}` }, el("b", { text: resultWord(deal.result) || "Deal over" }),
      el("span", { text: which >= 0 ? `${deal.points[which]} to ${sides[which]?.name ?? ""}` : "no points" }));
  }
  if (!deal) return el("div", { class: "centre said" }, el("span", { class: "centre-text", text: snapshot.ask?.kind === "upcard" ? snapshot.ask.text : "Waiting for the up-card" }));
  if (trick && trick.winner !== null && trick.winner !== undefined && (trick.cleared || !trick.plays.length)) {
    return el("div", { class: "centre said quiet-said" }, el("span", { text: `${seatName(snapshot, trick.winner)} took trick ${trick.number}` }));
  }
  if (deal.phase === "bidding" && !deal.upcard) return el("div", { class: "centre said" }, el("span", { text: "Waiting for the up-card" }));
  return null;
}

function gameOver(snapshot, { onNewGame, replayHref }) {
  const { game } = snapshot;
  if (!game?.over) return null;
  const winner = (snapshot.sides ?? []).find((s) => s.side === game.winner);
  const score = (snapshot.sides ?? []).map((s) => s.score).join(" – ");
  return el("div", { class: "over", role: "status" },
    el("b", { text: winner ? `${winner.name} win` : "The game is over" }), el("span", { class: "over-score", text: score }),
    el("div", { class: "over-buttons" },
      onNewGame ? el("button", { type: "button", class: "button primary", text: "New game", data: { focus: "new-game" }, on: { click: onNewGame } }) : null,
      replayHref ? el("a", { class: "button", href: replayHref, text: "Look back" }) : null));
}

const seenVersion = new WeakMap();

/**
 * The felt: seats, the cards of the trick, the up-card. `actions`: onCard(play),
 * onUpcard(upcard), onNewGame() and replayHref, each optional.
 */
export function drawTable(node, snapshot, actions = {}) {
  const { deal, seats = [] } = snapshot;
  const trick = trickNow(deal);
  const shown = trick && !trick.cleared ? trick.plays : [];
  const before = seenVersion.get(node) ?? { game: null, version: Infinity };
  const sameGame = before.game === (snapshot.game?.id ?? null);
  const inputs = [seats, snapshot.ask?.text, deal && [deal.number, deal.phase, deal.upcard, deal.trump, deal.points, deal.result], shown,
    trick && [trick.number, trick.winner, trick.cleared], snapshot.game, snapshot.sides?.map((s) => [s.name, s.score])];
  paint(node, inputs, () => el("div", { class: `felt${snapshot.game?.over ? " is-over" : ""}` },
    seats.map((seat) => el("div", { class: `edge at-${seat.seat}` }, plate(snapshot, seat))),
    el("div", { class: "middle" },
      el("div", { class: "spread" },
        deal?.trump && deal.trump !== "n" ? suitSign(deal.trump, "watermark") : null,
        centre(snapshot),
        shown.map((play, i) => playedCard(snapshot, play, {
          onCard: actions.onCard, isNew: sameGame && play.version > before.version,
          nth: shown.slice(0, i).filter((other) => other.seat === play.seat).length,
        })))),
    upcard(snapshot, actions), gameOver(snapshot, actions)));
  seenVersion.set(node, { game: snapshot.game?.id ?? null, version: snapshot.version });
}

export const seatWord = (seat) => SEATS[seat];
