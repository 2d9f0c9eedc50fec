// What the table asks, and the answers: the declaration, reviews, findings, the marked points.
// Whatever waits for a person stands here, the engine's own question first.
import { el, paint, unpaint } from "./dom.js";
import { acePanel, bidPanel, callsPanel, discardPanel, exchangePanel, stayPanel } from "./boards/calls.js";
import { pickCard } from "./boards/pick.js";
import { chip, face, suitSign } from "./cards.js";
import { send } from "./commands.js";
import { openSheet } from "./sheet.js";
import { SUITS, SUIT_NAME, SUIT_WORD, cardWord, nameWord, percent, plural, say, sayIt, seatName } from "./words.js";

/** A picture of evidence; a tap shows it large. */
export function picture(hash, caption) {
  if (!hash) return el("div", { class: "picture none", text: say("No picture was kept") });
  const img = el("img", { src: `/evidence/${hash}.jpg`, alt: say("Camera picture: {what}", { what: caption }), loading: "lazy" });
  const figure = el("button", { type: "button", class: "picture", aria: { label: say("Enlarge the picture: {what}", { what: caption }) },
    on: { click: () => openSheet(caption, el("img", { class: "large", src: img.src, alt: say("Camera picture: {what}", { what: caption }) })) } }, img);
  img.addEventListener("error", () => figure.replaceWith(el("div", { class: "picture none", text: say("The picture is gone") })));
  return figure;
}

const button = (text, onClick, { cls = "", focus = null, aria = null, disabled = false } = {}) =>
  el("button", { type: "button", class: `button ${cls}`, data: { focus }, aria, disabled, on: { click: (event) => onClick(event.currentTarget) } }, text);

// ---- the declaration -------------------------------------------------------------------

/**
 * Maker, trump, alone (in buck the bid and who dropped, in call-ace the ace): a few choices and one
 * last tap. `choice` lives across repaints. `submit(declared, control)` answers whether it was
 * taken; without it the declaration goes to the table for `deal`.
 */
