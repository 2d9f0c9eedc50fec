// Names in words and signs. The engine's sentences are shown as they come; these are for the
// small parts that have no sentence: buttons, badges, alternative texts.

export const SEATS = ["North", "East", "South", "West"];
export const SUITS = ["s", "h", "d", "c"];
export const SUIT_SIGN = { c: "♣", d: "♦", h: "♥", s: "♠", n: "∅" };
export const SUIT_WORD = { c: "Clubs", d: "Diamonds", h: "Hearts", s: "Spades", n: "No trump" };
const RANK_WORD = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };

export const isRed = (suit) => suit === "d" || suit === "h";

/** "king of hearts" for "Kh". */
export function cardWord(card) {
  if (!card) return "unread card";
  if (card === "B") return "joker";
  if (card === "b") return "low joker";
  return `${RANK_WORD[card[0]] ?? card[0]} of ${SUIT_WORD[card[1]].toLowerCase()}`;
}

/** ["K", "♥"] for "Kh". */
export function cardSigns(card) {
  if (card === "B" || card === "b") return ["Jk", card === "B" ? "★" : "☆"];
  return [card[0] === "T" ? "10" : card[0], SUIT_SIGN[card[1]]];
}

export function seatName(snapshot, seat) {
  if (seat === null || seat === undefined) return "Nobody";
  return snapshot?.seats?.find((s) => s.seat === seat)?.name || SEATS[seat] || `Seat ${seat + 1}`;
}

/** "just now", "12 s", "3 min", "2 h": short, for an age in seconds. */
export function ageWord(seconds) {
  if (seconds < 1.5) return "now";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

export function clockWord(atUs) {
  return new Date(atUs / 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

export const percent = (p) => `${Math.round(100 * p)}%`;

export const RESULT_WORD = {
  euchre: "Euchre", march: "March", made: "Made it", lone_march: "Lone march", lone_made: "Made it alone",
  passed_out: "Passed out", thrown_in: "Thrown in", revoke: "Revoke",
};
export const resultWord = (result) =>
  result ? RESULT_WORD[result] ?? (result[0].toUpperCase() + result.slice(1)).replaceAll("_", " ") : "";
