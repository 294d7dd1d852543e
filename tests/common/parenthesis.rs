//! The operator that tests of the order use.

use std::borrow::Cow;

use gpuscan::Monoid;

/// An operator that is not associative at all shows the parenthesisation itself: no two have one result.
#[derive(Clone)]
pub struct Parenthesis;

impl Monoid<u32> for Parenthesis {
    fn identity(&self) -> u32 {
        77
    }

    fn combine(&self, left: u32, right: u32) -> u32 {
        let mixed = left.wrapping_mul(0x9e37_79b1) ^ right.wrapping_mul(0x85eb_ca77).rotate_left(13);
        mixed ^ (mixed >> 15)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "fn identity() -> T {
             return 77u;
         }
         fn combine(left: T, right: T) -> T {
             let scaled = right * 0x85ebca77u;
             let mixed = (left * 0x9e3779b1u) ^ ((scaled << 13u) | (scaled >> 19u));
             return mixed ^ (mixed >> 15u);
         }"
        .into()
    }

    fn cuda(&self) -> Option<Cow<'static, str>> {
        let text = "__device__ T identity() { return 77; }
            __device__ T combine(T left, T right) {
                T scaled = right * 0x85ebca77u;
                T mixed = (left * 0x9e3779b1u) ^ ((scaled << 13) | (scaled >> 19));
                return mixed ^ (mixed >> 15);
            }";
        Some(text.into())
    }
}