export function declarePanel(snapshot, choice, repaint, { deal = null, onSent = () => {}, submit = null } = {}) {
  const seats = snapshot.seats ?? [];
  const { shape, alone_by: aloneBy, defend_alone: defendAlone } = snapshot.game ?? {};
  const pick = (changes) => () => { Object.assign(choice, changes); repaint(); };
  const sideOf = (seat) => seats.find((s) => s.seat === seat)?.side;
  const partners = seats.filter((s) => s.seat !== choice.maker && s.side === sideOf(choice.maker));
  const partner = choice.maker === null || aloneBy !== "either_partner" ? null : partners[0]?.seat ?? null;
  const upcardSuit = deal === null || deal === snapshot.deal?.number ? snapshot.deal?.upcard?.card?.[1] : null;
  const ready = choice.maker !== null && choice.trump !== null && (shape !== "buck" || choice.bid !== null);
  const trumps = [...SUITS, "n"].filter((suit) => (snapshot.game?.trumps ?? SUITS).includes(suit));
  const option = (label, on, changes, focus, content = label, cls = "", role = "radio") => el("button", {
    type: "button", class: `option ${cls}`, role, aria: { [role === "radio" ? "checked" : "pressed"]: String(on), label }, data: { focus }, on: { click: pick(changes) },
  }, content);
  const name = (seat) => seatName(snapshot, seat);
  const words = !ready ? (shape === "buck" ? say("Choose who, what and how many tricks") : say("Choose who and what")) : [
    say("{name} made {suit}", { name: name(choice.maker), suit: SUIT_NAME[choice.trump] }),
    shape === "buck" ? plural(choice.bid, "bid of {n} trick", "bid of {n} tricks") : null,
    choice.alone === null ? null : choice.alone === choice.maker ? say("alone") : say("{name} alone", { name: name(choice.alone) }),
    choice.defenderAlone === null ? null : say("against {name} alone", { name: name(choice.defenderAlone) }),
    choice.ace === null ? null : say("with the {card}", { card: cardWord(choice.ace) }),
    choice.dropped.length ? say("without {names}", { names: choice.dropped.map(name).join(", ") }) : null,
  ].filter(Boolean).join(", ");
  const defenders = choice.maker === null ? [] : seats.filter((s) => s.seat !== choice.maker && s.side !== sideOf(choice.maker));
  const aces = shape === "call_ace" ? (snapshot.game?.pack ?? []).filter((card) => card[0] === "A") : [];
  const fresh = { alone: null, defenderAlone: null, dropped: [] };
  return el("div", { class: "declare" },
    el("div", { class: "options seats", role: "radiogroup", aria: { label: say("Who made trump") } },
      seats.map((s) => option(nameWord(s.name), choice.maker === s.seat, { maker: s.seat, ...fresh }, `maker-${s.seat}`, nameWord(s.name), `side-${s.side}`))),
    shape === "buck" ? el("div", { class: "options bids", role: "radiogroup", aria: { label: say("Tricks bid") } },
      Array.from({ length: snapshot.game?.hand_size ?? 5 }, (_, i) => option(plural(i + 1, "bid of {n} trick", "bid of {n} tricks"), choice.bid === i + 1, { bid: i + 1 }, `declare-bid-${i + 1}`, String(i + 1)))) : null,
    el("div", { class: "options suits", role: "radiogroup", aria: { label: say("Trump") } },
      trumps.map((suit) => option(SUIT_WORD[suit], choice.trump === suit, { trump: suit }, `trump-${suit}`,
        [suitSign(suit), el("span", { class: "option-word", text: SUIT_WORD[suit] }), upcardSuit === suit ? el("span", { class: "under", text: say("up-card") }) : null]))),
    aceRow(aces, choice, option),
    aloneBy && aloneBy !== "nobody" ? el("div", { class: "options alone", role: "radiogroup", aria: { label: say("Alone") } },
      option(shape === "partnership" ? say("With partner") : say("Not alone"), choice.alone === null, { alone: null }, "alone-none"),
      option(choice.maker === null ? say("Alone") : say("{name} alone", { name: name(choice.maker) }), choice.maker !== null && choice.alone === choice.maker, { alone: choice.maker, ace: null }, "alone-maker"),
      partner === null ? null : option(say("{name} alone", { name: name(partner) }), choice.alone === partner, { alone: partner }, "alone-partner")) : null,
    choice.maker === null || !defendAlone || defendAlone === "off" ? null : el("details", { class: "rare", open: choice.defenderAlone !== null },
      el("summary", { text: say("A defender plays alone") }),
      el("div", { class: "options", role: "radiogroup", aria: { label: say("Lone defender") } },
        option(say("Nobody"), choice.defenderAlone === null, { defenderAlone: null }, "defender-none"),
        defenders.map((s) => option(nameWord(s.name), choice.defenderAlone === s.seat, { defenderAlone: s.seat }, `defender-${s.seat}`)))),
    shape === "buck" && choice.maker !== null ? el("div", { class: "options seats", role: "group", aria: { label: say("Who dropped") } },
      el("span", { class: "row-word", text: say("Dropped:") }),
      defenders.map((s) => option(nameWord(s.name), choice.dropped.includes(s.seat), { dropped: choice.dropped.includes(s.seat) ? choice.dropped.filter((d) => d !== s.seat) : [...choice.dropped, s.seat] }, `dropped-${s.seat}`, nameWord(s.name), "", "button"))) : null,
    el("button", {
      type: "button", class: "button primary wide", disabled: !ready, data: { focus: "declare" }, id: "declare-now",
      on: { click: async (event) => {
        const declared = declarationOf(choice, snapshot.game);
        const control = event.currentTarget;
        // A deal that has not begun has no number yet for the kit: it is simply the one to come.
        const known = deal !== null && (snapshot.deal?.number === deal || (snapshot.deals ?? []).some((d) => d.number === deal));
        const sent = submit ? await submit(declared, control) : await send({ kind: "declare", ...declared, deal: known ? deal : null }, { button: control });
        if (sent) { resetChoice(choice); onSent(); }
      } },
    }, words));
}

const aceRow = (aces, choice, option) => aces.length ? el("div", { class: "options suits aces", role: "radiogroup", aria: { label: say("The ace that was called") } },
  aces.map((card) => option(cardWord(card), choice.ace === card, { ace: choice.ace === card ? null : card, alone: null }, `declare-ace-${card}`, chip(card))),
  option(say("No ace yet"), choice.ace === null, { ace: null }, "declare-ace-none", say("not yet"))) : null;

/** A choice as the fields of a declaration, without what this game does not know. */
function declarationOf(choice, game) {
  const declared = { maker: choice.maker, trump: choice.trump, alone: choice.alone, defender_alone: choice.defenderAlone };
  if (game?.shape === "buck") Object.assign(declared, { bid: choice.bid, dropped: choice.dropped });
  if (game?.shape === "call_ace") declared.ace = choice.ace;
  return declared;
}

