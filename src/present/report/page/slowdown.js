// Hops above, slowdown below: a curve for each ordering, with the share of the time in which the other jobs send.
(() => {
  if (!page.slowdown) return;
  const section = byId("slowdown").closest("section");
  const { guests, duty } = page.slowdown;
  const tool = document.createElement("div");
  tool.className = "tool";
  tool.innerHTML = `<div class="controls" role="group" aria-label="Traffic and duty">
<label>Traffic <select id="slowdown-guest"></select></label>
<label class="grow slider">Share φ of the time in which the other jobs send: <output id="slowdown-said"></output>
<input type="range" id="slowdown-duty" aria-label="Share of the time in which the other jobs send" min="0" max="1" step="0.1"></label>
<span class="buttons"><button type="button" id="slowdown-svg">Save as SVG</button><button type="button" id="slowdown-png">Save as PNG</button></span></div>
<canvas id="slowdown-canvas" role="img" aria-label="Hops and slowdown by job size; means are in the table below"></canvas>
<div class="scroll" tabindex="0" role="region" aria-label="Mean slowdowns at this duty"><table id="slowdown-values"><thead><tr>
<th scope="col" class="text">Ordering</th><th scope="col">Mean slowdown at φ (times)</th></tr></thead><tbody></tbody></table></div>`;
  section.querySelector("p").after(tool);
  const pictures = document.createElement("details");
  pictures.className = "fallback";
  pictures.innerHTML = "<summary>The curves as pictures</summary>";
  pictures.append(...section.querySelectorAll(":scope > figure"));
  section.append(pictures);
  const [chosen, slider, canvas] = ["guest", "duty", "canvas"].map((name) => byId("slowdown-" + name));
  guests.forEach((guest, i) => chosen.append(new Option(guest.name, i)));
  slider.value = duty;

  /** The value at the chosen duty, between those known. */
  function at(known) {
    const place = slider.value * (known.length - 1);
    const low = Math.min(Math.floor(place), known.length - 2);
    return known[low] + (place - low) * (known[low + 1] - known[low]);
  }

  /** The mean over sizes, each doubling with the same weight. */
  function mean({ sizes, at: known }) {
    let area = 0;
    for (let i = 1; i < sizes.length; i++) area += (Math.log(sizes[i] / sizes[i - 1]) * (at(known[i]) + at(known[i - 1]))) / 2;
    return sizes.length > 1 ? area / Math.log(sizes[sizes.length - 1] / sizes[0]) : sizes.length ? at(known[0]) : NaN;
  }

  function panel(pen, now, box, name, curves, points, low) {
    const ends = curves.flatMap((curve) => curve.sizes);
    const [from, to] = [Math.min(...ends), Math.max(...ends)];
    const high = Math.max(low + 0.1, low + 1.05 * (Math.max(...curves.flatMap(points)) - low) || 0);
    const px = (size) => box.left + (Math.log(size / from) / (Math.log(to / from) || 1)) * (box.right - box.left);
    const py = (y) => box.bottom - ((y - low) / (high - low)) * (box.bottom - box.top);
    pen.font = `12px ${FONT}`;
    pen.lineWidth = 1;
    pen.strokeStyle = now.line;
    pen.fillStyle = now.muted;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const y of ticks(low, high, false, 5)) {
      line(pen, box.left, py(y), box.right, py(y));
      pen.fillText(tickText(y), box.left - 7, py(y));
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    let free = -Infinity;
    for (const x of ticks(from, to, true, Math.max(2, (box.right - box.left) / 110))) {
      line(pen, px(x), box.top, px(x), box.bottom);
      const half = pen.measureText(tickText(x)).width / 2;
      if (px(x) - half <= free + 6) continue;
      pen.fillText(tickText(x), px(x), box.bottom + 6);
      free = px(x) + half;
    }
    pen.fillStyle = now.ink;
    pen.fillText("job size (nodes), log scale", (box.left + box.right) / 2, box.bottom + 23);
    pen.textAlign = "left";
    pen.textBaseline = "bottom";
    pen.fillText(name, box.left, box.top - 5);
    for (let i = curves.length - 1; i >= 0; i--) {
      const { sizes } = curves[i];
      const ys = points(curves[i]);
      pen.strokeStyle = pen.fillStyle = hue(page.orderings[i], now);
      pen.lineWidth = i === 0 ? 2.4 : 1.7;
      pen.setLineDash(page.orderings[i].dash);
      pen.beginPath();
      ys.forEach((y, k) => pen.lineTo(px(sizes[k]), py(y)));
      pen.stroke();
      pen.setLineDash([]);
      ys.forEach((y, k) => k % 3 === i % 3 && mark(pen, i, px(sizes[k]), py(y)));
    }
  }

  function draw(target) {
    const { name, curves } = guests[chosen.value];
    const now = colours();
    const { pen, width } = target ?? cleared(canvas, 560);
    const box = (top) => ({ left: 46, right: width - 14, top, bottom: top + 205 });
    panel(pen, now, box(26), "mean distance (hops)", curves, (curve) => curve.hops, 0);
    panel(pen, now, box(304), `slowdown of ${name} (times)`, curves, (curve) => curve.at.map(at), 1);
    if (target) return;
    byId("slowdown-said").textContent = decimals(Number(slider.value), 1);
    const means = curves.map((curve, i) => ({ i, value: mean(curve) })).sort((a, b) => a.value - b.value || a.i - b.i);
    const body = byId("slowdown-values").tBodies[0];
    body.replaceChildren();
    for (const { i, value } of means) {
      const row = body.insertRow();
      const label = document.createElement("th");
      label.scope = "row";
      label.className = "text";
      label.append(swatches[i].cloneNode(true), page.orderings[i].label);
      keepWhole(label);
      row.append(label);
      const cell = row.insertCell();
      cell.textContent = Number.isFinite(value) ? decimals(value, 2) : "–";
      cell.classList.toggle("low", value === means[0].value);
    }
  }
  const redraw = paced(() => draw());
  savable(canvas, "slowdown", () => `${page.name}: ${guests[chosen.value].name}, others send ${decimals(Number(slider.value), 1)} of the time`, draw);
  redraw();
  chosen.addEventListener("change", redraw);
  slider.addEventListener("input", redraw);
  keepDrawn(canvas, redraw);
})();
