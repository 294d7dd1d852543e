//! Plans of histograms.

use super::{Binding, Dispatch, Place, Plan, Region};
use crate::{
    bins::{Even, Format},
    error::Error,
    kernel::{
        Kernel, LANES,
        histogram::{CountKernel, Counters, HistogramKernel, MOST_WORDS, Params, Search},
    },
    tuning::{self, Capabilities},
};

/// Bytes in a word, a counter, an edge and a weight.
const WORD: u64 = size_of::<u32>() as u64;
/// Counters for one channel of 8-bit samples.
const VALUES: u64 = 256;
/// More copies than lanes that run side by side gain nothing.
const MOST_COPIES: u64 = 32;

/// A histogram to be planned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Job {
    pub format: Format,
    /// Samples; a multiple of the channels.
    pub len: u64,
    /// Interleaved channels, each with bins of its own.
    pub channels: u32,
    /// Bins of a channel.
    pub bins: u32,
    /// Bins that samples can be in.
    pub reachable: u32,
    /// The keys that samples in a bin are between.
    pub keys: [u32; 2],
    pub even: Option<Even>,
    /// Clear the counters first.
    pub clear: bool,
    pub samples: Place,
    /// `channels · bins` of them.
    pub counts: Place,
    /// Keys, or the bins of values, as [`search`] says.
    pub edges: Place,
    pub weights: Option<Place>,
}

/// The buffers that the plan is run with, in this order. The last only where there are weights.
const SAMPLES: Region = Region::Buffer(0);
const COUNTS: Region = Region::Buffer(1);
const EDGES: Region = Region::Buffer(2);
const WEIGHTS: Region = Region::Buffer(3);

/// The binding slots, as the kernels declare them.
mod slot {
    pub const SAMPLES: u32 = 1;
    pub const COUNTS: u32 = 2;
    pub const EDGES: u32 = 3;
    pub const WEIGHTS: u32 = 4;
}

/// How samples find their counters, and so what `edges` has to hold.
pub(crate) fn search(format: Format, channels: u32, even: bool) -> Search {
    match (format.bits(), even) {
        (8, _) if VALUES * u64::from(channels) <= u64::from(MOST_WORDS) => Search::Values,
        (_, true) => Search::Even,
        (_, false) => Search::Edges,
    }
}

/// Where a workgroup counts, in how many copies, as a power of two, and in how many words. 16 bits a counter where 32
/// would leave one copy.
fn counters(counters: u64, weighted: bool) -> (Counters, u32, u32) {
    let wanted = u64::from(tuning::HISTOGRAM_COUNTER_WORDS);
    let most = u64::from(MOST_WORDS);
    let copies = |words: u64| (wanted / words).clamp(1, MOST_COPIES).ilog2();
    let halves = counters.div_ceil(2);
    let (kind, words) = match counters {
        few if 2 * few <= wanted => (Counters::Words, few),
        _ if !weighted && halves <= wanted => (Counters::Halves, halves),
        some if some <= most => (Counters::Words, some),
        _ => return (Counters::Global, 0, 0),
    };
    (kind, copies(words), if words <= wanted { wanted as u32 } else { MOST_WORDS })
}

/// Plans `job`. The caller has checked that all ranges lie inside their buffers, and that the counts share
/// theirs with nothing.
pub(crate) fn histogram(job: &Job, capabilities: &Capabilities) -> Result<Plan, Error> {
    let mut plan = Plan::default();
    if job.clear {
        plan.dispatches.push(clear(job, capabilities)?);
    }
    if job.reachable == 0 {
        return Ok(plan);
    }
    let search = search(job.format, job.channels, job.even.is_some());
    let of_channel = if search == Search::Values { VALUES } else { job.bins.into() };
    let (counters, copies_log2, words) =
        counters(of_channel * u64::from(job.channels), job.weights.is_some());
    let kernel = CountKernel {
        format: job.format,
        search,
        counters,
        words,
        channels: job.channels,
        weighted: job.weights.is_some(),
        steps: tuning::steps(capabilities, true),
    };
    let shape = Shape { share: share(job, counters, copies_log2), copies_log2 };
    let step = piece(job, shape.share, capabilities)?;
    for start in (0..job.len).step_by(step as usize) {
        let len = step.min(job.len - start);
        plan.dispatches.push(count(job, &kernel, shape, start, len, capabilities)?);
    }
    Ok(plan)
}

/// What workgroups have in common.
#[derive(Clone, Copy)]
struct Shape {
    /// Words for each.
    share: u64,
    copies_log2: u32,
}

/// Words for one workgroup.
fn share(job: &Job, counters: Counters, copies_log2: u32) -> u64 {
    let per_word = u64::from(u32::BITS / job.format.bits());
    let lanes = u64::from(LANES);
    let wanted = (job.len / per_word).div_ceil(tuning::HISTOGRAM_GROUPS * lanes);
    let most = match counters {
        // So many samples of all lanes that share a copy fit 16 bits.
        Counters::Halves => (u64::from(u16::MAX) << copies_log2) / lanes / per_word,
        _ => 1 << 16,
    };
    wanted.clamp(tuning::HISTOGRAM_WORDS.min(most), most) * lanes
}

