// What the table asks, and the answers: the declaration, reviews, findings, the marked points.
// Whatever waits for a person stands here, the engine's own question first.
import { el, paint, unpaint } from "./dom.js";
import { chip, face, grid, suitSign } from "./cards.js";
import { send } from "./commands.js";
import { closeSheet, openSheet } from "./sheet.js";
import { SUITS, SUIT_WORD, cardWord, percent, seatName } from "./words.js";

/** A picture of evidence; a tap shows it large. */
export function picture(hash, caption) {
  if (!hash) return el("div", { class: "picture none", text: "No picture was kept" });
  const img = el("img", { src: `/evidence/${hash}.jpg`, alt: `Camera picture: ${caption}`, loading: "lazy" });
  const figure = el("button", { type: "button", class: "picture", aria: { label: `Enlarge the picture: ${caption}` },
    on: { click: () => openSheet(caption, el("img", { class: "large", src: img.src, alt: `Camera picture: ${caption}` })) } }, img);
  img.addEventListener("error", () => figure.replaceWith(el("div", { class: "picture none", text: "The picture is gone" })));
  return figure;
}

const button = (text, onClick, { cls = "", focus = null, aria = null, disabled = false } = {}) =>
  el("button", { type: "button", class: `button ${cls}`, data: { focus }, aria, disabled, on: { click: (event) => onClick(event.currentTarget) } }, text);

// ---- the declaration -------------------------------------------------------------------

/** Maker, trump, alone: three choices and one last tap. `choice` lives across repaints. */
export function declarePanel(snapshot, choice, repaint, { deal = null, onSent = () => {} } = {}) {
  const seats = snapshot.seats ?? [];
  const pick = (changes) => () => { Object.assign(choice, changes); repaint(); };
  const partner = choice.maker === null ? null : (choice.maker + seats.length / 2) % seats.length;
  const upcardSuit = deal === null || deal === snapshot.deal?.number ? snapshot.deal?.upcard?.card?.[1] : null;
  const ready = choice.maker !== null && choice.trump !== null;
  const trumps = snapshot.game?.no_trump ? [...SUITS, "n"] : SUITS;
  const option = (label, on, changes, focus, content = label, cls = "") => el("button", {
    type: "button", class: `option ${cls}`, role: "radio", aria: { checked: String(on), label }, data: { focus }, on: { click: pick(changes) },
  }, content);
  const words = !ready ? "Choose who and what" :
    `${seatName(snapshot, choice.maker)} made ${SUIT_WORD[choice.trump].toLowerCase()}` +
    (choice.alone === null ? "" : choice.alone === choice.maker ? ", alone" : `, ${seatName(snapshot, choice.alone)} alone`) +
    (choice.defenderAlone === null ? "" : `, against ${seatName(snapshot, choice.defenderAlone)} alone`);
  const defenders = choice.maker === null ? [] : seats.filter((s) => s.seat !== choice.maker && s.seat !== partner);
  return el("div", { class: "declare" },
    el("div", { class: "options seats", role: "radiogroup", aria: { label: "Who made trump" } },
      seats.map((s) => option(s.name, choice.maker === s.seat, { maker: s.seat, alone: null, defenderAlone: null }, `maker-${s.seat}`, s.name, `side-${s.side}`))),
    el("div", { class: "options suits", role: "radiogroup", aria: { label: "Trump" } },
      trumps.map((suit) => option(SUIT_WORD[suit], choice.trump === suit, { trump: suit }, `trump-${suit}`,
        [suitSign(suit), el("span", { class: "option-word", text: SUIT_WORD[suit] }), upcardSuit === suit ? el("span", { class: "under", text: "up-card" }) : null]))),
    el("div", { class: "options alone", role: "radiogroup", aria: { label: "Alone" } },
      option("With partner", choice.alone === null, { alone: null }, "alone-none", "With partner"),
      option(choice.maker === null ? "Alone" : `${seatName(snapshot, choice.maker)} alone`, choice.maker !== null && choice.alone === choice.maker, { alone: choice.maker }, "alone-maker",
        choice.maker === null ? "Alone" : `${seatName(snapshot, choice.maker)} alone`),
      partner === null ? null : option(`${seatName(snapshot, partner)} alone`, choice.alone === partner, { alone: partner }, "alone-partner", `${seatName(snapshot, partner)} alone`)),
    choice.maker === null ? null : el("details", { class: "rare", open: choice.defenderAlone !== null },
      el("summary", { text: "A defender plays alone" }),
      el("div", { class: "options", role: "radiogroup", aria: { label: "Lone defender" } },
        option("Nobody", choice.defenderAlone === null, { defenderAlone: null }, "defender-none", "Nobody"),
        defenders.map((s) => option(s.name, choice.defenderAlone === s.seat, { defenderAlone: s.seat }, `defender-${s.seat}`, s.name)))),
    el("button", {
      type: "button", class: "button primary wide", disabled: !ready, data: { focus: "declare" }, id: "declare-now",
      on: { click: async (event) => {
        const sent = await send({ kind: "declare", maker: choice.maker, trump: choice.trump, alone: choice.alone, defender_alone: choice.defenderAlone, deal }, { button: event.currentTarget });
        if (sent) { resetChoice(choice); onSent(); }
      } },
    }, words));
}

