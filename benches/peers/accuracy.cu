// CUB's inclusive sum of a file of raw floats into another: `accuracy INPUT OUTPUT`.
#include <cub/cub.cuh>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                          \
    do {                                                                                     \
        cudaError_t status = (call);                                                         \
        if (status != cudaSuccess) {                                                         \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            std::exit(1);                                                                    \
        }                                                                                    \
    } while (0)

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: accuracy INPUT OUTPUT\n");
        return 2;
    }
    std::FILE* in = std::fopen(argv[1], "rb");
    if (!in) {
        std::perror(argv[1]);
        return 1;
    }
    std::vector<float> values;
    std::vector<float> chunk(1 << 20);
    while (size_t got = std::fread(chunk.data(), sizeof(float), chunk.size(), in)) {
        values.insert(values.end(), chunk.begin(), chunk.begin() + got);
    }
    std::fclose(in);

    float *source, *target;
    CHECK(cudaMalloc(&source, values.size() * sizeof(float)));
    CHECK(cudaMalloc(&target, values.size() * sizeof(float)));
    CHECK(cudaMemcpy(source, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    size_t bytes = 0;
    CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, source, target, values.size()));
    void* scratch;
    CHECK(cudaMalloc(&scratch, bytes));
    CHECK(cub::DeviceScan::InclusiveSum(scratch, bytes, source, target, values.size()));
    CHECK(cudaMemcpy(values.data(), target, values.size() * sizeof(float), cudaMemcpyDeviceToHost));

    std::FILE* out = std::fopen(argv[2], "wb");
    if (!out || std::fwrite(values.data(), sizeof(float), values.size(), out) != values.size()) {
        std::perror(argv[2]);
        return 1;
    }
    return std::fclose(out);
}
