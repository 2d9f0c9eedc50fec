// The list of games: times and names in the reader's words, games from files, names, deletion.
import { el } from "./dom.js";
import { onMe, post } from "./access.js";
import { ask, toast } from "./commands.js";
import { closeSheet, openSheet } from "./sheet.js";
import { bothWord, plural, readerLanguage, say, sayIt, sayWhy } from "./words.js";

for (const time of document.querySelectorAll("time[data-at-us]")) {
  const at = Number(time.dataset.atUs);
  if (at > 1e15) time.textContent = new Date(at / 1000).toLocaleString(readerLanguage === "en" ? [] : readerLanguage, { dateStyle: "medium", timeStyle: "short" });
}
for (const side of document.querySelectorAll("[data-side]")) side.textContent = bothWord(side.dataset.side);

const button = (text, onClick, props = {}) => el("button", { type: "button", class: "button", text, on: { click: (event) => onClick(event.currentTarget) }, ...props });
const address = (game, act) => `/api/games/${encodeURIComponent(game)}/${act}`;

// ---- a name, and the end -----------------------------------------------------------------

let mayDelete = false;
onMe((who) => { mayDelete = who.role === "director" || (who.role === "table" && who.home); });

function nameSheet({ game, title, deals, shown }) {
  const field = el("input", { class: "field", type: "text", maxlength: "80", id: "title", value: title });
  openSheet(shown,
    el("form", { class: "answer-buttons", on: { submit: async (event) => {
      event.preventDefault();
      if (await ask(address(game, "title"), { title: field.value }, { button: event.submitter })) location.reload();
    } } }, el("label", { for: "title", text: say("Name of the game") }), field, el("button", { type: "submit", class: "button primary", text: say("Keep this name") })),
    mayDelete ? button(say("Delete this game"), () => deleteSheet(game, shown, deals), { class: "button danger", id: "delete" })
      : el("p", { class: "note", text: say("Only the director deletes games.") }));
  field.focus();
}

/** Asked once here, and once more where it is done. */
function deleteSheet(game, shown, deals) {
  openSheet(say("Delete this game?"),
    el("p", { text: `${shown} · ${plural(deals, "{n} deal", "{n} deals")}` }),
    el("p", { text: say("Its record and its pictures are removed from the kit for good. Backups made before still hold them.") }),
    el("div", { class: "answer-buttons" }, button(say("Keep it"), closeSheet, { class: "button primary" }),
      button(say("Delete it"), () => openSheet(say("Really delete it?"),
        el("p", { text: say("Nothing brings it back.") }),
        el("div", { class: "answer-buttons" }, button(say("Keep it"), closeSheet, { class: "button primary" }),
          button(say("Delete it for good"), async (control) => {
            if (await ask(address(game, "delete"), { confirm: game }, { button: control })) location.reload();
          }, { class: "button danger", id: "delete-for-good" }))), { class: "button danger", id: "delete-once" })));
}

for (const control of document.querySelectorAll(".keep-game")) {
  control.addEventListener("click", () => nameSheet({ ...control.dataset, deals: Number(control.dataset.deals), shown: control.previousElementSibling.querySelector("b").textContent }));
}

// ---- a game from a file ------------------------------------------------------------------

const LONGEST_FILE = 1_000_000;
const picked = document.getElementById("import-file");

/** What was taken in, and every fault with its place. */
function takenSheet(file, told) {
  const games = told.games ?? [];
  const faults = told.faults ?? [];
  openSheet(games.length ? say("Taken in from {file}", { file }) : say("Nothing was taken in from {file}", { file }),
    games.length ? el("ul", {}, games.map((game) => el("li", {}, el("a", { href: `/replay/${encodeURIComponent(game.game_id)}`, text: game.title || game.names.join(", ") }),
      ` · ${plural(game.deals, "{n} deal", "{n} deals")} · ${game.score.join(" – ")}`)))
      : el("p", { text: sayWhy(told) }),
    faults.length ? [el("h3", { text: plural(faults.length + (told.faults_left_out ?? 0), "{n} fault: this was left out", "{n} faults: this was left out") }),
      el("ul", { class: "faults", tabindex: "0" }, faults.map((fault) => el("li", { text: sayIt(fault) })))]
      : games.length ? el("p", { class: "note", text: say("All of the file was sound: nothing was left out.") }) : null,
    told.faults_left_out ? el("p", { class: "note", text: say("and {n} more", { n: told.faults_left_out }) }) : null,
    button(games.length ? say("To the list") : say("Close"), () => { if (games.length) location.reload(); else closeSheet(); }, { class: "button primary", id: "taken" }));
}

async function takeIn(file) {
  if (file.size > LONGEST_FILE) { toast(say("{file} is too long for the page: upcard import takes it.", { file: file.name })); return; }
  try {
    const { told } = await post("/api/import", { text: await file.text() });
    if (told.games) takenSheet(file.name, told);
    else toast(sayWhy(told));
  } catch { toast(say("The table cannot be reached: nothing was recorded. Try again when the light is green.")); }
}

document.getElementById("import").addEventListener("click", () => picked.click());
picked.addEventListener("change", async () => {
  const [file] = picked.files;
  if (file) await takeIn(file);
  picked.value = "";
});
