//! Without a GPU: kernels go through naga and NVRTC.

use std::collections::HashSet;

use super::{compile::compile, library, translate::translate};
use crate::kernel::{Kernel, Operator, tests::every_kernel};

/// A driver for which NVRTC of any version will do.
const ANY_DRIVER: i32 = 1_000_000;

/// Kernels enough to see every choice of every pass.
fn some_of_each() -> Vec<(Operator, Kernel)> {
    let mut seen = HashSet::new();
    let mut is_new = |(operator, kernel): &(Operator, Kernel)| {
        let name = kernel.name();
        let types = format!("{:?}", [operator.input, operator.element, operator.output]);
        let choices = format!("{kernel:?}");
        let choices = choices.split(", ").chain([&*types]);
        choices.filter(|choice| seen.insert(format!("{name} {choice}"))).count() > 0
    };
    every_kernel().into_iter().filter(|kernel| is_new(kernel)).collect()
}

fn check(operator: &Operator, kernel: &Kernel, counted: bool, architecture: &str) {
    let translated = translate(operator, kernel, counted)
        .unwrap_or_else(|error| panic!("{kernel:?} of {operator:?}: {error}"));
    let code = compile(kernel.name(), &translated.source, architecture).unwrap_or_else(|error| {
        panic!("{kernel:?} of {operator:?} for {architecture}: {error}\n{}", translated.source.text)
    });
    assert!(code.starts_with(b"\x7fELF"), "{kernel:?}");
}

#[test]
fn kernels_of_every_kind_compile() {
    library::nvrtc(ANY_DRIVER).expect("this test needs NVRTC");
    let kernels = some_of_each();
    println!("{} kernels", kernels.len());
    for (operator, kernel) in &kernels {
        let start = std::time::Instant::now();
        check(operator, kernel, false, "sm_90");
        println!("{:?} {kernel:?} {:?}", start.elapsed(), operator.element);
    }
}
