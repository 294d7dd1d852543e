#!/usr/bin/env bash
# Builds and runs every peer whose tools are here, and skips the others with a word.
#
#   benches/peers/run.sh ROWS.json [--min-log2 8] [--max-log2 28] [--step 1] [--elements u32,f32]
#
# ROWS.json becomes one JSON array of all rows. Variables: NVCC, PYTHON, and PEERS_BIN for a build of
# rust/ made elsewhere.
set -u
export PYTHONDONTWRITEBYTECODE=1

if [ $# -lt 1 ] || [ "${1#-}" != "$1" ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
out=$1
shift
options=("$@")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

say() { echo "peers: $*" >&2; }

# run NAME COMMAND...: one peer's rows into $work/NAME.json. One at a time: they share the GPU.
run() {
    local name=$1 start=$SECONDS
    shift
    # "${options[@]+…}": bash before 4.4 takes an empty array for an unset variable.
    if "$@" ${options[@]+"${options[@]}"} --out "$work/$name.json"; then
        say "$name: $(grep -c '^{' "$work/$name.json") rows in $((SECONDS - start)) s"
    else
        say "$name: FAILED"
        failed=1
    fi
}

# ---- Build. ----

nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if [ -x "$nvcc" ]; then
    # The machine code of this GPU itself; "native" where nvidia-smi cannot say which it is.
    arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -cd 0-9)
    for name in cub cub_sort cub_primitives articles histogram; do
        "$nvcc" -O3 -std=c++17 "-arch=${arch:+sm_}${arch:-native}" "$here/$name.cu" -o "$work/$name" \
            2>"$work/$name.log" &
    done
    wait
else
    say "cub, articles, histogram: skipped, no nvcc"
fi

if [ -z "${PEERS_BIN:-}" ]; then
    PEERS_BIN=$here/rust/target/release/gpuscan-peers
    if command -v cargo >/dev/null; then
        cargo build --quiet --release --locked --manifest-path "$here/rust/Cargo.toml" \
            --target-dir "$here/rust/target" --features lampshade,massively || failed=1
    fi
fi

# ---- Run, nothing else running. ----

if [ -x "$nvcc" ]; then
    for name in cub cub_sort cub_primitives articles histogram; do
        if [ -x "$work/$name" ]; then
            run "$name" "$work/$name"
        else
            say "$name: did not build:"
            cat "$work/$name.log" >&2
            failed=1
        fi
    done
fi

python=${PYTHON:-python3}
if command -v "$python" >/dev/null; then
    run torch "$python" "$here/torch_scan.py"
    run triton "$python" "$here/triton_scan.py"
else
    say "torch, triton: skipped, no $python"
fi

if [ -x "$PEERS_BIN" ]; then
    run rust "$PEERS_BIN"
else
    say "lampshade, massively, CPU: skipped, no cargo and no $PEERS_BIN"
fi

# ---- Join: every program writes one row a line. ----

{
    echo "["
    cat /dev/null "$work"/*.json 2>/dev/null | grep '^{' | sed 's/,$//; $!s/$/,/'
    echo "]"
} >"$out"
say "$out: $(grep -c '^{' "$out") rows"
if grep -q '"checked": *false' "$out"; then
    say "some results were WRONG"
    failed=1
fi
exit "$failed"
