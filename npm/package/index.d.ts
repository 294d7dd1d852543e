/// <reference types="@webgpu/types" />

/** What can be scanned. Integers wrap around; floats are added in the canonical order. */
export type Values = Uint32Array | Int32Array | Float32Array;

/** The element types, by their names in WGSL. */
export type Kind = "u32" | "i32" | "f32";

/** The typed array of an element type. */
export type ValuesOf<K extends Kind> = { u32: Uint32Array; i32: Int32Array; f32: Float32Array }[K];

/** The element type of a typed array. */
export type KindOf<V extends Values> = V extends Uint32Array ? "u32" : V extends Int32Array ? "i32" : "f32";

/**
 * `auto` takes the fastest that fits. All but the last two, which are kept as textbooks have them, give the same
 * bits; `single-tile` takes at most 4,096 elements.
 */
export type Algorithm = "auto" | "single-tile" | "three-pass" | "single-pass" | "hillis-steele" | "blelloch";

/**
 * What elements are combined by; `sum` where nothing is said. A NaN wins over every number, in `min` and in `max`.
 */
export type Operator = "sum" | "min" | "max";

/** Choices for one scan. */
export interface ScanOptions {
  algorithm?: Algorithm;
  operator?: Operator;
}

/** Choices for one total. */
export interface ReduceOptions {
  operator?: Operator;
}

/** Choices for one sort: upwards, if nothing is said. Equal keys stay in their order either way. */
export interface SortOptions {
  descending?: boolean;
}

/** What a histogram's bins share evenly: from `from` up to but not including `to`. */
export interface Range {
  from: number;
  to: number;
}

/** Choices for a `GpuScan`. */
export interface CreateOptions {
  /** The page's own device. Without one, a device of the best adapter is made. */
  device?: GPUDevice;
  /** `false`: use no subgroup operations, even where the GPU has them. Results do not change. */
  subgroups?: boolean;
  /** Where the WebAssembly is, if not beside this module; or the compiled module. */
  wasm?: string | URL | Request | Response | BufferSource | WebAssembly.Module;
}

/** Elements in the GPU's memory. */
export class GpuArray<K extends Kind = Kind> {
  private constructor();
  readonly kind: K;
  readonly length: number;
  /**
   * The browser's buffer that the elements lie in, from its first byte on, for the page's own shaders. It may be
   * some bytes longer than the elements.
   */
  readonly buffer: GPUBuffer;
  /** Downloads the elements, after all work submitted so far. */
  read(): Promise<ValuesOf<K>>;
  /** Overwrites all elements, before whatever is submitted next. Throws if the length differs. */
  write(values: ValuesOf<K>): void;
  /** Gives the memory back at once. */
  destroy(): void;
}

/** One round of a textbook algorithm, as the GPU's workgroup memory held it. */
export interface Round {
  name: string;
  values: Uint32Array;
}

/** Prefix sums, and what is made of them, on one GPU. */
export class GpuScan {
  private constructor();
  /**
   * Fetches the WebAssembly, on first use, and opens the GPU. Rejects with a sentence for people where there is no
   * WebGPU.
   */
  static create(options?: CreateOptions): Promise<GpuScan>;
  /** The browser's device that scans run on. */
  readonly device: GPUDevice;
  /** One line for people: the GPU's name, and whether subgroups are used. */
  readonly description: string;

  /** `[a, a+b, a+b+c, …]`. Uploads, scans and downloads. */
  inclusive<V extends Values>(values: V, options?: ScanOptions): Promise<ValuesOf<KindOf<V>>>;
  /** `[0, a, a+b, …]`; 0 is what the operator starts from. Uploads, scans and downloads. */
  exclusive<V extends Values>(values: V, options?: ScanOptions): Promise<ValuesOf<KindOf<V>>>;
  /** All combined into one. Uploads, reduces and downloads. */
  reduce(values: Values, options?: ReduceOptions): Promise<number>;
  /**
   * The values to keep, in their order: those whose flag is not 0, or for which a WGSL expression of `value`, such as
   * `"value > 3u"`, is true. Each expression compiles a kernel of its own, once. Uploads, compacts and downloads.
   */
  compact<V extends Values>(values: V, keep: Uint32Array | string): Promise<ValuesOf<KindOf<V>>>;
  /** The keys in order, NaNs last; stable. Uploads, sorts and downloads. */
  sort<V extends Values>(keys: V, options?: SortOptions): Promise<ValuesOf<KindOf<V>>>;
  /** Where each of the keys in order is: `keys[result[0]]` is the first. Uploads, sorts and downloads. */
  argsort(keys: Values, options?: SortOptions): Promise<Uint32Array>;
  /** How many samples are in each of the bins; others are not counted. Uploads, counts and downloads. */
  histogram(samples: Values, bins: Range & { bins: number }): Promise<Uint32Array>;

  /** A new array on the GPU that holds `values`. */
  upload<V extends Values>(values: V): GpuArray<KindOf<V>>;
  /** A new array of zeros on the GPU. */
  zeros<K extends Kind>(kind: K, length: number): GpuArray<K>;
  /** Scans what is on the GPU; submits, and waits for nothing. `output` may be `input`. */
  inclusiveInto<K extends Kind>(input: GpuArray<K>, output: GpuArray<NoInfer<K>>, options?: ScanOptions): void;
  /** Scans what is on the GPU; submits, and waits for nothing. `output` may be `input`. */
  exclusiveInto<K extends Kind>(input: GpuArray<K>, output: GpuArray<NoInfer<K>>, options?: ScanOptions): void;

  /** All combined into the one element of `total`; submits, and waits for nothing. */
  reduceInto<K extends Kind>(input: GpuArray<K>, total: GpuArray<NoInfer<K>>, options?: ReduceOptions): void;
  /**
   * What `compact` keeps, at the front of `output`, which is as long as `input`; how many, in the one element of
   * `count`. Submits, and waits for nothing.
   */
  compactInto<K extends Kind>(
    input: GpuArray<K>,
    keep: GpuArray<"u32"> | string,
    output: GpuArray<NoInfer<K>>,
    count: GpuArray<"u32">,
  ): void;
  /** Sorts what is on the GPU; submits, and waits for nothing. `sorted` may be `keys`. */
  sortInto<K extends Kind>(keys: GpuArray<K>, sorted: GpuArray<NoInfer<K>>, options?: SortOptions): void;
  /** The indices that `argsort` returns; submits, and waits for nothing. */
  argsortInto(keys: GpuArray, indices: GpuArray<"u32">, options?: SortOptions): void;
  /** Counts into as many bins as `counts` has elements; submits, and waits for nothing. */
  histogramInto(samples: GpuArray, counts: GpuArray<"u32">, range: Range): void;

  /** The algorithm that a scan of `length` elements takes. */
  chosen(length: number, options?: ScanOptions): Algorithm;
  /**
   * Every round of a textbook algorithm on at most 256 values (`hillis-steele`, inclusive) or 512 (`blelloch`,
   * exclusive, filled up to a power of two).
   */
  trace(algorithm: "hillis-steele" | "blelloch", values: Uint32Array): Promise<Round[]>;
}
