// What naga's Metal backend takes for granted of the Metal shading language, in CUDA C++: kernels of which there is
// only a WGSL text come this way. Names and meanings are those of Apple's specification.
namespace metal {

typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar;
typedef unsigned long ulong;
typedef unsigned long long uint64_t;

template<class To, class From> To as_type(From from) {
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

/// Half a float. It is converted and nothing else.
struct half {
    ushort bits;
    half() = default;
    half(float value) {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    }
    operator float() const {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
};

// ---- vectors ----

template<class T, int N> struct vec;

template<class T> struct alignas(2 * sizeof(T)) vec<T, 2> {
    T x, y;
    vec() = default;
    constexpr explicit vec(T s) : x(s), y(s) {}
    constexpr vec(T x, T y) : x(x), y(y) {}
    template<class U> explicit vec(vec<U, 2> v) : x(T(v.x)), y(T(v.y)) {}
    T& operator[](uint i) { return (&x)[i]; }
    const T& operator[](uint i) const { return (&x)[i]; }
    template<int... I> vec<T, sizeof...(I)> at() const { return {(*this)[I]...}; }
};

template<class T> struct alignas(4 * sizeof(T)) vec<T, 3> {
    T x, y, z;
    vec() = default;
    constexpr explicit vec(T s) : x(s), y(s), z(s) {}
    constexpr vec(T x, T y, T z) : x(x), y(y), z(z) {}
    vec(vec<T, 2> a, T z) : x(a.x), y(a.y), z(z) {}
    vec(T x, vec<T, 2> a) : x(x), y(a.x), z(a.y) {}
    template<class U> explicit vec(vec<U, 3> v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
    T& operator[](uint i) { return (&x)[i]; }
    const T& operator[](uint i) const { return (&x)[i]; }
    template<int... I> vec<T, sizeof...(I)> at() const { return {(*this)[I]...}; }
};

template<class T> struct alignas(4 * sizeof(T)) vec<T, 4> {
    T x, y, z, w;
    vec() = default;
    constexpr explicit vec(T s) : x(s), y(s), z(s), w(s) {}
    constexpr vec(T x, T y, T z, T w) : x(x), y(y), z(z), w(w) {}
    vec(vec<T, 2> a, T z, T w) : x(a.x), y(a.y), z(z), w(w) {}
    vec(T x, vec<T, 2> a, T w) : x(x), y(a.x), z(a.y), w(w) {}
    vec(T x, T y, vec<T, 2> a) : x(x), y(y), z(a.x), w(a.y) {}
    vec(vec<T, 2> a, vec<T, 2> b) : x(a.x), y(a.y), z(b.x), w(b.y) {}
    vec(vec<T, 3> a, T w) : x(a.x), y(a.y), z(a.z), w(w) {}
    vec(T x, vec<T, 3> a) : x(x), y(a.x), z(a.y), w(a.z) {}
    template<class U> explicit vec(vec<U, 4> v) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(v.w)) {}
    T& operator[](uint i) { return (&x)[i]; }
    const T& operator[](uint i) const { return (&x)[i]; }
    template<int... I> vec<T, sizeof...(I)> at() const { return {(*this)[I]...}; }
};

/// Three values side by side, as structs have them.
template<class T> struct packed3 {
    T x, y, z;
    packed3() = default;
    packed3(vec<T, 3> v) : x(v.x), y(v.y), z(v.z) {}
    operator vec<T, 3>() const { return {x, y, z}; }
    T& operator[](uint i) { return (&x)[i]; }
    const T& operator[](uint i) const { return (&x)[i]; }
};

template<class T> struct packed4 {
    T x, y, z, w;
    packed4() = default;
    template<class U> explicit packed4(vec<U, 4> v) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(v.w)) {}
    template<class U> explicit operator vec<U, 4>() const { return {U(x), U(y), U(z), U(w)}; }
    T operator[](uint i) const { return (&x)[i]; }
};

#define VECTORS(type) \
    typedef vec<type, 2> type##2; \
    typedef vec<type, 3> type##3; \
    typedef vec<type, 4> type##4;
VECTORS(bool)
VECTORS(int)
VECTORS(uint)
VECTORS(float)
VECTORS(half)
#undef VECTORS
typedef packed3<bool> packed_bool3;
typedef packed3<int> packed_int3;
typedef packed3<uint> packed_uint3;
typedef packed3<float> packed_float3;
typedef packed4<signed char> packed_char4;
typedef packed4<uchar> packed_uchar4;

/// The same type, where it must not be deduced.
template<class T> struct same {
    typedef T type;
};
template<class T> using Same = typename same<T>::type;

/// `f` of each component.
template<class F, class T> auto each(F f, vec<T, 2> a) -> vec<decltype(f(a.x)), 2> { return {f(a.x), f(a.y)}; }
template<class F, class T> auto each(F f, vec<T, 3> a) -> vec<decltype(f(a.x)), 3> {
    return {f(a.x), f(a.y), f(a.z)};
}
template<class F, class T> auto each(F f, vec<T, 4> a) -> vec<decltype(f(a.x)), 4> {
    return {f(a.x), f(a.y), f(a.z), f(a.w)};
}
template<class F, class T, class U> auto each(F f, vec<T, 2> a, vec<U, 2> b) -> vec<decltype(f(a.x, b.x)), 2> {
    return {f(a.x, b.x), f(a.y, b.y)};
}
template<class F, class T, class U> auto each(F f, vec<T, 3> a, vec<U, 3> b) -> vec<decltype(f(a.x, b.x)), 3> {
    return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)};
}
template<class F, class T, class U> auto each(F f, vec<T, 4> a, vec<U, 4> b) -> vec<decltype(f(a.x, b.x)), 4> {
    return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)};
}
template<class F, class T, class U, class V>
auto each(F f, vec<T, 2> a, vec<U, 2> b, vec<V, 2> c) -> vec<decltype(f(a.x, b.x, c.x)), 2> {
    return {f(a.x, b.x, c.x), f(a.y, b.y, c.y)};
}
template<class F, class T, class U, class V>
auto each(F f, vec<T, 3> a, vec<U, 3> b, vec<V, 3> c) -> vec<decltype(f(a.x, b.x, c.x)), 3> {
    return {f(a.x, b.x, c.x), f(a.y, b.y, c.y), f(a.z, b.z, c.z)};
}
template<class F, class T, class U, class V>
auto each(F f, vec<T, 4> a, vec<U, 4> b, vec<V, 4> c) -> vec<decltype(f(a.x, b.x, c.x)), 4> {
    return {f(a.x, b.x, c.x), f(a.y, b.y, c.y), f(a.z, b.z, c.z), f(a.w, b.w, c.w)};
}

