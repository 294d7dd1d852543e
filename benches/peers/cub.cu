// CUB's device-wide scans, and the device-to-device copy that bounds every scan.
// nvcc -O3 -std=c++17 -arch=native cub.cu -o cub && ./cub --out rows.json
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include "common.cuh"

template <class T>
void scans(const Options& options, Rows& rows) {
    const std::vector<size_t> sizes = options.sizes();
    Data<T> data(sizes.back());
    const std::string algorithm = "single pass, CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
                                  std::to_string(CUB_MINOR_VERSION) + "." +
                                  std::to_string(CUB_SUBMINOR_VERSION);

    for (size_t n : sizes) {
        // Temporary storage is asked for and allocated here, outside the timing.
        const int count = int(n);
        size_t inclusive_bytes = 0, exclusive_bytes = 0;
        CHECK(cub::DeviceScan::InclusiveSum(nullptr, inclusive_bytes, data.in, data.out, count));
        CHECK(cub::DeviceScan::ExclusiveSum(nullptr, exclusive_bytes, data.in, data.out, count));
        size_t bytes = std::max(inclusive_bytes, exclusive_bytes);
        void* temporary;
        CHECK(cudaMalloc(&temporary, bytes));

        data.row(rows, Task::inclusive_sum, algorithm, "CUB", n, [&] {
            CHECK(cub::DeviceScan::InclusiveSum(temporary, bytes, data.in, data.out, count));
        });
        data.row(rows, Task::exclusive_sum, algorithm, "CUB", n, [&] {
            CHECK(cub::DeviceScan::ExclusiveSum(temporary, bytes, data.in, data.out, count));
        });
        CHECK(cudaFree(temporary));

        // A copy moves the same bytes whatever they mean: measured once.
        if (std::is_same_v<T, uint32_t>) {
            data.row(rows, Task::copy, "cudaMemcpyAsync, device to device", "CUDA memcpy", n, [&] {
                CHECK(cudaMemcpyAsync(data.out, data.in, n * sizeof(T), cudaMemcpyDeviceToDevice));
            });
        }
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
