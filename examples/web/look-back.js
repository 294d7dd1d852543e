// A single pass with look-back, as a story of tiles. When each workgroup acts is drawn at random, as it is on a GPU,
// where nobody can watch; what is summed is what the GPU sums.

export const TILE = 4;

/** Numbers with the same sequence in every run, so that a page shows what it showed before. */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const plus = (a, b) => (a + b) >>> 0;

/**
 * What happens, one event after another: each a snapshot of all tiles (`waiting`, `total` or `prefix`, with the
 * value), who acts, whom it looks at, and a sentence.
 */
export function story(numbers, workgroups = 3) {
  const tiles = [];
  for (let at = 0; at < numbers.length; at += TILE) {
    tiles.push({ numbers: numbers.slice(at, at + TILE), state: "", value: 0, done: false });
  }
  const events = [];
  const tell = (text, acting, seen) => {
    events.push({ text, acting, seen, tiles: tiles.map((tile) => ({ ...tile })) });
  };
  tell(`${tiles.length} tiles of ${TILE}, and ${workgroups} workgroups to do them. Nobody waits for a tile’s turn.`);

  const draw = random(7);
  const running = [];
  let next = 0;
  while (next < tiles.length || running.length > 0) {
    if (next < tiles.length && running.length < workgroups && (running.length === 0 || draw() < 0.6)) {
      running.push({ tile: next, step: "add", at: next - 1, before: 0 });
      tell(`A free workgroup draws a ticket: tile ${next}. All before it are taken, so they will be done.`, next);
      next += 1;
      continue;
    }
    const worker = running[Math.floor(draw() * running.length)];
    if (act(worker, tiles, tell)) running.splice(running.indexOf(worker), 1);
  }
  tell("Done. Each number was read once and written once.");
  return events;
}

/** One step of one workgroup; whether it was its last. */
function act(worker, tiles, tell) {
  const { tile } = worker;
  const own = tiles[tile];
  if (worker.step === "add") {
    own.total = own.numbers.reduce(plus);
    own.value = own.total;
    own.state = tile === 0 ? "prefix" : "total";
    worker.step = tile === 0 ? "write" : "look";
    tell(tile === 0
      ? `Tile 0 adds up to ${own.total}. Nothing lies before it: that is a prefix already.`
      : `Tile ${tile} adds up to ${own.total}, and says so at once, for others to use.`, tile);
    return false;
  }
  if (worker.step === "look") {
    const seen = tiles[worker.at];
    if (seen.state === "") {
      tell(`Tile ${tile} looks back: tile ${worker.at} has nothing to show yet. It will look again.`, tile, worker.at);
    } else if (seen.state === "total") {
      worker.before = plus(seen.value, worker.before);
      tell(`Tile ${tile} looks back: tile ${worker.at} knows its own total, ${seen.value}. Taken; on to the one before.`,
        tile, worker.at);
      worker.at -= 1;
    } else {
      worker.before = plus(seen.value, worker.before);
      own.value = plus(worker.before, own.total);
      own.state = "prefix";
      worker.step = "write";
      tell(`Tile ${tile} looks back: tile ${worker.at} knows all up to its end, ${seen.value}. So ${worker.before} lies ` +
        `before tile ${tile}, and ${own.value} is its own prefix.`, tile, worker.at);
    }
    return false;
  }
  own.done = true;
  tell(`Tile ${tile} writes its results.`, tile);
  return true;
}

/** The drawing, with `show(event)`. `sums` are the GPU's. */
export function drawTiles(events, sums) {
  const node = document.createElement("div");
  node.className = "tiles";
  const show = (at) => {
    const { tiles, acting, seen } = events[at];
    node.replaceChildren(...tiles.map((tile, i) => {
      const card = document.createElement("section");
      card.className = "tile";
      card.classList.toggle("acting", i === acting);
      card.classList.toggle("seen", i === seen);
      const title = document.createElement("h3");
      title.append(`Tile ${i}`, i === acting ? " ●" : "");
      const state = document.createElement("p");
      state.className = `state ${tile.state}`;
      state.textContent = tile.state === "" ? "nothing yet" : `${tile.state} ${tile.value}`;
      card.append(title, list(tile.numbers, ""), state, list(sums.slice(i * TILE, (i + 1) * TILE), tile.done ? "out" : "out empty"));
      return card;
    }));
    const card = node.children[acting];
    const stage = node.parentElement;
    if (card && stage) stage.scrollLeft = card.offsetLeft - (stage.clientWidth - card.offsetWidth) / 2;
  };
  return { node, show };
}

function list(values, className) {
  const node = document.createElement("ol");
  node.className = className;
  // What is not written yet is not there for anybody.
  if (className === "out empty") node.setAttribute("aria-hidden", "true");
  node.append(...Array.from(values, (value) => {
    const item = document.createElement("li");
    item.textContent = value;
    return item;
  }));
  return node;
}
