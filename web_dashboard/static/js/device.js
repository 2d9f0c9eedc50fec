// The settings of this device: a sheet that every page can open, kept on the device alone.
import { el } from "./dom.js";
import { openSheet } from "./sheet.js";
import { say } from "./words.js";
import { chime, speakNow, voices } from "./sound.js";

const device = window.upcardDevice;

function choice(legend, name, options) {
  const now = device.settings()[name];
  return el("fieldset", {}, el("legend", { text: legend }), el("div", { class: "choices" },
    options.map(([value, text, lang]) => el("label", { class: "pill", lang: lang ?? null },
      el("input", { type: "radio", name: `device-${name}`, value: String(value), checked: value === now, on: { change: () => device.change({ [name]: value }) } }), el("span", { text })))));
}

/** Language, colours, letters, movement, sound: what one reader wants and another does not. */
export function deviceSheet() {
  const settings = device.settings();
  const volume = el("input", { type: "range", min: "0", max: "1", step: "0.05", value: String(settings.volume), id: "device-volume",
    on: { change: (event) => { device.change({ volume: Number(event.target.value) }); chime("note"); } } });
  openSheet(say("This device"), el("div", { class: "device" },
    el("p", { class: "note", text: say("Kept on this device only; other screens are not changed.") }),
    choice(say("Language"), "language", [["auto", say("As the browser")], ...Object.entries(device.languages).map(([code, name]) => [code, name, code])]),
    choice(say("Colours"), "theme", [["auto", say("As the system")], ["light", say("Light")], ["dark", say("Dark")]]),
    choice(say("Suits"), "suits", [["two", say("Red and black")], ["four", say("Four colours")]]),
    choice(say("Letters"), "letters", [["normal", say("Normal")], ["large", say("Large")], ["larger", say("Very large")]]),
    choice(say("Movement"), "motion", [["auto", say("As the system")], ["less", say("Little")]]),
    choice(say("Sound"), "sound", [[false, say("Off")], [true, say("Tones")]]),
    voices() ? choice(say("Voice"), "voice", [[false, say("Off")], [true, say("Says what happens")]])
      : el("p", { class: "note", text: say("This browser has no voice to speak with.") }),
    el("div", { class: "volume" }, el("label", { for: "device-volume", text: say("Volume") }), volume,
      el("button", { type: "button", class: "button", text: say("Try it"), on: { click: () => { chime("turn"); speakNow(say("{name} leads; {trump} are trump", { name: say("East"), trump: say("hearts") })); } } })),
    el("p", { class: "note", text: say("Sound and voice are made by this device; nothing is sent anywhere.") })));
}

for (const nav of document.querySelectorAll(".top-nav")) {
  nav.append(el("button", { type: "button", class: "quiet gear", id: "device", title: say("This device"), aria: { label: say("Settings of this device"), haspopup: "dialog" }, on: { click: deviceSheet } },
    el("span", { aria: { hidden: "true" }, text: "⚙" })));
}
