// Every word the page shows. English stands in the code and is the key; other languages lie in
// static/words/<language>.json, and what one lacks is shown in English. The language is settled
// before any other module runs, so words may stand in constants too; a change reloads the page.

const language = document.documentElement.lang;

async function translations() {
  if (language === "en" || language === "zz") return {};
  // One file that holds a whole page brings its words along.
  const within = document.getElementById(`words-${language}`);
  if (within) return JSON.parse(within.textContent);
  try {
    const answer = await fetch(`/static/words/${language}.json`);
    return answer.ok ? await answer.json() : {};
  } catch { return {}; }
}

const known = await translations();

/** Put `args` into the {holes} of a sentence. */
const filled = (sentence, args) => sentence.replace(/\{(\w+)\}/g, (hole, name) => name in args ? String(args[name]) : hole);

/**
 * `text` in the reader's language: say("{name} leads", { name: "East" }). The text must stand
 * in the call itself (or in phrase()), for the test that looks for missing translations.
 * The language "zz" marks all that passed through here, to find what did not.
 */
export function say(text, args = {}) {
  if (language === "zz") return `⟦${filled(text, args)}⟧`;
  return filled(known[text] ?? text, args);
}

/** Marks a text that say() is given later: tables of words. */
export const phrase = (text) => text;

/** say() by number: plural(n, "{n} point", "{n} points"). */
export const plural = (n, one, many, args = {}) => say(n === 1 ? one : many, { n, ...args });

/** Numbers, dates and times as the reader writes them. */
export const readerLanguage = language === "zz" ? "en" : language;

/**
 * Words of the templates: data-say on an element that holds nothing but text (its own text is
 * the key, or the value of data-say, with data-say-args as JSON); data-say-label, -title,
 * -placeholder and -alt for those attributes.
 */
export function sayTemplates(root = document) {
  if (language === "en") return;
  for (const node of root.querySelectorAll("[data-say]")) {
    const text = node.dataset.say || node.textContent.trim().replace(/\s+/g, " ");
    node.textContent = say(text, JSON.parse(node.dataset.sayArgs || "{}"));
    node.removeAttribute("data-say");
  }
  for (const [mark, attribute] of [["label", "aria-label"], ["title", "title"], ["placeholder", "placeholder"], ["alt", "alt"]]) {
    for (const node of root.querySelectorAll(`[data-say-${mark}]`)) {
      const text = node.getAttribute(`data-say-${mark}`) || node.getAttribute(attribute);
      node.setAttribute(attribute, say(text, JSON.parse(node.dataset.sayArgs || "{}")));
      node.removeAttribute(`data-say-${mark}`);
    }
  }
}
sayTemplates();

// ---- names and signs -------------------------------------------------------------------

/** Names the engine gives to seats nobody named; sent to it in English, shown in any language. */
export const SEAT_KEYS = [phrase("North"), phrase("East"), phrase("South"), phrase("West")];
export const SEATS = SEAT_KEYS.map((name) => say(name));
export const SUITS = ["s", "h", "d", "c"];
export const SUIT_SIGN = { c: "♣", d: "♦", h: "♥", s: "♠", n: "∅" };
/** On buttons and plates. */
export const SUIT_WORD = { c: say("Clubs"), d: say("Diamonds"), h: say("Hearts"), s: say("Spades"), n: say("No trump") };
/** Within a sentence. */
export const SUIT_NAME = { c: say("clubs"), d: say("diamonds"), h: say("hearts"), s: say("spades"), n: say("no trump") };
const RANK_WORD = { T: "10", J: say("jack"), Q: say("queen"), K: say("king"), A: say("ace") };

export const isRed = (suit) => suit === "d" || suit === "h";

/** "king of hearts" for "Kh". */
export function cardWord(card) {
  if (!card) return say("unread card");
  if (card === "B") return say("joker");
  if (card === "b") return say("low joker");
  return say("{rank} of {suit}", { rank: RANK_WORD[card[0]] ?? card[0], suit: SUIT_NAME[card[1]] });
}

