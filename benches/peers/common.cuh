// What the CUDA peers share: options, the common input, the check, the clock and the rows.
// README.md is the protocol; the Python and Rust peers follow the same one.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t status = (call);                                                       \
        if (status != cudaSuccess) {                                                       \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                        \
                         cudaGetErrorString(status));                                      \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

struct Options {
    int min_log2 = 8;
    int max_log2 = 28;
    int step = 1;
    std::string out = "rows.json";
    std::string elements = "u32,f32";

    bool wants(const char* element) const {
        return ("," + elements + ",").find("," + std::string(element) + ",") != std::string::npos;
    }

    // Powers of two, and 10^8 where it falls between them: a size that is no power of two.
    std::vector<size_t> sizes() const {
        std::vector<size_t> all;
        for (int log2 = min_log2; log2 <= max_log2; log2 += step) all.push_back(size_t(1) << log2);
        const size_t hundred_million = 100000000;
        if (hundred_million > all.front() && hundred_million < all.back()) {
            all.insert(std::lower_bound(all.begin(), all.end(), hundred_million), hundred_million);
        }
        return all;
    }
};

inline Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; i += 2) {
        const std::string flag = argv[i];
        if (i + 1 == argc) {
            std::fprintf(stderr, "%s needs a value\n", argv[i]);
            std::exit(2);
        }
        const char* value = argv[i + 1];
        if (flag == "--min-log2") options.min_log2 = std::atoi(value);
        else if (flag == "--max-log2") options.max_log2 = std::atoi(value);
        else if (flag == "--step") options.step = std::atoi(value);
        else if (flag == "--out") options.out = value;
        else if (flag == "--elements") options.elements = value;
        else {
            std::fprintf(stderr, "unknown option %s\n", argv[i]);
            std::exit(2);
        }
    }
    // 2^30 elements keep every index and CUB's element count inside an int.
    if (options.min_log2 < 0 || options.max_log2 > 30 || options.min_log2 > options.max_log2 ||
        options.step < 1) {
        std::fprintf(stderr, "want 0 <= --min-log2 <= --max-log2 <= 30 and --step >= 1\n");
        std::exit(2);
    }
    return options;
}

// ---- The input: a hash of the index. ----

__host__ __device__ inline uint32_t mix(uint32_t i) {
    uint32_t x = i * 0x9E3779B9u + 0x85EBCA6Bu;
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
    x ^= x >> 16;
    return x;
}

template <class T>
__host__ __device__ inline T element(uint32_t i) {
    if constexpr (std::is_same_v<T, float>) {
        return float(mix(i) >> 8) * 0x1p-24f;  // exact: 24 bits fit a float
    } else {
        return mix(i);
    }
}

template <class T>
__global__ void fill(T* data, size_t n) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        data[i] = element<T>(uint32_t(i));
    }
}

// ---- The check. ----

// Every f32 input is k * 2^-24 with k < 2^24, so the running sum of the k stays an exact integer in
// 64 bits, and below 2^53 times 2^-24 it is an exact double: the reference has no rounding at all.
template <class T>
using Reference = std::conditional_t<std::is_same_v<T, float>, double, uint32_t>;

// The inclusive prefixes, summed one after the other on the host, then kept on the device. The
// first n of them serve every size up to n, since an element depends on its index only.
template <class T>
Reference<T>* reference_prefixes(size_t n) {
    Reference<T>* device;
    CHECK(cudaMalloc(&device, n * sizeof(Reference<T>)));
    std::vector<Reference<T>> chunk(std::min(n, size_t(1) << 22));
    uint64_t sum = 0;
    for (size_t start = 0; start < n; start += chunk.size()) {
        const size_t count = std::min(chunk.size(), n - start);
        for (size_t i = 0; i < count; ++i) {
            const uint32_t bits = mix(uint32_t(start + i));
            if constexpr (std::is_same_v<T, float>) {
                sum += bits >> 8;
                chunk[i] = double(sum) * 0x1p-24;
            } else {
                sum += bits;
                chunk[i] = uint32_t(sum);
            }
        }
        CHECK(cudaMemcpy(device + start, chunk.data(), count * sizeof(Reference<T>),
                         cudaMemcpyHostToDevice));
    }
    return device;
}

enum class Task { inclusive_sum, exclusive_sum, copy, sort_keys, sort_pairs, scan, by_key, reduce, compact, spmv };

inline const char* name(Task task) {
    switch (task) {
        case Task::inclusive_sum: return "inclusive_sum";
        case Task::exclusive_sum: return "exclusive_sum";
        case Task::sort_keys: return "sort_keys";
        case Task::sort_pairs: return "sort_pairs";
        case Task::scan: return "scan";
        case Task::by_key: return "by_key";
        case Task::reduce: return "reduce";
        case Task::compact: return "compact";
        case Task::spmv: return "spmv";
        default: return "copy";
    }
}

// The largest relative error that a sum of floats may have; README.md says why this one.
constexpr double tolerance = 1e-4;

