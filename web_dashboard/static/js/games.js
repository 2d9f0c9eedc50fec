// Times in the reader's own words and zone.
for (const time of document.querySelectorAll("time[data-at-us]")) {
  const at = Number(time.dataset.atUs);
  if (at > 1e15) time.textContent = new Date(at / 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}
