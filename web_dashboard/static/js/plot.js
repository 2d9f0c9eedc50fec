// Small plots as SVG: lines that step from deal to deal, curves. Colours come from the page's
// style sheet; every line has a dash and a name at its end, so that colour is never all there is.

const SPACE = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined) node.setAttribute(name, String(value));
  node.append(...children.flat().filter(Boolean));
  return node;
}

const text = (x, y, words, attributes = {}) => { const node = svg("text", { x, y, ...attributes }); node.textContent = words; return node; };

/** Round steps for about `count` marks from 0 to `most`. */
function marks(least, most, count) {
  const raw = (most - least) / count || 1;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * size).find((n) => n >= raw && (n >= 1 || most <= 1)) ?? raw;
  const found = [];
  for (let at = Math.ceil(least / step) * step; at <= most + 1e-9; at += step) found.push(Number(at.toFixed(6)));
  return found;
}

/**
 * Lines over whole numbers. `lines`: [{name, values, cls}], values[i] at x = i + from;
 * `label`: what the picture shows, in a sentence; `goal`: a horizontal line, or null; `here`: a
 * place on the x axis to mark, or null.
 */
export function linePlot({ lines, label, goal = null, goalWord = "", xWord = "", from = 0, least = null, most = null, percent = false, width = 640, height = 300, here = null }) {
  const all = lines.flatMap((line) => line.values);
  const low = least ?? Math.min(0, ...all);
  const high = most ?? Math.max(1, goal ?? 0, ...all);
  const count = Math.max(1, ...lines.map((line) => line.values.length - 1));
  // Room for the longest name at the lines' ends, within reason.
  const letters = Math.floor(width / 29);
  const names = lines.map((line) => [...line.name].length > letters ? `${[...line.name].slice(0, letters - 1).join("")}…` : line.name);
  const [left, right, top, bottom] = [44, Math.max(110, 18 + 8.4 * Math.max(...names.map((name) => name.length))), 14, 34];
  const x = (i) => left + (width - left - right) * i / count;
  const y = (v) => top + (height - top - bottom) * (high - v) / (high - low || 1);
  const every = Math.max(1, Math.ceil((count + 1) / 14));
  const drawn = lines.map((line, n) => {
    const points = line.values.map((v, i) => `${i === 0 ? "M" : "L"}${x(i).toFixed(1)},${y(v).toFixed(1)}`).join("");
    return svg("g", { class: `plot-line ${line.cls ?? `line-${n}`}` },
      svg("path", { d: points, fill: "none" }),
      line.values.map((v, i) => svg("circle", { cx: x(i).toFixed(1), cy: y(v).toFixed(1), r: 3.5 })));
  });
  // Names at the ends, pushed apart where two lines end together.
  const ends = lines.map((line, n) => ({ n, line, at: y(line.values.at(-1) ?? 0) })).sort((a, b) => a.at - b.at);
  ends.forEach((end, i) => { if (i > 0 && end.at - ends[i - 1].at < 18) end.at = ends[i - 1].at + 18; });
  // ... and kept off the words beneath the axis.
  const lowest = height - bottom - 4;
  [...ends].reverse().forEach((end, i, up) => { end.at = Math.min(end.at, i === 0 ? lowest : up[i - 1].at - 18); });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": label },
    marks(low, high, 5).map((v) => svg("g", { class: "plot-grid" }, svg("line", { x1: left, x2: width - right, y1: y(v), y2: y(v) }), text(left - 8, y(v) + 4, percent ? `${Math.round(100 * v)}%` : v, { "text-anchor": "end" }))),
    Array.from({ length: count + 1 }, (_, i) => i % every === 0 ? text(x(i), height - 12, i + from, { "text-anchor": "middle", class: "plot-x" }) : null),
    xWord ? text(width - right + 10, height - 12, xWord, { class: "plot-x" }) : null,
    goal === null ? null : svg("g", { class: "plot-goal" }, svg("line", { x1: left, x2: width - right, y1: y(goal), y2: y(goal) }), text(left + 6, y(goal) - 5, goalWord)),
    here === null || here > count ? null : svg("g", { class: "plot-here" }, svg("line", { x1: x(here), x2: x(here), y1: top, y2: height - bottom })),
    drawn,
    ends.map(({ n, line, at }) => text(x(Math.max(0, line.values.length - 1)) + 10, at + 4, names[n], { class: `plot-name ${line.cls ?? `line-${n}`}` })));
}
