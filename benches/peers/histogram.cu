// CUB's device-wide histograms, with the inputs of benches/histogram.
// nvcc -O3 -std=c++17 -arch=native histogram.cu -o histogram && ./histogram --out rows.json
#include <cub/device/device_histogram.cuh>

#include "common.cuh"

struct Bench {
    std::vector<std::string> rows;

    template <class Run>
    void row(const char* element, const char* algorithm, size_t n, size_t bytes, bool checked, Run run) {
        const Times times = measure(run);
        char text[512];
        std::snprintf(text, sizeof(text),
                      "{\"primitive\": \"histogram\", \"element\": \"%s\", \"algorithm\": \"%s\", "
                      "\"backend\": \"cuda\", \"peer\": \"CUB\", \"n\": %zu, \"median_us\": %.3f, "
                      "\"min_us\": %.3f, \"max_us\": %.3f, \"bytes\": %zu, \"checked\": %s}",
                      element, algorithm, n, times.median_us, times.min_us, times.max_us, bytes,
                      checked ? "true" : "false");
        std::printf("%s\n", text);
        rows.push_back(text);
    }
};

__global__ void fill_bytes(uint8_t* data, size_t n) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        data[i] = uint8_t(mix(uint32_t(i)));
    }
}

// All samples are in range, so the counts of each channel add up to them.
static bool adds_up(const unsigned* counts, size_t bins, size_t n) {
    std::vector<unsigned> host(bins);
    CHECK(cudaMemcpy(host.data(), counts, bins * sizeof(unsigned), cudaMemcpyDeviceToHost));
    size_t sum = 0;
    for (unsigned count : host) sum += count;
    return sum == n;
}

// `call` takes temporary storage and its size, as CUB does.
template <class Call>
void histogram(Bench& bench, const char* element, const char* algorithm, size_t n, size_t bytes,
               const unsigned* counts, size_t bins, Call call) {
    size_t size = 0;
    call(nullptr, size);
    void* temporary;
    CHECK(cudaMalloc(&temporary, size));
    auto run = [&] { call(temporary, size); };
    run();
    CHECK(cudaDeviceSynchronize());
    bench.row(element, algorithm, n, bytes, adds_up(counts, bins, n), run);
    CHECK(cudaFree(temporary));
}

int main(int argc, char** argv) {
    Options options = parse(argc, argv);
    Bench bench;
    if (have_device()) {
        const size_t most = size_t(1) << options.max_log2;
        uint8_t* bytes;
        float* floats;
        unsigned* counts;
        CHECK(cudaMalloc(&bytes, most));
        CHECK(cudaMalloc(&floats, most * sizeof(float)));
        CHECK(cudaMalloc(&counts, (size_t(1) << 20) * sizeof(unsigned)));
        for (int log2 = options.min_log2; log2 <= options.max_log2; log2 += options.step) {
            const size_t n = size_t(1) << log2;
            const int count = int(n);
            fill_bytes<<<1024, 256>>>(bytes, n);
            histogram(bench, "u8", "256 even bins", n, n, counts, 256, [&](void* temporary, size_t& size) {
                CHECK(cub::DeviceHistogram::HistogramEven(temporary, size, bytes, counts, 257, 0, 256, count));
            });
            histogram(bench, "u8", "256 even bins, 4 channels", n, n, counts, 1024,
                      [&](void* temporary, size_t& size) {
                          unsigned* of[4] = {counts, counts + 256, counts + 512, counts + 768};
                          int levels[4] = {257, 257, 257, 257}, lower[4] = {0, 0, 0, 0},
                              upper[4] = {256, 256, 256, 256};
                          CHECK((cub::DeviceHistogram::MultiHistogramEven<4, 4>(temporary, size, bytes, of, levels,
                                                                                lower, upper, count / 4)));
                      });
            CHECK(cudaMemset(bytes, 77, n));
            histogram(bench, "u8", "256 even bins, all alike", n, n, counts, 256,
                      [&](void* temporary, size_t& size) {
                          CHECK(cub::DeviceHistogram::HistogramEven(temporary, size, bytes, counts, 257, 0, 256,
                                                                    count));
                      });
            fill<<<1024, 256>>>(floats, n);
            for (int bins : {10, 256, 2048, 4096, 1 << 20}) {
                const std::string name = std::to_string(bins) + " even bins";
                histogram(bench, "f32", name.c_str(), n, 4 * n, counts, bins, [&](void* temporary, size_t& size) {
                    CHECK(cub::DeviceHistogram::HistogramEven(temporary, size, floats, counts, bins + 1, 0.0f,
                                                              1.0f, count));
                });
            }
            std::vector<float> edges;
            for (int i = 0; i <= 256; ++i) edges.push_back(float((i / 256.0) * (i / 256.0)));
            float* levels;
            CHECK(cudaMalloc(&levels, edges.size() * sizeof(float)));
            CHECK(cudaMemcpy(levels, edges.data(), edges.size() * sizeof(float), cudaMemcpyHostToDevice));
            histogram(bench, "f32", "256 edges", n, 4 * n, counts, 256, [&](void* temporary, size_t& size) {
                CHECK(cub::DeviceHistogram::HistogramRange(temporary, size, floats, counts, 257, levels, count));
            });
            CHECK(cudaFree(levels));
        }
    }
    std::FILE* file = std::fopen(options.out.c_str(), "w");
    if (!file) {
        std::perror(options.out.c_str());
        return 1;
    }
    std::fprintf(file, "[\n");
    for (size_t i = 0; i < bench.rows.size(); ++i) {
        std::fprintf(file, "%s%s\n", bench.rows[i].c_str(), i + 1 < bench.rows.size() ? "," : "");
    }
    std::fprintf(file, "]\n");
    return std::fclose(file) != 0;
}
