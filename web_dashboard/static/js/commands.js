// Taps on their way to the table.
import { post } from "./access.js";
import { say, sayWhy } from "./words.js";

/** Within an open sheet: what lies outside it is neither seen nor read out meanwhile. */
function toasts() {
  const place = document.getElementById("toasts");
  const host = document.querySelector("dialog[open]") ?? document.body;
  if (place && place.parentNode !== host) host.append(place);
  return place;
}

/** A sentence that shows for a while, for eyes and for screen readers. */
export function toast(text, kind = "bad") {
  const node = document.createElement("p");
  node.className = `toast ${kind}`;
  node.textContent = text;
  toasts()?.append(node);
  setTimeout(() => node.remove(), kind === "note" ? 3500 : 8000);
}

/**
 * POST `body` to `path` and answer what the kit told, or null where it refused or could not be
 * reached; that is said in the kit's own words, unless `onRefused(told)` takes it over.
 */
export async function ask(path, body, { button = null, onRefused = null } = {}) {
  if (button) { button.disabled = true; button.classList.add("sending"); }
  try {
    const { ok, status, told } = await post(path, body);
    if (ok) return told;
    if (!onRefused?.(told)) toast(sayWhy(told, say("The table answered {status}.", { status })));
    return null;
  } catch {
    toast(say("The table cannot be reached: nothing was recorded. Try again when the light is green."));
    return null;
  } finally {
    if (button) { button.disabled = false; button.classList.remove("sending"); }
  }
}

/**
 * Send one command; answers whether the table took it. A refusal is said in its own words.
 * `expectVersion` refuses it when the table has moved on since the page was drawn.
 */
export async function send(command, { expectVersion = null, button = null, onRefused = null } = {}) {
  return await ask("/api/command", { command, expect_version: expectVersion }, { button, onRefused }) !== null;
}
