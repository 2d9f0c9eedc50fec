// The calibration page: looks through the camera, shows the seats' zones, ticks off a deck.
import { ask } from "./commands.js";
import { chip } from "./cards.js";
import { el } from "./dom.js";
import { SUITS, cardWord, phrase, say, sayIt } from "./words.js";

const $ = (id) => document.getElementById(id);
const VERDICT = { pass: phrase("good"), warn: phrase("could be better"), fail: phrase("not good enough") };
const CHECK = {
  size: phrase("size"), view: phrase("view"), tilt: phrase("tilt"), flat: phrase("flatness"), focus: phrase("focus"),
  exposure: phrase("light"), even: phrase("evenness"), colour: phrase("colour"), landmarks: phrase("landmarks"),
};

let looks = 0;

async function look() {
  $("told").textContent = say("Looking…");
  const told = await ask("/api/calibrate", { do: "look" }, { button: $("look") });
  if (!told) { $("told").textContent = ""; return; }
  const seen = $("seen");
  looks += 1;
  seen.hidden = !told.picture;
  if (told.picture) seen.src = `/api/calibrate/picture.jpg?look=${looks}`;
  seen.alt = told.found ? say("The camera's picture with the seats' zones over it") : say("The camera's picture");
  $("keep").disabled = !told.may_keep;
  $("told").textContent = told.found
    ? (told.may_keep ? say("The table was found. Are the seats where the players sit? Then keep this.") : say("The table was found, but cards would not be read well here: mend what is marked."))
    : sayIt(told);
  $("checks").replaceChildren(...told.checks.map((check) => el("li", { data: { verdict: check.verdict } },
    el("b", { text: say(CHECK[check.name] ?? check.name) }), el("span", { text: `${say(VERDICT[check.verdict])}: ${sayIt(check)}` }),
    check.cure ? el("small", { text: sayIt({ text: check.cure, say: check.say_cure }) }) : null)));
}

async function keep() {
  const told = await ask("/api/calibrate", { do: "keep" }, { button: $("keep") });
  if (!told) return;
  $("keep").disabled = true;
  $("told").textContent = say("Kept. Take the sheet or the cards away: the table is ready.");
}

// ---- the deck --------------------------------------------------------------------------------

const RANKS = ["9", "T", "J", "Q", "K", "A"];
const deck = new Map(SUITS.flatMap((suit) => RANKS.map((rank) => [rank + suit, 0])));
const CLEAR = 0.97;
let watching = null;

function drawDeck() {
  const others = [...deck.keys()].filter((card) => !RANKS.includes(card[0]) || !SUITS.includes(card[1]));
  const rows = [...SUITS.map((suit) => RANKS.map((rank) => rank + suit)), others].filter((row) => row.length);
  $("cards").replaceChildren(...rows.map((row) => el("div", { class: "deck-row" }, row.map((card) => {
    const best = deck.get(card);
    const state = best >= CLEAR ? "clear" : best > 0 ? "weak" : "wanted";
    const words = { clear: say("read beyond doubt"), weak: say("read with doubt"), wanted: say("not shown yet") }[state];
    return el("div", { class: "deck-card", role: "img", data: { card, state }, aria: { label: `${cardWord(card)}: ${words}` } },
      chip(card), el("small", { text: best > 0 ? `${Math.floor(best * 100)}%` : "–", aria: { hidden: "true" } }));
  }))));
  const done = [...deck.values()].filter((best) => best >= CLEAR).length;
  $("deck-told").textContent = done === deck.size ? say("All {count} cards are read beyond doubt: this deck is readable.", { count: deck.size })
    : watching || done ? say("{done} of {count} cards read beyond doubt.", { done, count: deck.size }) : "";
}

async function watchCards() {
  const told = await ask("/api/calibrate", { do: "cards" });
  if (!told) { stopWatching(); return; }
  for (const { card, confidence } of told.cards) deck.set(card, Math.max(deck.get(card) ?? 0, confidence));
  drawDeck();
  if (watching) watching = setTimeout(watchCards, 400);
}

function stopWatching() {
  clearTimeout(watching);
  watching = null;
  $("deck").setAttribute("aria-pressed", "false");
  $("deck").textContent = say("Start showing cards");
}

function toggleDeck() {
  if (watching) { stopWatching(); drawDeck(); return; }
  $("deck").setAttribute("aria-pressed", "true");
  $("deck").textContent = say("Stop");
  watching = setTimeout(watchCards, 0);
}

if ($("look")) {
  $("look").addEventListener("click", look);
  $("keep").addEventListener("click", keep);
  $("deck").addEventListener("click", toggleDeck);
  drawDeck();
}
