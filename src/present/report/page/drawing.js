// The machine on a canvas: flat, or as a box that can be turned.
class Drawing {
  /** `view` holds the angles; drawings that share it turn together. */
  constructor(canvas, view) {
    this.canvas = canvas;
    this.view = view;
    this.shades = new Map();
  }

  /** Draws with `colour(cell)`, a colour or null; `trail` is a list of cells walked last, the end of which is marked. */
  paint(colour, trail = []) {
    const now = colours();
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    const most = Math.min(680, Math.max(260, innerHeight * 0.8));
    const shape = layout.solid ? 0.72 : layout.height / layout.width;
    const tall = Math.round(clamp(width * shape, Math.min(120, width * 0.3), most));
    const { pen, height } = cleared(this.canvas, tall);
    if (layout.solid) this.paintBox(pen, width, height, colour, trail, now);
    else this.paintFlat(pen, width, height, colour, trail, now);
  }

  paintFlat(pen, width, height, colour, trail, now) {
    // Room for the names of the axes of panels.
    const room = layout.axes.length ? 20 : 0;
    const scale = Math.min((width - 12 - 2 * room) / layout.width, (height - 12 - room) / layout.height, 46);
    const left = (width - layout.width * scale) / 2;
    const top = (height - room - layout.height * scale) / 2;
    const [px, py] = [(x) => left + x * scale, (y) => top + y * scale];
    pen.lineWidth = 1;
    pen.strokeStyle = now.muted;
    pen.globalAlpha = layout.links.length > 2400 ? 0.15 : 0.35;
    pen.beginPath();
    for (let i = 0; i < layout.links.length; i += 4) {
      const [ax, ay, bx, by] = layout.links.subarray(i, i + 4);
      pen.moveTo(px(ax), py(ay));
      pen.lineTo(px(bx), py(by));
    }
    pen.stroke();
    pen.globalAlpha = 1;
    pen.textBaseline = "middle";
    for (const box of layout.frames) {
      const [w, h] = [box.w * scale, box.h * scale];
      if (!box.bare && (!box.faint || Math.min(w, h) > 9)) {
        pen.strokeStyle = box.faint ? now.line : now.muted;
        pen.strokeRect(px(box.x) + 0.5, py(box.y) + 0.5, w - 1, h - 1);
      }
      const size = Math.min(13, box.head * scale * 0.8);
      if (!box.title || size < 7) continue;
      pen.font = `${size}px ${FONT}`;
      pen.fillStyle = now.muted;
      const text = [box.title, box.short].find((t) => pen.measureText(t).width < w - 4);
      if (text) pen.fillText(text, px(box.x) + (box.bare ? 0 : 4), py(box.y) + (box.head * scale) / 2 + 1);
    }
    const edge = layout.edge * scale;
    // Cells that fill whole pixels leave no seams.
    const side = edge < 3 ? Math.max(1, scale * (layout.edge / 0.92)) : edge;
    for (let cell = 0; cell < layout.count; cell++) {
      if (!layout.there[cell]) continue;
      pen.fillStyle = colour(cell) ?? now.hole;
      const [x, y] = [px(layout.x[cell]), py(layout.y[cell])];
      if (layout.round) {
        pen.beginPath();
        pen.arc(x, y, Math.max(0.8, side * 0.46), 0, 7);
        pen.fill();
      } else pen.fillRect(x - side / 2, y - side / 2, side, side);
    }
    if (room) {
      const [[across, wide], [up, high]] = layout.axes;
      pen.font = `12px ${FONT}`;
      pen.fillStyle = now.ink;
      pen.fillText(`${across} (${wide}) →`, px(0), py(layout.height) + room - 8);
      pen.save();
      pen.translate(px(0) - 10, py(layout.height));
      pen.rotate(-Math.PI / 2);
      pen.fillText(`${up} (${high}) →`, 0, 0);
      pen.restore();
    }
    this.walked(pen, trail.map((cell) => [px(layout.x[cell]), py(layout.y[cell])]), Math.max(3.5, edge * 0.62), now);
  }

