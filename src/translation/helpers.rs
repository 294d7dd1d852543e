//! Functions that some operations call in WGSL and CUDA C++. A program declares those it uses.

use super::Text;

struct Helper {
    name: &'static str,
    wgsl: &'static str,
    cuda: &'static str,
}

/// A helper stands before those that call it.
const HELPERS: &[Helper] = &[
    Helper {
        name: "float_of",
        // Read from a variable, the bits are no constant: WGSL knows no constant that is infinite or NaN.
        wgsl: "fn float_of(bits: u32) -> f32 {\n    var known_when_run = bits;\n    \
               return bitcast<f32>(known_when_run);\n}\n",
        cuda: "__device__ inline float float_of(unsigned bits) {\n    return __uint_as_float(bits);\n}\n",
    },
    Helper {
        name: "is_nan",
        wgsl: "fn is_nan(x: f32) -> bool {\n    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;\n}\n",
        cuda: "__device__ inline bool is_nan(float x) {\n    \
               return (__float_as_uint(x) & 0x7fffffffu) > 0x7f800000u;\n}\n",
    },
    Helper {
        name: "rank_of_float",
        wgsl: "/// Integers in the order of the floats, −0 before +0.\n\
               fn rank_of_float(x: f32) -> i32 {\n    let bits = bitcast<i32>(x);\n    \
               return bits ^ ((bits >> 31u) & 0x7fffffff);\n}\n",
        cuda: "__device__ inline int rank_of_float(float x) {\n    int bits = __float_as_int(x);\n    \
               return bits ^ ((bits >> 31) & 0x7fffffff);\n}\n",
    },
    Helper {
        name: "min_of_floats",
        wgsl: "fn min_of_floats(a: f32, b: f32) -> f32 {\n    \
               let second = is_nan(a) || (!is_nan(b) && rank_of_float(b) < rank_of_float(a));\n    \
               return select(a, b, second);\n}\n",
        cuda: "__device__ inline float min_of_floats(float a, float b) {\n    \
               bool second = is_nan(a) || (!is_nan(b) && rank_of_float(b) < rank_of_float(a));\n    \
               return second ? b : a;\n}\n",
    },
    Helper {
        name: "max_of_floats",
        wgsl: "fn max_of_floats(a: f32, b: f32) -> f32 {\n    \
               let second = is_nan(a) || (!is_nan(b) && rank_of_float(b) > rank_of_float(a));\n    \
               return select(a, b, second);\n}\n",
        cuda: "__device__ inline float max_of_floats(float a, float b) {\n    \
               bool second = is_nan(a) || (!is_nan(b) && rank_of_float(b) > rank_of_float(a));\n    \
               return second ? b : a;\n}\n",
    },
    Helper {
        name: "clamp_of_floats",
        wgsl: "fn clamp_of_floats(x: f32, low: f32, high: f32) -> f32 {\n    if is_nan(x) {\n        return x;\n    }\n    \
               return select(select(x, low, x < low), high, select(x, low, x < low) > high);\n}\n",
        cuda: "__device__ inline float clamp_of_floats(float x, float low, float high) {\n    \
               if (is_nan(x)) {\n        return x;\n    }\n    float raised = x < low ? low : x;\n    \
               return raised > high ? high : raised;\n}\n",
    },
    Helper {
        name: "u32_of_float",
        wgsl: "fn u32_of_float(x: f32) -> u32 {\n    if is_nan(x) || x <= 0.0f {\n        return 0u;\n    }\n    \
               if x >= 4294967296.0f {\n        return 4294967295u;\n    }\n    return u32(x);\n}\n",
        cuda: "__device__ inline unsigned u32_of_float(float x) {\n    if (is_nan(x) || x <= 0.0f) {\n        \
               return 0u;\n    }\n    return x >= 4294967296.0f ? 4294967295u : (unsigned)x;\n}\n",
    },
    Helper {
        name: "i32_of_float",
        wgsl: "fn i32_of_float(x: f32) -> i32 {\n    if is_nan(x) {\n        return 0i;\n    }\n    \
               if x >= 2147483648.0f {\n        return 2147483647i;\n    }\n    \
               if x <= -2147483648.0f {\n        return -2147483647i - 1i;\n    }\n    return i32(x);\n}\n",
        cuda: "__device__ inline int i32_of_float(float x) {\n    if (is_nan(x)) {\n        return 0;\n    }\n    \
               if (x >= 2147483648.0f) {\n        return 2147483647;\n    }\n    \
               return x <= -2147483648.0f ? -2147483647 - 1 : (int)x;\n}\n",
    },
    Helper {
        name: "quotient_of_u32",
        wgsl: "fn quotient_of_u32(a: u32, b: u32) -> u32 {\n    return a / select(b, 1u, b == 0u);\n}\n",
        cuda: "__device__ inline unsigned quotient_of_u32(unsigned a, unsigned b) {\n    \
               return b == 0u ? a : a / b;\n}\n",
    },
    Helper {
        name: "remainder_of_u32",
        wgsl: "fn remainder_of_u32(a: u32, b: u32) -> u32 {\n    return a % select(b, 1u, b == 0u);\n}\n",
        cuda: "__device__ inline unsigned remainder_of_u32(unsigned a, unsigned b) {\n    \
               return b == 0u ? 0u : a % b;\n}\n",
    },
    Helper {
        name: "quotient_of_i32",
        // `a / 1` is what `a / 0` and `i32::MIN / -1` give.
        wgsl: "fn quotient_of_i32(a: i32, b: i32) -> i32 {\n    \
               return a / select(b, 1i, b == 0i || (b == -1i && a == -2147483647i - 1i));\n}\n",
        cuda: "__device__ inline int quotient_of_i32(int a, int b) {\n    \
               return b == 0 || (b == -1 && a == -2147483647 - 1) ? a : a / b;\n}\n",
    },
    Helper {
        name: "remainder_of_i32",
        wgsl: "fn remainder_of_i32(a: i32, b: i32) -> i32 {\n    \
               return a % select(b, 1i, b == 0i || (b == -1i && a == -2147483647i - 1i));\n}\n",
        cuda: "__device__ inline int remainder_of_i32(int a, int b) {\n    \
               return b == 0 || (b == -1 && a == -2147483647 - 1) ? 0 : a % b;\n}\n",
    },
    Helper {
        name: "saturating_add_of_i32",
        // The sum overflows where its sign is neither operand's.
        wgsl: "fn saturating_add_of_i32(a: i32, b: i32) -> i32 {\n    let wrapped = a + b;\n    \
               return select(wrapped, (a >> 31u) ^ 0x7fffffff, ((a ^ wrapped) & (b ^ wrapped)) < 0);\n}\n",
        cuda: "__device__ inline int saturating_add_of_i32(int a, int b) {\n    \
               int wrapped = (int)((unsigned)a + (unsigned)b);\n    \
               return ((a ^ wrapped) & (b ^ wrapped)) < 0 ? (a >> 31) ^ 0x7fffffff : wrapped;\n}\n",
    },
    Helper {
        name: "saturating_sub_of_i32",
        // `a - b` is `a + ~b + 1`.
        wgsl: "fn saturating_sub_of_i32(a: i32, b: i32) -> i32 {\n    let wrapped = a - b;\n    \
               return select(wrapped, (a >> 31u) ^ 0x7fffffff, ((a ^ wrapped) & (~b ^ wrapped)) < 0);\n}\n",
        cuda: "__device__ inline int saturating_sub_of_i32(int a, int b) {\n    \
               int wrapped = (int)((unsigned)a - (unsigned)b);\n    \
               return ((a ^ wrapped) & (~b ^ wrapped)) < 0 ? (a >> 31) ^ 0x7fffffff : wrapped;\n}\n",
    },
    Helper {
        name: "saturating_add_of_u32",
        wgsl: "fn saturating_add_of_u32(a: u32, b: u32) -> u32 {\n    return min(a, ~b) + b;\n}\n",
        cuda: "__device__ inline unsigned saturating_add_of_u32(unsigned a, unsigned b) {\n    return min(a, ~b) + b;\n}\n",
    },
    Helper {
        name: "saturating_sub_of_u32",
        wgsl: "fn saturating_sub_of_u32(a: u32, b: u32) -> u32 {\n    return max(a, b) - b;\n}\n",
        cuda: "__device__ inline unsigned saturating_sub_of_u32(unsigned a, unsigned b) {\n    return max(a, b) - b;\n}\n",
    },
    Helper {
        name: "abs_of_i32",
        // WGSL's own `abs` wraps around; C++ leaves open what its own does to the least integer.
        wgsl: "",
        cuda: "__device__ inline int abs_of_i32(int x) {\n    return x < 0 ? (int)(0u - (unsigned)x) : x;\n}\n",
    },
];

/// The helpers that `text` calls, and those that they call.
pub(crate) fn used_by(text: &Text) -> Text {
    let mut used = Text::default();
    for helper in HELPERS.iter().rev() {
        let call = format!("{}(", helper.name);
        let is_called = |text: &str, used: &str| text.contains(&call) || used.contains(&call);
        if is_called(&text.wgsl, &used.wgsl) {
            used.wgsl = format!("{}\n{}", helper.wgsl, used.wgsl);
        }
        if is_called(&text.cuda, &used.cuda) {
            used.cuda = format!("{}\n{}", helper.cuda, used.cuda);
        }
    }
    used
}
