"""torch.cumsum of int32 (the same bits as u32 sums) and float32, into a tensor that exists already."""

from peers_common import Data, load, options, write_rows

args = options()
torch, numpy = load(args)

rows = []
for name, element, dtype in (("u32", "i32", torch.int32), ("f32", "f32", torch.float32)):
    if name not in args.elements.split(","):
        continue
    data = Data(torch, numpy, element, args.sizes[-1])
    for n in args.sizes:
        x, y = data.input[:n], data.output[:n]
        run = lambda: torch.cumsum(x, 0, dtype=dtype, out=y)
        rows.append(data.row(f"PyTorch {torch.__version__}", "torch.cumsum", n, run))
    del data, x, y, run
write_rows(args.out, rows)