export const freshChoice = (from = {}) => ({
  maker: from.maker ?? null, trump: from.trump ?? null, alone: from.alone ?? null, defenderAlone: from.defender_alone ?? null,
  bid: from.bid ?? null, dropped: [...(from.dropped ?? [])], ace: from.ace ?? null, deal: null, speaker: null, callAlone: false,
});
const resetChoice = (choice) => Object.assign(choice, freshChoice());

// ---- a review --------------------------------------------------------------------------

const answer = (review, card, seat, control) =>
  send({ kind: "answer_review", review: review.id, card, ...(seat === null || seat === undefined ? {} : { seat }) }, { button: control });

function otherCard(snapshot, review, seat) {
  const title = seat === null ? say("Which card did it show?") : say("Which card did {name} lay?", { name: seatName(snapshot, seat) });
  pickCard(snapshot, title, (card) => answer(review, card, seat, null),
    { above: review.evidence ? el("img", { class: "large", src: `/evidence/${review.evidence}.jpg`, alt: say("Camera picture: {what}", { what: say("the doubtful card") }) }) : null });
}

function reviewPanel(snapshot, review, picked, repaint) {
  const candidates = review.candidates ?? [];
  const seatOpen = review.seat === null || review.seat === undefined;
  const asksSeat = ["play", "draw"].includes(review.subject) && (review.reason === "seat" || seatOpen);
  const seat = picked[review.id] ?? (review.reason === "seat" ? null : review.seat ?? null);
  // The card is known and only its seat is in doubt: naming the seat is the whole answer.
  const oneTap = review.reason === "seat" && candidates.length > 0;
  const needSeat = asksSeat && seat === null && !oneTap;
  // A name nearly ruled out is no answer worth a button; "another card" has them all.
  const likely = candidates.filter(([, p], i) => i === 0 || !(p < 0.02)).slice(0, 3);
  const cards = oneTap ? [face(candidates[0][0])] : likely.map(([card, p]) => el("button", {
    type: "button", class: "answer card-answer", disabled: needSeat, data: { focus: `answer-${review.id}-${card}`, card },
    aria: { label: [say("It is the {card}", { card: cardWord(card) }), p ? percent(p) : ""].filter(Boolean).join(", ") }, on: { click: (event) => answer(review, card, seat, event.currentTarget) },
  }, face(card, { label: "" }), el("span", { class: "answer-word" }, chip(card), p ? el("small", { text: percent(p) }) : null)));
  return el("article", { class: "item review", data: { review: review.id } },
    el("p", { class: "item-text", text: sayIt(review) || say("Which card did {name} lay?", { name: seatName(snapshot, review.seat) }) }),
    el("div", { class: "item-row" }, picture(review.evidence, sayIt(review) || say("the doubtful card")),
      el("div", { class: "item-answers" },
        asksSeat ? el("div", { class: "options seats", role: oneTap ? "group" : "radiogroup", aria: { label: say("Whose card is it") } },
          (snapshot.seats ?? []).map((s) => el("button", {
            type: "button", class: `option side-${s.side}`, role: oneTap ? null : "radio", aria: { checked: oneTap ? null : String(seat === s.seat) }, data: { focus: `seat-${review.id}-${s.seat}`, seat: s.seat },
            on: { click: (event) => { if (oneTap) answer(review, candidates[0][0], s.seat, event.currentTarget); else { picked[review.id] = s.seat; repaint(); } } },
          }, nameWord(s.name)))) : null,
        cards.length ? el("div", { class: "answers" }, cards) : null)),
    el("div", { class: "answer-buttons" },
      button(cards.length ? say("Another card…") : say("Tap in the card…"), () => otherCard(snapshot, review, seat), { focus: `other-${review.id}`, disabled: needSeat }),
      button(review.subject === "upcard" ? say("No up-card") : say("Not a card"), (b) => answer(review, null, null, b), { focus: `none-${review.id}` })));
}

// ---- a finding -------------------------------------------------------------------------

