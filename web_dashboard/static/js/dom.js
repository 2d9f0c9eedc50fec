// Building and repainting parts of the page. No rules, no words, no state but the last paint.

/** An element. `props`: class, text, title, data {…}, aria {…}, on {…}, style {…}, else attributes. */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    switch (name) {
      case "class": node.className = value; break;
      case "text": node.textContent = value; break;
      case "data": for (const [k, v] of Object.entries(value)) if (v !== null && v !== undefined) node.dataset[k] = v; break;
      case "aria": for (const [k, v] of Object.entries(value)) if (v !== null && v !== undefined) node.setAttribute(`aria-${k}`, v); break;
      case "on": for (const [k, v] of Object.entries(value)) node.addEventListener(k, v); break;
      case "style": for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v); break;
      default: node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

const painted = new WeakMap();

/**
 * Replace the children of `node` with build(), but only when `inputs` changed since the last
 * time, and keep the keyboard's place: the focused element is found again by its data-focus.
 */
export function paint(node, inputs, build) {
  const key = JSON.stringify(inputs);
  if (painted.get(node) === key) return false;
  painted.set(node, key);
  const active = document.activeElement;
  const focus = active && node.contains(active) ? active.dataset.focus : null;
  node.replaceChildren(...[build()].flat(3).filter(Boolean));
  if (focus) node.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
  return true;
}

/** Forget the last paint, so that the next one draws whatever it is given. */
export function unpaint(node) { painted.delete(node); }