  /** The last steps as a line, the place they lead to as a ring. */
  walked(pen, points, radius, now) {
    if (points.length === 0) return;
    pen.lineJoin = "round";
    for (const [colour, wide] of [[now.paper, 4], [now.ink, 1.8]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = wide;
      pen.beginPath();
      points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.stroke();
      pen.beginPath();
      pen.arc(...points[points.length - 1], radius, 0, 7);
      pen.stroke();
    }
  }

  paintBox(pen, width, height, colour, trail, now) {
    const [[a, b, c], names] = layout.solid;
    const longest = Math.hypot(a, b, c);
    const { yaw, pitch } = this.view;
    const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    const far = 3.2 * longest;
    // x to the right, y away, z up; then turned about the vertical and tilted.
    const turn = (x, y, z) => {
      const [dx, dy, dz] = [x - (a - 1) / 2, y - (b - 1) / 2, z - (c - 1) / 2];
      const across = dx * cy - dy * sy;
      const away = dx * sy + dy * cy;
      return [across, dz * cp - away * sp, away * cp + dz * sp];
    };
    const seen = (x, y, z) => {
      const [u, v, depth] = turn(x, y, z);
      const near = far / (far + depth);
      return [u * near, v * near, near];
    };
    const corners = [];
    for (const x of [-0.5, a - 0.5]) for (const y of [-0.5, b - 0.5]) for (const z of [-0.5, c - 0.5]) corners.push(seen(x, y, z));
    const reach = (k) => [Math.min(...corners.map((p) => p[k])), Math.max(...corners.map((p) => p[k]))];
    const [[l, r], [d, u]] = [reach(0), reach(1)];
    const scale = Math.min((width - 70) / (r - l), (height - 50) / (u - d));
    const [midX, midY] = [width / 2 - (scale * (l + r)) / 2, height / 2 + (scale * (d + u)) / 2];
    const spot = (p) => [midX + p[0] * scale, midY - p[1] * scale];

    pen.strokeStyle = now.line;
    pen.lineWidth = 1;
    for (const [i, j] of [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]]) {
      line(pen, ...spot(corners[i]), ...spot(corners[j]));
    }

    const count = layout.count;
    const depths = new Float32Array(count);
    const fills = new Array(count);
    let painted = 0;
    for (let cell = 0; cell < count; cell++) {
      depths[cell] = turn(layout.x[cell], layout.y[cell], layout.z[cell])[2];
      fills[cell] = colour(cell);
      if (fills[cell]) painted++;
    }
    const order = Uint32Array.from(depths.keys()).sort((i, j) => depths[j] - depths[i]);
    const cubes = painted <= 2500;
    const few = painted < 0.6 * count;
    // Where the painted are few, the others are a backdrop and hide none of them.
    const passes = few ? [(cell) => !fills[cell], (cell) => fills[cell]] : [() => true];
    for (const wanted of passes) for (const cell of order) {
      if (!wanted(cell)) continue;
      const [x, y, z] = [layout.x[cell], layout.y[cell], layout.z[cell]];
      if (fills[cell] && cubes) {
        this.cube(pen, (p, q, s) => spot(seen(p, q, s)), x, y, z, 0.36, fills[cell], [sy, cy, sp]);
        continue;
      }
      const p = seen(x, y, z);
      const [px, py] = spot(p);
      const side = Math.max(1, p[2] * scale * (fills[cell] ? (few ? 0.7 : 0.56) : 0.13));
      pen.fillStyle = fills[cell] ?? now.hole;
      pen.fillRect(px - side / 2, py - side / 2, side, side);
    }

    pen.font = `13px ${FONT}`;
    pen.fillStyle = now.ink;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    // Each axis is named at the middle of its lowest edge in the foreground.
    const edges = [
      [[a / 2, -1, -1], [a / 2, b, -1]],
      [[-1, b / 2, -1], [a, b / 2, -1]],
      [[-1, -1, c / 2], [a, -1, c / 2], [-1, b, c / 2], [a, b, c / 2]],
    ];
    edges.forEach((list, axis) => {
      const at = list.map((p) => seen(...p));
      const best = axis < 2 ? at.sort((p, q) => p[1] - q[1])[0] : at.sort((p, q) => p[0] - q[0])[0];
      const [px, py] = spot(best);
      const text = `${names[axis]} (${[a, b, c][axis]})`;
      const half = pen.measureText(text).width / 2;
      // Outwards, away from the middle of the box.
      const [dx, dy] = [px - width / 2, py - height / 2];
      const long = Math.hypot(dx, dy) || 1;
      const x = px + (dx / long) * (half + 4);
      pen.fillText(text, clamp(x, half + 2, width - half - 2), clamp(py + (dy / long) * 12, 9, height - 9));
    });
    pen.textAlign = "left";
    const last = trail[trail.length - 1];
    const radius = last === undefined ? 0 : Math.max(4, scale * 0.55);
    this.walked(pen, trail.map((cell) => spot(seen(layout.x[cell], layout.y[cell], layout.z[cell]))), radius, now);
  }

