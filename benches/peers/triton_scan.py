"""The three-kernel scan in Triton: reduce the tiles, scan the sums, scan the tiles and add. f32."""

from peers_common import Data, load, options, skip, write_rows

args = options()
torch, numpy = load(args)
try:
    import triton
    import triton.language as tl
except ImportError as error:
    skip(args, str(error))

TILE = 4096
CHUNK_OF_SUMS = 4096


@triton.jit
def reduce_tiles(x, sums, n, TILE: tl.constexpr):
    tile = tl.program_id(0)
    i = tile * TILE + tl.arange(0, TILE)
    values = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(sums + tile, tl.sum(values, axis=0))


@triton.jit
def scan_sums(sums, count, CHUNK: tl.constexpr):
    """One program turns the sums into exclusive prefixes in place, chunk after chunk."""
    carry = tl.full([], 0.0, tl.float32)
    for start in range(0, count, CHUNK):
        i = start + tl.arange(0, CHUNK)
        values = tl.load(sums + i, mask=i < count, other=0.0)
        tl.store(sums + i, tl.cumsum(values, axis=0) - values + carry, mask=i < count)
        carry += tl.sum(values, axis=0)


@triton.jit
def scan_tiles(x, y, prefixes, n, TILE: tl.constexpr):
    tile = tl.program_id(0)
    i = tile * TILE + tl.arange(0, TILE)
    values = tl.load(x + i, mask=i < n, other=0.0)
    prefix = tl.load(prefixes + tile)
    tl.store(y + i, tl.cumsum(values, axis=0) + prefix, mask=i < n)


def scan(x, y, sums, n):
    tiles = triton.cdiv(n, TILE)
    reduce_tiles[(tiles,)](x, sums, n, TILE=TILE, num_warps=8)
    scan_sums[(1,)](sums, tiles, CHUNK=CHUNK_OF_SUMS, num_warps=8)
    scan_tiles[(tiles,)](x, y, sums, n, TILE=TILE, num_warps=8)


rows = []
if "f32" in args.elements.split(","):
    data = Data(torch, numpy, "f32", args.sizes[-1])
    sums = torch.empty(triton.cdiv(args.sizes[-1], TILE), dtype=torch.float32, device="cuda")
    for n in args.sizes:
        run = lambda: scan(data.input, data.output, sums, n)
        algorithm = f"three kernels, tiles of {TILE}, Triton {triton.__version__}"
        rows.append(data.row(algorithm, "Triton three-kernel", n, run))
write_rows(args.out, rows)
