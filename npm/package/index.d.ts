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

/** Choices for one scan. */
export interface ScanOptions {
  algorithm?: Algorithm;
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

/** Prefix sums on one GPU. */
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
  /** `[0, a, a+b, …]`. Uploads, scans and downloads. */
  exclusive<V extends Values>(values: V, options?: ScanOptions): Promise<ValuesOf<KindOf<V>>>;

  /** A new array on the GPU that holds `values`. */
  upload<V extends Values>(values: V): GpuArray<KindOf<V>>;
  /** A new array of zeros on the GPU. */
  zeros<K extends Kind>(kind: K, length: number): GpuArray<K>;
  /** Scans what is on the GPU; submits, and waits for nothing. `output` may be `input`. */
  inclusiveInto<K extends Kind>(input: GpuArray<K>, output: GpuArray<K>, options?: ScanOptions): void;
  /** Scans what is on the GPU; submits, and waits for nothing. `output` may be `input`. */
  exclusiveInto<K extends Kind>(input: GpuArray<K>, output: GpuArray<K>, options?: ScanOptions): void;

  /** The algorithm that a scan of `length` elements takes. */
  chosen(length: number, options?: ScanOptions): Algorithm;
  /**
   * Every round of a textbook algorithm on at most 256 values (`hillis-steele`, inclusive) or 512 (`blelloch`,
   * exclusive, filled up to a power of two).
   */
  trace(algorithm: "hillis-steele" | "blelloch", values: Uint32Array): Promise<Round[]>;
}
