// A picture's histogram, as three hills that shine through each other.
import { element } from "./svg.js";

/** As the planes of a picture follow each other. */
const COLOURS = ["red", "green", "blue"];

/** Draws how many pixels have each brightness. Heights go by square roots: a plain sky would flatten all else. */
export function drawHistogram(svg, counts) {
  const [width, height] = [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height];
  const most = Math.sqrt(Math.max(...counts.flatMap((plane) => [...plane])));
  const hills = counts.map((plane, i) => {
    const at = (value) => (value / (plane.length - 1)) * width;
    const tops = Array.from(plane, (count, value) => `L${at(value).toFixed(1)} ${(height * (1 - Math.sqrt(count) / most)).toFixed(1)}`);
    return element("path", { class: COLOURS[i], d: `M0 ${height} ${tops.join(" ")} L${width} ${height} z` });
  });
  const peaks = counts.map((plane, i) => `${COLOURS[i]} ${plane.indexOf(Math.max(...plane))}`);
  const title = element("title", {}, `How many pixels have each brightness from 0 to 255. Most have ${peaks.join(", ")}.`);
  svg.replaceChildren(title, ...hills);
}
