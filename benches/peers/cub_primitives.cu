// CUB's reduction, selection, scan of 64-bit sums and scan by key, on the input of benches/primitives.
// nvcc -O3 -std=c++17 -arch=native cub_primitives.cu -o cub_primitives && ./cub_primitives --out rows.json
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>

#include "common.cuh"

// The predicate of benches/primitives: half of all hashes.
struct Half {
    __device__ bool operator()(uint32_t value) const { return value >> 31 == 0; }
};

__global__ void fill_wide(uint64_t* wide, uint32_t* keys, size_t n) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        wide[i] = uint64_t(element<uint32_t>(uint32_t(i))) << 20 | 1;
        keys[i] = uint32_t(i) / 100;
    }
}

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    Rows rows;
    if (have_device()) {
        const std::vector<size_t> sizes = options.sizes();
        const size_t most = sizes.back();
        uint32_t *in, *out, *keys, *count;
        uint64_t *wide, *sums;
        CHECK(cudaMalloc(&in, most * 4));
        CHECK(cudaMalloc(&out, most * 4));
        CHECK(cudaMalloc(&keys, most * 4));
        CHECK(cudaMalloc(&wide, most * 8));
        CHECK(cudaMalloc(&sums, most * 8));
        CHECK(cudaMallocManaged(&count, 4));
        fill<<<1024, 256>>>(in, most);
        fill_wide<<<1024, 256>>>(wide, keys, most);
        CHECK(cudaDeviceSynchronize());
        std::vector<uint32_t> values(most);
        CHECK(cudaMemcpy(values.data(), in, most * 4, cudaMemcpyDeviceToHost));
        const std::string algorithm = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
                                      std::to_string(CUB_MINOR_VERSION) + "." +
                                      std::to_string(CUB_SUBMINOR_VERSION);
        for (size_t n : sizes) {
            const int items = int(n);
            void* temporary = nullptr;
            size_t bytes = 0;
            // Each: ask for the temporary storage, allocate it, run once, look at the last result, time.
            const auto row = [&](Task task, const char* element, auto run, auto is_right) {
                bytes = 0;
                temporary = nullptr;
                run();
                CHECK(cudaMalloc(&temporary, bytes));
                run();
                CHECK(cudaDeviceSynchronize());
                const bool checked = is_right();
                rows.add(task, element, algorithm, "CUB", n, measure(run), checked);
                CHECK(cudaFree(temporary));
            };
            uint32_t total = 0, kept = 0, last_run = 0;
            uint64_t wide_total = 0;
            for (size_t i = 0; i < n; ++i) {
                total += values[i];
                kept += values[i] >> 31 == 0;
                last_run = (i % 100 == 0 ? 0 : last_run) + values[i];
                wide_total += uint64_t(values[i]) << 20 | 1;
            }
            const auto word = [&](const uint32_t* at) {
                uint32_t found;
                CHECK(cudaMemcpy(&found, at, 4, cudaMemcpyDeviceToHost));
                return found;
            };
            row(Task::reduce, "u32",
                [&] { CHECK(cub::DeviceReduce::Sum(temporary, bytes, in, out, items)); },
                [&] { return word(out) == total; });
            row(Task::compact, "u32",
                [&] { CHECK(cub::DeviceSelect::If(temporary, bytes, in, out, count, items, Half())); },
                [&] { return *count == kept; });
            row(Task::by_key, "u32",
                [&] { CHECK(cub::DeviceScan::InclusiveSumByKey(temporary, bytes, keys, in, out, items)); },
                [&] { return word(out + n - 1) == last_run; });
            row(Task::scan, "u64",
                [&] { CHECK(cub::DeviceScan::InclusiveSum(temporary, bytes, wide, sums, items)); },
                [&] {
                    uint64_t found;
                    CHECK(cudaMemcpy(&found, sums + n - 1, 8, cudaMemcpyDeviceToHost));
                    return found == wide_total;
                });
        }
    }
    rows.write(options.out);
}
