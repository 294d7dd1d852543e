// Prefix scan on the GPU, and what is made of it. The types, with their documentation, are in index.d.ts.

const KINDS = { u32: Uint32Array, i32: Int32Array, f32: Float32Array };

const NO_WEBGPU =
  "This browser offers no WebGPU. It takes Chrome or Edge 113, Firefox 141, Safari 26, or later, and a page " +
  "from https or localhost.";
const NO_ADAPTER = "This browser has WebGPU, but found no GPU to use with it.";

let module;

/** The compiled crate, fetched when it is first needed. */
function load(source) {
  module ??= import("./wasm/gpuscan.js").then(async (wasm) => {
    await wasm.default(source === undefined ? undefined : { module_or_path: source });
    return wasm;
  });
  // A fetch that failed may be tried again.
  module.catch(() => (module = undefined));
  return module;
}

/** A device with all that its adapter has to give and scans can use. */
async function requestDevice(gpu, subgroups) {
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error(NO_ADAPTER);
  const wanted = subgroups ? ["subgroups", "timestamp-query"] : ["timestamp-query"];
  const limits = ["maxBufferSize", "maxStorageBufferBindingSize", "maxComputeWorkgroupsPerDimension"];
  return adapter.requestDevice({
    label: "gpuscan",
    requiredFeatures: wanted.filter((feature) => adapter.features.has(feature)),
    requiredLimits: Object.fromEntries(limits.map((limit) => [limit, adapter.limits[limit]])),
  });
}

/** Hands a device to the crate, which finds WebGPU as `navigator.gpu`, once, and makes its device itself. */
function adopt(wasm, device) {
  const { adapterInfo: info } = device;
  const adapter = {
    features: device.features,
    limits: device.limits,
    info: {
      description: info?.description || [info?.vendor, info?.architecture].filter(Boolean).join(" ") || "GPU",
      isFallbackAdapter: info?.isFallbackAdapter ?? false,
      subgroupMinSize: info?.subgroupMinSize ?? 0,
      subgroupMaxSize: info?.subgroupMaxSize ?? 0,
    },
    requestDevice: async () => device,
  };
  const shown = { requestAdapter: async () => adapter };
  // Nothing else runs before it is put back.
  const before = Object.getOwnPropertyDescriptor(navigator, "gpu");
  Object.defineProperty(navigator, "gpu", { value: shown, configurable: true });
  try {
    return new wasm.Opening().open();
  } finally {
    if (before) Object.defineProperty(navigator, "gpu", before);
    else delete navigator.gpu;
  }
}

function kindOf(values) {
  const kind = Object.keys(KINDS).find((kind) => values instanceof KINDS[kind]);
  if (kind) return kind;
  const found = values?.constructor?.name ?? typeof values;
  throw new TypeError(`expected a Uint32Array, an Int32Array or a Float32Array, found ${found}`);
}

/** Gives the arrays' memory back when what is done with them is done. */
async function using(arrays, work) {
  try {
    return await work(...arrays);
  } finally {
    for (const array of arrays) array.destroy();
  }
}

export class GpuArray {
  #raw;
  #read;

  /** Not for callers: `GpuScan` makes them. */
  constructor(raw, read) {
    this.#raw = raw;
    this.#read = read;
  }

  get raw() {
    if (!this.#raw) throw new Error("this GpuArray was destroyed");
    return this.#raw;
  }

  get kind() {
    return this.raw.kind;
  }

  get length() {
    return this.raw.length;
  }

  get buffer() {
    return this.raw.buffer;
  }

  async read() {
    return this.#read(this.raw);
  }

  write(values) {
    kindOf(values);
    this.raw.write(values);
  }

  destroy() {
    this.#raw?.destroy();
    this.#raw = undefined;
  }
}

export class GpuScan {
  #raw;
  #last = Promise.resolve();

  /** Not for callers: `GpuScan.create` makes them. */
  constructor(raw, device) {
    this.#raw = raw;
    this.device = device;
  }

