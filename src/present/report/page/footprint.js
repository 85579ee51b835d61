// The nodes of one job under two orderings.
(() => {
  if (!layout || embedded.length === 0) return;
  const view = { ...STRAIGHT };
  const sides = [0, 1].map((side) => {
    const canvas = byId(`foot-canvas-${side}`);
    return { canvas, drawing: new Drawing(canvas, view), select: byId(`foot-order-${side}`), said: byId(`foot-said-${side}`) };
  });
  const [sizeField, startSlider, startField] = ["foot-size", "foot-start", "foot-rank"].map(byId);
  let [size, start] = [2, 0];
  const length = () => Math.min(...sides.map((side) => orderOf(Number(side.select.value)).length));

  function draw() {
    const now = colours();
    for (const side of sides) {
      const i = Number(side.select.value);
      const inside = new Uint8Array(layout.count);
      for (const node of orderOf(i).subarray(start, start + size)) inside[layout.cells[node]] = 1;
      const colour = hexOf(hue(page.orderings[i], now));
      side.drawing.paint((cell) => (inside[cell] ? colour : null));
      side.canvas.dataset.yaw = view.yaw;
    }
  }
  const hexOf = (colour) => (/^#[0-9a-f]{6}$/i.test(colour) ? colour : "#888888");
  const redraw = paced(draw);

  function measure() {
    const means = sides.map((side) => {
      const i = Number(side.select.value);
      const { label } = page.orderings[i];
      const nodes = orderOf(i).subarray(start, start + size);
      const mean = distances.meanOf(nodes);
      const routers = new Set(Array.from(nodes, distances.routerOf)).size;
      const at = nearestSize(size);
      const known = sizes[at] === size && at < values[i].length;
      const parts = [mean === undefined ? "" : `mean distance ${hops(mean, 4)}`];
      if (known) parts.push(`MPC(${grouped(size)}), the mean over all positions at which a job can start, ${decimals(values[i][at], 4)}`);
      parts.push(`on ${grouped(routers)} ${routers === 1 ? "router" : "routers"}`);
      side.said.textContent = `${label}: ${parts.filter((p) => p).join("; ")}.`;
      Object.assign(side.said.dataset, { mean: mean ?? "", mpc: known ? values[i][at] : "", routers });
      side.canvas.setAttribute("aria-label", `Nodes of a job of ${size} nodes from rank ${start} of ${label}`);
      return mean;
    });
    const names = sides.map((side) => page.orderings[Number(side.select.value)].label);
    const ranks = `Ranks ${grouped(start)} to ${grouped(start + size - 1)}`;
    let words = "";
    if (means.every((m) => m !== undefined)) {
      const better = means[0] <= means[1] ? 0 : 1;
      const [low, high] = [means[better], means[1 - better]];
      if (low === high) words = "the mean distance of this job is the same on both orderings";
      else words = `the mean distance of this job is ${decimals(100 * (1 - low / high), 1)}\u00a0% lower on ${names[better]} than on ${names[1 - better]}`;
    } else words = "the page does not know all distances of this job; MPC is the mean over all starts";
    byId("foot-said").textContent = `${ranks}: ${words}.`;
  }

  function set(newSize, newStart) {
    const all = length();
    size = clamp(Math.round(newSize), Math.min(2, all), all);
    start = clamp(Math.round(newStart), 0, all - size);
    sizeField.max = all;
    startSlider.max = startField.max = all - size;
    startSlider.value = start;
    if (document.activeElement !== startField) startField.value = start;
    if (document.activeElement !== sizeField) sizeField.value = size;
    measure();
    redraw();
  }

  sizeField.addEventListener("input", () => sizeField.valueAsNumber >= 2 && set(sizeField.valueAsNumber, start));
  startField.addEventListener("input", () => startField.valueAsNumber >= 0 && set(size, startField.valueAsNumber));
  for (const field of [sizeField, startField]) field.addEventListener("blur", () => set(size, start));
  startSlider.addEventListener("input", () => set(size, startSlider.valueAsNumber));
  byId("foot-back").addEventListener("click", () => set(size, start - size));
  byId("foot-next").addEventListener("click", () => set(size, start + size));
  const reference = embedded.find((i) => i > 0 && page.orderings[i].label === "row-major");
  fillOrders(sides[0].select, embedded[0]);
  fillOrders(sides[1].select, reference ?? embedded[Math.min(1, embedded.length - 1)]);
  for (const side of sides) side.select.addEventListener("change", () => set(size, start));
  byId("foot").hidden = false;
  document.querySelector("nav [hidden]").hidden = false;
  turnable(sides.map((side) => side.canvas), byId("foot"), view, redraw);
  for (const side of sides) keepDrawn(side.canvas, redraw);
  // A job in the middle of the list, of the size whose square is the machine's, to begin with.
  const begin = 2 ** Math.round(Math.log2(Math.sqrt(length())) + 1);
  set(begin, Math.floor(length() / 3 / begin) * begin);
})();
