// The page's data, and functions that all tools share.
const page = JSON.parse(document.getElementById("page-data").textContent);
const byId = (id) => document.getElementById(id);

function bytesOf(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return new DataView(out.buffer);
}

function doublesOf(text) {
  const view = bytesOf(text);
  return Float64Array.from({ length: view.byteLength / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

function floatsOf(text) {
  const view = bytesOf(text);
  return Float32Array.from({ length: view.byteLength / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

function integersOf(text, wide) {
  const view = bytesOf(text);
  const width = wide ? 4 : 2;
  const at = (i) => (wide ? view.getUint32(4 * i, true) : view.getUint16(2 * i, true));
  return Uint32Array.from({ length: view.byteLength / width }, (_, i) => at(i));
}

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

const grouped = (count) => count.toLocaleString("en-US");
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

/** A function that runs `draw` once at the next frame, however often it is called until then. */
function paced(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
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
  pen.save();
  pen.translate(x - 16, y - 6);
  if (marks[i].classList.contains("s")) pen.stroke(shapes[i]);
  else pen.fill(shapes[i]);
  pen.restore();
}

for (const details of document.querySelectorAll("details.fallback")) details.open = false;
