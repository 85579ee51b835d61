// The chart of the curves: zooming, choosing a size, showing and hiding curves.
(() => {
  if (sizes.length < 2) return;
  const MARGIN = { left: 54, right: 14, top: 14, bottom: 44 };
  const canvas = byId("chart-canvas");
  const last = sizes.length - 1;
  const mean = page.mean_distance;
  const best = doublesOf(page.best);
  const limits = [
    { name: "compact sets found", values: doublesOf(page.compact), dash: [] },
    { name: "proved floor", values: doublesOf(page.floor), dash: [2, 3] },
  ].filter((limit) => limit.values.length > 0);
  const state = { view: "hops", x: "log", y: "linear", from: sizes[0], to: sizes[last], at: nearestSize(Math.sqrt(sizes[last])) };
  const shown = new Set(five());
  let plot = null;
  let drag = null;

  /** The best, the second, the present order, the best for large jobs and a random one; others where some of these are one. */
  function five() {
    const large = (i) => {
      let [sum, count] = [0, 0];
      for (let k = 0; k <= last; k++) {
        if (sizes[k] < sizes[last] / 8 || sizes[k] > sizes[last] / 2 || k >= values[i].length || !(best[k] > 0)) continue;
        sum += values[i][k] / best[k];
        count++;
      }
      return count ? sum / count : Infinity;
    };
    const all = [...page.orderings.keys()];
    const named = (name) => all.filter((i) => page.orderings[i].label.split(":")[0] === name)[0];
    const first = [0, named("row-major"), all.reduce((a, b) => (large(b) < large(a) ? b : a), 0), named("random"), ...all];
    return [...new Set([0, 1, ...first])].filter((i) => i !== undefined && i in page.orderings).slice(0, 5);
  }

  const forward = (size) => (state.x === "log" ? Math.log(size) : size);
  const backward = (value) => (state.x === "log" ? Math.exp(value) : value);

  function drawn(value, i) {
    if (state.view === "hops") return value;
    if (state.view === "random") return mean > 0 ? (100 * value) / mean : NaN;
    if (best[i] > 0) return 100 * (value / best[i] - 1);
    return value > 0 ? NaN : 0;
  }

  /** Indices of the sizes in sight, with one beyond each end. */
  function inSight() {
    let [low, high] = [0, last];
    while (low < last && sizes[low + 1] < state.from) low++;
    while (high > 0 && sizes[high - 1] > state.to) high--;
    return [low, high];
  }

  function curvesShown() {
    const list = [...shown].sort((a, b) => b - a).map((i) => ({ i, values: values[i] }));
    return state.view === "best" ? list : [...limits.map((limit) => ({ limit, values: limit.values })), ...list];
  }

  function range([low, high]) {
    let [least, most, above] = [Infinity, 0, Infinity];
    for (const curve of curvesShown()) {
      for (let i = low; i <= Math.min(high, curve.values.length - 1); i++) {
        const y = drawn(curve.values[i], i);
        if (!Number.isFinite(y)) continue;
        least = Math.min(least, y);
        most = Math.max(most, y);
        if (y > 0) above = Math.min(above, y);
      }
    }
    const whole = state.from <= sizes[0] && state.to >= sizes[last];
    if (state.y === "log") {
      if (!Number.isFinite(above)) [above, most] = [0.1, 1];
      // Ties with the best are at 0, which a log axis does not have: they are drawn at the bottom edge.
      if (state.view === "best") above = Math.max(above, 0.01);
      return [above / 1.05, Math.max(most, above * 1.5) * 1.05];
    }
    if (!Number.isFinite(least)) return [0, 1];
    if (state.view === "best" && whole) most = Math.min(most, 50);
    if (whole && state.view === "hops") most = Math.max(most, mean);
    const room = 0.06 * (whole ? most : most - least) || 0.5;
    return [whole ? 0 : Math.max(0, least - room), most + room];
  }

  function draw(target) {
    const now = colours();
    const { pen, width, height } = target ?? cleared(canvas);
    pen.font = `12px ${FONT}`;
    // Names have room beside a few curves; of many the table is the legend.
    const named = shown.size > 6 ? [] : curvesShown();
    const name = (curve) => curve.limit?.name ?? page.orderings[curve.i].label;
    const room = Math.min(0.4 * width, Math.max(0, ...named.map((curve) => pen.measureText(name(curve)).width + 34)));
    const box = { left: MARGIN.left, right: width - Math.max(MARGIN.right, room), top: MARGIN.top, bottom: height - MARGIN.bottom };
    const sight = inSight();
    const [low, high] = range(sight);
    const [x0, x1] = [forward(state.from), forward(state.to)];
    const up = (y) => (state.y === "log" ? Math.log(Math.max(y, low)) : y);
    const [y0, y1] = [up(low), up(high)];
    const px = (size) => box.left + ((forward(size) - x0) / (x1 - x0)) * (box.right - box.left);
    const py = (y) => box.bottom - ((up(y) - y0) / (y1 - y0)) * (box.bottom - box.top);
    if (!target) plot = { box, size: (x) => backward(x0 + ((x - box.left) / (box.right - box.left)) * (x1 - x0)) };

    pen.font = `12px ${FONT}`;
    pen.lineWidth = 1;
    pen.strokeStyle = now.line;
    pen.fillStyle = now.muted;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const y of ticks(low, high, state.y === "log", 7)) {
      line(pen, box.left, py(y), box.right, py(y));
      pen.fillText(tickText(y), box.left - 7, py(y));
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    let free = -Infinity;
    for (const x of ticks(state.from, state.to, state.x === "log", Math.max(2, width / 110))) {
      const at = px(x);
      line(pen, at, box.top, at, box.bottom);
      const half = pen.measureText(tickText(x)).width / 2;
      if (at - half > free + 6 && at + half < width) {
        pen.fillText(tickText(x), at, box.bottom + 6);
        free = at + half;
      }
    }
    pen.fillStyle = now.ink;
    pen.fillText(state.x === "log" ? "job size (nodes), log scale" : "job size (nodes)", (box.left + box.right) / 2, box.bottom + 25);
    pen.save();
    pen.translate(3, (box.top + box.bottom) / 2);
    pen.rotate(-Math.PI / 2);
    const title = byId("chart-view").selectedOptions[0].textContent;
    const scale = state.y === "log" ? ", log scale" + (state.view === "best" ? ", ties at the bottom" : "") : "";
    pen.fillText(title + scale, 0, 0);
    pen.restore();

    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    pen.clip();
    if (state.view !== "best" && mean > 0) {
      const y = py(state.view === "hops" ? mean : 100);
      pen.strokeStyle = now.muted;
      pen.setLineDash([5, 4]);
      line(pen, box.left, y, box.right, y);
      pen.setLineDash([]);
    }
    const floor = limits.find((limit) => limit.name === "proved floor");
    if (floor && state.view !== "best") band(pen, now, box, floor.values, sight, px, py, nearestSize(backward(x0 + 0.6 * (x1 - x0))));
    for (const curve of curvesShown()) {
      const ordering = curve.limit ? null : page.orderings[curve.i];
      const colour = ordering ? hue(ordering, now) : now.muted;
      pen.strokeStyle = pen.fillStyle = colour;
      pen.lineWidth = curve.i === 0 ? 2.4 : curve.limit ? 1.3 : 1.7;
      pen.setLineDash((ordering ?? curve.limit).dash);
      pen.beginPath();
      let begun = false;
      for (let i = sight[0]; i <= Math.min(sight[1], curve.values.length - 1); i++) {
        const y = drawn(curve.values[i], i);
        if (!Number.isFinite(y)) {
          begun = false;
          continue;
        }
        if (begun) pen.lineTo(px(sizes[i]), py(y));
        else pen.moveTo(px(sizes[i]), py(y));
        begun = true;
      }
      pen.stroke();
      pen.setLineDash([]);
      if (!ordering) continue;
      for (let k = 0; k < 5; k++) {
        const share = (k + 0.15 + 0.7 * ((curve.i * 0.382) % 1)) / 5;
        const i = nearestSize(backward(x0 + share * (x1 - x0)));
        if (i < curve.values.length) mark(pen, curve.i, px(sizes[i]), py(drawn(curve.values[i], i)));
      }
    }
    if (state.view !== "best" && mean > 0) {
      // On ground of its own: no curve crosses it.
      const [text, y] = ["random placement", py(state.view === "hops" ? mean : 100) - 3];
      pen.fillStyle = now.paper;
      pen.fillRect(box.left + 6, y - 14, pen.measureText(text).width + 4, 14);
      pen.fillStyle = now.muted;
      pen.textAlign = "left";
      pen.textBaseline = "bottom";
      pen.fillText(text, box.left + 8, y);
    }
    const chosen = px(sizes[state.at]);
    pen.strokeStyle = now.ink;
    pen.lineWidth = 1;
    line(pen, chosen, box.top, chosen, box.bottom);
    for (const i of shown) {
      if (state.at >= values[i].length) continue;
      pen.beginPath();
      pen.arc(chosen, py(drawn(values[i][state.at], state.at)), 4.5, 0, 7);
      pen.fillStyle = now.paper;
      pen.strokeStyle = hue(page.orderings[i], now);
      pen.lineWidth = 2;
      pen.fill();
      pen.stroke();
    }
    if (drag && drag.moved) {
      pen.fillStyle = now.accent;
      pen.globalAlpha = 0.18;
      pen.fillRect(Math.min(drag.from, drag.to), box.top, Math.abs(drag.to - drag.from), box.bottom - box.top);
    }
    pen.restore();
    // Where curves meet at the largest size their order just before it says more.
    const near = Math.max(0, nearestSize(backward(x0 + 0.85 * (x1 - x0))));
    const ends = named.map((curve) => {
      const i = Math.min(near, curve.values.length - 1);
      const y = clamp(py(drawn(curve.values[i], i)) || box.bottom, box.top, box.bottom);
      const ordering = curve.limit ? null : page.orderings[curve.i];
      return { name: name(curve), y, colour: ordering ? hue(ordering, now) : now.muted, dash: (ordering ?? curve.limit).dash, index: curve.i };
    });
    nameEnds(pen, now, box, width, ends);
    canvas.dataset.named = ends.map((end) => end.name).join("; ");
    canvas.dataset.from = state.from;
    canvas.dataset.to = state.to;
    canvas.dataset.low = low;
    canvas.dataset.high = high;
    Object.assign(canvas.dataset, { left: box.left, right: box.right, at: sizes[state.at], drawn: [...shown].sort((a, b) => a - b).join(" ") });
  }
  /** Shades what lies below the proved floor, where no ordering can be. */
  function band(pen, now, box, floor, sight, px, py, middle) {
    const end = Math.min(sight[1], floor.length - 1);
    if (end <= sight[0]) return;
    pen.beginPath();
    pen.moveTo(px(sizes[sight[0]]), box.bottom);
    for (let i = sight[0]; i <= end; i++) pen.lineTo(px(sizes[i]), py(drawn(floor[i], i)));
    pen.lineTo(px(sizes[end]), box.bottom);
    pen.closePath();
    pen.fillStyle = now.muted;
    pen.globalAlpha = 0.16;
    pen.fill();
    pen.globalAlpha = 1;
    const i = Math.min(end, middle);
    const top = Math.max(box.top, py(drawn(floor[i], i)));
    if (box.bottom - top < 22) return;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = now.ink;
    pen.fillText("impossible", px(sizes[i]), (top + box.bottom) / 2 + 4);
  }
  const redraw = paced(() => draw());

  // The table below the chart is its legend and shows the values.
  const rows = page.orderings.map((ordering, i) => {
    const row = byId("chart-values").tBodies[0].insertRow();
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = shown.has(i);
    box.setAttribute("aria-label", "Show " + ordering.label);
    box.addEventListener("change", () => {
      if (box.checked) shown.add(i);
      else shown.delete(i);
      redraw();
    });
    row.insertCell().append(box);
    const name = document.createElement("th");
    name.scope = "row";
    name.className = "text";
    name.append(swatches[i].cloneNode(true), ordering.label);
    keepWhole(name);
    row.append(name);
    return { box, cells: [row.insertCell(), row.insertCell(), row.insertCell()] };
  });

  function read() {
    const i = state.at;
    const known = rows.map((row, k) => (i < values[k].length ? values[k][i] : undefined));
    rows.forEach((row, k) => {
      const value = known[k];
      row.cells[0].dataset.value = value ?? "";
      row.cells[0].textContent = value === undefined ? "–" : decimals(value, 4);
      row.cells[1].textContent = value === undefined || !(mean > 0) ? "–" : decimals((100 * value) / mean, 1);
      row.cells[2].textContent = value === undefined || !(best[i] > 0) ? "–" : decimals(100 * (value / best[i] - 1), 1);
      row.cells.forEach((cell) => cell.classList.toggle("low", value === best[i]));
    });
    const winners = page.orderings.filter((_, k) => known[k] === best[i]).map((ordering) => ordering.label);
    const floor = limits.find((limit) => limit.name === "proved floor");
    const bound = floor && i < floor.values.length ? `; proved floor ${hops(floor.values[i], 4)}` : "";
    const who = winners.length > 3 ? `${winners.slice(0, 3).join(", ")} and ${winners.length - 3} others` : winners.join(", ");
    byId("chart-said").textContent = `Jobs of ${grouped(sizes[i])} nodes: lowest ${hops(best[i], 4)}, ${who}${bound}.`;
    const field = byId("chart-size");
    if (document.activeElement !== field) field.value = sizes[i];
  }

  function choose(index) {
    state.at = clamp(index, 0, last);
    const size = sizes[state.at];
    if (size < state.from || size > state.to) {
      const half = (forward(state.to) - forward(state.from)) / 2;
      show(backward(forward(size) - half), backward(forward(size) + half));
    }
    read();
    redraw();
  }

  /** Shows sizes `from` to `to`, limited to the sizes there are and to no fewer than four. */
  function show(from, to) {
    const [least, most] = [sizes[0], sizes[last]];
    const whole = forward(most) - forward(least);
    const wide = Math.min(Math.max(forward(to) - forward(from), 0), whole);
    let start = clamp(forward(from), forward(least), forward(most) - wide);
    state.from = Math.max(backward(start), least);
    state.to = Math.min(backward(start + wide), most);
    if (state.to - state.from < 4) {
      const middle = clamp((state.from + state.to) / 2, least + 2, Math.max(least + 2, most - 2));
      [state.from, state.to] = [Math.max(least, middle - 2), Math.min(most, middle + 2)];
    }
    if (wide >= whole * (1 - 1e-9)) [state.from, state.to] = [least, most];
    redraw();
  }

  function zoom(factor, around) {
    const centre = forward(around ?? clamp(sizes[state.at], state.from, state.to));
    const [from, to] = [forward(state.from), forward(state.to)];
    show(backward(centre - (centre - from) * factor), backward(centre + (to - centre) * factor));
  }

  function pan(share) {
    const step = share * (forward(state.to) - forward(state.from));
    const [low, high] = [forward(sizes[0]), forward(sizes[last])];
    const shift = clamp(step, low - forward(state.from), high - forward(state.to));
    show(backward(forward(state.from) + shift), backward(forward(state.to) + shift));
  }

  const reset = () => show(sizes[0], sizes[last]);
  const within = (event) => event.clientX - canvas.getBoundingClientRect().left;

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = { from: within(event), to: within(event), moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!plot) return;
    const x = clamp(within(event), plot.box.left, plot.box.right);
    if (drag) {
      drag.to = x;
      drag.moved ||= Math.abs(drag.to - drag.from) > 6;
      redraw();
    }
    state.at = nearestSize(plot.size(x));
    read();
    redraw();
  });
  canvas.addEventListener("pointerup", () => {
    if (drag?.moved) {
      const [a, b] = [drag.from, drag.to].map((x) => plot.size(clamp(x, plot.box.left, plot.box.right)));
      show(Math.min(a, b), Math.max(a, b));
    }
    drag = null;
    redraw();
  });
  canvas.addEventListener("pointercancel", () => {
    drag = null;
    redraw();
  });
  canvas.addEventListener("dblclick", reset);
  canvas.addEventListener(
    "wheel",
    (event) => {
      // When the whole chart is visible, the wheel scrolls the page.
      if (event.deltaY > 0 && state.from <= sizes[0] && state.to >= sizes[last]) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, plot.size(clamp(within(event), plot.box.left, plot.box.right)));
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = event.shiftKey ? 10 : 1;
    const keys = {
      ArrowLeft: () => choose(state.at - step),
      ArrowRight: () => choose(state.at + step),
      ArrowDown: () => choose(nearestSize(sizes[state.at] / 2)),
      ArrowUp: () => choose(nearestSize(sizes[state.at] * 2)),
      Home: () => choose(0),
      End: () => choose(last),
      "+": () => zoom(0.6),
      "=": () => zoom(0.6),
      "-": () => zoom(1 / 0.6),
      0: reset,
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  byId("chart-in").addEventListener("click", () => zoom(0.6));
  byId("chart-out").addEventListener("click", () => zoom(1 / 0.6));
  byId("chart-left").addEventListener("click", () => pan(-0.3));
  byId("chart-right").addEventListener("click", () => pan(0.3));
  byId("chart-reset").addEventListener("click", reset);
  for (const key of ["view", "x", "y"]) {
    byId("chart-" + key).addEventListener("change", (event) => {
      state[key] = event.target.value;
      redraw();
    });
  }
  byId("chart-size").max = sizes[last];
  byId("chart-size").addEventListener("input", (event) => {
    const size = event.target.valueAsNumber;
    if (size >= 2) choose(nearestSize(size));
  });
  byId("chart-size").addEventListener("blur", read);
  const only = (wanted) => {
    rows.forEach((row, i) => {
      row.box.checked = wanted(i);
      if (wanted(i)) shown.add(i);
      else shown.delete(i);
    });
    redraw();
  };
  byId("chart-all").addEventListener("click", () => only(() => true));
  byId("chart-none").addEventListener("click", () => only(() => false));
  byId("chart-leaders").addEventListener("click", () => only((i) => five().includes(i)));
  savable(canvas, "chart", () => `${page.name}: ${byId("chart-view").selectedOptions[0].textContent}`, draw);
  if (!page.complete) {
    byId("chart-thinned").textContent =
      ` The chart has ${grouped(sizes.length)} of the ${grouped(page.all_sizes)} job sizes: all small ones and an even selection of the others; mpc.csv has all.`;
  }
  byId("chart").hidden = false;
  keepDrawn(canvas, redraw);
  read();
  redraw();
})();