/** Findings that hold a score up; the others are told and can be noted. */
const WEIGHTY = new Set(["revoke", "trump_in_doubt", "reading_in_doubt"]);
const KIND_WORD = {
  revoke: say("Revoke"), trump_in_doubt: say("Trump in doubt"), revoke_claim: say("Claim of a revoke"), claim_unresolved: say("Claim not settled"),
  played_twice: say("Played twice"), duplicate_card: say("A card seen twice"), foreign_card: say("A card outside the pack"), turned_down_played: say("The turned-down card was played"),
  lead_out_of_turn: say("Lead out of turn"), play_out_of_turn: say("Play out of turn"), wrong_dealer: say("Wrong dealer"), six_cards: say("Too many cards"),
  no_discard: say("No discard"), too_few_cards: say("Too few cards"), short_trick: say("A trick too short"), deal_abandoned: say("Deal abandoned"), exposed_card: say("Exposed card"),
  reading_in_doubt: say("A card in doubt"), sitting_out_played: say("A card of who sits out"), upcard_conflict: say("The up-card in two places"), joker_turned_up: say("A joker turned up"),
  dealer_must_name: say("The dealer had to name"), taken_back_late: say("Taken back too late"), partner_must_go_alone: say("The partner goes alone"), alone_not_allowed: say("Not to go alone"),
  no_trump_out_of_round: say("No trump too early"), defender_alone_not_allowed: say("No defending alone"), joker_not_named_by_dealer: say("Trump under a joker"), exchange_not_allowed: say("An exchange too many"),
  no_natural_trump: say("No natural trump"), natural_trump_unresolved: say("A natural trump?"), too_many_table_cards: say("Too many cards on the table"),
};
export const kindWord = (kind) => KIND_WORD[kind] ?? (kind[0].toUpperCase() + kind.slice(1)).replaceAll("_", " ");

function shot(hash, card, text) {
  if (!hash && !card) return null;
  return el("figure", { class: "shot" },
    hash ? picture(hash, card ? `${text}: ${cardWord(card)}` : text) : face(card),
    el("figcaption", {}, card ? chip(card) : null, el("span", { text })));
}

/** The cards a finding rests on, with their pictures where all of them were kept. */
export function shots(finding) {
  const kept = finding.evidence ?? [];
  if (finding.kind === "revoke") {
    const cards = [[finding.led, say("led")], [finding.card, say("played")], [finding.proof, finding.proven_at_trick === finding.trick ? say("held") : say("in trick {n}", { n: finding.proven_at_trick })]];
    // Which picture shows which card is only sure when none is missing.
    return cards.map(([card, text], i) => shot(kept.length === 3 ? kept[i] : null, card, text));
  }
  return kept.length ? kept.map((hash) => shot(hash, null, say("as the camera saw it"))) : [shot(null, finding.card, "")];
}

const BY_A_CARD = ["reading_in_doubt", "duplicate_card", "foreign_card", "turned_down_played", "played_twice"];
/** What the two rulings are called: a doubt is no accusation that could be upheld. */
export const rulingWords = (kind) => kind.endsWith("_in_doubt") ? [say("Leave it open"), say("It is right")] : [say("Uphold"), say("Dismiss")];
const BY_A_HAND = ["claim_unresolved", "revoke_claim", "natural_trump_unresolved", "six_cards", "too_few_cards"];

function findingPanel(snapshot, finding, actions) {
  const reason = el("input", { type: "text", class: "field", maxlength: "120", placeholder: say("Why, if it matters (optional)"), data: { focus: `why-${finding.id}` }, aria: { label: say("Reason") }, value: reasons[finding.id] ?? "",
    on: { input: (event) => { reasons[finding.id] = event.target.value; } } });
  const rule = (ruling) => (control) => send({ kind: "rule_finding", finding: finding.id, ruling, reason: reason.value.trim() }, { button: control });
  const weighty = WEIGHTY.has(finding.kind);
  const drawn = shots(finding).filter(Boolean);
  const [uphold, dismiss] = rulingWords(finding.kind);
  return el("article", { class: `item finding${weighty ? "" : " light"}`, data: { finding: finding.id } },
    el("p", { class: "item-kind", text: kindWord(finding.kind) }),
    el("p", { class: "item-text", text: sayIt(finding) }),
    drawn.length && weighty ? el("div", { class: "shots" }, drawn) : null,
    finding.ruling ? el("p", { class: "ruling" }, weighty && finding.kind === "revoke" ? el("span", { text: `${say("Upheld, it means:")} ` }) : null, sayIt({ text: finding.ruling, say: finding.say_ruling })) : null,
    el("div", { class: "answer-buttons" },
      finding.kind === "trump_in_doubt" && actions.onDeclare ? button(say("Declare again…"), () => actions.onDeclare(finding.deal), { cls: "primary", focus: `again-${finding.id}` }) : null,
      BY_A_CARD.includes(finding.kind) && actions.onCorrect ? button(say("Correct a card…"), () => actions.onCorrect(), { cls: finding.kind === "reading_in_doubt" ? "primary" : "", focus: `fix-${finding.id}` }) : null,
      BY_A_HAND.includes(finding.kind) && actions.onHand && finding.seat !== null ? button(say("Show the hand…"), () => actions.onHand(finding.seat, finding.deal), { focus: `hand-${finding.id}` }) : null,
      actions.onDiagram ? button(say("The deal on paper…"), () => actions.onDiagram(finding.deal), { focus: `diagram-${finding.id}` }) : null),
    el("details", { class: "rare", open: Boolean(reasons[finding.id]) }, el("summary", { text: say("Give a reason") }), reason),
    el("div", { class: "answer-buttons" },
      button(uphold, rule("uphold"), { cls: finding.kind === "revoke" ? "primary" : "", focus: `uphold-${finding.id}` }),
      button(dismiss, rule("dismiss"), { focus: `dismiss-${finding.id}` })));
}

