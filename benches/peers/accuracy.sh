#!/usr/bin/env bash
# CUB's and PyTorch's sums of the inputs that `cargo bench --bench accuracy -- --folder DIR` wrote.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: accuracy.sh DIR}

if command -v nvcc >/dev/null; then
    build=$(mktemp -d)
    trap 'rm -rf "$build"' EXIT
    nvcc -O3 -std=c++17 -arch=native -o "$build/accuracy" "$here/accuracy.cu"
    for input in "$folder"/*.input.f32; do
        "$build/accuracy" "$input" "${input%.input.f32}.cub.f32"
    done
else
    echo "skipped CUB: no nvcc"
fi

if python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
    python3 - "$folder" <<'PYTHON'
import pathlib
import sys

import numpy
import torch

for path in pathlib.Path(sys.argv[1]).glob("*.input.f32"):
    values = torch.from_numpy(numpy.fromfile(path, dtype="<f4")).cuda()
    sums = torch.cumsum(values, 0).cpu().numpy()
    sums.tofile(str(path).replace(".input.f32", ".torch.f32"))
PYTHON
else
    echo "skipped torch.cumsum: no PyTorch with CUDA"
fi
