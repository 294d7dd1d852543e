// cuSPARSE's products of a sparse matrix and a vector, on the matrices of benches/spmv.
// nvcc -O3 -std=c++17 -arch=native cusparse.cu -lcusparse -o cusparse && ./cusparse rows.json 1,64 4elt.graph
#include <cusparse.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "common.cuh"

#define SPARSE(call)                                                                            \
    do {                                                                                        \
        cusparseStatus_t status = (call);                                                       \
        if (status != CUSPARSE_STATUS_SUCCESS) {                                                \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cusparseGetErrorString(status)); \
            std::exit(1);                                                                       \
        }                                                                                       \
    } while (0)

struct Matrix {
    std::vector<int> offsets{0}, columns;
};

static Matrix read(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    const auto next = [&] {
        while (std::getline(file, line)) {
            if (line.empty() || line[0] != '%') return true;
        }
        return false;
    };
    Matrix matrix;
    next();
    const size_t rows = std::stoull(line);
    while (matrix.offsets.size() <= rows && next()) {
        std::istringstream fields(line);
        for (int vertex; fields >> vertex;) matrix.columns.push_back(vertex - 1);
        matrix.offsets.push_back(int(matrix.columns.size()));
    }
    return matrix;
}

static Matrix repeated(const Matrix& graph, int copies) {
    Matrix matrix;
    const int rows = int(graph.offsets.size()) - 1, entries = int(graph.columns.size());
    for (int c = 0; c < copies; ++c) {
        for (int i = 1; i <= rows; ++i) matrix.offsets.push_back(c * entries + graph.offsets[i]);
        for (int column : graph.columns) matrix.columns.push_back(c * rows + column);
    }
    return matrix;
}

template <class V>
static V* on_device(const std::vector<V>& values) {
    V* device;
    CHECK(cudaMalloc(&device, values.size() * sizeof(V)));
    CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(V), cudaMemcpyHostToDevice));
    return device;
}

static void add(Rows& rows, cusparseHandle_t handle, const std::string& name, const Matrix& matrix,
                cusparseSpMVAlg_t way, const char* way_name) {
    const size_t n = matrix.offsets.size() - 1, entries = matrix.columns.size();
    std::vector<float> values(entries), vector(n), found(n);
    for (size_t i = 0; i < entries; ++i) values[i] = element<float>(uint32_t(i));
    for (size_t i = 0; i < n; ++i) vector[i] = element<float>(uint32_t(i));
    int *offsets = on_device(matrix.offsets), *columns = on_device(matrix.columns);
    float *a = on_device(values), *x = on_device(vector), *y = on_device(found);
    cusparseSpMatDescr_t a_of;
    cusparseDnVecDescr_t x_of, y_of;
    SPARSE(cusparseCreateCsr(&a_of, n, n, entries, offsets, columns, a, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    SPARSE(cusparseCreateDnVec(&x_of, n, x, CUDA_R_32F));
    SPARSE(cusparseCreateDnVec(&y_of, n, y, CUDA_R_32F));
    const float one = 1, zero = 0;
    size_t bytes = 0;
    SPARSE(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a_of, x_of, &zero, y_of,
                                   CUDA_R_32F, way, &bytes));
    void* temporary;
    CHECK(cudaMalloc(&temporary, bytes + 16));
    // What can be done once for a matrix is not timed.
    SPARSE(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a_of, x_of, &zero, y_of,
                                   CUDA_R_32F, way, temporary));
    const auto run = [&] {
        SPARSE(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a_of, x_of, &zero, y_of,
                            CUDA_R_32F, way, temporary));
    };
    run();
    CHECK(cudaMemcpy(found.data(), y, n * 4, cudaMemcpyDeviceToHost));
    bool checked = true;
    for (size_t i = 0; i < n; ++i) {
        double wanted = 0;
        for (int e = matrix.offsets[i]; e < matrix.offsets[i + 1]; ++e) {
            wanted += double(values[e]) * double(vector[matrix.columns[e]]);
        }
        checked = checked && std::abs(found[i] - wanted) <= 1e-4 * wanted;
    }
    rows.add(Task::spmv, "f32", name + ", cuSPARSE " + way_name, "cuSPARSE", entries, measure(run), checked);
    for (void* memory : {(void*)offsets, (void*)columns, (void*)a, (void*)x, (void*)y, temporary}) {
        CHECK(cudaFree(memory));
    }
}

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "cusparse ROWS.json COPIES,... GRAPH...\n");
        return 2;
    }
    Rows rows;
    if (have_device()) {
        cusparseHandle_t handle;
        SPARSE(cusparseCreate(&handle));
        for (int i = 3; i < argc; ++i) {
            const std::string path = argv[i];
            const size_t slash = path.rfind('/') + 1;
            const std::string stem = path.substr(slash, path.rfind('.') - slash);
            const Matrix graph = read(path);
            std::istringstream list(argv[2]);
            for (std::string copies; std::getline(list, copies, ',');) {
                const Matrix matrix = repeated(graph, std::stoi(copies));
                const std::string name = stem + " x " + copies;
                add(rows, handle, name, matrix, CUSPARSE_SPMV_CSR_ALG1, "1");
                add(rows, handle, name, matrix, CUSPARSE_SPMV_CSR_ALG2, "2, which is deterministic");
            }
        }
        SPARSE(cusparseDestroy(handle));
    }
    rows.write(argv[1]);
    return 0;
}
