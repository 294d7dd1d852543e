// Use: a picture, blurred around a focus, from running sums that the library made; and its histogram.
import { drawHistogram } from "./histogram.js";
import { lanterns } from "./lanterns.js";
import { presenter } from "./present.js";

const PLANES = ["red", "green", "blue"];
/** The most pixels of a picture: a sum of so many bytes and all their rows still fits 32 bits. */
const MOST_PIXELS = 4 << 20;

export async function focus(scan) {
  const at = (id) => document.querySelector(`#${id}`);
  const canvas = at("canvas");
  const { device } = scan;
  const { format, present } = presenter(device, canvas);
  const code = await (await fetch(new URL("blur.wgsl", import.meta.url))).text();
  const module = device.createShaderModule({ code, label: "blur" });
  const compute = (entryPoint) => device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint } });
  const [split, turn, show] = await Promise.all([
    compute("split"),
    compute("turn"),
    device.createRenderPipelineAsync({
      layout: "auto",
      vertex: { module, entryPoint: "corner" },
      fragment: { module, entryPoint: "pixel", targets: [{ format }] },
    }),
  ]);
  const view = device.createBuffer({ size: 32, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  const bind = (pipeline, index, resources) => device.createBindGroup({
    layout: pipeline.getBindGroupLayout(index),
    entries: resources.map((resource, binding) => ({ binding, resource })),
  });
  let picture;
  let place = [0.5, 0.55];
  let wanted = false;

  const load = (source) => {
    const [width, height] = [source.width, source.height];
    for (const array of picture?.arrays ?? []) array.destroy();
    picture?.texture.destroy();
    const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT;
    const texture = device.createTexture({ size: [width, height], format: "rgba8unorm", usage });
    device.queue.copyExternalImageToTexture({ source }, { texture }, [width, height]);
    // The library's arrays are buffers for the page's own shaders too.
    const planes = PLANES.map(() => scan.zeros("u32", width * height));
    const turned = PLANES.map(() => scan.zeros("u32", width * height));
    const buffer = (array) => ({ buffer: array.buffer });
    picture = {
      width, height, texture, planes, turned, arrays: [...planes, ...turned],
      split: bind(split, 1, [texture.createView(), ...planes.map(buffer)]),
      turn: planes.map((plane, i) => bind(turn, 1, [buffer(plane), buffer(turned[i])])),
      show: bind(show, 1, turned.map(buffer)),
    };
    [canvas.width, canvas.height] = [width, height];
    look();
    dispatch(split, views.split, [picture.split]);
    const counted = tally();
    sum();
    return Promise.all([draw(), counted]);
  };

  const views = { split: bind(split, 0, [{ buffer: view }]), turn: bind(turn, 0, [{ buffer: view }]), show: bind(show, 0, [{ buffer: view }]) };
  const look = () => {
    const { width, height } = picture;
    const data = new ArrayBuffer(32);
    new Uint32Array(data, 0, 2).set([width, height]);
    const radius = Math.hypot(width, height);
    new Float32Array(data, 8, 4).set([place[0] * width, place[1] * height, (at("sharp").value * radius) / 2, (at("blur").value * height) / 3]);
    device.queue.writeBuffer(view, 0, data);
  };
  const dispatch = (pipeline, own, groups) => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, own);
    for (const group of groups) {
      pass.setBindGroup(1, group);
      pass.dispatchWorkgroups(Math.ceil(picture.width / 16), Math.ceil(picture.height / 16));
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
  };

  const counts = PLANES.map(() => scan.zeros("u32", 256));
  /** The histogram of what is in the planes now. */
  const tally = async () => {
    picture.planes.forEach((plane, i) => scan.histogramInto(plane, counts[i], { from: 0, to: 256 }));
    drawHistogram(at("histogram"), await Promise.all(counts.map((plane) => plane.read())));
  };

  /** Six scans: three planes along rows, then along columns. */
  const sum = () => {
    look();
    dispatch(split, views.split, [picture.split]);
    for (const plane of picture.planes) scan.inclusiveInto(plane, plane);
    dispatch(turn, views.turn, picture.turn);
    for (const plane of picture.turned) scan.inclusiveInto(plane, plane);
  };

  const draw = () => {
    look();
    const shown = present((encoder, target) => {
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: "clear", storeOp: "store" }] });
      pass.setPipeline(show);
      pass.setBindGroup(0, views.show);
      pass.setBindGroup(1, picture.show);
      pass.draw(3);
      pass.end();
    });
    const count = (picture.width * picture.height * 6) / 1e6;
    at("blur-caption").textContent =
      `${picture.width} × ${picture.height} pixels. Six scans made ${count.toFixed(1)} million running sums; after that ` +
      `no radius costs more than another.`;
    return shown.then(() => (canvas.dataset.drawn = Number(canvas.dataset.drawn ?? 0) + 1));
  };

  /** Draws with the next frame, however often it is asked for until then. */
  const redraw = () => {
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(() => {
      wanted = false;
      draw();
    });
  };

  let frames = 0;
  let since = 0;
  const animate = async (now) => {
    if (!at("live").checked) return;
    sum();
    await draw();
    await device.queue.onSubmittedWorkDone();
    frames += 1;
    if (now - since > 1000) {
      if (since > 0) at("blur-rate").textContent = ` ${Math.round((1000 * frames) / (now - since))} frames a second.`;
      [frames, since] = [0, now];
    }
    requestAnimationFrame(animate);
  };

  const move = (event) => {
    const box = canvas.getBoundingClientRect();
    place = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    redraw();
  };
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerdown", move);
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    place = place.map((part, i) => Math.min(1, Math.max(0, part + step[i] / 30)));
    redraw();
  });
  for (const id of ["blur", "sharp"]) at(id).addEventListener("input", redraw);
  at("live").addEventListener("change", () => {
    at("blur-rate").textContent = "";
    [frames, since] = [0, 0];
    requestAnimationFrame(animate);
  });
  at("picture").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    try {
      const whole = await createImageBitmap(file);
      const shrink = Math.min(1, Math.sqrt(MOST_PIXELS / (whole.width * whole.height)));
      const size = [whole.width, whole.height].map((side) => Math.max(1, Math.floor(side * shrink)));
      await load(await createImageBitmap(whole, { resizeWidth: size[0], resizeHeight: size[1], resizeQuality: "high" }));
    } catch {
      at("blur-caption").textContent = `${file.name} is no picture that this browser can read.`;
    }
  });
  await load(lanterns(1024, 576));
  canvas.dataset.ready = "true";
}
