//! What is made of scans: totals, compaction, sorts and histograms.

use std::borrow::Cow;

use gpuscan::{Element, GpuCompact, GpuHistogram, GpuRadixSort, GpuReduce, Max, Min, Predicate, Sum};
use wasm_bindgen::prelude::*;

use crate::array::{Array, each};
use crate::{Scanner, with_operator};

#[wasm_bindgen]
impl Scanner {
    /// The total of `input` under an operator, into the one element of `output`.
    pub fn reduce(&self, operator: &str, input: &Array, output: &Array) -> Result<(), JsError> {
        let arrays = input.same_kind(output)?;
        with_operator!(operator, monoid => {
            let reduce = GpuReduce::with_monoid(&self.0, monoid);
            each!(arrays, (input, output) => reduce.reduce_into(input, output)?);
        });
        Ok(())
    }

    /// The elements of `input` whose flag is not 0, side by side at the front of `output`; how many, in `count`.
    pub fn compact_flagged(
        &self,
        input: &Array,
        flags: &Array,
        output: &Array,
        count: &Array,
    ) -> Result<(), JsError> {
        let (flags, count) = (flags.words("flags")?, count.words("a count")?);
        each!(input.same_kind(output)?, (input, output) => {
            GpuCompact::new(&self.0).of(input).flagged(flags).run_into(output, count)?;
        });
        Ok(())
    }

    /// The same for the elements of which a WGSL expression of `value` is true.
    pub fn compact_where(
        &self,
        input: &Array,
        condition: String,
        output: &Array,
        count: &Array,
    ) -> Result<(), JsError> {
        let (condition, count) = (Where(condition), count.words("a count")?);
        each!(input.same_kind(output)?, (input, output) => {
            GpuCompact::new(&self.0).of(input).keeping(&condition).run_into(output, count)?;
        });
        Ok(())
    }

    /// The keys in order into `sorted`, which may be the same array.
    pub fn sort(&self, descending: bool, keys: &Array, sorted: &Array) -> Result<(), JsError> {
        let sort = self.sorting(descending);
        each!(keys.same_kind(sorted)?, (keys, sorted) => sort.sort_into(keys, sorted)?);
        Ok(())
    }

    /// Where each of the keys in order is to be found.
    pub fn argsort(&self, descending: bool, keys: &Array, indices: &Array) -> Result<(), JsError> {
        let (sort, indices) = (self.sorting(descending), indices.words("indices")?);
        each!(&keys.0, keys => sort.argsort_into(keys, indices)?);
        Ok(())
    }

    /// How many samples are in each of as many bins of one width as there are counts.
    pub fn histogram(&self, from: f64, to: f64, samples: &Array, counts: &Array) -> Result<(), JsError> {
        let counts = counts.words("counts")?;
        // Too many bins are an error further down, with their number.
        let bins = u32::try_from(counts.len()).unwrap_or(u32::MAX);
        each!(&samples.0, samples => {
            GpuHistogram::even(&self.0, bins, from..to)?.histogram_into(samples, counts)?;
        });
        Ok(())
    }

    fn sorting(&self, descending: bool) -> GpuRadixSort {
        let sort = GpuRadixSort::new(&self.0);
        if descending { sort.descending() } else { sort }
    }
}

/// A condition that the page wrote.
#[derive(Clone)]
struct Where(String);

impl<A: Element> Predicate<A> for Where {
    fn keeps(&self, _: A) -> bool {
        unreachable!("a condition in WGSL is for GPUs, and nothing else is opened here")
    }

    fn wgsl(&self) -> Cow<'static, str> {
        format!("return {};", self.0).into()
    }
}
