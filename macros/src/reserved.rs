//! Words that are no names in WGSL or CUDA C++.

/// Keywords, reserved words and predeclared types of WGSL.
const WGSL: &str = "alias break case const const_assert continue continuing default diagnostic discard else enable \
    false fn for if let loop override requires return struct switch true var while \
    NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class \
    co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval \
    constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export \
    extends extern external fallthrough filter final finally friend from fxgroup get goto groupshared highp impl \
    implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut \
    mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of \
    operator package packoffset partition pass patch pixelfragment precise precision premerge priv protected pub public \
    readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm \
    static static_assert static_cast std subroutine super target template this thread_local throw trait try type \
    typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with \
    writeonly yield \
    array atomic bool f16 f32 i32 i64 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 ptr sampler \
    sampler_comparison u32 u64 vec2 vec3 vec4";

/// Keywords of CUDA C++ that WGSL does not reserve.
const CUDA: &str = "and and_eq bitand bitor char char16_t char32_t char8_t compl double float int long not not_eq or \
    or_eq private short signed unsigned void wchar_t xor xor_eq";

pub fn in_wgsl(word: &str) -> bool {
    WGSL.split_whitespace().any(|reserved| reserved == word)
}

pub fn in_cuda(word: &str) -> bool {
    CUDA.split_whitespace().any(|reserved| reserved == word)
}
