"""What the Python peers share: options, the common input, the check, the clock and the rows.

README.md is the protocol; the CUDA and Rust peers follow the same one.
"""

import argparse
import json
import sys
import time

MASK = 0xFFFFFFFF
TOLERANCE = 1e-4
CHUNK = 1 << 24  # keeps the 64-bit temporaries small


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--min-log2", type=int, default=8)
    parser.add_argument("--max-log2", type=int, default=28)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--elements", default="u32,f32")
    parser.add_argument("--out", default="rows.json")
    args = parser.parse_args()
    if not 0 <= args.min_log2 <= args.max_log2 <= 30 or args.step < 1:
        parser.error("want 0 <= --min-log2 <= --max-log2 <= 30 and --step >= 1")
    # Powers of two, and 10^8 where it falls between them: a size that is no power of two.
    sizes = [1 << k for k in range(args.min_log2, args.max_log2 + 1, args.step)]
    if sizes[0] < 10**8 < sizes[-1]:
        sizes = sorted(sizes + [10**8])
    args.sizes = sizes
    return args


def write_rows(path, rows):
    """One row a line: run.sh joins the files by lines."""
    with open(path, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


def skip(args, why):
    print(f"skipped: {why}", file=sys.stderr)
    write_rows(args.out, [])
    sys.exit(0)


def load(args):
    """torch and numpy, or an end with a word where one of them or the GPU is missing."""
    try:
        import numpy
        import torch
    except ImportError as error:
        skip(args, str(error))
    if not torch.cuda.is_available():
        skip(args, "no CUDA device")
    return torch, numpy


def mix(torch, start, stop):
    """The hash of the indices start..stop, as int64 values below 2^32."""
    x = torch.arange(start, stop, dtype=torch.int64, device="cuda")
    x = (x * 0x9E3779B9 + 0x85EBCA6B) & MASK  # a wrapped int64 still has the right low 32 bits
    x = x ^ (x >> 16)
    x = (x * 0x7FEB352D) & MASK
    x = x ^ (x >> 15)
    x = (x * 0x846CA68B) & MASK
    return x ^ (x >> 16)


class Data:
    """Input, output and reference of one element ("i32" or "f32"), for sizes up to n."""

    def __init__(self, torch, numpy, element, n):
        self.torch, self.element = torch, element
        dtype, reference = {
            "i32": (torch.int32, torch.int32),
            "f32": (torch.float32, torch.float64),
        }[element]
        self.input = torch.empty(n, dtype=dtype, device="cuda")
        self.output = torch.empty(n, dtype=dtype, device="cuda")
        # The inclusive prefixes, summed one after the other on the host. f32 inputs are k * 2^-24 with
        # an integer k: the sums of the k are exact in 64 bits, and as doubles after the scaling.
        self.prefixes = torch.empty(n, dtype=reference, device="cuda")
        total = numpy.int64(0)
        for start in range(0, n, CHUNK):
            stop = min(start + CHUNK, n)
            x = mix(torch, start, stop)
            if element == "i32":
                self.input[start:stop] = as_int32(x)
            else:
                x = x >> 8
                self.input[start:stop] = x * 2.0**-24
            sums = numpy.cumsum(x.cpu().numpy(), dtype=numpy.int64) + total
            total = sums[-1]
            sums = torch.from_numpy(sums).cuda()
            self.prefixes[start:stop] = (
                as_int32(sums & MASK) if element == "i32" else sums.double() * 2.0**-24
            )

    def right(self, n):
        """Whether output[0..n) holds the inclusive prefixes."""
        wrong = 0
        for start in range(0, n, CHUNK):
            stop = min(start + CHUNK, n)
            got, want = self.output[start:stop], self.prefixes[start:stop]
            if self.element == "i32":
                good = got == want
            else:
                # A NaN is not good. 2^-24 is the smallest prefix that is not zero.
                good = (got.double() - want).abs() <= TOLERANCE * want.clamp(min=2.0**-24)
            wrong += int((~good).sum())
        if wrong:
            print(f"{wrong} of {n} elements are wrong", file=sys.stderr)
        return wrong == 0

    def row(self, algorithm, peer, n, run):
        """Checks `run` on an output full of ones, then times it."""
        self.output[:n].view(self.torch.int32).fill_(-1)
        run()
        checked = self.right(n)
        median, least, most = measure(self.torch, run)
        return {
            "primitive": "inclusive_sum",
            "element": self.element,
            "algorithm": algorithm,
            "backend": "cuda",
            "peer": peer,
            "n": n,
            "median_us": round(median, 3),
            "min_us": round(least, 3),
            "max_us": round(most, 3),
            "bytes": 8 * n,
            "checked": checked,
        }


def as_int32(x):
    """The low 32 bits of an int64 in 0..2^32, as an int32 of the same bits."""
    return (x - ((x >> 31) << 32)).int()


def measure(torch, run):
    """Median, minimum and maximum of 15 runs in microseconds of the device's time."""
    start = time.perf_counter()
    while True:
        for _ in range(8):
            run()
        torch.cuda.synchronize()
        if time.perf_counter() - start >= 0.15:
            break

    before = torch.cuda.Event(enable_timing=True)
    after = torch.cuda.Event(enable_timing=True)
    samples = []
    for _ in range(15):
        # Occupies the stream while the host enqueues the work, so that the events enclose time on the
        # device and not the gaps between the host's launches.
        torch.cuda._sleep(1_000_000)  # some 500 microseconds
        before.record()
        run()
        after.record()
        after.synchronize()
        samples.append(before.elapsed_time(after) * 1e3)
    samples.sort()
    return samples[len(samples) // 2], samples[0], samples[-1]
