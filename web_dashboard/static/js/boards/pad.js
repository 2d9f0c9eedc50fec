// The card pad: the pack of the game to tap, for a table without a camera or one that is blind for
// a while. It knows whose turn the kit says it is, greys what lies there already, takes two keys
// for a card (k h), and never sends a tap before the one ahead of it has come back.
import { el, paint } from "../dom.js";
import { grid } from "../cards.js";
import { whoNow } from "../access.js";
import { ask, toast } from "../commands.js";
import { seatRow } from "./pick.js";
import { cardWord, say, seatName } from "../words.js";

const KEY = "upcard.pad";

/** Whether this device shows the pad: as it was told, else where no camera reads the table. */
export function padOn() {
  let told = null;
  try { told = localStorage.getItem(KEY); } catch { /* a private window keeps nothing */ }
  return told === null ? document.body.dataset.tableKind === "hand" : told === "on";
}

export function setPad(on) {
  try { localStorage.setItem(KEY, on ? "on" : "off"); } catch { /* then it lasts until the page is left */ }
  document.body.classList.toggle("with-pad", on);
  dispatchEvent(new Event("upcard-pad"));
}

/** Where a card lies that was played or shown already, by its name. */
function lying(snapshot) {
  const { deal } = snapshot;
  const where = new Map();
  if (!deal || deal.points) return where; // what lay there is gathered for the next deal
  for (const trick of deal.tricks ?? []) for (const play of trick.plays) if (play.card) where.set(play.card, { play, trick });
  if (deal.upcard?.card && deal.upcard.state !== "taken") where.set(deal.upcard.card, { upcard: deal.upcard });
  return where;
}

/** Who may lay cards for everybody. */
const MAY_TAP = ["table", "director"];
/** While this is asked no card is laid, and the pad makes room. */
const NO_CARDS = ["bid", "stay", "dealer", "confirm"];
const RANK_KEYS = { 2: "2", 3: "3", 4: "4", 5: "5", 6: "6", 7: "7", 8: "8", 9: "9", 0: "T", t: "T", j: "J", q: "Q", k: "K", a: "A" };