export const freshChoice = () => ({ maker: null, trump: null, alone: null, defenderAlone: null, deal: null });
const resetChoice = (choice) => Object.assign(choice, freshChoice());

// ---- a review --------------------------------------------------------------------------

const answer = (review, card, seat, control) =>
  send({ kind: "answer_review", review: review.id, card, ...(seat === null || seat === undefined ? {} : { seat }) }, { button: control });

function pickCard(snapshot, review, seat) {
  openSheet(`Which card did ${seat === null ? "it show" : `${seatName(snapshot, seat)} lay`}?`,
    grid(async (card) => { if (await answer(review, card, seat, null)) closeSheet(); }));
}

function reviewPanel(snapshot, review, picked, repaint) {
  const candidates = review.candidates ?? [];
  const seatOpen = review.seat === null || review.seat === undefined;
  const asksSeat = review.subject === "play" && (review.reason === "seat" || seatOpen);
  const seat = picked[review.id] ?? (review.reason === "seat" ? null : review.seat ?? null);
  // The card is known and only its seat is in doubt: naming the seat is the whole answer.
  const oneTap = review.reason === "seat" && candidates.length > 0;
  const needSeat = asksSeat && seat === null && !oneTap;
  // A name nearly ruled out is no answer worth a button; "another card" has them all.
  const likely = candidates.filter(([, p], i) => i === 0 || !(p < 0.02)).slice(0, 3);
  const cards = oneTap ? [face(candidates[0][0])] : likely.map(([card, p]) => el("button", {
    type: "button", class: "answer card-answer", disabled: needSeat, data: { focus: `answer-${review.id}-${card}`, card },
    aria: { label: `It is the ${cardWord(card)}` }, on: { click: (event) => answer(review, card, seat, event.currentTarget) },
  }, face(card, { label: "" }), el("span", { class: "answer-word" }, chip(card), p ? el("small", { text: percent(p) }) : null)));
  return el("article", { class: "item review", data: { review: review.id } },
    el("p", { class: "item-text", text: review.text || `Which card did ${seatName(snapshot, review.seat)} lay?` }),
    el("div", { class: "item-row" }, picture(review.evidence, review.text || "the doubtful card"),
      el("div", { class: "item-answers" },
        asksSeat ? el("div", { class: "options seats", role: oneTap ? "group" : "radiogroup", aria: { label: "Whose card is it" } },
          (snapshot.seats ?? []).map((s) => el("button", {
            type: "button", class: `option side-${s.side}`, role: oneTap ? null : "radio", aria: { checked: oneTap ? null : String(seat === s.seat) }, data: { focus: `seat-${review.id}-${s.seat}`, seat: s.seat },
            on: { click: (event) => { if (oneTap) answer(review, candidates[0][0], s.seat, event.currentTarget); else { picked[review.id] = s.seat; repaint(); } } },
          }, s.name))) : null,
        cards.length ? el("div", { class: "answers" }, cards) : null)),
    el("div", { class: "answer-buttons" },
      button(cards.length ? "Another card…" : "Tap in the card…", () => pickCard(snapshot, review, seat), { focus: `other-${review.id}`, disabled: needSeat }),
      button(review.subject === "upcard" ? "No up-card" : "Not a card", (b) => answer(review, null, null, b), { focus: `none-${review.id}` })));
}

