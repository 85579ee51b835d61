// Where every node is drawn, from the page's data: each part of the layout is a grid, in which a number made of digits
// of the cell counts, and adds to the position of the cell.
const layout = (() => {
  const { layout, slots } = page.machine;
  // Without an ordering there is nothing to colour.
  if (!layout) return null;
  const digit = (cell, [stride, extent]) => Math.floor(cell / stride) % extent;
  const points = floatsOf(layout.points);
  const position = [0, 1, 2].map((k) => Float32Array.from({ length: layout.count }, (_, cell) => (k < 2 && points[2 * cell + k]) || 0));
  for (const { digits, columns, start, across, down } of layout.parts) {
    for (let cell = 0; cell < layout.count; cell++) {
      const number = digits.reduce((all, each) => all * each[1] + digit(cell, each), 0);
      const [column, row] = [number % columns, Math.floor(number / columns)];
      position.forEach((list, k) => (list[cell] += start[k] + column * across[k] + row * down[k]));
    }
  }
  const [x, y, z] = position;
  const table = layout.cells && integersOf(layout.cells, true);
  const cells = table ?? Uint32Array.from({ length: slots }, (_, node) => Math.floor(node / layout.per_cell));
  const where = (node) => layout.names.map(([name, each]) => name + digit(cells[node], each)).join(", ");
  // Cells that some node of the orderings is in.
  const there = new Uint8Array(layout.count).fill(layout.sparse ? 0 : 1);
  if (layout.sparse) for (const i of embedded.slice(0, 1)) for (const node of orderOf(i)) there[cells[node]] = 1;
  return { ...layout, x, y, z, cells, there, where, links: floatsOf(layout.links) };
})();
