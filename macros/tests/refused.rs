//! What the macros refuse, each at the place where it stands.
//!
//! The files under `refused` need no library: a refusal comes before its name is looked up.

#[test]
fn refusals_say_what_is_supported() {
    trybuild::TestCases::new().compile_fail("tests/refused/*.rs");
}