// ---- the rest of what may be asked -----------------------------------------------------

function upcardPanel(snapshot) {
  if (snapshot.deal?.upcard) {
    return el("div", { class: "answer-buttons" },
      button(say("The dealer took it"), (b) => send({ kind: "take_upcard" }, { button: b }), { cls: "primary" }),
      button(say("Turned down"), (b) => send({ kind: "turn_down_upcard" }, { button: b })));
  }
  return button(say("Tap in the up-card…"), () => pickCard(snapshot, say("Which card is turned up?"), (card) => send({ kind: "show_upcard", card })), { focus: "tap-upcard" });
}

const dealerPanel = (snapshot) => [
  el("div", { class: "options seats" }, (snapshot.seats ?? []).map((s) =>
    button(nameWord(s.name), (b) => send({ kind: "name_dealer", dealer: s.seat }, { button: b }), { cls: `side-${s.side}`, focus: `dealer-${s.seat}` }))),
  (snapshot.offers ?? []).some((o) => o.kind === "draw_dealer")
    ? el("div", { class: "answer-buttons" }, button(say("Draw it from the cards"), (b) => send({ kind: "draw_dealer" }, { button: b }), { focus: "draw-dealer" })) : null];

/** A seat to tap for each card of the draw, where no camera saw it. */
function drawPanel(snapshot) {
  const awaited = snapshot.draw?.awaited ?? [];
  return el("div", { class: "options seats" }, (snapshot.seats ?? []).filter((s) => !awaited.length || awaited.includes(s.seat)).map((s) =>
    button(nameWord(s.name), () => pickCard(snapshot, say("Which card did {name} draw?", { name: seatName(snapshot, s.seat) }), (card) => send({ kind: "play_card", seat: s.seat, card })),
      { cls: `side-${s.side}`, focus: `drew-${s.seat}` })));
}

const confirmPanel = (ask) => el("div", { class: "answer-buttons" },
  button(say("Yes, the points are marked"), (b) => send({ kind: "confirm_deal", deal: ask.deal ?? null }, { button: b }), { cls: "primary wide", focus: "confirm" }));

// ---- the whole panel -------------------------------------------------------------------

const choice = freshChoice();
const picked = {};
const reasons = {};
let unfolded = null;
let game = null;
/** A table that tells its calls one by one goes on doing so. */
let byCalls = false;

