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
/** Lets names break after a comma, colon or slash, long ones after a hyphen, too; nowhere else. What stands before a
    name, such as the sample of its curve, stays beside it. */
function keepWhole(element) {
  const NAME = /[a-z]\S*[-:,/=]\S|--/i;
  const LONG = 24;
  const sample = element.querySelector(":scope > svg");
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walk.nextNode()) texts.push(walk.currentNode);
  for (const text of texts) {
    if (text.parentElement.className === "whole" || !(sample || NAME.test(text.data))) continue;
    const tokens = text.data.split(/(\s+)/).map((token) => {
      if (!token.trim() || !(sample || NAME.test(token))) return [token];
      const parts = token.split(/(?<=[,:/])(?=.)/).flatMap((part) => (part.length > LONG ? part.split(/(?<=-)(?=[^-])/) : [part]));
      return parts.flatMap((part, i) => {
        const span = document.createElement("span");
        // A part of many letters has to break somewhere.
        if (part.length <= LONG) span.className = "whole";
        span.textContent = part;
        return i ? [document.createElement("wbr"), span] : [span];
      });
    });
    text.replaceWith(...tokens.flat());
  }
  if (sample) element.querySelector(".whole")?.prepend(sample);
}
document.querySelectorAll("h1,h2,p,li,dt,dd,figcaption,summary,pre,th").forEach(keepWhole);
const told = new MutationObserver((changes) => {
  changes.forEach((change) => keepWhole(change.target));
  told.takeRecords();
});
document.querySelectorAll("[role=status],[aria-live]").forEach((e) => told.observe(e, { childList: true }));
for (const copy of document.querySelectorAll("button.copy")) {
  copy.hidden = false;
  copy.addEventListener("click", () => {
    // Pages opened as files may have no other way to the clipboard.
    getSelection().selectAllChildren(copy.previousElementSibling);
    copy.textContent = document.execCommand("copy") ? "Copied" : "Selected";
  });
}
// A word above what is wider than the window, as long as it is.
for (const box of document.querySelectorAll(".scroll")) {
  const cue = document.createElement("p");
  cue.className = "cue";
  cue.textContent = "Scroll sideways to see all →";
  cue.setAttribute("aria-hidden", "true");
  box.before(cue);
  new ResizeObserver(() => (cue.hidden = box.scrollWidth <= box.clientWidth + 1)).observe(box);
}
