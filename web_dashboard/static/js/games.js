// Times in the reader's own words and zone; names nobody gave in the reader's language.
import { bothWord, readerLanguage } from "./words.js";

for (const time of document.querySelectorAll("time[data-at-us]")) {
  const at = Number(time.dataset.atUs);
  if (at > 1e15) time.textContent = new Date(at / 1000).toLocaleString(readerLanguage === "en" ? [] : readerLanguage, { dateStyle: "medium", timeStyle: "short" });
}
for (const side of document.querySelectorAll("[data-side]")) side.textContent = bothWord(side.dataset.side);