// A scalar beside a vector stands for a vector of it.
#define OPERATOR(op, R) \
    template<class T, int N> vec<R, N> operator op(vec<T, N> a, vec<T, N> b) { \
        return each([](T a, T b) { return R(a op b); }, a, b); \
    } \
    template<class T, int N> vec<R, N> operator op(vec<T, N> a, Same<T> b) { return a op vec<T, N>(b); } \
    template<class T, int N> vec<R, N> operator op(Same<T> a, vec<T, N> b) { return vec<T, N>(a) op b; }
OPERATOR(+, T)
OPERATOR(-, T)
OPERATOR(*, T)
OPERATOR(/, T)
OPERATOR(%, T)
OPERATOR(&, T)
OPERATOR(|, T)
OPERATOR(^, T)
OPERATOR(==, bool)
OPERATOR(!=, bool)
OPERATOR(<, bool)
OPERATOR(<=, bool)
OPERATOR(>, bool)
OPERATOR(>=, bool)
OPERATOR(&&, bool)
OPERATOR(||, bool)
#undef OPERATOR

#define SHIFT(op) \
    template<class T, int N> vec<T, N> operator op(vec<T, N> a, vec<uint, N> b) { \
        return each([](T a, uint b) { return T(a op b); }, a, b); \
    } \
    template<class T, int N> vec<T, N> operator op(vec<T, N> a, uint b) { return a op vec<uint, N>(b); }
