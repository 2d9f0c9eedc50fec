// What the kit's doctor says: a line a check, what is wrong first, each with its cure.
import { codeBox, onMe, post } from "./access.js";
import { el } from "./dom.js";
import { phrase, say, sayIt, sayWhy } from "./words.js";

const lines = document.getElementById("lines");
const STATUS = { fail: [say("wrong"), 0], warn: [say("look here"), 1], pass: [say("well"), 2] };

/** What is examined, named as upcard doctor names it; a package or a model stands after its word. */
const NAMES = [
  phrase("python"), phrase("imports"), phrase("import"), phrase("names"), phrase("name"), phrase("model"), phrase("system"), phrase("kit"), phrase("log"), phrase("writing"), phrase("disk"),
  phrase("pictures"), phrase("backup"), phrase("camera"), phrase("camera light"), phrase("pins"), phrase("buttons"), phrase("lights"), phrase("buzzer"), phrase("shuffler"), phrase("sensors"),
  phrase("clock"), phrase("temperature"), phrase("power"), phrase("network"),
];
function nameOf(line) {
  if (NAMES.includes(line.name)) return say(line.name);
  const [what, ...rest] = line.name.split(" ");
  return [NAMES.includes(what) ? say(what) : what, ...rest].join(" ");
}

async function look() {
  const show = (...nodes) => lines.replaceChildren(...nodes);
  try {
    const answer = await fetch("/api/doctor", { cache: "no-store" });
    const told = await answer.json();
    if (answer.status === 403) {
      show(el("p", { text: say("The doctor speaks to the table and the director. Enter their code:") }), codeBox(() => look()));
      return;
    }
    if (!answer.ok) { show(el("p", { class: "warning", text: sayWhy(told) })); return; }
    if (!told.lines) { show(el("p", { class: "empty", text: say("This kit has no doctor to ask. On the kit itself, upcard doctor looks.") })); return; }
    const sorted = [...told.lines].sort((a, b) => (STATUS[a.status]?.[1] ?? 1) - (STATUS[b.status]?.[1] ?? 1));
    show(el("ul", { class: "checks" }, sorted.map((line) => el("li", { class: line.status, data: { status: line.status } },
      el("b", { class: "check-status", text: STATUS[line.status]?.[0] ?? line.status }), el("span", {}, el("b", { text: nameOf(line) }), " ", sayIt({ text: line.text, say: line.say }), line.cure ? el("em", { text: ` ${sayIt({ text: line.cure, say: line.say_cure })}` }) : null)))));
  } catch {
    show(el("p", { text: say("The table cannot be reached. Try again when it is on.") }));
  }
}

async function keep() {
  const kept = document.getElementById("kept");
  try {
    const { ok, told } = await post("/api/clip", {});
    if (ok) kept.replaceChildren(el("a", { href: `/clips/${told.clip}`, text: say("{clip}: take it away", { clip: told.clip }) }));
    else kept.textContent = sayWhy(told);
  } catch {
    kept.textContent = say("The table cannot be reached. Try again when it is on.");
  }
}

document.getElementById("keep").addEventListener("click", keep);
document.getElementById("again").addEventListener("click", look);
onMe(look);
