// Runs before the page is drawn, so that nothing flashes in the wrong colours: what this device
// was told about language, colours, letters, movement, sound. Kept on the device and nowhere else.
"use strict";
(() => {
  const KEY = "upcard.device";
  const LANGUAGES = { en: "English", de: "Deutsch" };
  const FRESH = { language: "auto", theme: "auto", suits: "two", letters: "normal", motion: "auto", sound: false, voice: false, volume: 0.7 };
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  function kept() {
    // A browser may refuse storage altogether (private windows, files): then nothing is kept.
    try { return { ...FRESH, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") }; } catch { return { ...FRESH }; }
  }

  let settings = kept();

  function language() {
    if (settings.language in LANGUAGES || settings.language === "zz") return settings.language;
    const wanted = (navigator.languages ?? [navigator.language]).map((tag) => String(tag).slice(0, 2).toLowerCase());
    return wanted.find((tag) => tag in LANGUAGES) ?? "en";
  }

  function apply() {
    root.lang = language();
    root.dataset.theme = settings.theme === "auto" ? (dark.matches ? "dark" : "light") : settings.theme;
    root.dataset.suits = settings.suits;
    root.dataset.letters = settings.letters;
    root.dataset.motion = settings.motion === "less" || (settings.motion === "auto" && still.matches) ? "less" : "full";
  }

  apply();
  if (!["en", "zz"].includes(root.lang) && location.protocol !== "file:") {
    // The words are wanted as soon as the modules are there: ask for them along with those.
    document.head.append(Object.assign(document.createElement("link"), { rel: "preload", as: "fetch", crossOrigin: "anonymous", href: `/static/words/${root.lang}.json` }));
  }
  dark.addEventListener("change", apply);
  still.addEventListener("change", apply);
  addEventListener("storage", (event) => { if (event.key === KEY) { settings = kept(); apply(); } });

  window.upcardDevice = {
    languages: LANGUAGES,
    settings: () => ({ ...settings }),
    /** Keep `changes` on the device and show them at once; a new language needs a fresh page. */
    change(changes) {
      const before = root.lang;
      settings = { ...settings, ...changes };
      try { localStorage.setItem(KEY, JSON.stringify(settings)); } catch { /* not kept, but shown */ }
      apply();
      if (root.lang !== before) location.reload();
    },
  };
})();