SHIFT(<<)
SHIFT(>>)
#undef SHIFT

/// `a << by << b` shifts by the lowest five bits of `b`. C++ says nothing of more, and the device shifts all out.
struct By {};
constexpr By by{};
template<class T> struct ToTheLeft {
    T a;
};
template<class T> struct ToTheRight {
    T a;
};
template<class T> ToTheLeft<T> operator<<(T a, By) { return {a}; }
template<class T> ToTheRight<T> operator>>(T a, By) { return {a}; }
template<class T, class U> T operator<<(ToTheLeft<T> left, U b) { return left.a << (b & 31u); }
template<class T, class U> T operator>>(ToTheRight<T> right, U b) { return right.a >> (b & 31u); }

template<class T, int N> vec<T, N> operator-(vec<T, N> a) {
    return each([](T a) { return T(-a); }, a);
}
template<class T, int N> vec<T, N> operator~(vec<T, N> a) {
    return each([](T a) { return T(~a); }, a);
}
template<int N> vec<bool, N> operator!(vec<bool, N> a) {
    return each([](bool a) { return !a; }, a);
}
template<class T, int N> bool equal(vec<T, N> a, vec<T, N> b) {
    for (int i = 0; i < N; i++) {
        if (!(a[i] == b[i])) return false;
    }
    return true;
}

template<int N> bool all(vec<bool, N> a) { return equal(a, vec<bool, N>(true)); }
template<int N> bool any(vec<bool, N> a) { return !equal(a, vec<bool, N>(false)); }
inline bool all(bool a) { return a; }
inline bool any(bool a) { return a; }

template<class T> T select(T no, Same<T> yes, bool which) { return which ? yes : no; }
template<class T, int N> vec<T, N> select(vec<T, N> no, vec<T, N> yes, vec<bool, N> which) {
    return each([](T no, T yes, bool which) { return which ? yes : no; }, no, yes, which);
}
template<class T, int N> vec<T, N> select(vec<T, N> no, Same<T> yes, vec<bool, N> which) {
    return select(no, vec<T, N>(yes), which);
}

// ---- functions of numbers ----

#define UNARY(name, T, R, body) \
    inline R name(T a) { return body; } \
    template<int N> vec<R, N> name(vec<T, N> a) { \
        return each([](T a) { return name(a); }, a); \
    }
#define BINARY(name, T, body) \
    inline T name(T a, T b) { return body; } \
    template<int N> vec<T, N> name(vec<T, N> a, vec<T, N> b) { \
        return each([](T a, T b) { return name(a, b); }, a, b); \
    } \
    template<int N> vec<T, N> name(vec<T, N> a, T b) { return name(a, vec<T, N>(b)); }
#define TERNARY(name, T, body) \
    inline T name(T a, T b, T c) { return body; } \
    template<int N> vec<T, N> name(vec<T, N> a, vec<T, N> b, vec<T, N> c) { \
        return each([](T a, T b, T c) { return name(a, b, c); }, a, b, c); \
    } \
    template<int N> vec<T, N> name(vec<T, N> a, T b, T c) { return name(a, vec<T, N>(b), vec<T, N>(c)); } \
    template<int N> vec<T, N> name(vec<T, N> a, vec<T, N> b, T c) { return name(a, b, vec<T, N>(c)); }

BINARY(min, uint, a < b ? a : b)
BINARY(min, int, a < b ? a : b)
BINARY(min, float, fminf(a, b))
BINARY(max, uint, a > b ? a : b)
BINARY(max, int, a > b ? a : b)
BINARY(max, float, fmaxf(a, b))
TERNARY(clamp, uint, min(max(a, b), c))
TERNARY(clamp, int, min(max(a, b), c))
TERNARY(clamp, float, min(max(a, b), c))