template <class T>
__global__ void count_wrong(Task task, const T* got, const Reference<T>* prefixes, size_t n,
                            unsigned long long* wrong) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        bool right;
        if (task == Task::copy) {
            right = got[i] == element<T>(uint32_t(i));
        } else {
            const bool exclusive = task == Task::exclusive_sum;
            const Reference<T> want =
                exclusive ? (i == 0 ? Reference<T>(0) : prefixes[i - 1]) : prefixes[i];
            if constexpr (std::is_same_v<T, float>) {
                // Written so that a NaN is wrong. 2^-24 is the smallest prefix that is not zero.
                right = fabs(double(got[i]) - want) <= tolerance * fmax(want, 0x1p-24);
            } else {
                right = got[i] == want;
            }
        }
        if (!right) atomicAdd(wrong, 1ull);
    }
}

template <class T>
bool right(Task task, const T* got, const Reference<T>* prefixes, size_t n) {
    unsigned long long* wrong;
    unsigned long long count = 0;
    CHECK(cudaMalloc(&wrong, sizeof(count)));
    CHECK(cudaMemset(wrong, 0, sizeof(count)));
    count_wrong<<<1024, 256>>>(task, got, prefixes, n, wrong);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&count, wrong, sizeof(count), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(wrong));
    if (count != 0) std::fprintf(stderr, "%llu of %zu elements are wrong\n", count, n);
    return count == 0;
}

// ---- The clock. ----

struct Times {
    double median_us, min_us, max_us;
};

// Occupies the stream while the host records the work, so that the events enclose time on the
// device and not the gaps between the host's launches.
static __global__ void hold(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

template <class Run>
Times measure(Run run) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    do {
        for (int i = 0; i < 8; ++i) run();
        CHECK(cudaDeviceSynchronize());
    } while (Clock::now() - start < std::chrono::milliseconds(150));

    cudaEvent_t before, after;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    std::vector<float> samples(15);
    for (float& sample : samples) {
        hold<<<1, 1>>>(400000);  // some 200 microseconds
        CHECK(cudaEventRecord(before));
        run();
        CHECK(cudaEventRecord(after));
        CHECK(cudaEventSynchronize(after));
        CHECK(cudaEventElapsedTime(&sample, before, after));
    }
    CHECK(cudaEventDestroy(before));
    CHECK(cudaEventDestroy(after));
    std::sort(samples.begin(), samples.end());
    return {samples[samples.size() / 2] * 1e3, samples.front() * 1e3, samples.back() * 1e3};
}

// ---- The rows. ----

class Rows {
  public:
    void add(Task task, const char* element, const std::string& algorithm, const char* peer,
             size_t n, Times times, bool checked) {
        char text[512];
        std::snprintf(text, sizeof(text),
                      "{\"primitive\": \"%s\", \"element\": \"%s\", \"algorithm\": \"%s\", "
                      "\"backend\": \"cuda\", \"peer\": \"%s\", \"n\": %zu, \"median_us\": %.3f, "
                      "\"min_us\": %.3f, \"max_us\": %.3f, \"bytes\": %zu, \"checked\": %s}",
                      name(task), element, algorithm.c_str(), peer, n, times.median_us,
                      times.min_us, times.max_us, 2 * n * sizeof(uint32_t),
                      checked ? "true" : "false");
        rows.push_back(text);
    }

    // One row a line: run.sh joins the files by lines.
    void write(const std::string& path) const {
        std::FILE* file = std::fopen(path.c_str(), "w");
        if (!file) {
            std::perror(path.c_str());
            std::exit(1);
        }
        std::fprintf(file, "[\n");
        for (size_t i = 0; i < rows.size(); ++i) {
            std::fprintf(file, "%s%s\n", rows[i].c_str(), i + 1 < rows.size() ? "," : "");
        }
        std::fprintf(file, "]\n");
        if (std::fclose(file) != 0) {
            std::perror(path.c_str());
            std::exit(1);
        }
    }

  private:
    std::vector<std::string> rows;
};

// The buffers of one element type, sized for the largest n.
template <class T>
struct Data {
    T *in, *out;
    Reference<T>* prefixes;

    explicit Data(size_t n) : prefixes(reference_prefixes<T>(n)) {
        CHECK(cudaMalloc(&in, n * sizeof(T)));
        CHECK(cudaMalloc(&out, n * sizeof(T)));
        fill<<<1024, 256>>>(in, n);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
    ~Data() {
        cudaFree(in);
        cudaFree(out);
        cudaFree(prefixes);
    }

    // Checks `run` on an output full of ones, then times it.
    template <class Run>
    void row(Rows& rows, Task task, const std::string& algorithm, const char* peer, size_t n,
             Run run) {
        CHECK(cudaMemset(out, 0xFF, n * sizeof(T)));
        run();
        CHECK(cudaGetLastError());
        const bool checked = right<T>(task, out, prefixes, n);
        rows.add(task, std::is_same_v<T, float> ? "f32" : "u32", algorithm, peer, n, measure(run),
                 checked);
    }
};

inline bool have_device() {
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return true;
    std::fprintf(stderr, "skipped: no CUDA device\n");
    return false;
}
