// Which parts this kit has, and what to do without the others.
import { el } from "./dom.js";
import { phrase, say } from "./words.js";

const NAME = { camera: phrase("Camera"), shuffler: phrase("Shuffler"), buttons: phrase("Buttons"), lights: phrase("Lights"), buzzer: phrase("Buzzer"), sensors: phrase("Sensors"), "camera light": phrase("Camera light") };
/** What the kit says of its parts (web_dashboard/parts.py, pi/wiring.py); anything else is shown as it comes. */
export const PART_TEXTS = [
  phrase("The table is simulated: cards are drawn and read by the program."),
  phrase("A recorded clip is read instead of a table."),
  phrase("The camera reads the cards."),
  phrase("No camera: the cards are tapped in on the page."),
  phrase("A recorded game is shown; nothing is played."),
  phrase("No shuffler: shuffle by hand, and tap that it is done."),
  phrase("The shuffler is started by the dealer."),
  phrase("Seat buttons."), phrase("Seat buttons on the simulated table."), phrase("No seat buttons: tap on the page."),
  phrase("Seat lights."), phrase("Seat lights on the simulated table."), phrase("No seat lights: the page shows whose turn."),
  phrase("A buzzer."), phrase("A buzzer on the simulated table."), phrase("No buzzer: the page has sounds."),
  phrase("Sensors at the shuffler."), phrase("Sensors at the shuffler on the simulated table."), phrase("No sensors at the shuffler: a pass is timed."),
  phrase("A light is on while the camera runs."), phrase("No light for the camera: the page says when it runs."),
];

/** The list, filled when the kit has answered. */
export function partsList() {
  const host = el("ul", { class: "parts", aria: { busy: "true" } });
  fetch("/api/parts").then((answer) => answer.json()).then((told) => {
    host.replaceChildren(...told.parts.map((part) => el("li", { class: part.present ? "yes" : "no", data: { part: part.name, present: String(part.present) } },
      el("span", { class: "part-mark", text: part.present ? "✓" : "–", aria: { hidden: "true" } }), el("b", { text: say(NAME[part.name] ?? part.name) }), el("span", { text: say(part.text) }))));
  }).catch(() => { host.replaceChildren(el("li", { text: say("The table cannot be reached. Try again when it is on.") })); })
    .finally(() => host.removeAttribute("aria-busy"));
  return host;
}
