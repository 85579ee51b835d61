// Where every place of the machine is drawn: a box of its own coordinates, groups within groups, slices, a circle,
// or rows of node ids. A layout has cells (a place or a router each), boxes around them with their titles, and links.
const layout = (() => {
  const machine = page.machine;
  const { places, per_router: per, hosts, levels, lattice } = machine;
  const table = lattice?.cells ? integersOf(lattice.cells, true) : null;
  const cellOf = (node) => (table ? table[node] : Math.floor(node / per));
  const long = lattice ? lattice.extents.map((_, axis) => axis).filter((axis) => lattice.extents[axis] > 1) : [];

  function coordinates(cell) {
    const out = [];
    for (let axis = lattice.extents.length - 1; axis >= 0; axis--) {
      out[axis] = cell % lattice.extents[axis];
      cell = Math.floor(cell / lattice.extents[axis]);
    }
    return out;
  }

  const made = (count, more) => ({
    solid: false,
    count,
    x: new Float32Array(count),
    y: new Float32Array(count),
    z: new Float32Array(count),
    edge: 0.9,
    boxes: [],
    links: [],
    node: (id) => id,
    ...more,
  });

  /** How many columns make `count` blocks of `w` by `h` a rectangle of about this shape. */
  function columnsFor(count, w, h, shape) {
    let [columns, miss] = [1, Infinity];
    for (let c = 1; c <= count; c++) {
      const off = Math.abs(Math.log((c * w) / (Math.ceil(count / c) * h) / shape));
      // A last row that is not full looks odd.
      const ragged = off + 0.6 * ((c - (count % c)) % c) / c;
      if (ragged < miss) [columns, miss] = [c, ragged];
      if (c * w > 40 * h * count) break;
    }
    return columns;
  }

  function solid() {
    const count = lattice.extents.reduce((all, n) => all * n, 1);
    const out = made(count, { solid: true, node: cellOf, extents: long.map((a) => lattice.extents[a]), axes: long.map((a) => lattice.axes[a]) });
    for (let cell = 0; cell < count; cell++) {
      const at = coordinates(cell);
      [out.x[cell], out.y[cell], out.z[cell]] = long.map((axis) => at[axis]);
    }
    const several = table || per > 1 ? " A place with several nodes has the colour of its lowest rank." : "";
    out.about = `A ${out.extents.join(" × ")} box, drawn with its coordinates ${out.axes.join(", ")}.${several}`;
    return out;
  }

  /** Units within units, the outermost framed and named. */
  function nested() {
    const sizes = [];
    const names = [];
    for (const [name, routers] of levels) {
      const nodes = routers * per;
      if (nodes < places && nodes > 1 && (sizes.length === 0 || nodes < sizes[sizes.length - 1])) {
        sizes.push(nodes);
        names.push(name);
      }
    }
    if (sizes.length === 0) return null;
    const arrange = (k) => {
      const inner = k + 1 < sizes.length ? arrange(k + 1) : { w: 1, h: 1 };
      const count = k + 1 < sizes.length ? sizes[k] / sizes[k + 1] : sizes[k];
      const gap = k + 1 < sizes.length ? 0.35 : 0;
      const columns = columnsFor(count, inner.w + gap, inner.h + gap, k === 0 ? 1.5 : 1.2);
      const w = columns * (inner.w + gap) - gap;
      const h = Math.ceil(count / columns) * (inner.h + gap) - gap;
      const pad = k === 0 ? 0.45 : 0.12;
      const head = k === 0 ? Math.max(0.9, 0.13 * h) : 0;
      return { inner, count, gap, columns, pad, head, w: w + 2 * pad, h: h + 2 * pad + head };
    };
    const unit = arrange(0);
    const units = Math.ceil(places / sizes[0]);
    const space = 0.08 * unit.w + 0.3;
    const columns = columnsFor(units, unit.w + space, unit.h + space, 1.6);
    const out = made(places, {
      width: columns * (unit.w + space) - space,
      height: Math.ceil(units / columns) * (unit.h + space) - space,
    });
    const corner = (u) => [(u % columns) * (unit.w + space), Math.floor(u / columns) * (unit.h + space)];
    for (let u = 0; u < units; u++) {
      const [x, y] = corner(u);
      out.boxes.push({ x, y, w: unit.w, h: unit.h, title: `${names[0]} ${u}`, short: String(u), head: unit.head });
    }
    for (let node = 0; node < places; node++) {
      let [x, y] = corner(Math.floor(node / sizes[0]));
      let block = unit;
      for (let k = 0; ; k++) {
        const size = k + 1 < sizes.length ? sizes[k + 1] : 1;
        const child = Math.floor((node % sizes[k]) / size);
        x += block.pad + (child % block.columns) * (block.inner.w + block.gap);
        y += block.pad + block.head + Math.floor(child / block.columns) * (block.inner.h + block.gap);
        if (size === 1) break;
        block = block.inner;
        if (sizes.length > 1 && node % size === 0 && places / size <= 3000) {
          out.boxes.push({ x, y, w: block.w, h: block.h, faint: true });
        }
      }
      out.x[node] = x + 0.5;
      out.y[node] = y + 0.5;
    }
    out.where = (node) => sizes.map((size, k) => `${names[k]} ${Math.floor(k ? (node % sizes[k - 1]) / size : node / size)}`).join(", ");
    out.about = `A box is one ${names[0]}${names.length > 1 ? ", the boxes in it are its units (" + names.slice(1).join(", ") + ")" : ""}; a square is a node.`;
    return out;
  }

  /** Planes of the two longest axes side by side. */
  function slices() {
    const byExtent = [...long].sort((a, b) => lattice.extents[b] - lattice.extents[a] || a - b).slice(0, 2).sort((a, b) => a - b);
    const [across, up] = byExtent;
    const others = lattice.extents.map((_, axis) => axis).filter((axis) => !byExtent.includes(axis));
    const [w, h] = byExtent.map((axis) => lattice.extents[axis]);
    const panels = others.reduce((all, axis) => all * lattice.extents[axis], 1);
    const head = panels > 1 ? Math.max(1, 0.14 * h) : 0;
    const gap = panels > 1 ? 0.12 * Math.max(w, h) + 0.5 : 0;
    const columns = columnsFor(panels, w + gap, h + head + gap, 1.6);
    // Nodes of a router stand in its square, as far as there are coordinates of routers.
    const split = table ? 1 : per;
    const fine = Math.ceil(Math.sqrt(split));
    const count = lattice.extents.reduce((all, n) => all * n, 1) * split;
    const out = made(count, {
      node: split > 1 ? (id) => id : cellOf,
      edge: 0.92 / fine,
      width: columns * (w + gap) - gap,
      height: Math.ceil(panels / columns) * (h + head + gap) - gap,
    });
    for (let cell = 0; cell < count; cell++) {
      const at = coordinates(Math.floor(cell / split));
      const panel = others.reduce((all, axis) => all * lattice.extents[axis] + at[axis], 0);
      const x = (panel % columns) * (w + gap);
      const y = Math.floor(panel / columns) * (h + head + gap) + head;
      const slot = cell % split;
      out.x[cell] = x + at[across] + ((slot % fine) + 0.5) / fine;
      out.y[cell] = y + (h - 1 - at[up]) + (Math.floor(slot / fine) + 0.5) / fine;
      if (panels > 1 && slot === 0 && at[across] === 0 && at[up] === 0) {
        const title = others.filter((axis) => lattice.extents[axis] > 1).map((axis) => `${lattice.axes[axis]} = ${at[axis]}`).join(", ");
        out.boxes.push({ x, y: y - head, w, h: h + head, title, short: others.map((axis) => at[axis]).join(","), head, bare: true });
      }
    }
    const names = byExtent.map((axis) => lattice.axes[axis]);
    out.about = `${names[0]} to the right, ${names[1]} upwards${panels > 1 ? `, a panel for each place along the other axes` : ""}${split > 1 ? `; a router's ${per} nodes stand side by side` : ""}.`;
    return out;
  }

  /** Routers round a circle with their links, nodes outwards. */
  function circle() {
    const radius = Math.max(3, (hosts * 1.35) / (2 * Math.PI));
    const size = 2 * (radius + 0.8 + 1.05 * (per - 1));
    const out = made(places, { width: size, height: size, round: true });
    const spot = (router, r) => {
      const turn = (router / hosts) * 2 * Math.PI - Math.PI / 2;
      return [size / 2 + r * Math.cos(turn), size / 2 + r * Math.sin(turn)];
    };
    for (let node = 0; node < places; node++) {
      [out.x[node], out.y[node]] = spot(Math.floor(node / per), radius + 1.05 * (node % per));
    }
    const pairs = distances.links();
    if (pairs.length <= 6000) {
      for (let i = 0; i < pairs.length; i += 2) {
        if (pairs[i] < hosts && pairs[i + 1] < hosts) out.links.push([spot(pairs[i], radius - 0.6), spot(pairs[i + 1], radius - 0.6)]);
      }
    }
    out.about = `Routers round a circle by their number, from the top clockwise${per > 1 ? ", their nodes outwards" : ""}${out.links.length ? "; lines are links" : ""}.`;
    return out;
  }

  function rows() {
    const columns = Math.min(places, Math.ceil(Math.sqrt(places * 1.6) / per) * per);
    const out = made(places, { width: columns, height: Math.ceil(places / columns) });
    for (let node = 0; node < places; node++) {
      out.x[node] = (node % columns) + 0.5;
      out.y[node] = Math.floor(node / columns) + 0.5;
    }
    out.about = `Node ids in rows of ${grouped(columns)}, from the top left.`;
    return out;
  }

  function choose() {
    if (levels.length > 0) {
      const units = nested();
      if (units) return units;
    }
    if (lattice && long.length === 3) return solid();
    if (lattice && (long.length === 2 || long.length > 3)) return slices();
    return hosts <= 400 ? circle() : rows();
  }

  // Without an ordering there is nothing to colour.
  if (embedded.length === 0) return null;
  const out = choose();
  out.cells = Int32Array.from({ length: places }, (_, node) => out.node(node));
  out.where ??= lattice ? (node) => coordinates(cellOf(node)).map((x, axis) => `${lattice.axes[axis]} = ${x}`).join(", ") : () => "";
  return out;
})();
