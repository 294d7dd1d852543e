use gpuscan_macros::Element;

#[derive(Element)]
struct AnyOrder {
    a: f32,
}

#[repr(C, packed)]
#[derive(Element)]
struct Packed {
    a: f32,
}

#[repr(C)]
#[derive(Element)]
struct Generic<T> {
    a: T,
}

#[repr(C)]
#[derive(Element)]
struct Tuple(f32, f32);

#[repr(C)]
#[derive(Element)]
struct Unit;

#[repr(C)]
#[derive(Element)]
struct Empty {}

#[repr(C)]
#[derive(Element)]
enum Enumeration {
    A,
}

#[repr(C)]
#[derive(Element)]
struct Flag {
    raised: bool,
}

#[repr(C)]
#[derive(Element)]
struct Narrow {
    a: u32,
    b: u8,
}

#[repr(C)]
#[derive(Element)]
struct Borrowed {
    a: &'static f32,
}

#[repr(C)]
#[derive(Element)]
struct Nested {
    a: [[f32; 2]; 2],
}

#[repr(C)]
#[derive(Element)]
struct Reserved {
    target: f32,
}

#[repr(C)]
#[derive(Element)]
struct ReservedRaw {
    r#final: f32,
}

#[repr(C)]
#[derive(Element)]
struct ReservedInCuda {
    short: f32,
}

#[repr(C)]
#[derive(Element)]
#[allow(non_camel_case_types)]
struct sampler {
    a: f32,
}

#[repr(C)]
#[derive(Element)]
struct Underscores {
    __a: f32,
}

fn main() {}
