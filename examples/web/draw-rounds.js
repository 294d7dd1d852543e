// Draws the rounds of a trace: a row for each, with wires from where its values came.
import { element } from "./svg.js";

/** An arrow's head, in a marker: shapes in markers take no style from the wire they end. */
function head(id) {
  const path = element("path", { d: "M0 0 L7 3.5 L0 7 z", id });
  return element("marker", { id: `${id}-end`, viewBox: "0 0 7 7", refX: 6, refY: 3.5, markerWidth: 5, markerHeight: 5, orient: "auto" }, path);
}

/** The drawing, with `show(round)` to go to one. `padding` is from which place on cells only fill up the tree. */
export function drawRounds(rows, padding, narrow) {
  const count = rows[0].cells.length;
  const longest = Math.max(...rows.flatMap((row) => row.cells.map((cell) => String(cell.value).length)));
  const [box, gap, tall, between] = [Math.max(narrow ? 31 : 44, longest * (narrow ? 9.5 : 10.5) + 10), narrow ? 5 : 12, 34, 58];
  const left = 14;
  const width = left * 2 + count * box + (count - 1) * gap;
  const height = rows.length * tall + (rows.length - 1) * between + 52;
  const x = (i) => left + i * (box + gap);
  const y = (level) => 30 + level * (tall + between);
  const svg = element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  const title = element("title");
  svg.append(title, element("defs", {}, head("tip"), head("tip-move")));
  for (let i = 0; i < count; i += 1) {
    svg.append(element("text", { class: "index", x: x(i) + box / 2, y: height - 10 }, String(i)));
  }

  const nodes = new Map();
  const groups = rows.map((row, level) => {
    const group = element("g", { class: "row" });
    for (const cell of row.cells) {
      const wires = cell.sources.map(({ i, how }) => {
        const [fromX, fromY] = [x(i) + box / 2, y(level - 1) + tall];
        const [toX, toY] = [x(cell.i) + box / 2 + (how === "add" ? -5 : 0), y(level) - 1];
        const bend = (toY - fromY) * 0.55;
        const d = `M${fromX} ${fromY} C${fromX} ${fromY + bend} ${toX} ${toY - bend} ${toX} ${toY}`;
        const wire = element("path", { class: `wire ${how}`, d, pathLength: 1 });
        if (how === "add") wire.setAttribute("marker-end", "url(#tip-end)");
        if (how === "move") wire.setAttribute("marker-end", "url(#tip-move-end)");
        group.append(wire);
        return { wire, from: `${level - 1}:${i}` };
      });
      const node = element("g", { class: "cell" });
      if (cell.fresh) node.classList.add("new", "arrive");
      if (cell.zero) node.classList.add("zero", "arrive");
      if (level === rows.length - 1) node.classList.add("done");
      if (cell.i >= padding) node.classList.add("pad");
      node.append(element("rect", { class: "box", x: x(cell.i), y: y(level), width: box, height: tall, rx: 7 }));
      if (cell.cover) {
        const [start, end] = cell.cover.map((at) => 5 + (at / count) * (box - 10));
        const strip = { x: x(cell.i) + start, y: y(level) + tall - 6, width: Math.max(2, end - start), height: 3, rx: 1.5 };
        node.append(element("rect", { class: "cover", ...strip }));
      }
      node.append(element("text", { x: x(cell.i) + box / 2, y: y(level) + tall / 2 - 2 }, String(cell.value)));
      nodes.set(`${level}:${cell.i}`, { node, wires });
      const trace = () => light(nodes, svg, `${level}:${cell.i}`);
      node.addEventListener("pointerenter", trace);
      node.addEventListener("pointerleave", () => unlight(nodes, svg));
      node.addEventListener("click", trace);
      group.append(node);
    }
    // Wires lie below all boxes.
    group.prepend(...group.querySelectorAll(".wire"));
    group.append(element("text", { class: "label", x: left, y: y(level) - 13 }, row.name));
    return group;
  });
  svg.append(...groups);

  const show = (round) => {
    unlight(nodes, svg);
    groups.forEach((group, level) => {
      group.classList.toggle("later", level > round);
      group.classList.toggle("now", level === round);
    });
    title.textContent = `${rows[round].name}: ${rows[round].cells.map((cell) => cell.value).join(" ")}`;
  };
  return { node: svg, show, reveal: (round) => [y(round), tall] };
}

/** Shows what one value was made of, up to the input. */
function light(nodes, svg, key) {
  unlight(nodes, svg);
  svg.classList.add("traced");
  const open = [key];
  while (open.length > 0) {
    const { node, wires } = nodes.get(open.pop());
    if (node.classList.contains("lit")) continue;
    node.classList.add("lit");
    for (const { wire, from } of wires) {
      wire.classList.add("lit");
      open.push(from);
    }
  }
}

function unlight(nodes, svg) {
  svg.classList.remove("traced");
  for (const lit of svg.querySelectorAll(".lit")) lit.classList.remove("lit");
}
