// Where each value of a round came from. The values themselves are the GPU's.

/**
 * For every round of a trace, for every value in it: the values of the round before that it was made of, each with
 * the way it came (`keep`: it stayed; `add`: it was added; `move`: it replaced what was there), and which inputs it
 * sums, as [first, end).
 */
export function lineage(rounds) {
  let before = rounds[0].values;
  let covers = Array.from(before, (_, i) => [i, i + 1]);
  return rounds.map((round, level) => {
    const cells = Array.from(round.values, (value, i) => ({ value, sources: [], cover: covers[i], fresh: false, i }));
    if (level > 0) {
      for (const cell of cells) cell.sources = [{ i: cell.i, how: "keep" }];
      change(round.name, cells);
      for (const cell of cells) cell.cover = union(cell.sources.map((source) => covers[source.i]));
      covers = cells.map((cell) => cell.cover);
    }
    return { name: round.name, cells };
  });
}

/** What the round of this name does to its cells. */
function change(name, cells) {
  const offset = Number(name.match(/\d+$/)?.[0]);
  const add = (to, from) => {
    cells[to].sources.push({ i: from, how: "add" });
    cells[to].fresh = true;
  };
  const nodes = [];
  for (let right = 2 * offset - 1; right < cells.length; right += 2 * offset) nodes.push(right);
  if (name.startsWith("offset")) {
    for (let i = offset; i < cells.length; i += 1) add(i, i - offset);
  } else if (name.startsWith("up-sweep")) {
    for (const right of nodes) add(right, right - offset);
  } else if (name.startsWith("down-sweep")) {
    for (const right of nodes) {
      add(right, right - offset);
      cells[right - offset].sources = [{ i: right, how: "move" }];
      cells[right - offset].fresh = true;
    }
  } else {
    const root = cells.at(-1);
    root.sources = [];
    root.zero = true;
  }
}

/** Neighbouring ranges as one; what sums nothing has none. */
function union(covers) {
  const some = covers.filter(Boolean);
  if (some.length === 0) return undefined;
  return [Math.min(...some.map((c) => c[0])), Math.max(...some.map((c) => c[1]))];
}

/** A sentence for a round. */
export function sentence(name, algorithm, isLast) {
  const offset = name.match(/\d+$/)?.[0];
  const places = offset === "1" ? "place" : "places";
  const end = !isLast ? "" : algorithm === "blelloch" ? " Done: each value is the sum of all before it."
    : " Done: each value is the sum of all up to it.";
  if (name === "loaded") return "The numbers, one for each lane of the GPU." + end;
  if (name === "root cleared") return "The root, which held the sum of everything, is cleared: nothing lies before it." + end;
  if (name.startsWith("up-sweep")) return `Up the tree: every node takes in its left child, ${offset} ${places} away.` + end;
  if (name.startsWith("down-sweep")) {
    return `Down the tree, ${offset} ${places} apart: the left child gets its parent’s value, the right child also ` +
      `the left one’s sum.` + end;
  }
  return `Every value takes in the one ${offset} ${places} to its left, all at the same time.` + end;
}
