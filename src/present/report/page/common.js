// The page's data, and functions that all tools share.
const page = JSON.parse(document.getElementById("page-data").textContent);
const byId = (id) => document.getElementById(id);

/** Numbers from Base64 of their bytes, which come with the lowest first as on every processor that runs a browser. */
function numbersOf(text, kind) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new kind(bytes.buffer);
}

const doublesOf = (text) => numbersOf(text, Float64Array);
const floatsOf = (text) => numbersOf(text, Float32Array);
const integersOf = (text, wide) => numbersOf(text, wide ? Uint32Array : Uint16Array);

const sizes = integersOf(page.sizes, true);
const values = page.orderings.map((ordering) => doublesOf(ordering.values));

/** The index of the embedded size nearest to `size`. */
function nearestSize(size) {
  let [low, high] = [0, sizes.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sizes[middle] < size) low = middle + 1;
    else high = middle;
  }
  return low > 0 && size - sizes[low - 1] < sizes[low] - size ? low - 1 : low;
}

// The browser's own function takes as long as all of a chart.
const grouped = (count) => String(count).replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ",");
const decimals = (value, digits) => value.toFixed(digits).replace("-", "−");
const hops = (value, digits) => decimals(value, digits) + (value === 1 ? " hop" : " hops");
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** The page's colours as they are now. */
function colours() {
  const style = getComputedStyle(document.documentElement);
  const at = (name) => style.getPropertyValue("--" + name).trim();
  return { paper: at("paper"), ink: at("ink"), muted: at("muted"), line: at("line"), hole: at("hole"), accent: at("accent") };
}

/** The colour of an ordering; black becomes the colour of text, which is light on a dark page. */
const hue = (ordering, now) => (ordering.colour === "#000000" ? now.ink : ordering.colour);

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** Runs `draw` at the next frame; while the page loads, once it is there and nothing is more urgent. */
function soon(draw) {
  if (document.readyState === "complete" || !self.requestIdleCallback) requestAnimationFrame(draw);
  else addEventListener("load", () => requestIdleCallback(draw, { timeout: 500 }), { once: true });
}

/** A function that runs `draw` once, soon, however often it is called until then. */
function paced(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    soon(() => {
      asked = false;
      draw();
    });
  };
}

/** Draws again when the width of the canvas or the colour scheme changes. */
function keepDrawn(canvas, draw) {
  let width = 0;
  new ResizeObserver(() => {
    if (canvas.clientWidth !== width) {
      width = canvas.clientWidth;
      draw();
    }
  }).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

/** The canvas's context in CSS pixels, cleared. */
function cleared(canvas, height) {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  if (height !== undefined) canvas.style.height = height + "px";
  const tall = height ?? canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(tall * ratio);
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, tall);
  return { pen, width, height: tall };
}

/** Draws a straight line. */
function line(pen, fromX, fromY, toX, toY) {
  pen.beginPath();
  pen.moveTo(fromX, fromY);
  pen.lineTo(toX, toY);
  pen.stroke();
}

const FONT = 'system-ui, "Noto Sans", "Liberation Sans", sans-serif';
const NODE_IDS_WIDE = page.machine.slots > 65536;
const orderCache = new Map();

/** The node ids of ordering `i` by rank, or undefined where the page does not have them. */
function orderOf(i) {
  const text = page.orderings[i].order;
  if (text === null) return undefined;
  if (!orderCache.has(i)) orderCache.set(i, integersOf(text, NODE_IDS_WIDE));
  return orderCache.get(i);
}

/** The name of a node in brackets, or nothing where the page does not have it. */
function nameOf(node) {
  const { names } = page.machine;
  if (names === null) return "";
  const padded = () => names[0] + String(node).padStart(names[1], "0") + names[2];
  return ` (${typeof names[1] === "number" ? padded() : names[node]})`;
}

const embedded = page.orderings.map((_, i) => i).filter((i) => page.orderings[i].order !== null);