/** ["K", "♥"] for "Kh". */
export function cardSigns(card) {
  if (card === "B" || card === "b") return ["Jk", card === "B" ? "★" : "☆"];
  return [card[0] === "T" ? "10" : card[0], SUIT_SIGN[card[1]]];
}

/** A name as people gave it; the engine's own names of the seats in the reader's language. */
export const nameWord = (name) => {
  const seat = SEAT_KEYS.indexOf(name);
  return seat < 0 ? name : SEATS[seat];
};

/** A side as the engine names it, "North and South": names nobody gave in the reader's language. */
export function bothWord(name) {
  const parts = name.split(" and ");
  return parts.length === 2 ? say("{one} and {other}", { one: nameWord(parts[0]), other: nameWord(parts[1]) }) : nameWord(name);
}

export function seatName(snapshot, seat) {
  if (seat === null || seat === undefined) return say("Nobody");
  const name = snapshot?.seats?.find((s) => s.seat === seat)?.name;
  return (name && nameWord(name)) || SEATS[seat] || say("Seat {n}", { n: seat + 1 });
}

/** A side's name: its players, or what the snapshot calls it. */
export function sideName(snapshot, side) {
  const members = (snapshot?.seats ?? []).filter((s) => s.side === side).map((s) => nameWord(s.name));
  if (members.length === 2 && members[0] === members[1]) return members[0];
  if (members.length === 2) return say("{one} and {other}", { one: members[0], other: members[1] });
  return members[0] ?? snapshot?.sides?.find((s) => s.side === side)?.name ?? say("Side {n}", { n: side + 1 });
}

/** "now", "12 s", "3 min", "2 h": short, for an age in seconds. */
export function ageWord(seconds) {
  if (seconds < 1.5) return say("now");
  if (seconds < 90) return say("{n} s", { n: Math.round(seconds) });
  if (seconds < 5400) return say("{n} min", { n: Math.round(seconds / 60) });
  return say("{n} h", { n: Math.round(seconds / 3600) });
}

/** The same for something past: "now", "12 s ago". */
export const agoWord = (seconds) => seconds < 1.5 ? say("now") : say("{age} ago", { age: ageWord(seconds) });