// ---- a finding -------------------------------------------------------------------------

/** Findings that hold a score up; the others are told and can be noted. */
const WEIGHTY = new Set(["revoke", "trump_in_doubt"]);
const words = (kind) => (kind[0].toUpperCase() + kind.slice(1)).replaceAll("_", " ");

function shot(hash, card, text) {
  if (!hash && !card) return null;
  return el("figure", { class: "shot" },
    hash ? picture(hash, card ? `${text}: the ${cardWord(card)}` : text) : face(card),
    el("figcaption", {}, card ? chip(card) : null, el("span", { text })));
}

/** The cards a finding rests on, with their pictures where all of them were kept. */
function shots(finding) {
  const kept = finding.evidence ?? [];
  if (finding.kind === "revoke") {
    const cards = [[finding.led, "led"], [finding.card, "played"], [finding.proof, finding.proven_at_trick === finding.trick ? "held" : `in trick ${finding.proven_at_trick}`]];
    // Which picture shows which card is only sure when none is missing.
    return cards.map(([card, text], i) => shot(kept.length === 3 ? kept[i] : null, card, text));
  }
  return kept.length ? kept.map((hash) => shot(hash, null, "as the camera saw it")) : [shot(null, finding.card, "")];
}

function findingPanel(snapshot, finding, actions) {
  const rule = (ruling) => (control) => send({ kind: "rule_finding", finding: finding.id, ruling }, { button: control });
  const weighty = WEIGHTY.has(finding.kind);
  const drawn = shots(finding).filter(Boolean);
  return el("article", { class: `item finding${weighty ? "" : " light"}`, data: { finding: finding.id } },
    el("p", { class: "item-kind", text: words(finding.kind) }),
    el("p", { class: "item-text", text: finding.text }),
    drawn.length && weighty ? el("div", { class: "shots" }, drawn) : null,
    finding.ruling ? el("p", { class: "ruling" }, weighty && finding.kind === "revoke" ? el("span", { text: "Upheld, it means: " }) : null, finding.ruling) : null,
    el("div", { class: "answer-buttons" },
      finding.kind === "trump_in_doubt" && actions.onDeclare ? button("Declare again…", () => actions.onDeclare(finding.deal), { cls: "primary", focus: `again-${finding.id}` }) : null,
      ["duplicate_card", "foreign_card", "turned_down_played", "played_twice"].includes(finding.kind) && actions.onCorrect ? button("Correct a card…", () => actions.onCorrect(), { focus: `fix-${finding.id}` }) : null,
      button("Uphold", rule("uphold"), { cls: finding.kind === "revoke" ? "primary" : "", focus: `uphold-${finding.id}` }),
      button("Dismiss", rule("dismiss"), { focus: `dismiss-${finding.id}` })));
}

// ---- the rest of what may be asked -----------------------------------------------------

function upcardPanel(snapshot) {
  if (snapshot.deal?.upcard) {
    return el("div", { class: "answer-buttons" },
      button("The dealer took it", (b) => send({ kind: "take_upcard" }, { button: b }), { cls: "primary" }),
      button("Turned down", (b) => send({ kind: "turn_down_upcard" }, { button: b })));
  }
  return button("Tap in the up-card…", () => openSheet("Which card is turned up?",
    grid(async (card) => { if (await send({ kind: "show_upcard", card })) closeSheet(); })), { focus: "tap-upcard" });
}