  static async create({ device, subgroups = true, wasm: source } = {}) {
    const gpu = globalThis.navigator?.gpu;
    if (!gpu && !device) throw new Error(NO_WEBGPU);
    const [wasm, own] = await Promise.all([load(source), device ?? requestDevice(gpu, subgroups)]);
    return new GpuScan(await adopt(wasm, own), own);
  }

  get description() {
    return this.#raw.describe();
  }

  async inclusive(values, options) {
    return this.#scanned(values, false, options);
  }

  async exclusive(values, options) {
    return this.#scanned(values, true, options);
  }

  async #scanned(values, exclusive, options) {
    const array = this.upload(values);
    // Textbook algorithms run in place as well as apart; a single pass does not.
    const result = options?.algorithm === "single-pass" ? this.zeros(array.kind, array.length) : array;
    return using([array, result], () => {
      this.#scan(array, result, exclusive, options);
      return result.read();
    });
  }

  async reduce(values, options) {
    const input = this.upload(values);
    return using([input, this.zeros(input.kind, 1)], async (input, total) => {
      this.reduceInto(input, total, options);
      return (await total.read())[0];
    });
  }

  async compact(values, keep) {
    const input = this.upload(values);
    const flags = typeof keep === "string" ? [] : [this.upload(keep)];
    const made = [this.zeros(input.kind, input.length), this.zeros("u32", 1)];
    return using([...made, input, ...flags], async (output, count) => {
      this.compactInto(input, flags[0] ?? keep, output, count);
      const [kept] = await count.read();
      return (await output.read()).slice(0, kept);
    });
  }

  async sort(keys, options) {
    return using([this.upload(keys)], (keys) => {
      this.sortInto(keys, keys, options);
      return keys.read();
    });
  }

  async argsort(keys, options) {
    return using([this.upload(keys), this.zeros("u32", keys.length)], (keys, indices) => {
      this.argsortInto(keys, indices, options);
      return indices.read();
    });
  }

  async histogram(samples, { bins, from, to }) {
    return using([this.upload(samples), this.zeros("u32", bins)], (samples, counts) => {
      this.histogramInto(samples, counts, { from, to });
      return counts.read();
    });
  }

  upload(values) {
    kindOf(values);
    return this.#array(this.#raw.upload(values));
  }

  zeros(kind, length) {
    return this.#array(this.#raw.zeros(kind, length));
  }

  #array(raw) {
    // One download after another: an error that comes late belongs to the one that was asked for first.
    const read = (raw) => (this.#last = this.#last.catch(() => {}).then(() => raw.read()));
    return new GpuArray(raw, read);
  }

  inclusiveInto(input, output, options) {
    this.#scan(input, output, false, options);
  }

  exclusiveInto(input, output, options) {
    this.#scan(input, output, true, options);
  }

  #scan(input, output, exclusive, { algorithm = "auto", operator = "sum" } = {}) {
    this.#raw.scan(algorithm, operator, exclusive, input.raw, output.raw);
  }

  reduceInto(input, total, { operator = "sum" } = {}) {
    this.#raw.reduce(operator, input.raw, total.raw);
  }

  compactInto(input, keep, output, count) {
    if (typeof keep === "string") this.#raw.compact_where(input.raw, keep, output.raw, count.raw);
    else this.#raw.compact_flagged(input.raw, keep.raw, output.raw, count.raw);
  }

  sortInto(keys, sorted, { descending = false } = {}) {
    this.#raw.sort(descending, keys.raw, sorted.raw);
  }

  argsortInto(keys, indices, { descending = false } = {}) {
    this.#raw.argsort(descending, keys.raw, indices.raw);
  }

  histogramInto(samples, counts, { from, to }) {
    this.#raw.histogram(from, to, samples.raw, counts.raw);
  }

  chosen(length, { algorithm = "auto" } = {}) {
    return this.#raw.chosen(algorithm, length);
  }

  async trace(algorithm, values) {
    return this.#raw.trace(algorithm, values);
  }
}
