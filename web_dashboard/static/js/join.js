// The way in. The code after the # goes to the kit once and out of the address bar at once, so
// that no shared link, screenshot or history keeps it.
import { codeBox, enter } from "./access.js";
import { say } from "./words.js";

const code = decodeURIComponent(location.hash.slice(1));
history.replaceState(null, "", "/join");

const go = (where) => location.replace(where ?? "/");
const box = codeBox(go);
document.getElementById("join-box").append(box);

if (code) {
  document.getElementById("join-text").textContent = say("Joining…");
  const { go: where, why } = await enter(code);
  if (why === null) go(where);
  else {
    document.getElementById("join-text").textContent = why;
    box.querySelector("input").focus();
  }
} else box.querySelector("input").focus();

// A second code scanned with this page still open changes only the fragment.
addEventListener("hashchange", () => { if (location.hash.length > 1) location.reload(); });
