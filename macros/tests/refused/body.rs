use gpuscan_macros::function;

#[function]
fn loops(x: u32) -> u32 {
    for _ in 0..3 {}
    x
}

#[function]
fn matches(x: u32) -> u32 {
    match x {
        0 => 1,
        _ => x,
    }
}

#[function]
fn macros(x: u32) -> u32 {
    assert!(x > 0);
    x
}

#[function]
fn references(x: u32) -> u32 {
    *&x
}

#[function]
fn tuples(x: u32) -> u32 {
    let pair = (x, x);
    pair.0
}

#[function]
fn wide_literals(x: u32) -> u32 {
    x + 1u64
}

#[function]
fn texts(x: u32) -> u32 {
    "x"
}

#[function]
fn wide_casts(x: u32) -> u32 {
    x as u64 as u32
}

#[function]
fn computed_indices(x: [u32; 2], i: u32) -> u32 {
    x[i]
}

#[function]
fn unknown_methods(x: f32) -> f32 {
    x.tan()
}

#[function]
fn too_few_arguments(x: f32) -> f32 {
    x.clamp(1.0)
}

#[function]
fn rounded_differently(x: f32) -> f32 {
    x.exp()
}

#[function]
fn zero(x: u32) -> u32 {
    x / 0
}

#[function]
fn recursion(x: u32) -> u32 {
    if x == 0 { 1 } else { recursion(x - 1) }
}

#[function]
fn hidden_effects(mut x: u32) -> u32 {
    x + if x > 1 {
        x = 2;
        3
    } else {
        4
    }
}

#[function]
fn unreachable(x: u32) -> u32 {
    return x;
    x
}

#[function]
fn undeclared_places(x: u32) -> u32 {
    PLACE.x = 3;
    x
}

#[function]
fn uninitialised(x: u32) -> u32 {
    let y;
    y = x;
    y
}

#[function]
fn not_ascii(é: u32) -> u32 {
    é
}

#[function]
fn without_else(x: u32) -> u32 {
    let y = if x > 0 { 1 };
    y
}

fn main() {}