  /** The three faces of a cube that can be seen. */
  cube(pen, spot, x, y, z, r, fill, [sy, cy, sp]) {
    const [light, middle, dark] = this.shade(fill);
    const side = (sign) => (sign > 0 ? -r : r);
    const face = (points, tone) => {
      pen.fillStyle = tone;
      pen.beginPath();
      points.forEach(([p, q, s], i) => (i ? pen.lineTo(...spot(p, q, s)) : pen.moveTo(...spot(p, q, s))));
      pen.fill();
    };
    const fx = x + side(sy);
    const fy = y + side(cy);
    const fz = z + side(sp);
    face([[fx, y - r, z - r], [fx, y + r, z - r], [fx, y + r, z + r], [fx, y - r, z + r]], dark);
    face([[x - r, fy, z - r], [x + r, fy, z - r], [x + r, fy, z + r], [x - r, fy, z + r]], middle);
    face([[x - r, y - r, fz], [x + r, y - r, fz], [x + r, y + r, fz], [x - r, y + r, fz]], light);
  }

  shade(fill) {
    if (!this.shades.has(fill)) {
      const rgb = [1, 3, 5].map((i) => parseInt(fill.slice(i, i + 2), 16));
      const tone = (f) => `rgb(${rgb.map((v) => Math.round(v * f)).join(" ")})`;
      this.shades.set(fill, [fill, tone(0.84), tone(0.68)]);
    }
    return this.shades.get(fill);
  }
}

const STRAIGHT = { yaw: 0.5, pitch: -0.42 };

/** Lets `canvases`, the buttons of `group` and arrow keys turn `view`. */
function turnable(canvases, group, view, redraw) {
  if (!layout.solid) return;
  for (const hidden of group.querySelectorAll(".turn")) hidden.hidden = false;
  const by = (yaw, pitch) => {
    view.yaw += yaw;
    view.pitch = clamp(view.pitch + pitch, -Math.PI / 2, Math.PI / 2);
    redraw();
  };
  const STEP = Math.PI / 12;
  const turns = {
    left: () => by(STEP, 0),
    right: () => by(-STEP, 0),
    up: () => by(0, -STEP),
    down: () => by(0, STEP),
    reset: () => {
      Object.assign(view, STRAIGHT);
      redraw();
    },
  };
  for (const button of group.querySelectorAll("[data-turn]")) button.addEventListener("click", turns[button.dataset.turn]);
  for (const canvas of canvases) {
    let from = null;
    canvas.classList.add("turns");
    canvas.addEventListener("pointerdown", (event) => {
      from = [event.clientX, event.clientY];
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      by((event.clientX - from[0]) * -0.008, (event.clientY - from[1]) * -0.008);
      from = [event.clientX, event.clientY];
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (from = null));
    canvas.addEventListener("keydown", (event) => {
      const turn = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" }[event.key];
      if (!turn || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      turns[turn]();
    });
  }
}
