//! The kernels that look up range sums.

use super::{LANES, Source, params, snippet};

params! {
    /// Lanes that have something to do.
    count,
    /// Workgroups in a row of the grid.
    grid_x,
    /// Columns of the table.
    width,
    /// Rows of the table.
    height,
    /// Where the table is in its binding.
    table_base,
    /// Where the piece's first query is in the bound queries.
    queries_base,
    /// Where its first sum is in the bound sums.
    sums_base,
    /// Uniform structs are a multiple of 16 bytes.
    reserved,
}

/// What is added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    U32,
    I32,
    F32,
}

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    /// Sums of ranges.
    Ranges,
    /// Sums of boxes.
    Boxes,
}

/// Everything that decides a kernel's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RangeKernel {
    pub pass: Pass,
    pub term: Term,
}

impl RangeKernel {
    /// The entry point.
    pub fn name(&self) -> &'static str {
        match self.pass {
            Pass::Ranges => "ranges",
            Pass::Boxes => "boxes",
        }
    }
}

/// The whole text of `kernel`.
pub(crate) fn assemble(kernel: &RangeKernel) -> Source {
    let term = match kernel.term {
        Term::U32 => "u32",
        Term::I32 => "i32",
        Term::F32 => "f32",
    };
    let constants = format!("alias T = {term};\nconst LANES = {LANES}u;\n");
    Source::new(&[
        ("constants", &constants),
        ("params", Params::WGSL),
        match kernel.pass {
            Pass::Ranges => snippet!("kernels/ranges.wgsl"),
            Pass::Boxes => snippet!("kernels/boxes.wgsl"),
        },
    ])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::kernel::{Kernel, Operator, tests::validated};

    /// Every kernel that can be asked for.
    pub(crate) fn every_kernel() -> Vec<RangeKernel> {
        let of_terms = |pass| [Term::U32, Term::I32, Term::F32].map(|term| RangeKernel { pass, term });
        [Pass::Ranges, Pass::Boxes].into_iter().flat_map(of_terms).collect()
    }

    #[test]
    fn every_kernel_is_valid() {
        for kernel in every_kernel() {
            let (module, _) = validated(&Operator::none(), &Kernel::Range(kernel));
            assert_eq!(module.entry_points[0].name, kernel.name());
        }
    }
}
