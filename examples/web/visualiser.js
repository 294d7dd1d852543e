// Watch: the numbers, the algorithm, and the steps.
import { lineage, sentence } from "./rounds.js";
import { drawRounds } from "./draw-rounds.js";
import { drawTiles, story } from "./look-back.js";

/** The most numbers that a row shows. */
const MOST = 32;
/** As many numbers make look-back worth watching. */
const TILES = 24;
const PACE = 1200;
const NARROW = matchMedia("(max-width: 40rem)");

const ABOUT = {
  "hillis-steele":
    "Hillis and Steele, 1986. Few rounds, log₂ n, but every one touches all values: n log n additions. Simple, and " +
    "quick where there are more lanes than work.",
  blelloch:
    "Blelloch, 1990. A tree of sums on the way up, what lies to the left on the way down: twice as many rounds, and " +
    "only 2n additions. The result is exclusive: each value is the sum of those before it.",
  "look-back":
    "Merrill and Garland, 2016. Large inputs are cut into tiles, done all over the GPU in any order. Each tile makes " +
    "its total known, then its prefix, and takes from those before it whichever it finds first. In this library the " +
    "order of additions stays the same whatever it finds. This page plays it out: nobody can watch a GPU at it.",
};

/** The numbers in a text, or a sentence about what is wrong with it. */
function parse(text) {
  const words = text.split(/[\s,;]+/).filter(Boolean);
  const bad = words.find((word) => !/^\d{1,10}$/.test(word) || Number(word) > 0xffffffff);
  if (bad !== undefined) return { error: `Expected whole numbers from 0 to 4294967295, found “${bad}”.` };
  if (words.length === 0) return { error: "Expected at least one number." };
  if (words.length > MOST) return { error: `Expected at most ${MOST} numbers, found ${words.length}.` };
  return { numbers: Uint32Array.from(words, Number) };
}

export function visualiser(scan) {
  const at = (id) => document.querySelector(`#${id}`);
  const [stage, caption, slider, play, error] = ["stage", "caption", "round", "play", "numbers-error"].map(at);
  let frames = { count: 1, show: () => {}, text: () => "" };
  let round = 0;
  let timer;
  let latest = 0;

  const go = (to) => {
    round = Math.max(0, Math.min(frames.count - 1, to));
    frames.show(round);
    caption.textContent = frames.text(round);
    slider.value = round;
    slider.setAttribute("aria-valuetext", `${round} of ${frames.count - 1}`);
    at("first").disabled = at("back").disabled = round === 0;
    at("next").disabled = at("last").disabled = round === frames.count - 1;
    if (round === frames.count - 1) pause();
  };
  const pause = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  };
  const start = () => {
    if (round === frames.count - 1) go(0);
    timer = setInterval(() => go(round + 1), PACE);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
  };

  const algorithm = () => document.querySelector("input[name=algorithm]:checked").value;
  const rebuild = async () => {
    pause();
    const { numbers, error: wrong } = parse(at("numbers").value);
    error.textContent = wrong ?? "";
    at("numbers").setAttribute("aria-invalid", String(Boolean(wrong)));
    if (wrong) return;
    latest += 1;
    const [mine, chosen] = [latest, algorithm()];
    const made = await (chosen === "look-back" ? tiles(scan, numbers) : rounds(scan, chosen, numbers));
    // Somebody who types fast asks again before the GPU has answered.
    if (mine !== latest) return;
    frames = made;
    stage.replaceChildren(frames.node);
    stage.scrollLeft = 0;
    fit();
    slider.max = frames.count - 1;
    at("about").textContent = ABOUT[chosen];
    at("point").hidden = chosen === "look-back";
    go(0);
  };

  at("choices").addEventListener("submit", (event) => event.preventDefault());
  at("choices").addEventListener("input", rebuild);
  at("shuffle").addEventListener("click", () => {
    const count = NARROW.matches ? 8 : 16;
    at("numbers").value = Array.from({ length: count }, () => Math.floor(Math.random() * 10)).join(" ");
    rebuild();
  });
  slider.addEventListener("input", () => (pause(), go(Number(slider.value))));
  at("first").addEventListener("click", () => (pause(), go(0)));
  at("back").addEventListener("click", () => (pause(), go(round - 1)));
  at("next").addEventListener("click", () => (pause(), go(round + 1)));
  at("last").addEventListener("click", () => (pause(), go(frames.count - 1)));
  play.addEventListener("click", () => (timer === undefined ? start() : pause()));

  stage.addEventListener("keydown", (event) => {
    const key = {
      ArrowRight: () => go(round + 1),
      ArrowLeft: () => go(round - 1),
      Home: () => go(0),
      End: () => go(frames.count - 1),
      " ": () => play.click(),
    }[event.key];
    if (!key || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (event.key !== " ") pause();
    key();
  });

  // Where there is more than fits, a swipe is the browser's, and scrolls.
  const fit = () => stage.classList.toggle("fits", stage.scrollWidth <= stage.clientWidth + 1);
  new ResizeObserver(fit).observe(stage);
  let down;
  stage.addEventListener("pointerdown", (event) => (down = event));
  stage.addEventListener("pointerup", (event) => {
    const moved = event.clientX - (down?.clientX ?? event.clientX);
    down = undefined;
    if (Math.abs(moved) < 40 || !stage.classList.contains("fits")) return;
    pause();
    go(round + (moved < 0 ? 1 : -1));
  });
  NARROW.addEventListener("change", rebuild);
  rebuild();
}

async function rounds(scan, algorithm, numbers) {
  const trace = await scan.trace(algorithm, numbers);
  const drawing = drawRounds(lineage(trace), numbers.length, NARROW.matches);
  const text = (round) => {
    const name = trace[round].name;
    return `${round} of ${trace.length - 1} · ${sentence(name, algorithm, round === trace.length - 1)}`;
  };
  return { count: trace.length, show: drawing.show, node: drawing.node, text };
}

async function tiles(scan, given) {
  const numbers = Uint32Array.from({ length: Math.max(TILES, given.length) }, (_, i) => given[i % given.length]);
  const sums = await scan.inclusive(numbers, { algorithm: "single-pass" });
  const events = story(numbers);
  const told = events.at(-1).tiles.at(-1).value;
  if (told !== sums.at(-1)) throw new Error(`the GPU found ${sums.at(-1)}, the story ${told}`);
  const drawing = drawTiles(events, sums);
  const repeated = given.length < numbers.length ? " (Your numbers, repeated.)" : "";
  const text = (at) => `${at} of ${events.length - 1} · ${events[at].text}${at === 0 ? repeated : ""}`;
  return { count: events.length, show: drawing.show, node: drawing.node, text };
}
