// The shuffle panel: passes done and to go, what to do now, how mixed the pack is by now. Drawn
// from what the kit says of its shuffler; what may be done, the kit knows.
import { onMe, whoNow } from "./access.js";
import { ask } from "./commands.js";
import { el, paint, unpaint } from "./dom.js";
import { linePlot } from "./plot.js";
import { plural, say, sayIt, seatName } from "./words.js";

const AT_WORK = new Set(["loading", "loaded", "passing", "piles_out", "restack", "jammed", "timed_out", "unknown"]);
const MOST_PASSES = 20;
let byHandPasses = 3;

/** Between two hands, or while the shuffler is at work: then the board shows the panel. */
export function shufflingNow(state, snapshot) {
  if (!snapshot?.game?.id || snapshot.game.over) return false;
  if (state?.fitted && AT_WORK.has(state.phase)) return true;
  return !snapshot.deal || Boolean(snapshot.deal.points);
}

const may = (who) => who.role === "table" || who.role === "director";
const send = (body, button) => ask("/api/shuffle", body, { button });

const act = (text, body, { cls = "", focus = null, disabled = false, why = null } = {}) => el("button", {
  type: "button", class: `button ${cls}`, data: { focus }, disabled, title: why, on: { click: (event) => send(body, event.currentTarget) },
}, text);

/** Passes as dots: done, under way, to go. */
function dots(state) {
  const running = state.phase === "passing" ? 1 : 0;
  const words = state.phase === "passing"
    ? say("Pass {n} of {all} is running", { n: state.passes_done + 1, all: state.passes_wanted })
    : say("{done} of {all} passes done", { done: state.passes_done, all: state.passes_wanted });
  return el("div", { class: "passes", role: "img", aria: { label: words } },
    Array.from({ length: Math.max(state.passes_wanted, state.passes_done) }, (_, i) => el("i", { class: i < state.passes_done ? "on" : i < state.passes_done + running ? "now" : "" })),
    el("b", { aria: { hidden: "true" }, text: `${state.passes_done}/${state.passes_wanted}` }));
}

const stepper = (label, n, change, focus) => el("div", { class: "stepper", role: "group", aria: { label } },
  el("span", { text: label }),
  el("button", { type: "button", class: "button", data: { focus: `${focus}-less` }, disabled: n <= 1, aria: { label: say("One fewer") }, on: { click: (event) => change(n - 1, event.currentTarget) } }, "−"),
  el("b", { aria: { live: "polite" }, text: String(n) }),
  el("button", { type: "button", class: "button", data: { focus: `${focus}-more` }, disabled: n >= MOST_PASSES, aria: { label: say("One more") }, on: { click: (event) => change(n + 1, event.currentTarget) } }, "+"));

/** How far from random the pack is after each pass: its order, and what players could notice. */
export function mixingPlot(state, { width = 520 } = {}) {
  const lines = [{ name: say("order"), values: state.mixing ?? [], cls: "line-0" }];
  if (state.noticed?.length) lines.push({ name: say("noticeable"), values: state.noticed, cls: "line-1" });
  if (!lines[0].values.length) return null;
  const done = state.passes_done;
  const left = done >= 1 ? Math.round(100 * (state.mixing[Math.min(done, state.mixing.length) - 1] ?? 0)) : 100;
  const noticed = done >= 1 && state.noticed?.length ? Math.round(100 * (state.noticed[Math.min(done, state.noticed.length) - 1] ?? 0)) : null;
  const label = noticed === null
    ? say("After {passes}, {n}% of the pack's order is left.", { passes: plural(done, "{n} pass", "{n} passes"), n: left })
    : say("After {passes}, {n}% of the pack's order is left, and {m}% of what players could notice.", { passes: plural(done, "{n} pass", "{n} passes"), n: left, m: noticed });
  return el("figure", { class: "mixing" },
    linePlot({ lines, label, from: 1, least: 0, most: 1, percent: true, width, height: 230, xWord: say("passes"), here: done >= 1 ? done - 1 : null }),
    el("figcaption", { text: label }));
}

function startButtons(state, snapshot, who) {
  const idle = ["idle", "done"].includes(state.phase);
  if (!idle) return [];
  const seats = may(who) ? state.may_start : who.role === "seat" && state.may_start.includes(who.seat) ? [who.seat] : [];
  if (seats.length) return seats.map((seat) => act(say("Start the shuffler for {name}", { name: seatName(snapshot, seat) }), { do: "start", seat }, { cls: "primary wide start-shuffler", focus: `start-${seat}` }));
  const why = sayIt({ text: state.refused, say: state.refused_say }) || (state.may_start.length ? say("{name} starts it", { name: seatName(snapshot, state.may_start[0]) }) : "");
  return [act(say("Start the shuffler"), {}, { cls: "wide start-shuffler", focus: "start", disabled: true, why }),
    why && why !== sayIt(state) ? el("p", { class: "note", text: why }) : null];
}

