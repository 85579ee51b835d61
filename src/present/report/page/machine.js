// The machine coloured by rank: stepping through an ordering, or playing it.
(() => {
  if (!layout) {
    const missing = byId("walk-missing");
    missing.textContent =
      "The orderings of this machine are too long to store in the page, so it shows no walk and no footprints of jobs; nodeorder order writes them.";
    missing.hidden = false;
    return;
  }
  const canvas = byId("walk-canvas");
  const view = { ...STRAIGHT };
  const drawing = new Drawing(canvas, view);
  const slider = byId("walk-rank");
  const select = byId("walk-order");
  const play = byId("walk-play");
  const said = byId("walk-said");
  const TRAIL = 12;
  let order = [];
  let first = new Int32Array(layout.count);
  let rank = 0;
  let timer = 0;

  const end = () => order.length - 1;
  const tone = (r) => page.ramp[end() > 0 ? Math.floor((r * (page.ramp.length - 1)) / end()) : 0];

  function draw() {
    const trail = [];
    if (rank < end()) for (let r = Math.max(0, rank - TRAIL); r <= rank; r++) trail.push(layout.cells[order[r]]);
    drawing.paint((cell) => (first[cell] >= 0 && first[cell] <= rank ? tone(first[cell]) : null), trail);
    Object.assign(canvas.dataset, { rank, order: select.value, yaw: view.yaw, pitch: view.pitch, coloured: first.reduce((n, r) => n + (r >= 0 && r <= rank), 0) });
  }
  const redraw = paced(draw);

  function tell() {
    const node = order[rank];
    const parts = [`Rank ${grouped(rank)} of ${grouped(end())}: node ${node}${nameOf(node)}`];
    if (page.machine.per_router > 1) parts.push(`router ${distances.routerOf(node)}`);
    if (layout.where(node)) parts.push(layout.where(node));
    const step = rank > 0 ? distances.between(order[rank - 1], node) : undefined;
    said.textContent = parts.join(", ") + (step === undefined ? "" : `; ${step} ${step === 1 ? "hop" : "hops"} from the previous rank`) + ".";
  }

  function go(to) {
    rank = clamp(Math.round(to), 0, end());
    slider.value = rank;
    slider.setAttribute("aria-valuetext", `rank ${rank} of ${end()}`);
    tell();
    redraw();
  }

  function stop() {
    if (!timer) return;
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
    said.removeAttribute("aria-live");
  }

  function start() {
    if (rank >= end()) go(0);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    // A screen reader should not read out every rank.
    said.setAttribute("aria-live", "off");
    // Two pictures a second for readers who asked for less motion.
    const tick = stillness.matches ? 500 : 40;
    let [last, at] = [performance.now(), rank];
    timer = setInterval(() => {
      const now = performance.now();
      const speed = byId("walk-speed").value;
      at = Math.max(at, rank) + ((now - last) / 1000) * (speed === "all" ? Math.max(2, end() / 20) : Number(speed));
      last = now;
      if (Math.floor(at) > rank) go(Math.floor(at));
      if (rank >= end()) stop();
    }, tick);
  }

  function choose() {
    stop();
    const at = order.length ? rank / Math.max(1, end()) : 1;
    order = orderOf(Number(select.value));
    first = new Int32Array(layout.count).fill(-1);
    order.forEach((node, r) => {
      const cell = layout.cells[node];
      if (first[cell] < 0) first[cell] = r;
    });
    slider.max = end();
    byId("walk-end").textContent = grouped(end());
    go(at * end());
  }

  const step = (by) => {
    stop();
    go(rank + by);
  };
  byId("walk-first").addEventListener("click", () => step(-rank));
  byId("walk-last").addEventListener("click", () => step(end() - rank));
  byId("walk-back").addEventListener("click", () => step(-1));
  byId("walk-next").addEventListener("click", () => step(1));
  const toggle = () => (timer ? stop() : start());
  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => {
    stop();
    go(slider.valueAsNumber);
  });
  select.addEventListener("change", choose);
  canvas.addEventListener("keydown", (event) => {
    const keys = { ",": () => step(-1), ".": () => step(1), " ": toggle, Home: () => step(-rank), End: () => step(end() - rank) };
    if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  fillOrders(select, embedded[0]);
  byId("walk-ramp").style.background = `linear-gradient(90deg,${page.ramp.join(",")})`;
  byId("walk-about").textContent = layout.about;
  if (embedded.length < page.orderings.length) {
    const missing = byId("walk-missing");
    missing.textContent = `The page contains the ${embedded.length} best of the ${page.orderings.length} orderings; all of them would make it too large.`;
    missing.hidden = false;
  }
  byId("walk").hidden = false;
  turnable([canvas], byId("walk"), view, redraw);
  keepDrawn(canvas, redraw);
  choose();
})();