UNARY(abs, uint, uint, a)
UNARY(abs, int, int, a < 0 ? int(0u - uint(a)) : a)
UNARY(abs, float, float, fabsf(a))
UNARY(sign, int, int, (a > 0) - (a < 0))
UNARY(sign, float, float, a > 0.0f ? 1.0f : a < 0.0f ? -1.0f : 0.0f)
UNARY(clz, uint, uint, uint(__clz(int(a))))
UNARY(clz, int, int, __clz(a))
UNARY(ctz, uint, uint, a == 0u ? 32u : uint(__ffs(int(a)) - 1))
UNARY(ctz, int, int, a == 0 ? 32 : __ffs(a) - 1)
UNARY(popcount, uint, uint, uint(__popc(a)))
UNARY(popcount, int, int, __popc(uint(a)))
UNARY(reverse_bits, uint, uint, __brev(a))
UNARY(reverse_bits, int, int, int(__brev(uint(a))))

UNARY(saturate, float, float, clamp(a, 0.0f, 1.0f))
UNARY(cos, float, float, cosf(a))
UNARY(cosh, float, float, coshf(a))
UNARY(sin, float, float, sinf(a))
UNARY(sinh, float, float, sinhf(a))
UNARY(tan, float, float, tanf(a))
UNARY(tanh, float, float, tanhf(a))
UNARY(acos, float, float, acosf(a))
UNARY(acosh, float, float, acoshf(a))
UNARY(asin, float, float, asinf(a))
UNARY(asinh, float, float, asinhf(a))
UNARY(atan, float, float, atanf(a))
UNARY(atanh, float, float, atanhf(a))
UNARY(ceil, float, float, ceilf(a))
UNARY(floor, float, float, floorf(a))
UNARY(rint, float, float, rintf(a))
UNARY(trunc, float, float, truncf(a))
UNARY(fract, float, float, a - floorf(a))
UNARY(exp, float, float, expf(a))
UNARY(exp2, float, float, exp2f(a))
UNARY(log, float, float, logf(a))
UNARY(log2, float, float, log2f(a))
UNARY(sqrt, float, float, sqrtf(a))
UNARY(rsqrt, float, float, 1.0f / sqrtf(a))
BINARY(atan2, float, atan2f(a, b))
BINARY(pow, float, powf(a, b))
BINARY(fmod, float, fmodf(a, b))
BINARY(step, float, b < a ? 0.0f : 1.0f)
TERNARY(fma, float, fmaf(a, b, c))
TERNARY(mix, float, a * (1.0f - c) + b * c)
inline float smooth(float t) { return t * t * (3.0f - 2.0f * t); }
TERNARY(smoothstep, float, smooth(saturate((c - a) / (b - a))))
#undef UNARY
#undef BINARY
#undef TERNARY

inline float ldexp(float a, int by) { return ldexpf(a, by); }
template<int N> vec<float, N> ldexp(vec<float, N> a, vec<int, N> by) {
    return each([](float a, int by) { return ldexpf(a, by); }, a, by);
}
inline float modf(float a, float& whole) { return modff(a, &whole); }
inline float frexp(float a, int& exponent) { return frexpf(a, &exponent); }
template<int N> vec<float, N> modf(vec<float, N> a, vec<float, N>& whole) {
    for (int i = 0; i < N; i++) a[i] = modf(a[i], whole[i]);
    return a;
}
template<int N> vec<float, N> frexp(vec<float, N> a, vec<int, N>& exponent) {
    for (int i = 0; i < N; i++) a[i] = frexp(a[i], exponent[i]);
    return a;
}

inline uint extract_bits(uint a, uint offset, uint count) {
    return count == 0u ? 0u : a << (32u - count - offset) >> (32u - count);
}
inline int extract_bits(int a, uint offset, uint count) {
    return count == 0u ? 0 : int(uint(a) << (32u - count - offset)) >> (32u - count);
}
inline uint insert_bits(uint a, uint bits, uint offset, uint count) {
    uint mask = count == 0u ? 0u : ~0u >> (32u - count) << offset;
    return (a & ~mask) | (offset > 31u ? 0u : bits << offset & mask);
}
inline int insert_bits(int a, int bits, uint offset, uint count) {
    return int(insert_bits(uint(a), uint(bits), offset, count));
}
template<class T, int N> vec<T, N> extract_bits(vec<T, N> a, uint offset, uint count) {
    return each([=](T a) { return extract_bits(a, offset, count); }, a);
}
template<class T, int N> vec<T, N> insert_bits(vec<T, N> a, vec<T, N> bits, uint offset, uint count) {
    return each([=](T a, T bits) { return insert_bits(a, bits, offset, count); }, a, bits);
}

