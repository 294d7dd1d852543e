// A picture to begin with: lanterns over water, the same each time.

export function lanterns(width, height) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  let state = 11;
  const random = (low = 0, high = 1) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return low + (state / 2 ** 32) * (high - low);
  };
  const shore = height * 0.62;
  const gradient = (from, to, stops) => {
    const colours = context.createLinearGradient(0, from, 0, to);
    stops.forEach((stop, i) => colours.addColorStop(i / (stops.length - 1), stop));
    return colours;
  };
  context.fillStyle = gradient(0, shore, ["#0b1033", "#2a2466", "#7b3f7a", "#e07a5f"]);
  context.fillRect(0, 0, width, shore);
  context.fillStyle = gradient(shore, height, ["#8c4a6b", "#2b2357", "#0a0d28"]);
  context.fillRect(0, shore, width, height - shore);
  for (let i = 0; i < 160; i += 1) {
    context.fillStyle = `rgb(255 255 255 / ${random(0.2, 0.9)})`;
    context.fillRect(random(0, width), random(0, shore * 0.6), 1.5, 1.5);
  }
  // Hills, the far ones paler.
  ["#5a3a72", "#3a2a5c", "#1d1740"].forEach((colour, layer) => {
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(0, shore);
    const base = shore - (90 - layer * 30);
    for (let x = 0; x <= width; x += 4) {
      const wave = Math.sin(x / (130 - layer * 25) + layer * 2.1) * (26 - layer * 6) + Math.sin(x / 37 + layer) * 5;
      context.lineTo(x, base - wave);
    }
    context.lineTo(width, shore);
    context.fill();
  });
  // Windows along the shore, and their light on the water.
  for (let i = 0; i < 90; i += 1) {
    const [x, w, h] = [random(0, width), random(3, 6), random(4, 9)];
    const hue = random(32, 52);
    context.fillStyle = `hsl(${hue} 95% ${random(60, 78)}%)`;
    context.fillRect(x, shore - random(4, 34), w, h);
    context.fillStyle = `hsl(${hue} 90% 65% / 0.22)`;
    context.fillRect(x, shore + 2, w, random(20, 110));
  }
  // Lanterns: near ones large and low.
  for (let i = 0; i < 70; i += 1) {
    const near = random() ** 2;
    const size = 4 + near * 26;
    const [x, y] = [random(0, width), random(0.05, 0.5 + near * 0.3) * height];
    const glow = context.createRadialGradient(x, y, 0, x, y, size * 3);
    glow.addColorStop(0, "rgb(255 190 90 / 0.55)");
    glow.addColorStop(1, "rgb(255 150 60 / 0)");
    context.fillStyle = glow;
    context.fillRect(x - size * 3, y - size * 3, size * 6, size * 6);
    const body = context.createLinearGradient(0, y - size, 0, y + size);
    body.addColorStop(0, "#ff8a3c");
    body.addColorStop(0.6, "#ffd98a");
    body.addColorStop(1, "#fff3cf");
    context.fillStyle = body;
    context.beginPath();
    context.roundRect(x - size * 0.7, y - size, size * 1.4, size * 2, size * 0.5);
    context.fill();
    context.strokeStyle = "rgb(120 40 10 / 0.55)";
    context.lineWidth = Math.max(1, size / 14);
    for (const line of [-0.35, 0, 0.35]) {
      context.beginPath();
      context.moveTo(x + line * size, y - size * 0.95);
      context.lineTo(x + line * size, y + size * 0.95);
      context.stroke();
    }
  }
  return canvas;
}