function fillOrders(select, chosen) {
  for (const i of embedded) {
    const option = document.createElement("option");
    option.value = i;
    option.textContent = `${i + 1}. ${page.orderings[i].label}`;
    select.append(option);
  }
  select.value = chosen;
}

/** Numbers for an axis, about so many. */
function ticks(from, to, log, count) {
  if (log) {
    const out = [];
    const base = to / from > 20 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
    for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
      for (const digit of base) {
        const value = digit * 10 ** power;
        if (value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9)) out.push(value);
      }
    }
    const every = Math.ceil(out.length / (2 * count));
    return out.filter((_, i) => i % every === 0);
  }
  const least = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= least * (1 - 1e-9)) ?? 10 * power;
  const out = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-9); i++) out.push(i * step);
  return out;
}

const tickText = (value) => grouped(Number(value.toPrecision(6)));

// Marks are those of the ranked table, whose samples have them last, around (16, 6).
const swatches = page.orderings.map((_, i) => byId("ranked").tBodies[0].rows[i].querySelector("th svg"));
const marks = swatches.map((swatch) => swatch.lastElementChild);
const shapes = marks.map((mark) => new Path2D(mark.getAttribute("d")));

function mark(pen, i, x, y) {
  const shape = pen.text ? marks[i].getAttribute("d") : shapes[i];
  pen.save();
  pen.translate(x - 16, y - 6);
  if (marks[i].classList.contains("s")) pen.stroke(shape);
  else pen.fill(shape);
  pen.restore();
}

/** A text cut in its middle to so many pixels. */
function fitted(pen, text, room) {
  let keep = text.length;
  let shown = text;
  while (keep > 2 && pen.measureText(shown).width > room) {
    keep--;
    shown = `${text.slice(0, Math.ceil(keep / 2))}…${text.slice(text.length - Math.floor(keep / 2))}`;
  }
  return shown;
}

/** Names curves at the right of `box`, near where they end and never over each other: `ends` have name, y, colour, dash and, where they have a mark, its index. */
function nameEnds(pen, now, box, width, ends) {
  const HIGH = 15;
  ends.sort((a, b) => a.y - b.y);
  let free = box.top + HIGH / 2;
  for (const end of ends) free = (end.at = Math.max(end.y, free)) + HIGH;
  free = box.bottom - HIGH / 2;
  for (const end of [...ends].reverse()) free = (end.at = Math.min(end.at, free)) - HIGH;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  for (const { name, at, colour, dash, index } of ends) {
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 2;
    pen.setLineDash(dash);
    line(pen, box.right + 4, at, box.right + 24, at);
    pen.setLineDash([]);
    if (index !== undefined) mark(pen, index, box.right + 14, at);
    pen.fillStyle = now.ink;
    pen.fillText(fitted(pen, name, width - box.right - 30), box.right + 28, at);
  }
}

