// Taps on their way to the table.

const toasts = () => document.getElementById("toasts");

/** A sentence that shows for a while, for eyes and for screen readers. */
export function toast(text, kind = "bad") {
  const node = document.createElement("p");
  node.className = `toast ${kind}`;
  node.textContent = text;
  toasts()?.append(node);
  setTimeout(() => node.remove(), kind === "bad" ? 8000 : 3500);
}

/**
 * Send one command; answers whether the table took it. A refusal is said in its own words.
 * `expectVersion` refuses it when the table has moved on since the page was drawn.
 */
export async function send(command, { expectVersion = null, button = null } = {}) {
  if (button) { button.disabled = true; button.classList.add("sending"); }
  try {
    const answer = await fetch("/api/command", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ command, expect_version: expectVersion }),
    });
    const told = await answer.json().catch(() => ({}));
    if (answer.ok && told.accepted) return true;
    toast(told.reason || `The table answered ${answer.status}.`);
    return false;
  } catch {
    toast("The table cannot be reached: nothing was recorded. Try again when the light is green.");
    return false;
  } finally {
    if (button) { button.disabled = false; button.classList.remove("sending"); }
  }
}