const dealerPanel = (snapshot) => el("div", { class: "options seats" }, (snapshot.seats ?? []).map((s) =>
  button(s.name, (b) => send({ kind: "name_dealer", dealer: s.seat }, { button: b }), { cls: `side-${s.side}`, focus: `dealer-${s.seat}` })));

const confirmPanel = (ask) => el("div", { class: "answer-buttons" },
  button("Yes, the points are marked", (b) => send({ kind: "confirm_deal", deal: ask.deal ?? null }, { button: b }), { cls: "primary wide", focus: "confirm" }));

// ---- the whole panel -------------------------------------------------------------------

const choice = freshChoice();
const picked = {};
let unfolded = null;
let game = null;

/** `actions`: onDeclare(deal) and onCorrect() open what a finding may need. */
export function drawAsk(node, snapshot, actions = {}) {
  const { ask } = snapshot;
  if (game !== (snapshot.game?.id ?? null)) {
    game = snapshot.game?.id ?? null;
    resetChoice(choice);
    for (const id of Object.keys(picked)) delete picked[id];
    unfolded = null;
  }
  const reviews = snapshot.reviews ?? [];
  const findings = (snapshot.findings ?? []).filter((f) => f.status === "open")
    .sort((a, b) => WEIGHTY.has(b.kind) - WEIGHTY.has(a.kind));
  const declaring = ask?.kind === "declare";
  if (declaring && choice.deal !== ask.deal) Object.assign(choice, freshChoice(), { deal: ask.deal });
  const inputs = [ask, reviews, findings, snapshot.seats?.map((s) => s.name), snapshot.deal?.upcard?.card, snapshot.deal?.number, choice, picked, unfolded];
  const repaint = () => { unpaint(node); drawAsk(node, snapshot, actions); };
  // What the engine's question is about stands first; its sentence is not said twice.
  paint(node, inputs, () => {
    if (!ask && !reviews.length && !findings.length) return null;
    const body = [];
    switch (ask?.kind) {
      case "declare": body.push(declarePanel(snapshot, choice, repaint, { deal: ask.deal ?? null })); break;
      case "upcard": body.push(upcardPanel(snapshot)); break;
      case "dealer": body.push(dealerPanel(snapshot)); break;
      case "confirm": body.push(confirmPanel(ask)); break;
      default: break;
    }
    // One at a time: the first, or the one that was tapped; the others wait as lines.
    const waiting = [
      ...reviews.map((r) => ({ key: `review-${r.id}`, text: r.text, build: () => reviewPanel(snapshot, r, picked, repaint) })),
      ...findings.map((f) => ({ key: `finding-${f.id}`, text: f.text, build: () => findingPanel(snapshot, f, actions) })),
    ];
    const shown = waiting.find((item) => item.key === unfolded) ?? waiting[0];
    const items = waiting.map((item) => item === shown ? item.build() : el("button", {
      type: "button", class: "fold", data: { focus: item.key, fold: item.key }, on: { click: () => { unfolded = item.key; repaint(); } },
    }, item.text));
    const others = items.length - (["review", "finding"].includes(ask?.kind) ? 1 : 0);
    const own = ask && !["review", "finding"].includes(ask.kind);
    return [
      el("div", { class: "ask-head" }, el("h2", { class: "ask-text", text: own ? ask.text : reviews.length ? "A card in doubt" : "A finding to rule on" }),
        others > 0 && own ? el("span", { class: "count", text: `${others} more` }) : items.length > 1 ? el("span", { class: "count", text: `${items.length} open` }) : null),
      body.length ? el("div", { class: "ask-body" }, body) : null, items];
  });
  node.classList.toggle("asking", Boolean(ask || reviews.length || findings.length));
  // An up-card is awaited between any two deals: that is said, not shouted.
  node.classList.toggle("calm", ask?.kind === "upcard" && !reviews.length && !findings.some((f) => WEIGHTY.has(f.kind)));
}
