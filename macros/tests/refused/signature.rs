use gpuscan_macros::{function, monoid};

#[monoid()]
fn no_identity(left: u32, right: u32) -> u32 {
    left + right
}

#[monoid(identity = 0, commutative)]
fn unknown_word(left: u32, right: u32) -> u32 {
    left + right
}

#[monoid(identity = 0)]
fn unary(left: u32) -> u32 {
    left
}

#[monoid(identity = 0)]
fn mixed(left: u32, right: f32) -> u32 {
    left
}

#[function]
fn generic<T>(x: T) -> T {
    x
}

#[function]
fn nothing(x: u32) {}

#[function]
fn wide(x: u64) -> u32 {
    0
}

#[function]
fn borrowed(x: &u32) -> u32 {
    0
}

#[function]
fn pattern((x, y): (u32, u32)) -> u32 {
    x
}

#[function]
fn no_value(x: u32) -> u32 {
    let y = x;
}

#[function(fast)]
fn unknown_flag(x: u32) -> u32 {
    x
}

fn main() {}
