// Distances between nodes, and within a job, from the terms or the links in the page's data.
const distances = (() => {
  const machine = page.machine;
  const { kind } = machine.distance;
  const terms = machine.distance.terms ?? [];
  // Consecutive ids may be dealt over several routers in turn.
  const over = machine.dealt_over ?? 1;
  const routerOf = (node) => Math.floor(node / over / machine.per_router) * over + (node % over);

  function label(term, router) {
    if (term.block) {
      const [block, size] = term.block;
      if (Math.floor(router / size) !== block) return 0;
      router %= size;
    }
    return Math.floor(router / term.stride) % term.extent;
  }

  const apart = (term, steps) => term.bends.reduce((sum, [at, change]) => sum + change * Math.max(0, steps - at), 0);

  /** The sum over pairs of nodes, `count` of them at each label. Two labels are `n` beyond a bend where `n` cuts
      between labels, taken as wide as the bend, part them: one sum over all cuts for each bend. */
  function pairSum(term, count) {
    let all = 0;
    const upTo = count.map((c) => (all += c));
    const beyond = (label) => all - (upTo[label] ?? all);
    return term.bends.reduce((sum, [at, change]) => sum + change * upTo.reduce((cuts, before, i) => cuts + before * beyond(i + at), 0), 0);
  }

  let graph = null;
  /** The neighbours of all routers, one list after the other. */
  function neighbours() {
    if (graph) return graph;
    const pairs = integersOf(machine.distance.pairs, machine.routers > 65536);
    const first = new Uint32Array(machine.routers + 1);
    for (const router of pairs) first[router + 1]++;
    for (let i = 0; i < machine.routers; i++) first[i + 1] += first[i];
    const fill = first.slice(0, -1);
    const list = new Uint32Array(pairs.length);
    for (let i = 0; i < pairs.length; i += 2) {
      list[fill[pairs[i]]++] = pairs[i + 1];
      list[fill[pairs[i + 1]]++] = pairs[i];
    }
    return (graph = { first, list });
  }

  function hopsFrom(router) {
    const { first, list } = neighbours();
    const hops = new Int32Array(machine.routers).fill(-1);
    const queue = new Uint32Array(machine.routers);
    let [head, tail] = [0, 1];
    queue[0] = router;
    hops[router] = 0;
    while (head < tail) {
      const at = queue[head++];
      for (let i = first[at]; i < first[at + 1]; i++) {
        if (hops[list[i]] < 0) {
          hops[list[i]] = hops[at] + 1;
          queue[tail++] = list[i];
        }
      }
    }
    return hops;
  }

  /** Hops between two nodes; undefined where the page does not know. */
  function between(a, b) {
    const [x, y] = [routerOf(a), routerOf(b)];
    if (kind === "terms") return terms.reduce((sum, t) => sum + apart(t, Math.abs(label(t, x) - label(t, y))), 0);
    if (kind !== "links") return undefined;
    const found = hopsFrom(x)[y];
    return found < 0 ? undefined : found;
  }

  /** The mean over pairs of `nodes`; undefined where the page does not know, or it would take long. */
  function meanOf(nodes) {
    const pairs = (nodes.length * (nodes.length - 1)) / 2;
    if (pairs === 0) return undefined;
    if (kind === "terms") {
      let sum = 0;
      for (const term of terms) {
        const count = new Array(term.extent).fill(0);
        for (const node of nodes) count[label(term, routerOf(node))]++;
        sum += pairSum(term, count);
      }
      return sum / pairs;
    }
    if (kind !== "links") return undefined;
    const count = new Map();
    for (const node of nodes) count.set(routerOf(node), (count.get(routerOf(node)) ?? 0) + 1);
    const links = neighbours().list.length;
    if (count.size * links > 3e8) return undefined;
    let sum = 0;
    for (const [router, here] of count) {
      const hops = hopsFrom(router);
      for (const [other, there] of count) sum += here * there * hops[other];
    }
    return sum / 2 / pairs;
  }

  return { routerOf, between, meanOf };
})();