// ---- numbers in parts of a word ----

inline uint rounded(float a, float low, float by) { return uint(int(rintf(clamp(a, low, 1.0f) * by))); }
inline uint pack_float_to_snorm4x8(float4 a) {
    uint word = 0u;
    for (int i = 0; i < 4; i++) word |= (rounded(a[i], -1.0f, 127.0f) & 0xffu) << 8 * i;
    return word;
}
inline uint pack_float_to_unorm4x8(float4 a) {
    uint word = 0u;
    for (int i = 0; i < 4; i++) word |= rounded(a[i], 0.0f, 255.0f) << 8 * i;
    return word;
}
inline uint pack_float_to_snorm2x16(float2 a) {
    return (rounded(a.x, -1.0f, 32767.0f) & 0xffffu) | rounded(a.y, -1.0f, 32767.0f) << 16;
}
inline uint pack_float_to_unorm2x16(float2 a) {
    return rounded(a.x, 0.0f, 65535.0f) | rounded(a.y, 0.0f, 65535.0f) << 16;
}
inline float4 unpack_snorm4x8_to_float(uint a) {
    float4 parts;
    for (int i = 0; i < 4; i++) parts[i] = fmaxf(float(int(a << (24 - 8 * i)) >> 24) / 127.0f, -1.0f);
    return parts;
}
inline float4 unpack_unorm4x8_to_float(uint a) {
    float4 parts;
    for (int i = 0; i < 4; i++) parts[i] = float(a >> 8 * i & 0xffu) / 255.0f;
    return parts;
}
inline float2 unpack_snorm2x16_to_float(uint a) {
    return {fmaxf(float(int(a << 16) >> 16) / 32767.0f, -1.0f), fmaxf(float(int(a) >> 16) / 32767.0f, -1.0f)};
}
inline float2 unpack_unorm2x16_to_float(uint a) {
    return {float(a & 0xffffu) / 65535.0f, float(a >> 16) / 65535.0f};
}

// ---- geometry ----

