// Prefix scan on the GPU. The types, with their documentation, are in index.d.ts.

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

  async #scanned(values, exclusive, { algorithm = "auto" } = {}) {
    const array = this.upload(values);
    try {
      // Textbook algorithms run in place as well as apart; a single pass does not.
      const result = algorithm === "single-pass" ? this.zeros(array.kind, array.length) : array;
      try {
        this.#raw.scan(algorithm, exclusive, array.raw, result.raw);
        return await result.read();
      } finally {
        if (result !== array) result.destroy();
      }
    } finally {
      array.destroy();
    }
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

  inclusiveInto(input, output, { algorithm = "auto" } = {}) {
    this.#raw.scan(algorithm, false, input.raw, output.raw);
  }

  exclusiveInto(input, output, { algorithm = "auto" } = {}) {
    this.#raw.scan(algorithm, true, input.raw, output.raw);
  }

  chosen(length, { algorithm = "auto" } = {}) {
    return this.#raw.chosen(algorithm, length);
  }

  async trace(algorithm, values) {
    return this.#raw.trace(algorithm, values);
  }
}