const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** What a canvas's context does of a drawing, as SVG: `text` is its body. */
class SvgPen {
  constructor() {
    this.text = "\n";
    this.clips = 0;
    this.kept = [];
    this.state = { globalAlpha: 1, lineWidth: 1, lineJoin: "miter", textAlign: "left", textBaseline: "alphabetic", font: `12px ${FONT}`, dash: [], move: "", open: 0 };
    for (const key of Object.keys(this.state)) {
      Object.defineProperty(this, key, { get: () => this.state[key], set: (value) => (this.state[key] = value) });
    }
    this.measure = document.createElement("canvas").getContext("2d");
  }
  save() {
    this.kept.push({ ...this.state });
    this.state.open = 0;
  }
  restore() {
    this.text += "</g>".repeat(this.state.open);
    this.state = this.kept.pop();
  }
  setLineDash(dash) {
    this.dash = dash;
  }
  translate(x, y) {
    this.move += `translate(${x.toFixed(2)} ${y.toFixed(2)})`;
  }
  rotate(angle) {
    this.move += `rotate(${((angle * 180) / Math.PI).toFixed(2)})`;
  }
  measureText(text) {
    this.measure.font = this.font;
    return this.measure.measureText(text);
  }
  beginPath() {
    this.d = "";
  }
  moveTo(x, y) {
    this.d += `M${x.toFixed(2)} ${y.toFixed(2)}`;
  }
  lineTo(x, y) {
    this.d += `${this.d ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`;
  }
  closePath() {
    this.d += "Z";
  }
  rect(x, y, w, h) {
    this.d += `M${x} ${y}h${w}v${h}h${-w}z`;
  }
  arc(x, y, r) {
    this.d += `M${(x - r).toFixed(2)} ${y.toFixed(2)}a${r} ${r} 0 0 0 ${2 * r} 0a${r} ${r} 0 0 0 ${-2 * r} 0z`;
  }
  clip() {
    const id = `clip${this.clips++}`;
    this.text += `<clipPath id="${id}"><path d="${this.d}"/></clipPath><g clip-path="url(#${id})">`;
    this.open++;
  }
  shape(d, look) {
    const move = this.move ? ` transform="${this.move}"` : "";
    const alpha = this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : "";
    if (d) this.text += `<path d="${d}"${look}${move}${alpha}/>\n`;
  }
  stroke(d = this.d) {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.shape(d, ` fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${dash}`);
  }
  fill(d = this.d) {
    this.shape(d, ` fill="${this.fillStyle}"`);
  }
  fillRect(x, y, w, h) {
    this.fill(`M${x} ${y}h${w}v${h}h${-w}z`);
  }
  fillText(text, x, y) {
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    const size = parseFloat(this.font);
    const below = { top: 0.85, middle: 0.35, bottom: -0.2 }[this.textBaseline] ?? 0;
    this.text += `<text x="${x.toFixed(2)}" y="${y.toFixed(2)}" dy="${(below * size).toFixed(1)}" font-size="${size}" text-anchor="${anchor}" fill="${this.fillStyle}"${this.move ? ` transform="${this.move}"` : ""}>${escaped(text)}</text>\n`;
  }
}
for (const key of ["strokeStyle", "fillStyle"]) {
  Object.defineProperty(SvgPen.prototype, key, {
    get() {
      return this.state[key] ?? "#000";
    },
    set(value) {
      this.state[key] = value;
    },
  });
}

function saveAs(name, content, kind) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Lets two buttons save what `draw({ pen, width, height })` draws as it is on the canvas, under a title. */
function savable(canvas, name, title, draw) {
  const HEAD = 30;
  const paint = (pen, width, height) => {
    const now = colours();
    pen.fillStyle = now.paper;
    pen.fillRect(0, 0, width, height + HEAD);
    pen.fillStyle = now.ink;
    pen.font = `15px ${FONT}`;
    pen.textBaseline = "top";
    pen.fillText(title(), 8, 8);
    pen.save();
    pen.translate(0, HEAD);
    draw({ pen, width, height });
    pen.restore();
  };
  byId(name + "-svg").addEventListener("click", () => {
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const pen = new SvgPen();
    paint(pen, width, height);
    const size = `width="${width}" height="${height + HEAD}" viewBox="0 0 ${width} ${height + HEAD}"`;
    const text = `<svg xmlns="${swatches[0].namespaceURI}" ${size} font-family="Noto Sans,Liberation Sans,Arial,sans-serif"><title>${escaped(title())}</title>${pen.text}</svg>\n`;
    saveAs(name + ".svg", text, "image/svg+xml");
  });
  byId(name + "-png").addEventListener("click", () => {
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [2 * width, 2 * (height + HEAD)];
    const pen = copy.getContext("2d");
    pen.scale(2, 2);
    paint(pen, width, height);
    copy.toBlob((blob) => saveAs(name + ".png", blob, "image/png"));
  });
}

for (const details of document.querySelectorAll("details.fallback")) details.open = false;
