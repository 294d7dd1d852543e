// CUB's device-wide radix sorts of u32 keys, alone and with their indices as values.
// nvcc -O3 -std=c++17 -arch=native cub_sort.cu -o cub_sort && ./cub_sort --out rows.json
#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>

#include "common.cuh"

__global__ void iota(uint32_t* data, size_t n) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        data[i] = uint32_t(i);
    }
}

// Pairs that ascend strictly, each key that of its index, are n different pairs: all of them, in order.
__global__ void count_wrong_pairs(const uint32_t* keys, const uint32_t* values, size_t n,
                                  unsigned long long* wrong) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        const bool right = values[i] < n && keys[i] == element<uint32_t>(values[i]) &&
                           (i == 0 || keys[i - 1] < keys[i] ||
                            (keys[i - 1] == keys[i] && values[i - 1] < values[i]));
        if (!right) atomicAdd(wrong, 1ull);
    }
}

__global__ void count_different(const uint32_t* a, const uint32_t* b, size_t n, unsigned long long* wrong) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        if (a[i] != b[i]) atomicAdd(wrong, 1ull);
    }
}

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    Rows rows;
    if (have_device() && options.wants("u32")) {
        const std::vector<size_t> sizes = options.sizes();
        const size_t most = sizes.back();
        uint32_t *keys, *sorted, *values, *moved, *alone;
        unsigned long long* wrong;
        for (uint32_t** data : {&keys, &sorted, &values, &moved, &alone}) {
            CHECK(cudaMalloc(data, most * sizeof(uint32_t)));
        }
        CHECK(cudaMallocManaged(&wrong, sizeof(*wrong)));
        fill<<<1024, 256>>>(keys, most);
        iota<<<1024, 256>>>(values, most);
        const std::string algorithm = "radix, random keys, CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
                                      std::to_string(CUB_MINOR_VERSION) + "." +
                                      std::to_string(CUB_SUBMINOR_VERSION);
        for (size_t n : sizes) {
            const int count = int(n);
            size_t keys_bytes = 0, pairs_bytes = 0;
            CHECK(cub::DeviceRadixSort::SortKeys(nullptr, keys_bytes, keys, alone, count));
            CHECK(cub::DeviceRadixSort::SortPairs(nullptr, pairs_bytes, keys, sorted, values, moved, count));
            size_t bytes = std::max(keys_bytes, pairs_bytes);
            void* temporary;
            CHECK(cudaMalloc(&temporary, bytes));
            const auto sort_keys = [&] {
                CHECK(cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, alone, count));
            };
            const auto sort_pairs = [&] {
                CHECK(cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, sorted, values, moved, count));
            };
            sort_keys();
            sort_pairs();
            *wrong = 0;
            count_wrong_pairs<<<1024, 256>>>(sorted, moved, n, wrong);
            CHECK(cudaDeviceSynchronize());
            const bool pairs_right = *wrong == 0;
            count_different<<<1024, 256>>>(sorted, alone, n, wrong);
            CHECK(cudaDeviceSynchronize());
            rows.add(Task::sort_keys, "u32", algorithm, "CUB", n, measure(sort_keys), *wrong == 0);
            rows.add(Task::sort_pairs, "u32", algorithm, "CUB", n, measure(sort_pairs), pairs_right);
            CHECK(cudaFree(temporary));
        }
    }
    rows.write(options.out);
}
