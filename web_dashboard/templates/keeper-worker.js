// Keeps the score keeper on this device, so that it opens without the kit.
const EDITION = "upcard-keeper-{{ edition }}";
const FILES = {{ files | safe }};

self.addEventListener("install", (event) => {
  // Straight from the kit, not from what the browser happens to hold of an older edition.
  event.waitUntil(caches.open(EDITION)
    .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" }))))
    .then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name.startsWith("upcard-keeper-") && name !== EDITION)
      .map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin || !FILES.includes(url.pathname)) return;
  event.respondWith(caches.open(EDITION)
    .then((cache) => cache.match(url.pathname))
    .then((kept) => kept ?? fetch(event.request)));
});
