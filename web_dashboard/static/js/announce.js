// What is said aloud and sounded as the game goes on. Every piece of news has a name of its own
// (the trump of deal 3, the winner of its second trick) and is told once: a correction of
// something that was told already stays silent, and so does everything that was there when the
// page opened.
import { toast } from "./commands.js";
import { chime, speakNow } from "./sound.js";
import { SUIT_NAME, plural, resultWord, say, sayIt, seatName, sideName } from "./words.js";

const seatOfTurn = (snapshot) => snapshot.seats?.find((s) => s.turn)?.seat ?? null;

function trumpNews(snapshot) {
  const { deal } = snapshot;
  const trump = SUIT_NAME[deal.trump];
  const alone = (deal.alone ?? []).map((seat) => say("{name} plays alone", { name: seatName(snapshot, seat) }));
  const begun = deal.tricks?.some((trick) => trick.plays.length);
  const leader = seatOfTurn(snapshot);
  const first = !begun && leader !== null
    ? say("{name} leads; {trump} are trump", { name: seatName(snapshot, leader), trump })
    : say("{name} made {suit}", { name: seatName(snapshot, deal.maker), suit: trump });
  return [first, ...alone].join(". ");
}

function pointsNews(snapshot, deal) {
  const to = (deal.points ?? []).map((points, side) => points > 0 ? plural(points, "{n} point to {team}", "{n} points to {team}", { team: sideName(snapshot, side) }) : null).filter(Boolean);
  const score = (snapshot.sides ?? []).map((s) => `${sideName(snapshot, s.side)} ${s.score}`).join(", ");
  return `${[resultWord(deal.result), to.join(", ") || say("no points")].filter(Boolean).join(": ")}. ${score}`;
}

/**
 * All that a snapshot has to tell, oldest first: {key, tone, text} with a `key` that names the
 * piece of news and never its contents. `seat`: the seat whose page it is, told of its turn.
 */
export function newsOf(snapshot, { seat = null } = {}) {
  const { deal, game } = snapshot;
  const news = [];
  if (!game) return news;
  if (deal) {
    const at = `deal ${deal.number}`;
    if (deal.trump) news.push({ key: `${at} trump`, tone: "note", text: deal.maker === null || deal.maker === undefined ? "" : trumpNews(snapshot) });
    for (const trick of deal.tricks ?? []) {
      for (const play of trick.plays) news.push({ key: `card ${play.version}`, tone: "card", text: "" });
      const whole = trick.winner !== null && trick.winner !== undefined && !deal.points;
      if (whole && trick.number < (game.hand_size ?? Infinity)) news.push({ key: `${at} trick ${trick.number}`, tone: null, text: say("{name} takes the trick", { name: seatName(snapshot, trick.winner) }) });
    }
    if (deal.points) news.push({ key: `${at} points`, tone: "points", text: pointsNews(snapshot, deal) });
  }
  for (const done of snapshot.deals ?? []) news.push({ key: `deal ${done.number} points`, tone: "points", text: pointsNews(snapshot, done) });
  for (const finding of snapshot.findings ?? []) if (finding.status === "open") news.push({ key: `finding ${finding.id}`, tone: "proved", text: sayIt(finding) });
  for (const review of snapshot.reviews ?? []) news.push({ key: `review ${review.id}`, tone: "asked", text: sayIt(review) });
  const { ask } = snapshot;
  if (ask && !["review", "finding", "confirm"].includes(ask.kind)) news.push({ key: `ask ${ask.kind} ${ask.deal ?? ""}`, tone: "asked", text: sayIt(ask) });
  if (game.over) {
    const winner = game.winner === null || game.winner === undefined ? null : sideName(snapshot, game.winner);
    news.push({ key: "over", tone: "over", text: winner === null ? say("The game is over") : say("{side} win the game", { side: winner }) });
  }
  if (seat !== null && seatOfTurn(snapshot) === seat && !game.over) {
    const played = (deal?.tricks ?? []).reduce((n, trick) => n + trick.plays.length, 0);
    news.push({ key: `turn ${deal?.number ?? 0} ${deal?.phase ?? ""} ${played}`, tone: "turn", text: say("Your turn") });
  }
  return news;
}

/** Tells news once each. Call the answer with every snapshot; `tell(tone, texts)` sounds it. */
export function announcer({ seat = null, tell = sounded } = {}) {
  let told = null;
  let game = null;
  return (snapshot) => {
    const id = snapshot.game?.id ?? null;
    const news = newsOf(snapshot, { seat });
    if (told === null) {
      // What was there before is known to everybody at the table.
      told = new Set(news.map((item) => item.key));
      game = id;
      return;
    }
    if (id !== game) { told = new Set(); game = id; }
    const fresh = news.filter((item, i) => !told.has(item.key) && news.findIndex((other) => other.key === item.key) === i);
    for (const item of fresh) told.add(item.key);
    if (!fresh.length) return;
    // Of much at once (the page slept) the newest is told; the rest is on the board.
    const worth = fresh.filter((item) => item.text).slice(-2);
    const tone = [...fresh].reverse().find((item) => item.tone && item.tone !== "card")?.tone ?? fresh.at(-1).tone;
    tell(tone, worth.map((item) => item.text));
  };
}

/** Somebody asks everybody to look at the table: shown, sounded and said on every page. */
export function lookAsked(call) {
  const text = sayIt(call);
  toast(text, "look");
  sounded("asked", [text]);
}

function sounded(tone, texts) {
  if (tone) chime(tone);
  if (texts.length) speakNow(texts.map((text) => text.replace(/[.!?]?$/, (end) => end || ".")).join(" "));
}
