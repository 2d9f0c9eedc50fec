// Who this page is to the kit: it watches, or acts for a seat, the table or the director. Every
// change goes out through post(), which carries the session's token; the code box is here too.
import { el } from "./dom.js";
import { openSheet, closeSheet } from "./sheet.js";
import { SEATS, say, sayWhy } from "./words.js";

export const seatWord = (seat) => SEATS[seat] ?? say("Seat {number}", { number: seat + 1 });

const WATCHING = { role: "watch", seat: null, token: "", home: false, page: null };
const listeners = new Set();
let asked = null;
let known = WATCHING;

function settle(told) {
  known = { ...WATCHING, ...told };
  document.documentElement.dataset.role = known.role;
  for (const listener of listeners) listener(known);
  return known;
}

/** Who this page is: {role, seat, token, home, page}. Asked once; `refresh` asks again. */
export function me({ refresh = false } = {}) {
  if (refresh || !asked) {
    asked = fetch("/api/me", { cache: "no-store" }).then((answer) => answer.ok ? answer.json() : WATCHING)
      .then(settle).catch(() => { asked = null; return known; });
  }
  return asked;
}

/** Call `listener` with who this page is, now and after every change. */
export function onMe(listener) {
  listeners.add(listener);
  me().then(listener);
  return () => listeners.delete(listener);
}

/** Who this page is, as far as it is known by now. */
export const whoNow = () => known;

/**
 * POST `body` as JSON with this session's token. Answers {ok, status, told}; throws where the
 * kit cannot be reached. A page that only watches is offered the code box.
 */
export async function post(path, body) {
  for (const again of [false, true]) {
    const { token } = await me({ refresh: again });
    const answer = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json", "X-Upcard-Token": token }, body: JSON.stringify(body),
    });
    const told = await answer.json().catch(() => ({}));
    // The session changed in another tab of this browser, or its code was changed: ask who we are.
    if (!again && (told.code === "token" || (told.code === "watching" && token))) continue;
    if (told.code === "watching") { settle(WATCHING); joinSheet(); }
    return { ok: answer.ok && told.accepted !== false, status: answer.status, told };
  }
  throw new Error("unreachable");
}

/** Give `code` to the kit; answers null when it let us in, else why not. */
export async function enter(code) {
  try {
    const answer = await fetch("/api/join", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ code }) });
    const told = await answer.json().catch(() => ({}));
    if (answer.ok) { asked = Promise.resolve(settle(told)); return { go: told.go, why: null }; }
    if (told.code === "wait") return { go: null, why: say("Too many wrong codes: wait {seconds} s, then try again.", { seconds: answer.headers.get("Retry-After") ?? "?" }) };
    if (told.code === "wrong") return { go: null, why: say("That is no code of this table. The shared tablet's menu shows the seats' codes.") };
    return { go: null, why: sayWhy(told, say("The table answered {status}.", { status: answer.status })) };
  } catch {
    return { go: null, why: say("The table cannot be reached. Try again when it is on.") };
  }
}

export async function leave() {
  await post("/api/leave", {}).catch(() => null);
  await me({ refresh: true });
}

/** The box for a code. `onIn(go)` is called when the kit let us in. */
export function codeBox(onIn) {
  const field = el("input", {
    class: "field code-field", id: "code", type: "text", inputmode: "numeric", autocomplete: "one-time-code", maxlength: "12",
    placeholder: "123 456", aria: { label: say("Code"), describedby: "code-why" },
  });
  const why = el("p", { class: "code-why", id: "code-why", role: "alert" });
  const button = el("button", { type: "submit", class: "button primary", text: say("Enter") });
  return el("form", { class: "code-box", on: { submit: async (event) => {
    event.preventDefault();
    if (!field.value.trim()) { why.textContent = say("Type the digits of a code."); field.focus(); return; }
    button.disabled = true;
    const { go, why: reason } = await enter(field.value);
    button.disabled = false;
    why.textContent = reason ?? "";
    if (reason) { field.select(); field.focus(); } else onIn(go);
  } } }, el("div", { class: "code-row" }, field, button), why);
}

/** "East", "the table", "the director": in what part this page acts. */
export function roleWord({ role, seat }) {
  switch (role) {
    case "seat": return seatWord(seat);
    case "table": return say("Table");
    case "director": return say("Director");
    default: return say("Watching");
  }
}

/** Take a seat, or the table: the code box, and what codes are for. */
export function joinSheet() {
  openSheet(say("Watching"),
    el("p", { text: say("This page only watches. To act, scan a seat's code from the shared tablet, or type it here.") }),
    codeBox((go) => { closeSheet(); if (go && go !== location.pathname && go !== "/") location.assign(go); }));
}

