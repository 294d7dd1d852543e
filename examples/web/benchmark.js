// Measure: throughput against the input's length.
import { drawChart, chartAsPng } from "./chart.js";

/** A batch is long enough for the browser's clock, which some round to milliseconds. */
const BATCH_MS = 30;
const REPEATS = 5;
const SMALLEST = 8;

const SERIES = [
  { key: "scan", name: "gpuscan" },
  { key: "copy", name: "copy kernel" },
  { key: "thread", name: "one JavaScript thread" },
];

export function benchmark(scan) {
  const at = (id) => document.querySelector(`#${id}`);
  let results;
  let stopped = false;
  const draw = () => drawChart(at("chart"), SERIES, results?.points ?? []);
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width) return;
    width = contentRect.width;
    draw();
  }).observe(at("chart"));

  at("bench").addEventListener("submit", async (event) => {
    event.preventDefault();
    stopped = false;
    at("run").disabled = true;
    at("stop").hidden = false;
    at("copy-json").disabled = at("copy-png").disabled = true;
    results = { library: "gpuscan", gpu: scan.description, browser: navigator.userAgent, date: new Date().toISOString(),
      what: "inclusive sum of u32", unit: "elements per second", points: [] };
    try {
      for await (const point of measure(scan, Number(at("largest").value), () => stopped, tell)) {
        results.points.push(point);
        draw();
        list(at("table"), results.points);
      }
      at("verdict").textContent = verdict(results.points);
      tell(stopped ? "Stopped" : "Done, every point checked", 1);
    } catch (error) {
      at("verdict").textContent = error.message;
      tell("Failed", 0);
    }
    at("run").disabled = false;
    at("stop").hidden = true;
    at("copy-json").disabled = at("copy-png").disabled = results.points.length === 0;
  });
  at("stop").addEventListener("click", () => (stopped = true));
  at("copy-json").addEventListener("click", () => {
    const text = JSON.stringify(results, null, 2);
    copied(at("copy-json"), navigator.clipboard.writeText(text), () => new Blob([text], { type: "application/json" }), "gpuscan.json");
  });
  at("copy-png").addEventListener("click", () => {
    const png = chartAsPng(at("chart"), `gpuscan · ${scan.description}`);
    copied(at("copy-png"), navigator.clipboard.write([new ClipboardItem({ "image/png": png })]), () => png, "gpuscan.png");
  });

  function tell(text, done) {
    at("progress-text").textContent = text;
    at("progress").value = done;
  }
}

/** Says that something is in the clipboard; where the browser keeps it from there, saves a file. */
async function copied(button, attempt, blob, name) {
  const label = button.textContent;
  try {
    await attempt;
    button.textContent = "Copied";
  } catch {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await blob());
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    button.textContent = "Saved";
  }
  setTimeout(() => (button.textContent = label), 2000);
}

/** Points from short inputs to long ones, each once all that it says has been checked. */
async function* measure(scan, largest, isStopped, tell) {
  const { device } = scan;
  const copy = await copyKernel(device);
  const count = largest - SMALLEST + 1;
  for (let log2 = SMALLEST; log2 <= largest && !isStopped(); log2 += 1) {
    const n = 2 ** log2;
    const step = (what, part) => tell(`2${superscript(log2)}: ${what}`, (log2 - SMALLEST + part) / count);
    // A hash of each place: no two neighbours alike, and sums that wrap around.
    const values = Uint32Array.from({ length: n }, (_, i) => Math.imul(i ^ (i >>> 15), 0x9e3779b1) >>> 0);
    const input = scan.upload(values);
    const output = scan.zeros("u32", n);
    try {
      const sums = new Uint32Array(n);
      step("one thread", 0);
      await breath();
      const thread = await best(async (times) => {
        for (let i = 0; i < times; i += 1) serial(values, sums);
      });

      step("copy kernel", 0.3);
      const copying = copy(input.buffer, output.buffer);
      const copyTime = await best((times) => batch(device, times, copying));
      if (!same(await output.read(), values)) throw new Error(`The copy of 2${superscript(log2)} elements is wrong.`);

      step("gpuscan", 0.6);
      const scanTime = await best((times) => batch(device, times, () => scan.inclusiveInto(input, output)));
      step("checking", 0.9);
      if (!same(await output.read(), sums)) throw new Error(`The scan of 2${superscript(log2)} elements is wrong.`);
      const rate = (seconds) => n / seconds;
      yield { n, scan: rate(scanTime), copy: rate(copyTime), thread: rate(thread), algorithm: scan.chosen(n), checked: true };
    } finally {
      input.destroy();
      output.destroy();
    }
  }
}