/// The most samples that one dispatch can bind and cover.
fn piece(job: &Job, share: u64, capabilities: &Capabilities) -> Result<u64, Error> {
    let per_word = u64::from(u32::BITS / job.format.bits());
    // A binding may have to start before its piece, and end at the end of a word.
    let before = capabilities.binding_alignment + WORD;
    let room = capabilities.widest_binding().saturating_sub(before);
    let groups = u64::from(capabilities.max_groups);
    let bound = match job.weights {
        Some(_) => room / WORD,
        None => room / WORD * per_word,
    };
    // One word of a share may hold samples of the piece before.
    let covered = (groups.saturating_mul(groups).saturating_mul(share) - 1).saturating_mul(per_word);
    match bound.min(covered).min(1 << 31) {
        0 => Err(Error::Unsupported {
            what: "bytes in a storage binding",
            expected: before + WORD,
            found: capabilities.widest_binding(),
        }),
        most => Ok(most),
    }
}

fn clear(job: &Job, capabilities: &Capabilities) -> Result<Dispatch, Error> {
    let (counts, counts_base) = counts(job, capabilities)?;
    let count = job.channels * job.bins;
    let grid = capabilities.grid(u64::from(count).div_ceil(LANES.into()))?;
    Ok(Dispatch {
        counted: None,
        kernel: Kernel::Histogram(HistogramKernel::Clear),
        grid,
        params: Params { count, grid_x: grid[0], counts_base, ..Params::default() }.into(),
        bindings: vec![counts],
    })
}

/// The dispatch that counts samples `start..start + len`.
fn count(
    job: &Job,
    kernel: &CountKernel,
    Shape { share, copies_log2 }: Shape,
    start: u64,
    len: u64,
    capabilities: &Capabilities,
) -> Result<Dispatch, Error> {
    let bytes = u64::from(job.format.bits() / 8);
    let first = job.samples.offset + start * bytes;
    let end = (first + len * bytes).next_multiple_of(WORD);
    let bound = capabilities.aligned(first);
    let words = (end - first / WORD * WORD) / WORD;
    let groups = words.div_ceil(share);
    let grid = capabilities.grid(groups)?;

    let (counts, counts_base) = counts(job, capabilities)?;
    let edges = match kernel.search {
        Search::Values => VALUES,
        _ => job.reachable.into(),
    };
    let (edges, edges_base) = bind(slot::EDGES, EDGES, job.edges.offset, edges, capabilities);
    capabilities.fits("the edges of all bins", &edges.range)?;
    let mut bindings =
        vec![Binding { slot: slot::SAMPLES, region: SAMPLES, range: bound..end }, counts, edges];
    let mut weights_base = 0;
    if let Some(weights) = job.weights {
        let (binding, base) = bind(slot::WEIGHTS, WEIGHTS, weights.offset + start * WORD, len, capabilities);
        bindings.push(binding);
        weights_base = base;
    }
    let even = job.even.unwrap_or(Even { origin: 0, scale: 0.0, shift: 0.0, margin: 0.0 });
    Ok(Dispatch {
        counted: None,
        kernel: Kernel::Histogram(HistogramKernel::Count(*kernel)),
        grid,
        params: Params {
            count: len as u32,
            skip: (first % WORD / bytes) as u32,
            samples_base: ((first - bound) / WORD) as u32,
            words: words as u32,
            share: share as u32,
            groups: groups as u32,
            grid_x: grid[0],
            channel: (start % u64::from(job.channels)) as u32,
            counts_base,
            edges_base,
            weights_base,
            bins: job.bins,
            reachable: job.reachable,
            first_key: job.keys[0],
            last_key: job.keys[1],
            origin: even.origin,
            scale: even.scale.to_bits(),
            shift: even.shift.to_bits(),
            margin: even.margin.to_bits(),
            copies_log2,
        }
        .into(),
        bindings,
    })
}

fn counts(job: &Job, capabilities: &Capabilities) -> Result<(Binding, u32), Error> {
    let count = u64::from(job.channels) * u64::from(job.bins);
    let (binding, base) = bind(slot::COUNTS, COUNTS, job.counts.offset, count, capabilities);
    capabilities.fits("the counters of all bins", &binding.range)?;
    Ok((binding, base))
}

/// Binds `count` words from byte `start` on, and says where the first is in the binding.
fn bind(slot: u32, region: Region, start: u64, count: u64, capabilities: &Capabilities) -> (Binding, u32) {
    let bound = capabilities.aligned(start);
    (Binding { slot, region, range: bound..start + count * WORD }, ((start - bound) / WORD) as u32)
}

#[cfg(test)]
#[path = "histogram_tests.rs"]
mod tests;