/** The codes as QR pictures; `withDirector` shows that one too. Answers an element that fills itself. */
export function codesPanel({ onlySeats = false, seats = 4, change = null } = {}) {
  const host = el("div", { class: "codes", aria: { busy: "true" } }, el("p", { text: say("Asking for the codes…") }));
  fetch("/api/codes", { cache: "no-store" }).then((answer) => answer.json()).then((told) => {
    host.removeAttribute("aria-busy");
    if (!told.codes) { host.replaceChildren(el("p", { text: sayWhy(told) })); return; }
    const shown = told.codes.filter((c) => c.seat === null ? !onlySeats : c.seat < seats);
    host.replaceChildren(...shown.map((c) => {
      const name = c.seat === null ? roleWord({ role: c.who }) : seatWord(c.seat);
      return el("figure", { class: "code-card", data: { who: c.who } },
        el("figcaption", { text: name }),
        el("img", { src: `${c.qr}?${c.code.replaceAll(" ", "").length}${Date.now()}`, width: "180", height: "180", alt: say("QR code for {name}: {code}", { name, code: c.code }) }),
        el("b", { class: "code-digits", text: c.code }),
        change ? el("button", { type: "button", class: "button", text: say("New code"), aria: { label: say("New code for {name}", { name }) }, on: { click: () => change(c.who) } }) : null);
    }), el("p", { class: "codes-note", text: say("Scan with the phone's camera, or open {address} and type the digits.", { address: told.join }) }));
  }).catch(() => { host.removeAttribute("aria-busy"); host.replaceChildren(el("p", { text: say("The table cannot be reached. Try again when it is on.") })); });
  return host;
}

function roleSheet() {
  const act = known;
  if (act.role === "watch") { joinSheet(); return; }
  openSheet(roleWord(act),
    act.role === "seat" ? el("p", {}, el("a", { class: "button primary", href: `/seat/${act.seat}`, text: say("To this seat's page") })) : null,
    act.role === "director" ? el("p", {}, el("a", { class: "button primary", href: "/director", text: say("To the director's page") })) : null,
    act.role === "table" || act.role === "director" ? [el("h3", { text: say("A phone for each seat") }), codesPanel({ onlySeats: act.role === "table", seats: seatsNow() })] : null,
    el("details", {}, el("summary", { text: say("Another code") }), codeBox((go) => { closeSheet(); if (go) location.assign(go); })),
    el("button", { type: "button", class: "button", text: say("Only watch from here on"), on: { click: async () => { await leave(); closeSheet(); } } }));
}

/** The codes in a sheet, for whoever may hand them out. */
export function codesSheet() {
  openSheet(say("A phone for each seat"), codesPanel({ onlySeats: known.role !== "director", seats: seatsNow() }));
}

let folded = false;

/** On the shared board, before the first deal: the seats' codes to scan. Draws into the side column. */
export function boardCodes(snapshot) {
  const { role } = known;
  document.documentElement.dataset.seats = String(snapshot?.seats?.length || 4);
  const shown = !folded && (role === "table" || role === "director") && !snapshot?.deal && !snapshot?.deals?.length && !snapshot?.game?.over;
  const there = document.getElementById("seat-codes");
  if (!shown) { there?.remove(); return; }
  const key = `${role}:${seatsNow()}`;
  if (there?.dataset.key === key) return;
  there?.remove();
  document.querySelector("#board .side")?.append(el("section", { class: "seat-codes", id: "seat-codes", data: { key }, aria: { labelledby: "seat-codes-head" } },
    el("div", { class: "ask-head" }, el("h2", { class: "ask-text", id: "seat-codes-head", text: say("A phone for each seat") }),
      el("button", { type: "button", class: "button", text: say("Hide"), on: { click: () => { folded = true; boardCodes(snapshot); } } })),
    codesPanel({ onlySeats: true, seats: seatsNow() })));
}

addEventListener("upcard-access", () => me({ refresh: true }));

const seatsNow = () => Number(document.documentElement.dataset.seats) || 4;

// The button in every page's head that says in what part the page acts.
const nav = document.querySelector(".top-nav");
if (nav && !document.body.classList.contains("no-role")) {
  const button = el("button", { type: "button", class: "quiet who", id: "who", aria: { haspopup: "dialog" }, on: { click: roleSheet } });
  nav.prepend(button);
  document.body.append(el("div", { class: "watch-bar" }, el("span", { text: say("You are watching.") }),
    el("button", { type: "button", class: "button", text: say("Take a seat"), on: { click: joinSheet } })));
  onMe((who) => {
    const word = who.role === "watch" ? say("Watching · take a seat") : roleWord(who);
    button.setAttribute("aria-label", word);
    button.replaceChildren(el("span", { class: "who-dot", data: { role: who.role }, aria: { hidden: "true" } }),
      el("span", { class: "who-word", text: word }));
  });
} else me();