/** What a question of the engine is answered with. */
function answers(snapshot, ask, repaint) {
  const calls = (snapshot.offers ?? []).some((o) => o.kind === "call");
  switch (ask.kind) {
    case "declare": {
      const panel = declarePanel(snapshot, choice, repaint, { deal: ask.deal ?? null });
      const maker = snapshot.deal?.maker;
      // Somebody has bid, or names a suit before looking: then a suit is all that is missing.
      const named = calls && maker !== null && maker !== undefined;
      if (named) return [callsPanel(snapshot, choice, repaint), el("details", { class: "rare" }, el("summary", { text: say("Say it all in one") }), panel)];
      return [panel, calls ? el("details", { class: "rare", open: byCalls, on: { toggle: (event) => { byCalls = event.target.open; } } }, el("summary", { text: say("Call by call") }), el("div", { class: "declare" }, callsPanel(snapshot, choice, repaint))) : null];
    }
    case "bid": {
      const panel = () => declarePanel(snapshot, choice, repaint, { deal: ask.deal ?? null });
      if (!(snapshot.offers ?? []).some((o) => o.kind === "bid_tricks")) return [panel()];
      return [bidPanel(snapshot, choice, repaint), el("details", { class: "rare", open: choice.maker !== null }, el("summary", { text: say("Say it all in one") }), panel())];
    }
    case "stay": return [stayPanel(snapshot)];
    case "ace": return [acePanel(snapshot)];
    case "discard": return [discardPanel(snapshot)];
    case "exchange": return [exchangePanel(snapshot)];
    case "upcard": return [upcardPanel(snapshot)];
    case "dealer": return dealerPanel(snapshot);
    case "draw": return [drawPanel(snapshot)];
    case "confirm": return [confirmPanel(ask)];
    case "paused": return [el("div", { class: "answer-buttons" }, button(say("Play on"), (b) => send({ kind: "resume_game" }, { button: b }), { cls: "primary wide", focus: "resume" }))];
    default: return [];
  }
}

/** `actions`: onDeclare(deal), onCorrect(), onHand(seat, deal), onDiagram(deal): what a finding may need. */
export function drawAsk(node, snapshot, actions = {}) {
  const { ask } = snapshot;
  if (game !== (snapshot.game?.id ?? null)) {
    game = snapshot.game?.id ?? null;
    resetChoice(choice);
    for (const kept of [picked, reasons]) for (const id of Object.keys(kept)) delete kept[id];
    unfolded = null;
  }
  const reviews = snapshot.reviews ?? [];
  const findings = (snapshot.findings ?? []).filter((f) => f.status === "open")
    .sort((a, b) => WEIGHTY.has(b.kind) - WEIGHTY.has(a.kind));
  if (["declare", "bid"].includes(ask?.kind) && choice.deal !== ask.deal) Object.assign(choice, freshChoice(), { deal: ask.deal });
  // Who is due says the kit; a seat tapped for an earlier call does not speak for the next.
  const inputs = [ask, snapshot.offers, reviews, findings, snapshot.seats?.map((s) => s.name), snapshot.deal?.upcard?.card, snapshot.deal?.number, snapshot.deal?.maker, choice, picked, unfolded];
  const repaint = () => { unpaint(node); drawAsk(node, snapshot, actions); };
  // What the engine's question is about stands first; its sentence is not said twice.
  paint(node, inputs, () => {
    if (!ask && !reviews.length && !findings.length) return null;
    const body = ask ? answers(snapshot, ask, repaint).filter(Boolean) : [];
    // One at a time: the first, or the one that was tapped; the others wait as lines.
    const waiting = [
      ...reviews.map((r) => ({ key: `review-${r.id}`, text: sayIt(r), build: () => reviewPanel(snapshot, r, picked, repaint) })),
      ...findings.map((f) => ({ key: `finding-${f.id}`, text: sayIt(f), build: () => findingPanel(snapshot, f, actions) })),
    ];
    const shown = waiting.find((item) => item.key === unfolded) ?? waiting[0];
    const items = waiting.map((item) => item === shown ? item.build() : el("button", {
      type: "button", class: "fold", data: { focus: item.key, fold: item.key }, on: { click: () => { unfolded = item.key; repaint(); } },
    }, item.text));
    const others = items.length - (["review", "finding"].includes(ask?.kind) ? 1 : 0);
    const own = ask && !["review", "finding"].includes(ask.kind);
    return [
      el("div", { class: "ask-head" }, el("h2", { class: "ask-text", text: own ? sayIt(ask) : reviews.length ? say("A card in doubt") : say("A finding to rule on") }),
        others > 0 && own ? el("span", { class: "count", text: say("{n} more", { n: others }) }) : items.length > 1 ? el("span", { class: "count", text: say("{n} open", { n: items.length }) }) : null),
      body.length ? el("div", { class: "ask-body" }, body) : null, items];
  });
  node.classList.toggle("asking", Boolean(ask || reviews.length || findings.length));
  // An up-card is awaited between any two deals: that is said, not shouted.
  node.classList.toggle("calm", ["upcard", "discard", "exchange"].includes(ask?.kind) && !reviews.length && !findings.some((f) => WEIGHTY.has(f.kind)));
}
