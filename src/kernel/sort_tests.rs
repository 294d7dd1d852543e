//! What the kernels of radix sorts look like, without a device.

use super::*;
use crate::kernel::{
    Kernel, Operator,
    tests::{validated, workgroup_memory},
};

const CODES: [Code; 10] = {
    const fn code(order: Order, bits: u32) -> Code {
        Code { order, bits }
    }
    [
        code(Order::Unsigned, 8),
        code(Order::Unsigned, 16),
        code(Order::Unsigned, 32),
        code(Order::Unsigned, 64),
        code(Order::Signed, 16),
        code(Order::Signed, 32),
        code(Order::Signed, 64),
        code(Order::Float, 16),
        code(Order::Float, 32),
        code(Order::Float, 64),
    ]
};

const PAYLOADS: [Payload; 4] = [Payload::Nothing, Payload::Index, Payload::Words(1), Payload::Words(2)];

/// Every kernel that can be asked for, and some that are not.
pub(crate) fn every_kernel() -> Vec<SortKernel> {
    let count = [1, 2, 4, 8].map(|digits| Step::Count { digits });
    let mut kernels = Vec::new();
    for step in
        [Step::Clear, Step::Starts, Step::Sweep, Step::Segments, Step::Gather].into_iter().chain(count)
    {
        for code in CODES {
            for payload in PAYLOADS {
                for lanes in [Lanes::Subgroup, Lanes::Workgroup] {
                    for flags in 0..8 {
                        let (counted, scratch, few) = (flags & 1 == 1, flags & 2 == 2, flags & 4 == 4);
                        let most = if lanes == Lanes::Subgroup { 14 } else { 11 };
                        let per_lane = match step {
                            Step::Sweep if few => 3,
                            Step::Sweep => most,
                            _ if few => continue,
                            _ => COUNT_PER_LANE,
                        };
                        kernels.push(SortKernel {
                            step,
                            code,
                            payload,
                            lanes,
                            per_lane,
                            counted,
                            scratch_keys: scratch,
                            scratch_values: scratch,
                        });
                    }
                }
            }
        }
    }
    kernels
}

#[test]
fn every_kernel_is_valid_and_fits_every_device() {
    for kernel in every_kernel() {
        let (module, info) = validated(&Operator::none(), &kernel.into());
        // They are always bound, and a layout made from the text has to have a place for them.
        let (params, _) = module
            .global_variables
            .iter()
            .find(|(_, global)| global.space == naga::AddressSpace::Uniform)
            .expect("parameters");
        assert!(!info.get_entry_point(0)[params].is_empty(), "{kernel:?} uses no parameters");
        let [entry] = &module.entry_points[..] else { panic!("{kernel:?}: one entry point") };
        assert_eq!(entry.name, Kernel::from(kernel).name());
        assert_eq!(entry.workgroup_size, [LANES, 1, 1]);
        let bytes = workgroup_memory(&module);
        assert!(bytes <= 16 << 10, "{kernel:?} takes {bytes} bytes");
    }
}

#[test]
fn codes_keep_the_order() {
    let float = Code { order: Order::Float, bits: 32 };
    let ordered = [
        f32::NEG_INFINITY,
        f32::MIN,
        -1.0,
        -f32::MIN_POSITIVE,
        -1e-45,
        0.0,
        1e-45,
        f32::MIN_POSITIVE,
        1.0,
        f32::MAX,
        f32::INFINITY,
        f32::from_bits(0x7f80_0001),
        f32::from_bits(0x7fc0_0000),
        f32::from_bits(0x7fff_ffff),
        f32::from_bits(0xff80_0001),
        f32::from_bits(0xffff_ffff),
    ];
    let codes = ordered.map(|x| float.of(x.to_bits().into()));
    assert!(codes.is_sorted_by(|a, b| a < b), "{codes:x?}");
    assert_eq!(float.of(0), float.of(1 << 31), "zeros are equal");

    let double = Code { order: Order::Float, bits: 64 };
    let codes = ordered[..11].iter().map(|&x| double.of(f64::from(x).to_bits()));
    assert!(codes.is_sorted_by(|a, b| a < b));
    assert_eq!(double.of(0), double.of(1 << 63));
    // Every half: the order of their values, where there is one.
    let half = Code { order: Order::Float, bits: 16 };
    let value = |bits: u16| {
        let (sign, exponent, mantissa) = (bits >> 15, i32::from(bits >> 10 & 31), f64::from(bits & 1023));
        let magnitude = match exponent {
            0 => mantissa * 2f64.powi(-24),
            31 if bits & 1023 == 0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1.0 + mantissa / 1024.0) * 2f64.powi(exponent - 15),
        };
        if sign == 1 { -magnitude } else { magnitude }
    };
    let mut halves: Vec<u16> = (0..=u16::MAX).collect();
    halves.sort_by_key(|&bits| half.of(bits.into()));
    let nans = halves.iter().position(|&bits| value(bits).is_nan()).expect("there are NaNs");
    assert!(halves[..nans].is_sorted_by_key(|&bits| value(bits)));
    assert!(halves[nans..].iter().all(|&bits| value(bits).is_nan()));
    assert!(halves[nans..].is_sorted());
    for bits in [8, 16, 32, 64] {
        let signed = Code { order: Order::Signed, bits };
        let mask = u64::MAX >> (64 - bits);
        let codes = [1 << (bits - 1), mask, 0, 1, mask >> 1].map(|key| signed.of(key));
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:x?}");
    }
}

/// What a shader computes, for constants: naga evaluates no functions, so the texts are compared by eye, and
/// on devices by the tests of sorts. Here: their constants are those of the type.
#[test]
fn constants_are_those_of_the_type() {
    let of = |order, bits| {
        let kernel = SortKernel {
            step: Step::Sweep,
            code: Code { order, bits },
            payload: Payload::Nothing,
            lanes: Lanes::Subgroup,
            per_lane: 3,
            counted: false,
            scratch_keys: false,
            scratch_values: false,
        };
        let text = constants(&kernel);
        let find = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(&format!("const {name} "))).expect("a line");
            let value = line.rsplit(' ').next().expect("a value").trim_end_matches("u;");
            value.parse::<u32>().expect("a number")
        };
        (find("SIGN"), find("MANTISSA"))
    };
    assert_eq!(of(Order::Float, 16), (1 << 15, (1 << 10) - 1));
    assert_eq!(of(Order::Float, 32), (1 << 31, (1 << 23) - 1));
    assert_eq!(of(Order::Float, 64), (1 << 31, (1 << 20) - 1));
    assert_eq!(of(Order::Signed, 8).0, 1 << 7);
}
