// Buttons that save the page's data as the files beside it.
(() => {
  const field = (text) => (/[",\r\n]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text);

  function curves() {
    const lines = ["ordering,size,mpc"];
    page.orderings.forEach((ordering, k) => {
      const label = field(ordering.label);
      values[k].forEach((value, i) => lines.push(`${label},${sizes[i]},${value}`));
    });
    return lines.join("\n") + "\n";
  }

  function limits() {
    const [floor, compact] = [doublesOf(page.floor), doublesOf(page.compact)];
    const lines = ["size,floor,compact"];
    for (let i = 0; i < Math.max(floor.length, compact.length); i++) lines.push(`${sizes[i]},${floor[i] ?? ""},${compact[i] ?? ""}`);
    return lines.join("\n") + "\n";
  }

  function orders() {
    const lines = ["ordering,rank,node"];
    for (const i of embedded) orderOf(i).forEach((node, rank) => lines.push(`${field(page.orderings[i].label)},${rank},${node}`));
    return lines.join("\n") + "\n";
  }

  const save = (name, make) => saveAs(name, make(), name.endsWith(".json") ? "application/json" : "text/csv");

  function offer(item, name, make, note = "") {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.save = name;
    button.textContent = `Save ${name}${note}`;
    button.addEventListener("click", () => save(name, make));
    item.append(" ", button);
  }

  const thinned = page.complete ? "" : "-thinned";
  const note = page.complete ? "" : ` (${grouped(sizes.length)} of ${grouped(page.all_sizes)} sizes)`;
  const list = document.querySelector("ul.files");
  for (const item of list.querySelectorAll("li[data-file]")) {
    const name = item.dataset.file;
    const table = page.tables.find((t) => t.name === name);
    if (table) offer(item, name, () => table.text);
    else if (name === "mpc.csv") offer(item, `mpc${thinned}.csv`, curves, note);
    else if (name === "limits.csv" && (page.floor || page.compact)) offer(item, `limits${thinned}.csv`, limits, note);
  }
  if (embedded.length > 0) {
    const item = document.createElement("li");
    item.append("The orderings, node ids by rank: ordering, rank, node.");
    offer(item, "orders.csv", orders);
    list.append(item);
  }
})();
