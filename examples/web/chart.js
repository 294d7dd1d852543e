// A log–log chart as SVG, and the same as a picture.
import { superscript } from "./benchmark.js";
import { SVG, element } from "./svg.js";

const COLOURS = { scan: "--accent", copy: "--soft", thread: "--warm" };
const DASHES = { scan: "", copy: "6 5", thread: "" };

/** Draws `points` (n and a rate for each series) into `place`. */
export function drawChart(place, series, points) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const narrow = place.clientWidth > 0 && place.clientWidth < 560;
  const [width, height] = narrow ? [400, 400] : [900, 440];
  const [left, right, top, bottom] = [62, narrow ? 16 : 190, 40, 46];
  const rates = points.flatMap((point) => series.map(({ key }) => point[key]));
  const decades = rates.length > 0
    ? [Math.floor(Math.log10(Math.min(...rates))), Math.ceil(Math.log10(Math.max(...rates)))]
    : [5, 10];
  if (decades[0] === decades[1]) decades[1] += 1;
  const logs = points.map((point) => Math.log2(point.n));
  const [from, to] = logs.length > 1 ? [Math.min(...logs), Math.max(...logs)] : [8, 16];
  const x = (n) => left + ((Math.log2(n) - from) / (to - from)) * (width - left - right);
  const y = (rate) => height - bottom - ((Math.log10(rate) - decades[0]) / (decades[1] - decades[0])) * (height - top - bottom);

  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "font-family": "system-ui, DejaVu Sans, sans-serif" });
  const label = points.length === 0 ? "An empty chart: nothing has been measured yet."
    : `Elements a second against the input's length, both logarithmic, for ${series.map((s) => s.name).join(", ")}. The table below has the numbers.`;
  svg.append(element("title", {}, label));
  const text = (at, where, anchor, fill = "--soft") =>
    element("text", { x: where[0], y: where[1], "text-anchor": anchor, fill: colour(fill), "font-size": 12 }, at);
  for (let decade = decades[0]; decade <= decades[1]; decade += 1) {
    const line = y(10 ** decade);
    svg.append(element("line", { x1: left, x2: width - right, y1: line, y2: line, stroke: colour("--line") }));
    svg.append(text(`10${superscript(decade)}`, [left - 10, line + 4], "end"));
  }
  const every = (to - from) / (narrow ? 4 : 8) > 1 ? 2 * Math.ceil((to - from) / (narrow ? 8 : 16)) : 1;
  for (let log2 = from; log2 <= to; log2 += every) {
    svg.append(element("line", { x1: x(2 ** log2), x2: x(2 ** log2), y1: top, y2: height - bottom, stroke: colour("--line"), "stroke-opacity": 0.5 }));
    svg.append(text(`2${superscript(log2)}`, [x(2 ** log2), height - bottom + 20], "middle"));
  }
  svg.append(text("numbers a second", [left, 20], "start"), text("numbers", [width - right, height - 8], "end"));

  // Names at the lines' ends, moved apart where they would meet; on a narrow screen above the chart.
  const ends = points.length === 0 ? [] : series
    .map(({ key }) => ({ key, y: y(points.at(-1)[key]) + 4 }))
    .sort((a, b) => a.y - b.y);
  ends.forEach((end, i) => (end.y = Math.max(end.y, i > 0 ? ends[i - 1].y + 17 : 0)));
  series.forEach(({ key, name }, i) => {
    const stroke = colour(COLOURS[key]);
    const path = points.map((point, j) => `${j === 0 ? "M" : "L"}${x(point.n).toFixed(1)} ${y(point[key]).toFixed(1)}`).join(" ");
    svg.append(element("path", { d: path, fill: "none", stroke, "stroke-width": key === "scan" ? 3.5 : 2.5, "stroke-dasharray": DASHES[key], "stroke-linejoin": "round" }));
    for (const point of points) {
      const dot = element("circle", { cx: x(point.n), cy: y(point[key]), r: key === "scan" ? 4 : 3, fill: stroke });
      dot.append(element("title", {}, `${name}, 2${superscript(Math.log2(point.n))}: ${point[key].toPrecision(3)} a second`));
      svg.append(dot);
    }
    const legend = element("text", { fill: stroke, "font-size": 13, "font-weight": 600 }, name);
    const end = ends.find((end) => end.key === key);
    const [at, line] = narrow || !end ? [left + 10, top + 16 + i * 17] : [width - right + 12, end.y];
    legend.setAttribute("x", at);
    legend.setAttribute("y", line);
    svg.append(legend);
  });
  place.replaceChildren(svg);
}

/** The chart with a line under it, on the page's colour. */
export async function chartAsPng(place, line) {
  const svg = place.firstElementChild.cloneNode(true);
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const style = getComputedStyle(document.documentElement);
  svg.setAttribute("xmlns", SVG);
  svg.setAttribute("viewBox", `0 0 ${width} ${height + 26}`);
  svg.setAttribute("width", width * 2);
  svg.setAttribute("height", (height + 26) * 2);
  svg.prepend(element("rect", { width, height: height + 26, fill: style.getPropertyValue("--card").trim() }));
  svg.append(element("text", { x: 20, y: height + 12, "font-size": 11, fill: style.getPropertyValue("--soft").trim() }, line));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * 2, (height + 26) * 2];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