function overrides(state, who, snapshot) {
  const mine = may(who) || (who.role === "seat" && who.seat === state.seat);
  const buttons = [];
  if (AT_WORK.has(state.phase)) {
    if (mine && ["jammed", "timed_out"].includes(state.phase)) buttons.push(act(say("The jam is gone"), { do: "cleared" }, { focus: "cleared" }));
    if (mine && ["piles_out", "restack", "loading", "jammed", "timed_out", "unknown"].includes(state.phase)) buttons.push(act(say("Stacked and loaded"), { do: "stacked" }, { cls: ["piles_out", "restack"].includes(state.phase) ? "primary" : "", focus: "stacked" }));
    if (mine && ["passing", "jammed", "timed_out", "unknown"].includes(state.phase)) buttons.push(act(say("This pass is done"), { do: "pass_done" }, { focus: "pass_done" }));
    if (who.role !== "watch") buttons.push(act(say("Stop"), { do: "stop" }, { cls: "danger", focus: "stop" }));
  }
  return buttons;
}

function byHand(state, snapshot, who, again) {
  const seat = state?.may_start?.[0] ?? state?.seat ?? snapshot?.game?.dealer ?? null;
  const mine = who.role === "seat" ? who.seat === seat : may(who);
  if (!mine || seat === null) return null;
  return el("div", { class: "by-hand" },
    stepper(say("Shuffled by hand"), byHandPasses, (n) => { byHandPasses = n; again(); }, "hand"),
    act(plural(byHandPasses, "{name}: {n} riffle", "{name}: {n} riffles", { name: seatName(snapshot, seat) }), { do: "by_hand", seat, passes: byHandPasses }, { focus: "by-hand" }));
}

/** What is not needed every time: folded away on the board, open on the panel's own page. */
function more(whole, parts) {
  const there = parts.filter(Boolean);
  if (!there.length) return null;
  return whole ? there : el("details", { class: "rare" }, el("summary", { text: say("By hand, and how often") }), there);
}

/** Draw the panel into `node`. `whole`: with the curve open, for its own page. */
export function drawShuffle(node, state, snapshot, { whole = false } = {}) {
  const who = whoNow();
  const inputs = [state, snapshot?.seats?.map((s) => s.name), snapshot?.game?.dealer, who.role, who.seat, byHandPasses, whole];
  const again = () => { unpaint(node); drawShuffle(node, state, snapshot, { whole }); };
  paint(node, inputs, () => {
    if (!state) return el("p", { class: "note", text: say("Asking about the shuffler…") });
    const head = el("h2", { class: "shuffle-title", text: say("Shuffling") });
    if (!state.fitted) {
      return [head, el("p", { text: say("No shuffler is fitted: shuffle by hand.") }), byHand(null, snapshot, who, again)];
    }
    const curve = mixingPlot(state, { width: whole && innerWidth > 600 ? 640 : 400 });
    return [
      el("div", { class: "shuffle-head" }, head, dots(state)),
      el("p", { class: `shuffle-text${["jammed", "timed_out", "unknown"].includes(state.phase) ? " warning" : ""}`, aria: { live: "polite" }, text: sayIt(state) }),
      state.note ? el("p", { class: "warning", text: say(state.note) }) : null,
      startButtons(state, snapshot, who),
      el("div", { class: "answer-buttons" }, overrides(state, who, snapshot)),
      more(whole, [
        byHand(state, snapshot, who, again),
        may(who) ? stepper(say("Passes a pack gets"), state.passes_wanted, (n, button) => send({ do: "want", passes: n }, button), "want") : null,
      ]),
      state.second_pack ? el("p", { class: "note", text: say("Two packs: the dealer's partner shuffles the other one during the hand.") }) : null,
      whole ? curve : curve && el("details", { class: "rare" }, el("summary", { text: say("How mixed is it?") }), curve),
    ];
  });
}

/** Ask once how the shuffler stands; later changes come on the event stream. */
export async function shuffleState() {
  const answer = await fetch("/api/shuffle", { cache: "no-store" });
  return answer.ok ? answer.json() : null;
}

export { onMe };
