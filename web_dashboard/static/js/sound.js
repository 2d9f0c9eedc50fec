// Short tones and a voice, made by the device itself; off until somebody turns them on.
// Browsers let a page sound only after a tap, and turning it on is one; after a reload the first
// tap anywhere wakes it up.
import { readerLanguage } from "./words.js";

const settings = () => window.upcardDevice.settings();

// ---- tones -----------------------------------------------------------------------------

/** Pitch in hertz, start and length in seconds. */
const TONES = {
  card: [[660, 0, 0.05]],
  turn: [[523, 0, 0.09], [784, 0.1, 0.12]],
  note: [[587, 0, 0.12]],
  asked: [[784, 0, 0.12], [659, 0.14, 0.12], [784, 0.28, 0.16]],
  points: [[523, 0, 0.1], [659, 0.1, 0.1], [784, 0.2, 0.2]],
  proved: [[392, 0, 0.18], [330, 0.2, 0.28]],
  over: [[523, 0, 0.12], [659, 0.12, 0.12], [784, 0.24, 0.12], [1047, 0.36, 0.35]],
};

let audio = null;

function awake() {
  const Audio = window.AudioContext ?? window.webkitAudioContext;
  if (!Audio) return null;
  audio ??= new Audio();
  if (audio.state === "suspended") audio.resume().catch(() => {});
  return audio;
}

/** Sound a tone of TONES, if sound is on. */
export function chime(name) {
  const { sound, volume } = settings();
  if (!sound || volume <= 0) return;
  const context = awake();
  // Without a tap the browser keeps it silent: tones of the past must not come out later.
  if (!context || (context.state !== "running" && !navigator.userActivation?.isActive)) return;
  for (const [pitch, from, length] of TONES[name] ?? TONES.note) {
    const at = context.currentTime + 0.01 + from;
    const tone = context.createOscillator();
    const gain = context.createGain();
    tone.type = "triangle";
    tone.frequency.value = pitch;
    gain.gain.setValueAtTime(0, at);
    gain.gain.linearRampToValueAtTime(0.25 * volume, at + 0.012);
    gain.gain.exponentialRampToValueAtTime(0.0008, at + length);
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + length + 0.02);
  }
}

addEventListener("pointerdown", () => { if (settings().sound) awake(); }, { passive: true });
addEventListener("keydown", () => { if (settings().sound) awake(); });

// ---- the voice -------------------------------------------------------------------------

/** Whether this browser can speak at all. */
export const voices = () => "speechSynthesis" in window && typeof SpeechSynthesisUtterance === "function";

/** A voice of the reader's language that needs no network, else none: then the browser picks. */
function voice() {
  const fitting = speechSynthesis.getVoices().filter((v) => v.lang.toLowerCase().startsWith(readerLanguage));
  return fitting.find((v) => v.localService) ?? null;
}

/** Say it, if the voice is on; what is still being said is finished first, what waits is dropped. */
export function speakNow(text) {
  const { voice: on, volume } = settings();
  if (!on || volume <= 0 || !voices() || !text) return;
  const local = voice();
  // A voice that lives on somebody's server would send the game there.
  if (!local && speechSynthesis.getVoices().length) return;
  const said = new SpeechSynthesisUtterance(text);
  said.lang = readerLanguage === "de" ? "de-DE" : "en-GB";
  if (local) said.voice = local;
  said.volume = volume;
  if (speechSynthesis.pending) speechSynthesis.cancel();
  speechSynthesis.speak(said);
}
