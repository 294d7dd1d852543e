//! Without a GPU: NVRTC compiles for any architecture. It has to be there; `cargo xtask test` installs it.

use std::borrow::Cow;

use super::{compile::compile, kernel, library};
use crate::{
    error::Error,
    kernel::{
        Kernel, Operator,
        scan::{Access, Lanes, Pass, ScanKernel},
    },
    monoid::{Monoid, Sum},
};

/// The oldest architecture, and that of the H200.
const ARCHITECTURES: [&str; 2] = ["sm_75", "sm_90"];
/// A driver for which NVRTC of any version will do.
const ANY_DRIVER: i32 = 1_000_000;

fn sums() -> [Operator; 3] {
    [Operator::in_cuda::<u32, _>(&Sum), Operator::in_cuda::<i32, _>(&Sum), Operator::in_cuda::<f32, _>(&Sum)]
        .map(|operator| operator.expect("Sum has a text"))
}

/// Every kernel that a plan may ask for.
fn every_kernel() -> Vec<ScanKernel> {
    let mut kernels = Vec::new();
    let mut add = |pass, per_lane, access, exclusive, trace| {
        let lanes = Lanes::Subgroup;
        let plain = ScanKernel::plain(pass);
        kernels.push(ScanKernel { lanes, per_lane, access, exclusive, maps: true, trace, ..plain });
    };
    for per_lane in [1, 2, 4, 8] {
        add(Pass::Fold, per_lane, Access::Elements, false, false);
        for access in [Access::Quads, Access::Elements] {
            add(Pass::Reduce, per_lane, access, false, false);
            for exclusive in [false, true] {
                add(Pass::Scan, per_lane, access, exclusive, false);
                add(Pass::LookBack, per_lane, access, exclusive, false);
            }
        }
    }
    for (pass, per_lane) in [(Pass::HillisSteele, 1), (Pass::Blelloch, 2)] {
        for exclusive in [false, true] {
            for trace in [false, true] {
                add(pass, per_lane, Access::Elements, exclusive, trace);
            }
        }
        add(Pass::UniformAdd, per_lane, Access::Elements, false, false);
    }
    kernels
}

#[test]
fn every_kernel_compiles() {
    library::nvrtc(ANY_DRIVER).expect("this test needs NVRTC");
    for architecture in ARCHITECTURES {
        for operator in sums() {
            for kernel in every_kernel() {
                let source = kernel::assemble(&operator, &kernel);
                let code = compile(kernel.pass.name(), &source, architecture)
                    .unwrap_or_else(|error| panic!("{kernel:?} of {operator:?} for {architecture}: {error}"));
                assert!(code.starts_with(b"\x7fELF"), "{kernel:?}");
                let name = kernel.pass.name().as_bytes();
                assert!(code.windows(name.len()).any(|window| window == name), "{kernel:?}");
            }
        }
    }
}

/// An operator of a test's own.
#[derive(Clone)]
struct With(Option<&'static str>);

impl Monoid<u32> for With {
    fn identity(&self) -> u32 {
        0
    }

    fn combine(&self, left: u32, right: u32) -> u32 {
        left | right
    }

    fn wgsl(&self) -> Cow<'static, str> {
        unreachable!("only its CUDA text is looked at")
    }

    fn cuda(&self) -> Option<Cow<'static, str>> {
        self.0.map(Cow::from)
    }
}

fn reduce() -> ScanKernel {
    every_kernel().into_iter().find(|kernel| kernel.pass == Pass::Reduce).expect("there is one")
}

#[test]
fn a_fault_is_found_in_the_operators_own_text() {
    library::nvrtc(ANY_DRIVER).expect("this test needs NVRTC");
    let text = "__device__ T identity() { return 0; }\n// two\n__device__ T combine(T left, T right) { return lift; }";
    let operator = Operator::in_cuda(&With(Some(text))).expect("it has a text");
    let source = kernel::assemble(&operator, &reduce());
    let error = compile("reduce", &source, "sm_90").expect_err("there is no `lift` yet");
    let Error::Shader { kernel: "reduce", place, message } = error else { panic!("{error:?}") };
    assert_eq!(place, "operator:3");
    assert!(message.contains("\"lift\" is undefined"), "{message}");
}

#[test]
fn an_architecture_that_there_is_not() {
    library::nvrtc(ANY_DRIVER).expect("this test needs NVRTC");
    let source = kernel::assemble(&sums()[0], &reduce());
    let error = compile("reduce", &source, "sm_1").expect_err("never was");
    assert!(matches!(&error, Error::Driver { what: "compiling with NVRTC", .. }), "{error:?}");
}

#[test]
fn a_compiler_newer_than_the_driver() {
    let error = library::nvrtc(11_080).expect_err("there is no NVRTC 11 here");
    let Error::OldDriver { driver: "NVIDIA", expected, found } = &error else { panic!("{error:?}") };
    assert!(expected.starts_with("CUDA 1"), "{expected}");
    assert_eq!(found, "CUDA 11.8");
}

/// What the host makes for states is what kernels find their way in.
#[test]
fn states_are_as_large_as_their_kernels_think() {
    let operator = &sums()[0];
    // 2^28 elements: 2^15 tiles, and prefixes of 2^10 blocks at most.
    let bytes = kernel::states(operator, 1 << 15, 1 << 13);
    assert_eq!(bytes, 128 + 8 * ((1 << 15) + (1 << 10) + 1));
    let header = kernel::states_header(operator, bytes);
    assert_eq!(header.len(), 16);
    assert_eq!(u32::from_le_bytes(header[8..12].try_into().expect("four")), (1 << 15) + (1 << 10) + 1);
}

#[test]
fn a_kernel_in_one_buffer_is_that_of_two() {
    let plain = reduce();
    let in_place = Kernel::Scan(ScanKernel { in_place: true, lanes: Lanes::Workgroup, ..plain });
    assert_eq!(kernel::known(&sums()[0], &in_place), Some(plain));
}

#[test]
fn other_kernels_and_operators_are_translated() {
    let grow = Kernel::Scan(ScanKernel { pass: Pass::Grow, ..reduce() });
    assert_eq!(kernel::known(&sums()[0], &grow), None);
    assert_eq!(kernel::known(&Operator::plain::<u32, _>(&Sum), &reduce().into()), None);
    assert_eq!(Operator::in_cuda(&With(None)), None);
    assert_eq!(Operator::in_cuda::<u64, _>(&Sum), None);
}
