//! Plans of range sums, from tables that scans have made.

use super::{Binding, Dispatch, Place, Plan, Region};
use crate::{
    error::Error,
    kernel::{
        Kernel, LANES,
        range::{Params, Pass, RangeKernel, Term},
    },
    tuning::Capabilities,
};

/// Bytes in a term, and in each number of a query.
const WORD: u64 = size_of::<u32>() as u64;

/// A table of running sums; of one row, if it is not an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub term: Term,
    pub width: u32,
    pub height: u32,
    pub place: Place,
}

impl Table {
    /// Rows and columns.
    pub fn lens(&self) -> [usize; 2] {
        [self.height as usize, self.width as usize]
    }

    fn len(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// Something has to be bound even of an empty one.
    fn bind(&self, slot: u32, region: Region, capabilities: &Capabilities) -> Result<(Binding, u32), Error> {
        let offset = if self.len() == 0 { 0 } else { self.place.offset };
        let bound = bind(slot, region, offset, self.len().max(1), capabilities);
        capabilities.fits("a table of sums", &bound.0.range)?;
        Ok(bound)
    }
}

/// What is asked of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// From one place to another: two numbers.
    Ranges,
    /// Left, top, right and bottom.
    Boxes,
}

impl Shape {
    /// Words in a query.
    pub fn words(self) -> u64 {
        match self {
            Shape::Ranges => 2,
            Shape::Boxes => 4,
        }
    }
}

/// Plans the answers to `count` queries. Buffers: table, queries, sums.
pub(crate) fn query(
    shape: Shape,
    table: &Table,
    count: u64,
    queries: Place,
    sums: Place,
    capabilities: &Capabilities,
) -> Result<Plan, Error> {
    let (table_binding, table_base) = table.bind(1, Region::Buffer(0), capabilities)?;
    let room = capabilities.widest_binding().saturating_sub(capabilities.binding_alignment);
    let groups = u64::from(capabilities.max_groups);
    let covered = groups.saturating_mul(groups).saturating_mul(LANES.into());
    let step = (room / WORD / shape.words()).min(covered);
    if step == 0 {
        return Err(Error::Unsupported {
            what: "bytes in a storage binding",
            expected: shape.words() * WORD + capabilities.binding_alignment,
            found: capabilities.widest_binding(),
        });
    }
    let pass = match shape {
        Shape::Ranges => Pass::Ranges,
        Shape::Boxes => Pass::Boxes,
    };
    let mut plan = Plan::default();
    for start in (0..count).step_by(step as usize) {
        let count = step.min(count - start);
        let words = shape.words();
        let (queries, queries_base) =
            bind(2, Region::Buffer(1), queries.offset + start * words * WORD, count * words, capabilities);
        let (sums, sums_base) = bind(3, Region::Buffer(2), sums.offset + start * WORD, count, capabilities);
        let grid = capabilities.grid(count.div_ceil(LANES.into()))?;
        plan.dispatches.push(Dispatch {
            counted: None,
            kernel: Kernel::Range(RangeKernel { pass, term: table.term }),
            grid,
            params: Params {
                count: count as u32,
                grid_x: grid[0],
                width: table.width,
                height: table.height,
                table_base,
                queries_base,
                sums_base,
                ..Params::default()
            }
            .into(),
            bindings: vec![table_binding.clone(), queries, sums],
        });
    }
    Ok(plan)
}

/// Binds `count` words from byte `start` on, and says where the first is in the binding.
fn bind(slot: u32, region: Region, start: u64, count: u64, capabilities: &Capabilities) -> (Binding, u32) {
    let bound = capabilities.aligned(start);
    (Binding { slot, region, range: bound..start + count * WORD }, ((start - bound) / WORD) as u32)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::kernel::{Operator, tests::storage_bindings};

    /// Bindings that devices accept and kernels use, and grids that cover all.
    #[test]
    fn every_plan_is_sound() {
        let small = Capabilities { max_binding: 40 << 10, max_groups: 5, ..Capabilities::usual() };
        let wide = Capabilities { max_binding: u64::MAX, binding_alignment: 32, ..Capabilities::usual() };
        let mut kernels = HashSet::new();
        for device in [Capabilities::usual(), small, wide] {
            for (width, height) in [(0, 0), (1, 1), (1, 9), (9, 1), (100, 99)] {
                for at in [0, 1, 64] {
                    let place = Place { offset: at * WORD, buffer: u64::MAX };
                    for term in [Term::U32, Term::F32] {
                        let table = Table { term, width, height, place };
                        let mut asked = 0;
                        let mut dispatches = Vec::new();
                        for shape in [Shape::Ranges, Shape::Boxes] {
                            let plan = query(shape, &table, 30_000, place, place, &device).expect("a plan");
                            let counts = plan.dispatches.iter().map(|dispatch| dispatch.params[0]);
                            asked += counts.sum::<u32>();
                            dispatches.extend(plan.dispatches);
                        }
                        assert_eq!(asked, 60_000);
                        for dispatch in &dispatches {
                            let what = format!("{dispatch:?} on {device:?}");
                            for Binding { range, .. } in &dispatch.bindings {
                                assert!(range.start.is_multiple_of(device.binding_alignment), "{what}");
                                assert!(range.end - range.start <= device.widest_binding(), "{what}");
                                assert!(range.start < range.end, "{what}");
                            }
                            let [x, y] = dispatch.grid;
                            assert!(x.max(y) <= device.max_groups && x.min(y) > 0, "{what}");
                            assert!(x * y * LANES >= dispatch.params[0], "{what}");
                            if kernels.insert(dispatch.kernel) {
                                let slots: Vec<u32> =
                                    dispatch.bindings.iter().map(|binding| binding.slot).collect();
                                let used = storage_bindings(&Operator::none(), &dispatch.kernel);
                                assert_eq!(slots, used, "{what}");
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(kernels.len(), 4);
    }

    #[test]
    fn limits_are_named() {
        let small = Capabilities { max_binding: 4 << 10, ..Capabilities::usual() };
        let place = Place { offset: 0, buffer: u64::MAX };
        let table = Table { term: Term::U32, width: 1025, height: 1, place };
        let error = query(Shape::Boxes, &table, 1, place, place, &small).expect_err("too wide");
        assert!(matches!(error, Error::TooLarge { expected: 4096, found: 4100, .. }), "{error:?}");
    }
}
