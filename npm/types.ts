// The package's types, as TypeScript sees them in somebody's project. Compiled by `cargo xtask web test`, never run.
import { GpuScan, type GpuArray, type Round } from "gpuscan";

export async function accepted(device: GPUDevice): Promise<void> {
  const scan: GpuScan = await GpuScan.create({ device, subgroups: false });
  const sums: Uint32Array = await scan.inclusive(new Uint32Array([3, 1, 7]), { algorithm: "single-pass" });
  const before: Float32Array = await scan.exclusive(new Float32Array([3, 1, 7]), { operator: "max" });
  const total: number = await scan.reduce(before);
  const kept: Int32Array = await scan.compact(new Int32Array([3, 1, 7]), "value > 2i");
  await scan.compact(kept, sums);
  const sorted: Int32Array = await scan.sort(kept, { descending: true });
  const order: Uint32Array = await scan.argsort(sorted);
  const counts: Uint32Array = await scan.histogram(order, { bins: 4, from: 0, to: total });

  const array: GpuArray<"u32"> = scan.upload(counts);
  const output = scan.zeros("u32", array.length);
  scan.inclusiveInto(array, output);
  scan.compactInto(array, output, output, scan.zeros("u32", 1));
  scan.argsortInto(scan.zeros("f32", 4), output, { descending: true });
  scan.histogramInto(array, output, { from: 0, to: 8 });
  const buffer: GPUBuffer = output.buffer;
  const back: Uint32Array = await output.read();
  output.write(back);
  const rounds: Round[] = await scan.trace("blelloch", back);
  console.log(buffer, rounds[0]?.name);
}

export async function refused(scan: GpuScan): Promise<void> {
  // @ts-expect-error a plain array
  await scan.inclusive([1, 2, 3]);
  // @ts-expect-error another algorithm
  await scan.inclusive(new Uint32Array(3), { algorithm: "magic" });
  // @ts-expect-error other elements
  scan.inclusiveInto(scan.zeros("u32", 3), scan.zeros("f32", 3));
  // @ts-expect-error flags are u32
  scan.compactInto(scan.zeros("i32", 3), scan.zeros("f32", 3), scan.zeros("i32", 3), scan.zeros("u32", 1));
  // @ts-expect-error a histogram has ends
  await scan.histogram(new Uint32Array(3), { bins: 3 });
  // @ts-expect-error made by `create`
  new GpuScan();
}
