// The shuffler's own page: the panel, large.
import { lookAsked } from "./announce.js";
import { el } from "./dom.js";
import { drawShuffle, onMe, shuffleState } from "./shuffle.js";
import { openStream } from "./stream.js";
import { say } from "./words.js";

const $ = (id) => document.getElementById(id);
let state = null;
let snapshot = null;

const draw = () => drawShuffle($("shuffle"), state, snapshot, { whole: true });
const ask = () => shuffleState().then((told) => { state = told ?? state; draw(); }).catch(() => {});

openStream({
  heartbeatS: Number(document.body.dataset.heartbeatS) || 10,
  onSnapshot(next) { snapshot = next; if (!state?.fitted) draw(); else ask(); },
  onShuffle(next) { state = next; draw(); },
  onBeat() {},
  onLook: lookAsked,
  onState(now) { $("lost").hidden = now !== "lost"; if (now === "lost") $("lost").replaceChildren(el("span", { text: say("No connection: this may be out of date.") })); },
});
onMe(draw);
ask();
