// Where every node is drawn, from the page's data: each part of the layout adds to the position of a cell, by the
// number that some digits of the cell make.
const layout = (() => {
  const { layout, slots } = page.machine;
  // Without an ordering there is nothing to colour.
  if (!layout) return null;
  const digit = (cell, [stride, extent]) => Math.floor(cell / stride) % extent;
  const position = { x: new Float32Array(layout.count), y: new Float32Array(layout.count), z: new Float32Array(layout.count) };
  for (const { digits, ...parts } of layout.parts) {
    for (const [axis, text] of Object.entries(parts)) {
      const along = floatsOf(text);
      if (along.length === 0) continue;
      const number = (cell) => digits.reduce((all, each) => all * each[1] + digit(cell, each), 0);
      for (let cell = 0; cell < layout.count; cell++) position[axis][cell] += along[number(cell)];
    }
  }
  const table = layout.cells && integersOf(layout.cells, true);
  const cells = table ?? Uint32Array.from({ length: slots }, (_, node) => Math.floor(node / layout.per_cell));
  const where = (node) => layout.names.map(([name, each]) => name + digit(cells[node], each)).join(", ");
  return { ...layout, ...position, cells, where, links: floatsOf(layout.links) };
})();
