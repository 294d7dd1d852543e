// The two scans that articles about CUDA teach, written here from the algorithms: one block scans one
// tile in shared memory; the tile totals are scanned by the same means; the prefixes are added back.
// nvcc -O3 -std=c++17 -arch=native articles.cu -o articles && ./articles --out rows.json
#include "common.cuh"

constexpr int tile_size = 1024;

// Hillis and Steele: log2(tile) rounds, in round k every element adds the one 2^k to its left. Two
// copies of the tile, so that a round reads what the round before wrote. One element a thread.
template <class T>
__global__ void hillis_steele_tiles(const T* in, T* out, T* totals, size_t n) {
    __shared__ T tile[2][tile_size];
    const int lane = threadIdx.x;
    const size_t i = size_t(blockIdx.x) * tile_size + lane;
    int from = 0;
    tile[from][lane] = i < n ? in[i] : T(0);
    __syncthreads();
    for (int offset = 1; offset < tile_size; offset *= 2) {
        const int to = 1 - from;
        tile[to][lane] = lane >= offset ? tile[from][lane - offset] + tile[from][lane]
                                        : tile[from][lane];
        from = to;
        __syncthreads();
    }
    if (i < n) out[i] = tile[from][lane];
    if (totals != nullptr && lane == tile_size - 1) totals[blockIdx.x] = tile[from][lane];
}

// A word of padding for every 32 keeps the strides of the tree off one and the same bank.
__device__ inline int padded(int i) { return i + (i >> 5); }

// Blelloch: sums climb a binary tree, the root is cleared, prefixes go down it. Work O(n), exclusive.
// Two elements a thread.
template <class T>
__global__ void blelloch_tiles(const T* in, T* out, T* totals, size_t n) {
    __shared__ T tile[tile_size + tile_size / 32];
    const int lane = threadIdx.x;
    const int half = tile_size / 2;
    const size_t start = size_t(blockIdx.x) * tile_size;
    tile[padded(lane)] = start + lane < n ? in[start + lane] : T(0);
    tile[padded(lane + half)] = start + lane + half < n ? in[start + lane + half] : T(0);

    int offset = 1;
    for (int active = half; active > 0; active /= 2) {
        __syncthreads();
        if (lane < active) {
            const int left = padded(offset * (2 * lane + 1) - 1);
            const int right = padded(offset * (2 * lane + 2) - 1);
            tile[right] = tile[left] + tile[right];
        }
        offset *= 2;
    }

    // Lane 0 wrote the root itself, so it may read it without another barrier.
    if (lane == 0) {
        T& root = tile[padded(tile_size - 1)];
        if (totals != nullptr) totals[blockIdx.x] = root;
        root = T(0);
    }

    for (int active = 1; active < tile_size; active *= 2) {
        offset /= 2;
        __syncthreads();
        if (lane < active) {
            const int left = padded(offset * (2 * lane + 1) - 1);
            const int right = padded(offset * (2 * lane + 2) - 1);
            const T left_total = tile[left];
            tile[left] = tile[right];
            tile[right] = tile[right] + left_total;
        }
    }
    __syncthreads();
    if (start + lane < n) out[start + lane] = tile[padded(lane)];
    if (start + lane + half < n) out[start + lane + half] = tile[padded(lane + half)];
}

// The uniform add: tile b receives the sum of all tiles before it, which an inclusive scan of the
// totals holds at b - 1 and an exclusive one at b.
template <class T>
__global__ void add_prefixes(T* out, const T* scanned_totals, int shift, size_t n) {
    const size_t i = size_t(blockIdx.x) * tile_size + threadIdx.x;
    if (int(blockIdx.x) < shift || i >= n) return;
    out[i] = scanned_totals[blockIdx.x - shift] + out[i];
}

// The tile totals of every level of the recursion, allocated outside the timing.
template <class T>
struct Levels {
    std::vector<T*> totals;

    explicit Levels(size_t n) {
        for (size_t tiles = (n + tile_size - 1) / tile_size; tiles > 1;
             tiles = (tiles + tile_size - 1) / tile_size) {
            T* buffer;
            CHECK(cudaMalloc(&buffer, tiles * sizeof(T)));
            totals.push_back(buffer);
        }
    }
    ~Levels() {
        for (T* buffer : totals) cudaFree(buffer);
    }
};

// Both kernels read their whole tile before they write it, so the totals are scanned in place.
template <class T>
void scan(bool inclusive, const T* in, T* out, size_t n, const Levels<T>& levels,
          size_t level = 0) {
    const size_t tiles = (n + tile_size - 1) / tile_size;
    T* totals = tiles > 1 ? levels.totals[level] : nullptr;
    if (inclusive) {
        hillis_steele_tiles<<<unsigned(tiles), tile_size>>>(in, out, totals, n);
    } else {
        blelloch_tiles<<<unsigned(tiles), tile_size / 2>>>(in, out, totals, n);
    }
    if (tiles > 1) {
        scan(inclusive, totals, totals, tiles, levels, level + 1);
        add_prefixes<<<unsigned(tiles), tile_size>>>(out, totals, inclusive ? 1 : 0, n);
    }
}

template <class T>
void scans(const Options& options, Rows& rows) {
    const std::vector<size_t> sizes = options.sizes();
    Data<T> data(sizes.back());
    for (size_t n : sizes) {
        const Levels<T> levels(n);
        data.row(rows, Task::inclusive_sum, "Hillis-Steele, tiles of 1024, recursion, uniform add",
                 "article Hillis-Steele (CUDA)", n,
                 [&] { scan(true, data.in, data.out, n, levels); });
        data.row(rows, Task::exclusive_sum, "Blelloch, padded tiles of 1024, recursion, uniform add",
                 "article Blelloch (CUDA)", n,
                 [&] { scan(false, data.in, data.out, n, levels); });
    }
}

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    Rows rows;
    if (have_device()) {
        if (options.wants("u32")) scans<uint32_t>(options, rows);
        if (options.wants("f32")) scans<float>(options, rows);
    }
    rows.write(options.out);
}