/** `now()` answers the newest snapshot; `onCard`, `onUpcard` mend what lies there; `undo()` takes back. */
export function cardPad({ now, onCard, onUpcard, undo }) {
  let seat = null;      // a seat tapped for this one card
  let kind = "play";    // "play", or "open" in the game for two
  let typed = "";
  let queue = Promise.resolve();
  let node = null;
  let told = "";

  const wantsUpcard = (snapshot) => snapshot.ask?.kind === "upcard" || (snapshot.deal?.phase === "bidding" && !snapshot.deal.upcard && ["partnership", "call_ace"].includes(snapshot.game?.shape));
  const plays = (snapshot) => seat ?? snapshot.seats?.find((s) => s.turn)?.seat ?? null;

  /** What the next tap does, in words. */
  function aim(snapshot) {
    if (wantsUpcard(snapshot)) return { kind: "upcard", seat: null, text: say("Tap the card that is turned up") };
    const who = plays(snapshot);
    if (kind === "open") return { kind: "open", seat: who, text: who === null ? say("Before whom does it lie? Tap a name") : say("Tap a card that lies open before {name}", { name: seatName(snapshot, who) }) };
    if (who === null && snapshot.ask?.kind === "draw") return { kind: "play", seat: null, text: say("Who drew a card? Tap a name, then the card") };
    if (who === null) return { kind: "play", seat: null, text: say("Who plays? Tap a name, then the card") };
    return { kind: "play", seat: who, text: say("{name} plays: tap the card", { name: seatName(snapshot, who) }) };
  }

  /** Resolves when the page has drawn `version`, or after a second: then the stream will tell. */
  const drawn = (version) => new Promise((resolve) => {
    const until = performance.now() + 1000;
    const look = () => (now().version >= version || performance.now() > until ? resolve() : setTimeout(look, 15));
    look();
  });

  function tap(card) {
    queue = queue.then(async () => {
      const snapshot = now();
      const there = lying(snapshot).get(card);
      if (there) { if (there.play) onCard(there.play); else onUpcard(there.upcard); return; }
      const what = aim(snapshot);
      if (what.kind !== "upcard" && what.seat === null) { toast(what.text, "note"); return; }
      const command = what.kind === "upcard" ? { kind: "show_upcard", card, dealer: snapshot.game?.dealer ?? null }
        : what.kind === "open" ? { kind: "show_table_card", seat: what.seat, card } : { kind: "play_card", seat: what.seat, card };
      const done = await ask("/api/command", { command });
      if (!done) return;
      told = what.kind === "upcard" ? say("Up-card: {card}", { card: cardWord(card) }) : `${seatName(snapshot, what.seat)}: ${cardWord(card)}`;
      if (what.kind === "play") seat = null;
      await drawn(done.version);
    }).catch(() => {}).finally(() => draw(node, now()));
  }

  function takeBack() { queue = queue.then(async () => { const done = await undo(); if (done) { told = ""; seat = null; await drawn(done.version); } }).catch(() => {}).finally(() => draw(node, now())); }

  function draw(host, snapshot) {
    node = host;
    if (!host) return;
    const running = MAY_TAP.includes(whoNow().role) && Boolean(snapshot?.game?.id && !snapshot.game.over && !NO_CARDS.includes(snapshot.ask?.kind));
    document.body.classList.toggle("with-pad", padOn() && running);
    if (!padOn() || !running) { paint(host, "off", () => null); return; }
    const what = aim(snapshot);
    const laid = lying(snapshot);
    const repaint = () => draw(host, now());
    const shape = snapshot.game.shape;
    const trick = snapshot.deal?.tricks?.at(-1);
    const inputs = [what, [...laid.keys()], snapshot.seats?.map((s) => s.name), snapshot.game.pack, typed, told, kind, trick && [trick.number, trick.cleared, trick.plays.length]];
    paint(host, inputs, () => [
      el("div", { class: "pad-head" }, el("h2", { class: "pad-text", text: what.text, aria: { live: "polite" } }),
        el("span", { class: "pad-typed", aria: { hidden: "true" }, text: typed ? `${typed}…` : "" })),
      shape === "two_hand" ? el("div", { class: "options pad-kind", role: "radiogroup", aria: { label: say("What the next card is") } },
        [["play", say("Played")], ["open", say("Lies open")]].map(([id, word]) => el("button", { type: "button", class: "option", role: "radio", aria: { checked: String(kind === id) }, data: { focus: `pad-${id}` }, on: { click: () => { kind = id; repaint(); } } }, word))) : null,
      what.kind === "upcard" ? null : seatRow(snapshot, { chosen: what.seat, label: say("Who plays"), onPick: (next) => { seat = next; repaint(); }, name: "pad-seat" }),
      grid(tap, { pack: snapshot.game.pack, rest: false, stateOf: (card) => spent(snapshot, laid.get(card)) }),
      el("div", { class: "pad-foot" },
        el("button", { type: "button", class: "button", id: "pad-undo", data: { focus: "pad-undo" }, aria: { keyshortcuts: "Backspace" }, on: { click: takeBack } }, "↶ ", say("Undo")),
        el("span", { class: "pad-told", aria: { live: "polite" }, text: told }),
        trick && !trick.cleared && trick.plays.length ? el("button", { type: "button", class: "button", id: "pad-swept", data: { focus: "pad-swept" }, on: { click: (e) => ask("/api/command", { command: { kind: "clear_trick" } }, { button: e.currentTarget }) } }, say("Swept")) : null),
    ]);
  }

  /** A key of a card's two: answers whether it was one. Escape forgets the first. */
  function key(event) {
    if (!padOn() || !MAY_TAP.includes(whoNow().role) || !now()?.game?.id || now().game.over) return false;
    const pressed = event.key;
    if (pressed === "Backspace") { if (typed) typed = ""; else takeBack(); draw(node, now()); return true; }
    if (pressed === "Escape" && typed) { typed = ""; draw(node, now()); return true; }
    const pack = now().game.pack ?? [];
    if (typed) {
      const suit = pressed.toLowerCase();
      if ("cdhs".includes(suit) && suit.length === 1) {
        const card = typed + suit;
        typed = "";
        if (pack.includes(card)) tap(card); else toast(say("The {card} is not in this pack.", { card: cardWord(card) }), "note");
        draw(node, now());
        return true;
      }
    }
    if (pressed.toLowerCase() === "b" && pack.some((card) => card === "B" || card === "b")) {
      // B is the higher joker, b the lower one; where there is one, either names it.
      tap(pack.includes(pressed) ? pressed : pack.find((card) => card === "B" || card === "b"));
      return true;
    }
    const rank = RANK_KEYS[pressed.toLowerCase()];
    if (!rank || pressed.length !== 1) return false;
    typed = rank;
    draw(node, now());
    return true;
  }

  return { draw, key };
}

const spent = (snapshot, there) => !there ? "" : there.play ? say("{name} played it in trick {n}", { name: seatName(snapshot, there.play.seat), n: there.trick.number }) : say("turned up");

