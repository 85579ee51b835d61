// Sorting of tables: a button in every heading; the first click sorts upwards, the next downwards.
// Columns that few ask for are shown on demand.
for (const table of document.querySelectorAll("table.sortable")) {
  if (!table.querySelector(".more")) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "columns";
  const brief = (on) => {
    table.classList.toggle("brief", on);
    button.textContent = on ? "Show all columns" : "Show fewer columns";
  };
  button.addEventListener("click", () => brief(!table.classList.contains("brief")));
  brief(true);
  table.closest(".scroll").before(button);
}
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  for (const head of table.querySelectorAll("th[data-column]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const column = Number(head.dataset.column);
      const down = head.getAttribute("aria-sort") === "ascending";
      const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        if (x === "" || y === "") return (x === "") - (y === "");
        const order = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
        return down ? -order : order;
      };
      for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      body.append(...[...body.rows].sort(compare));
    });
  }
}
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
/** Lets a name break after a comma, colon, slash or blank only. */
function keepWhole(cell) {
  for (const text of [...cell.childNodes].filter((node) => node.nodeType === 3)) {
    const parts = text.data.split(/(?<=[,:/ ])/).flatMap((part) => {
      const span = document.createElement("span");
      span.className = "whole";
      span.textContent = part;
      return [span, document.createElement("wbr")];
    });
    text.replaceWith(...parts);
  }
}
document.querySelectorAll("th[scope=row]").forEach(keepWhole);
// A word above what is wider than the window, as long as it is.
for (const box of document.querySelectorAll(".scroll")) {
  const cue = document.createElement("p");
  cue.className = "cue";
  cue.textContent = "Scroll sideways to see all →";
  cue.setAttribute("aria-hidden", "true");
  box.before(cue);
  new ResizeObserver(() => (cue.hidden = box.scrollWidth <= box.clientWidth + 1)).observe(box);
}