template<int N> float dot(vec<float, N> a, vec<float, N> b) {
    float sum = a.x * b.x;
    for (int i = 1; i < N; i++) sum = sum + a[i] * b[i];
    return sum;
}
inline float3 cross(float3 a, float3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template<int N> float length(vec<float, N> a) { return sqrtf(dot(a, a)); }
template<int N> float distance(vec<float, N> a, vec<float, N> b) { return length(a - b); }
template<int N> vec<float, N> normalize(vec<float, N> a) { return a / length(a); }
template<int N> vec<float, N> faceforward(vec<float, N> n, vec<float, N> i, vec<float, N> reference) {
    return dot(reference, i) < 0.0f ? n : -n;
}
template<int N> vec<float, N> reflect(vec<float, N> i, vec<float, N> n) { return i - n * (2.0f * dot(n, i)); }
template<int N> vec<float, N> refract(vec<float, N> i, vec<float, N> n, float eta) {
    float cosine = dot(n, i);
    float k = 1.0f - eta * eta * (1.0f - cosine * cosine);
    return k < 0.0f ? vec<float, N>(0.0f) : i * eta - n * (eta * cosine + sqrtf(k));
}

/// C columns of R numbers.
template<class T, int C, int R> struct matrix {
    vec<T, R> columns[C];
    matrix() = default;
    template<class... V> matrix(vec<T, R> first, V... others) : columns{first, others...} {}
    vec<T, R>& operator[](uint i) { return columns[i]; }
    const vec<T, R>& operator[](uint i) const { return columns[i]; }
};
#define MATRICES(C) \
    typedef matrix<float, C, 2> float##C##x2; \
    typedef matrix<float, C, 3> float##C##x3; \
    typedef matrix<float, C, 4> float##C##x4;
MATRICES(2)
MATRICES(3)
MATRICES(4)
#undef MATRICES
template<class T, int C, int R> matrix<T, C, R> operator+(matrix<T, C, R> a, matrix<T, C, R> b) {
    for (int i = 0; i < C; i++) a[i] = a[i] + b[i];
    return a;
}
template<class T, int C, int R> matrix<T, C, R> operator-(matrix<T, C, R> a, matrix<T, C, R> b) {
    for (int i = 0; i < C; i++) a[i] = a[i] - b[i];
    return a;
}
template<class T, int C, int R> matrix<T, C, R> operator*(matrix<T, C, R> a, T b) {
    for (int i = 0; i < C; i++) a[i] = a[i] * b;
    return a;
}
template<class T, int C, int R> matrix<T, C, R> operator*(T a, matrix<T, C, R> b) { return b * a; }
template<class T, int C, int R> vec<T, R> operator*(matrix<T, C, R> a, vec<T, C> b) {
    vec<T, R> sum = a[0] * b[0];
    for (int i = 1; i < C; i++) sum = sum + a[i] * b[i];
    return sum;
}
template<class T, int C, int R> vec<T, C> operator*(vec<T, R> a, matrix<T, C, R> b) {
    vec<T, C> row;
    for (int i = 0; i < C; i++) row[i] = dot(a, b[i]);
    return row;
}
template<class T, int C, int K, int R> matrix<T, C, R> operator*(matrix<T, K, R> a, matrix<T, C, K> b) {
    matrix<T, C, R> product;
    for (int i = 0; i < C; i++) product[i] = a * b[i];
    return product;
}
template<class T, int C, int R> matrix<T, R, C> transpose(matrix<T, C, R> a) {
    matrix<T, R, C> turned;
    for (int i = 0; i < C; i++) {
        for (int j = 0; j < R; j++) turned[j][i] = a[i][j];
    }
    return turned;
}
inline float determinant(float2x2 a) { return a[0].x * a[1].y - a[1].x * a[0].y; }
inline float determinant(float3x3 a) { return dot(a[0], cross(a[1], a[2])); }
inline float determinant(float4x4 a) {
    float sum = 0.0f;
    for (uint i = 0; i < 4; i++) {
        float3 others[3];
        for (uint j = 0, k = 0; j < 4; j++) {
            if (j != i) others[k++] = float3(a[j].y, a[j].z, a[j].w);
        }
        float part = a[i].x * dot(others[0], cross(others[1], others[2]));
        sum = i % 2u == 0u ? sum + part : sum - part;
    }
    return sum;
}

// ---- atomics: all of WGSL's are relaxed ----

enum memory_order { memory_order_relaxed };
template<class T> struct atomic {
    T value;
};
typedef atomic<uint> atomic_uint;
typedef atomic<int> atomic_int;

template<class T> T atomic_load_explicit(const atomic<T>* a, memory_order) {
    return __nv_atomic_load_n(const_cast<T*>(&a->value), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
template<class T> void atomic_store_explicit(atomic<T>* a, Same<T> value, memory_order) {
    __nv_atomic_store_n(&a->value, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
#define ATOMIC(name, function) \
    template<class T> T atomic_##name##_explicit(atomic<T>* a, Same<T> value, memory_order) { \
        return function(&a->value, value); \
    }
ATOMIC(exchange, atomicExch)
ATOMIC(fetch_add, atomicAdd)
ATOMIC(fetch_sub, atomicSub)
ATOMIC(fetch_and, atomicAnd)
ATOMIC(fetch_or, atomicOr)
ATOMIC(fetch_xor, atomicXor)
ATOMIC(fetch_min, atomicMin)
ATOMIC(fetch_max, atomicMax)
#undef ATOMIC
template<class T>
bool atomic_compare_exchange_weak_explicit(
    atomic<T>* a, T* expected, Same<T> value, memory_order, memory_order
) {
    T before = *expected;
    *expected = atomicCAS(&a->value, before, value);
    return *expected == before;
}

// ---- what lanes do together ----

enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
inline void threadgroup_barrier(mem_flags) { __syncthreads(); }
inline void simdgroup_barrier(mem_flags) { __syncwarp(); }

// WGSL has all lanes of a subgroup get here together, and workgroups are made of whole warps.
constexpr uint ALL_LANES = 0xffffffffu;
inline uint lane_of_warp() { return threadIdx.x % 32u; }

inline uint64_t simd_ballot(bool a) { return __ballot_sync(ALL_LANES, a); }
inline bool simd_all(bool a) { return __all_sync(ALL_LANES, a); }
inline bool simd_any(bool a) { return __any_sync(ALL_LANES, a); }

#define SHUFFLE(name, function) \
    template<class T> T name(T a, uint lane) { return function(ALL_LANES, a, lane); } \
    template<class T, int N> vec<T, N> name(vec<T, N> a, uint lane) { \
        return each([=](T a) { return name(a, lane); }, a); \
    }
SHUFFLE(simd_shuffle, __shfl_sync)
SHUFFLE(simd_broadcast, __shfl_sync)
SHUFFLE(simd_shuffle_xor, __shfl_xor_sync)
SHUFFLE(simd_shuffle_up, __shfl_up_sync)
SHUFFLE(simd_shuffle_down, __shfl_down_sync)
SHUFFLE(quad_shuffle_xor, __shfl_xor_sync)
#undef SHUFFLE
template<class T> T simd_broadcast_first(T a) { return simd_shuffle(a, 0u); }
template<class T> T quad_broadcast(T a, uint lane) { return simd_shuffle(a, (lane_of_warp() & ~3u) + lane); }

template<class F, class T> T reduced(F f, T a) {
    for (uint half = 1u; half < 32u; half *= 2u) a = f(a, simd_shuffle_xor(a, half));
    return a;
}
template<class F, class T> T scanned(F f, T a) {
    for (uint half = 1u; half < 32u; half *= 2u) {
        T left = simd_shuffle_up(a, half);
        if (lane_of_warp() >= half) a = f(left, a);
    }
    return a;
}
template<class T> T moved_on(T identity, T a) {
    T left = simd_shuffle_up(a, 1u);
    return lane_of_warp() == 0u ? identity : left;
}
#define REDUCTION(name, body) \
    template<class T> T simd_##name(T a) { \
        return reduced([](T a, T b) { return T(body); }, a); \
    }
REDUCTION(sum, a + b)
REDUCTION(product, a * b)
REDUCTION(min, min(a, b))
REDUCTION(max, max(a, b))
REDUCTION(and, a & b)
REDUCTION(or, a | b)
REDUCTION(xor, a ^ b)
#undef REDUCTION
#define PREFIXES(name, body, identity) \
    template<class T> T simd_prefix_inclusive_##name(T a) { \
        return scanned([](T a, T b) { return T(body); }, a); \
    } \
    template<class T> T simd_prefix_exclusive_##name(T a) { \
        return moved_on(T(identity), simd_prefix_inclusive_##name(a)); \
    }
PREFIXES(sum, a + b, 0)
PREFIXES(product, a * b, 1)
#undef PREFIXES

}

// ---- how a kernel is entered ----

/// What a kernel is told of a binding.
struct Buffer {
    void* start;
    unsigned bytes;
};
struct Buffers {
    Buffer at[SLOTS];
};

/// The type of argument I of a function, without its reference.
template<class T> struct Value {
    typedef T type;
};
template<class T> struct Value<T&> {
    typedef T type;
};
template<int I, class F> struct Argument;
template<class R, class A, class... B> struct Argument<0, R(A, B...)> : Value<A> {};
template<int I, class R, class A, class... B> struct Argument<I, R(A, B...)> : Argument<I - 1, R(B...)> {};

// Metal's words for address spaces: here a pointer says nothing of them.
#define device
#define threadgroup
#define thread
#define constant const
#define kernel static