function serial(values, sums) {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) {
    sum = (sum + values[i]) >>> 0;
    sums[i] = sum;
  }
}

function same(found, wanted) {
  return found.length === wanted.length && found.every((value, i) => value === wanted[i]);
}

/** Lets the page draw. */
function breath() {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Submits as often as asked, and waits for the last. */
async function batch(device, times, submit) {
  for (let i = 0; i < times; i += 1) submit();
  await device.queue.onSubmittedWorkDone();
}

/** Seconds for one run: the median of some batches, each long enough for the clock. */
async function best(run) {
  let times = 1;
  const timed = async () => {
    const start = performance.now();
    await run(times);
    return performance.now() - start;
  };
  await timed();
  for (let took = await timed(); took < BATCH_MS && times < 4096; took = await timed()) {
    times *= Math.min(8, Math.max(2, Math.ceil(BATCH_MS / Math.max(took, 1))));
    await breath();
  }
  const all = [];
  for (let i = 0; i < REPEATS; i += 1) {
    all.push((await timed()) / times / 1000);
    await breath();
  }
  return all.sort((a, b) => a - b)[REPEATS >> 1];
}

/** A function that makes a function that copies one buffer into another. */
async function copyKernel(device) {
  const code = await (await fetch(new URL("copy.wgsl", import.meta.url))).text();
  const pipeline = await device.createComputePipelineAsync({
    layout: "auto",
    compute: { module: device.createShaderModule({ code, label: "copy" }) },
  });
  return (input, output) => {
    const group = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [input, output].map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    const groups = Math.ceil(output.size / 16 / 256);
    const row = Math.min(groups, device.limits.maxComputeWorkgroupsPerDimension);
    return () => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(row, Math.ceil(groups / row));
      pass.end();
      device.queue.submit([encoder.finish()]);
    };
  };
}

function verdict(points) {
  if (points.length === 0) return "Nothing measured.";
  const last = points.at(-1);
  const times = (last.scan / last.thread).toPrecision(2);
  const crossing = points.find((point) => point.scan > point.thread);
  const from = crossing ? `From ${short(crossing.n)} numbers on, the GPU is ahead.` : "One thread is ahead throughout.";
  return `At ${short(last.n)} numbers: ${short(last.scan)} sums a second, ${times} times one thread, and ` +
    `${Math.round((100 * last.scan) / last.copy)} % of what a plain copy moves. ${from}`;
}

function list(table, points) {
  table.hidden = false;
  const row = (tag, cells) => {
    const node = document.createElement("tr");
    node.append(...cells.map((text, i) => {
      const cell = document.createElement(i === 0 ? "th" : tag);
      cell.scope = tag === "th" ? "col" : "row";
      if (tag === "td" && i > 0) cell.removeAttribute("scope");
      cell.textContent = text;
      return cell;
    }));
    return node;
  };
  const millions = (rate) => (rate / 1e6).toLocaleString("en", { maximumSignificantDigits: 3 });
  table.tHead.replaceChildren(row("th", ["n", ...SERIES.map((series) => `${series.name}, M/s`), "algorithm"]));
  table.tBodies[0].replaceChildren(...points.map((point) =>
    row("td", [`2${superscript(Math.log2(point.n))}`, ...SERIES.map(({ key }) => millions(point[key])), point.algorithm])));
}

/** 3.2 million, 41 billion. */
function short(value) {
  const [size, name] = [[1e9, " billion"], [1e6, " million"], [1e3, " thousand"]].find(([size]) => value >= size) ?? [1, ""];
  return `${Number((value / size).toPrecision(3))}${name}`;
}

export function superscript(number) {
  return String(number).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
}
