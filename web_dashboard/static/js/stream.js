// The road from the kit: one event stream, and asking every few seconds where there is none.
//
// States told to `onState`: "connecting", "live", "polling" (the kit has no thread left for a
// stream), "lost". `onSnapshot(snapshot)` gets every state; `onBeat(beat)` the kit's clock and
// health; `onShuffle(state)` what the shuffler does, where one is fitted; `onLook(call)` that
// somebody asks everybody to look at the table. A browser holds six connections to a host across its tabs, so the stream is closed
// when the page is hidden away and opened again when it comes back.
import { readNames } from "./words.js";

const POLL_MS = 3000;
const RETRY_STREAM_MS = 15000;
const LOST_RETRY_MS = 2000;

export function openStream({ heartbeatS, onSnapshot, onBeat, onState, onShuffle = () => {}, onLook = () => {} }) {
  const viewer = Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
  let source = null;
  let timer = 0;
  let heardAt = performance.now();
  let state = "connecting";
  let stopped = false;

  const tell = (next, why = "") => { state = next; onState(next, why); };
  const heard = () => { heardAt = performance.now(); };

  function close() { source?.close(); source = null; clearTimeout(timer); }

  function connect() {
    close();
    if (stopped) return;
    source = new EventSource(`/events?viewer=${viewer}`);
    source.addEventListener("snapshot", (event) => { heard(); tell("live"); const snapshot = JSON.parse(event.data); readNames(snapshot); onSnapshot(snapshot); });
    source.addEventListener("shuffle", (event) => { heard(); onShuffle(JSON.parse(event.data)); });
    source.addEventListener("look", (event) => { heard(); onLook(JSON.parse(event.data)); });
    // Codes were changed: this page may be somebody else now.
    source.addEventListener("access", () => dispatchEvent(new Event("upcard-access")));
    source.addEventListener("beat", (event) => { heard(); tell("live"); onBeat(JSON.parse(event.data)); });
    source.addEventListener("error", () => {
      if (stopped) return;
      // CONNECTING: the browser comes back by itself. CLOSED: the kit answered, but not with a stream.
      if (source && source.readyState === EventSource.CLOSED) { close(); poll(performance.now()); }
      else tell("lost");
    });
  }

  async function poll(since) {
    if (stopped) return;
    try {
      const answer = await fetch("/api/snapshot", { cache: "no-store" });
      if (!answer.ok) throw new Error(String(answer.status));
      const snapshot = await answer.json();
      heard();
      tell("polling");
      readNames(snapshot);
      onSnapshot(snapshot);
      const now = Number(answer.headers.get("X-Now-Us"));
      if (now) onBeat({ now_us: now, health: null });
    } catch {
      tell("lost");
      timer = setTimeout(connect, LOST_RETRY_MS);
      return;
    }
    timer = performance.now() - since > RETRY_STREAM_MS
      ? setTimeout(connect, POLL_MS) : setTimeout(() => poll(since), POLL_MS);
  }

  // A connection can die without a word (a phone that changed its network): silence for longer
  // than two beats is a loss.
  const watch = setInterval(() => {
    if (stopped || document.visibilityState === "hidden") return;
    if (performance.now() - heardAt > 2500 * heartbeatS) { heard(); tell("lost"); connect(); }
  }, 1000);

  addEventListener("pagehide", () => { close(); stopped = true; });
  addEventListener("pageshow", (event) => { if (event.persisted) { stopped = false; heard(); tell("connecting"); connect(); } });
  addEventListener("online", () => { if (state !== "live") connect(); });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && !stopped && state !== "live") connect();
  });

  tell("connecting");
  connect();
  return { silentS: () => (performance.now() - heardAt) / 1000, stop: () => { stopped = true; close(); clearInterval(watch); } };
}