export function clockWord(atUs) {
  return new Date(atUs / 1000).toLocaleTimeString(readerLanguage === "en" ? [] : readerLanguage, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

export const percent = (p) => `${Math.round(100 * p)}%`;

export const RESULT_WORD = {
  euchre: say("Euchre"), march: say("March"), made: say("Made it"), march_alone: say("March alone"), made_alone: say("Made it alone"),
  lone_euchre: say("Lone hand euchred"), super_euchre: say("Super-euchre"), lone_defender_euchre: say("Lone defender's euchre"),
  passed_out: say("Passed out"), thrown_in: say("Thrown in"), revoke: say("Revoke"), both_revoked: say("Both sides revoked"),
  six_cards: say("Too many cards"), bid_made: say("Bid made"), set: say("Bidder set"),
};
export const resultWord = (result) =>
  result ? RESULT_WORD[result] ?? (result[0].toUpperCase() + result.slice(1)).replaceAll("_", " ") : "";

// ---- the engine's sentences ------------------------------------------------------------
// A sentence is a key and arguments; engine/wording.py tells how arguments are named and which
// marks a template knows, and its translations lie among the page's own.

let players = SEAT_KEYS;

/** Whose names the engine's sentences are spoken with: those of the snapshot that is shown. */
export function readNames(snapshot) {
  if (snapshot?.seats?.length) players = [...snapshot.seats].sort((a, b) => a.seat - b.seat).map((s) => s.name);
}

const playerWord = (seat) => seat === null || seat === undefined ? say("Somebody")
  : seat < players.length ? nameWord(players[seat]) : say("Seat {n}", { n: seat + 1 });
const sideWord = (side) => players.length === 4 && side < 2 && players[side] !== players[side + 2] ? say("{one} and {other}", { one: playerWord(side), other: playerWord(side + 2) }) : playerWord(side);

/** "a", "a and b", "a, b and c". */
const listed = (words, joiner) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${joiner} ${words.at(-1)}`;

function counted(value, one, many) {
  const numbers = Array.isArray(value) ? value : null;
  const noun = (numbers ? numbers.length : value) === 1 ? one : many;
  return numbers ? `${noun} ${listed(numbers.map(String), say("and"))}` : `${value} ${noun}`;
}

/** One argument in words: by the first word of its name, and the mark of the template. */
function argument(name, value, mark) {
  if (mark.includes("|")) return counted(value, ...mark.split("|"));
  const kind = name.split("_")[0];
  if (Array.isArray(value)) {
    const words = value.map((item) => argument(kind.replace(/s$/, ""), item, ""));
    return ["seats", "cards", "suits"].includes(kind) || mark ? listed(words, mark || say("and")) : words.join("; ");
  }
  if (value !== null && typeof value === "object") return spoken(value);
  if (kind === "name" || kind === "right") return nameWord(value);
  if (kind === "seat") return playerWord(value);
  if (kind === "side") return sideWord(value);
  if (typeof value === "number") return mark === "+" && value >= 0 ? `+${value}` : String(value);
  if (value === null || value === undefined) return kind === "card" ? say("a card") : say("Somebody");
  if (kind === "suit") return value === "joker" ? say("joker") : SUIT_NAME[value] ?? value;
  return kind === "card" ? cardWord(value) : value;
}

const FIELD = /\{(\w+)(?::([^}]*))?\}/g;

/** The sentence in the reader's language; null where there is no translation of it. */
function spoken({ key, args = {} }) {
  const template = known[key];
  if (template === undefined) return null;
  return template
    .replace(/\[([^\]]*)\]/g, (_, inside) => [...inside.matchAll(FIELD)].some(([, name]) => args[name] === null || args[name] === undefined) ? "" : inside)
    .replace(FIELD, (_, name, mark) => argument(name, args[name], mark ?? ""));
}

/** A sentence of the engine, {text, say}: in the reader's language where it has one. */
export function sayIt(told) {
  if (told === null || told === undefined) return "";
  if (typeof told === "string") return told;
  // A sentence without its key is one that no language can say: it stays without the marks.
  if (language === "zz") return told.say?.key ? `⟦${told.text ?? ""}⟧` : told.text ?? "";
  if (language === "en" || !told.say?.key) return told.text ?? "";
  return spoken(told.say) || (told.text ?? "");
}

/** Why the kit refused, from its answer {reason, say}; `otherwise` where it gave none. */
export const sayWhy = (told, otherwise = "") => told?.reason ? sayIt({ text: told.reason, say: told.say }) : otherwise;

/** The rules of a preset, {words, say}: a sentence each. */
export const sayRules = (preset) => (preset?.words ?? []).map((text, i) => sayIt({ text, say: preset.say?.[i] }));

/** What a finding means if it is upheld. */
export const sayRuling = (finding) => sayIt({ text: finding.ruling, say: finding.say_ruling });

/** The rulesets by name, for people; one that is not here is shown by its own words. */
const PRESETS = {
  home: [say("Home"), say("To 10, all may go alone")], pub: [say("Pub"), say("To 10, the maker goes alone")], british: [say("British"), say("To 11, with the joker")],
  canadian: [say("Canadian"), say("Partner orders alone")], tournament: [say("Tournament"), say("Stick the dealer")], joker: [say("Joker"), say("The joker is the best trump")],
  thirty_two: [say("Thirty-two"), say("32 cards, from the 7 up")], buck3: [say("Buck"), say("Three players, counting down")], two_hand: [say("Two-handed"), say("Two players, cards on the table")],
  call_ace_5: [say("Call-ace, five"), say("Five players, a hidden partner")], call_ace_6: [say("Call-ace, six"), say("Six players, a hidden partner")],
};
export const presetWord = (name) => PRESETS[name]?.[0] ?? name.replaceAll("_", " ");
export const presetLine = (name) => PRESETS[name]?.[1] ?? null;
