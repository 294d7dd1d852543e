//! The kernels of histograms.

use super::{LANES, Source, params, scan::Steps, snippet};
use crate::bins::Format;

params! {
    /// Samples in this piece of the input; counters to clear.
    count,
    /// Samples before the piece in its first word.
    skip,
    /// Where the piece's first word is in the bound input.
    samples_base,
    /// Words that hold some of the piece.
    words,
    /// Words for one workgroup.
    share,
    /// Workgroups that have a share.
    groups,
    /// Workgroups in a row of the grid.
    grid_x,
    /// The channel of the piece's first sample.
    channel,
    /// Where the first counter is in the bound result.
    counts_base,
    /// Where the first edge is in the bound edges.
    edges_base,
    /// Where the piece's first weight is in the bound weights.
    weights_base,
    /// Bins of a channel.
    bins,
    /// Bins that a sample can be in, whatever its bits are.
    reachable,
    /// Keys outside of these two are in no bin.
    first_key,
    /// The last of them.
    last_key,
    /// The sample with the first key, if samples are floats.
    origin,
    /// Bins in a distance of one (f32).
    scale,
    /// Where the first key is, in bins (f32).
    shift,
    /// How near to an edge a computed position is not trusted, in bins (f32).
    margin,
    /// Copies of each counter in workgroup memory, as a power of two.
    copies_log2,
}

/// How samples find their counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Search {
    /// There is one for each of the 256 values.
    Values,
    /// By arithmetic, corrected by a look at the edges.
    Even,
    /// By binary search.
    Edges,
}

/// Where a workgroup counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Counters {
    /// In workgroup memory, 16 bits a counter.
    Halves,
    /// In workgroup memory, 32 bits a counter.
    Words,
    /// In the result itself.
    Global,
}

/// Words of workgroup memory for counters at most: the 16 KiB that WebGPU promises.
pub(crate) const MOST_WORDS: u32 = 4096;

/// Everything that decides a kernel's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum HistogramKernel {
    /// Zeros in every counter.
    Clear,
    /// Samples counted.
    Count(CountKernel),
}

/// What is to be known of a counting kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CountKernel {
    pub format: Format,
    pub search: Search,
    pub counters: Counters,
    /// Words of workgroup memory for them.
    pub words: u32,
    pub channels: u32,
    pub weighted: bool,
    /// How the samples of a lane are gone through.
    pub steps: Steps,
}

impl CountKernel {
    fn samples_per_word(&self) -> u32 {
        u32::BITS / self.format.bits()
    }

    /// Words that a lane has under way at once: as many as make a text that drivers compile in good time.
    fn words_at_once(&self) -> u32 {
        if self.steps == Steps::Looped {
            return 1;
        }
        let samples = match self.search {
            Search::Values => 32,
            Search::Even => 8,
            Search::Edges => 4,
        };
        samples / self.samples_per_word()
    }
}

impl HistogramKernel {
    /// The entry point.
    pub fn name(&self) -> &'static str {
        match self {
            HistogramKernel::Clear => "clear",
            HistogramKernel::Count(_) => "histogram",
        }
    }
}

/// The samples of a word, and the words that a lane has under way at once. Not in loops, but for software drivers: wgpu
/// counts the rounds of every loop in 64 bits, which takes more instructions than a sample does.
fn unrolled(kernel: &CountKernel) -> String {
    let mut text = String::from("fn tally_word(word: u32, at: u32, lane: u32) {\n");
    text += "    let first = at * SAMPLES_PER_WORD - params.skip;\n";
    match kernel.steps {
        Steps::WrittenOut => {
            for place in 0..kernel.samples_per_word() {
                text += &format!("    tally_sample(word, {place}u, first + {place}u, lane);\n");
            }
        }
        Steps::Looped => {
            text += "    for (var place = 0u; place < SAMPLES_PER_WORD; place = place + 1u) {\n        \
                     tally_sample(word, place, first + place, lane);\n    }\n";
        }
    }
    text += "}\n\nfn tally_words(at: u32, lane: u32) {\n    let base = params.samples_base + at;\n";
    for i in 0..kernel.words_at_once() {
        text += &format!("    let word_{i} = samples[base + {i}u * LANES];\n");
    }
    for i in 0..kernel.words_at_once() {
        text += &format!("    tally_word(word_{i}, at + {i}u * LANES, lane);\n");
    }
    text + "}\n"
}

/// The whole text of `kernel`.
pub(crate) fn assemble(kernel: &HistogramKernel) -> Source {
    let mut constants = format!("const LANES = {LANES}u;\n");
    match kernel {
        HistogramKernel::Clear => Source::new(&[
            ("constants", &constants),
            ("params", Params::WGSL),
            snippet!("kernels/clear.wgsl"),
        ]),
        HistogramKernel::Count(kernel) => {
            constants += &format!(
                "const SAMPLE_BITS = {}u;\nconst CHANNELS = {}u;\n\
                 const COUNTER_WORDS = {}u;\nconst AT_ONCE = {}u;\n",
                kernel.format.bits(),
                kernel.channels,
                kernel.words,
                kernel.words_at_once(),
            );
            Source::new(&[
                ("constants", &constants),
                ("unrolled", &unrolled(kernel)),
                ("params", Params::WGSL),
                match kernel.format {
                    Format::U8 | Format::U16 | Format::U32 => snippet!("samples/unsigned.wgsl"),
                    Format::I8 | Format::I16 | Format::I32 => snippet!("samples/signed.wgsl"),
                    Format::F16 | Format::F32 => snippet!("samples/float.wgsl"),
                },
                match kernel.search {
                    Search::Values => snippet!("bins/values.wgsl"),
                    Search::Even => snippet!("bins/even.wgsl"),
                    Search::Edges => snippet!("bins/edges.wgsl"),
                },
                match kernel.counters {
                    Counters::Halves => snippet!("counters/halves.wgsl"),
                    Counters::Words => snippet!("counters/words.wgsl"),
                    Counters::Global => snippet!("counters/global.wgsl"),
                },
                match kernel.weighted {
                    true => snippet!("weights/words.wgsl"),
                    false => snippet!("weights/ones.wgsl"),
                },
                snippet!("kernels/histogram.wgsl"),
            ])
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::kernel::{
        Kernel, Operator,
        tests::{validated, workgroup_memory},
    };

    /// Every kernel that can be asked for, and some that are not.
    pub(crate) fn every_kernel() -> Vec<HistogramKernel> {
        let mut kernels = vec![HistogramKernel::Clear];
        for format in Format::ALL {
            for search in [Search::Values, Search::Even, Search::Edges] {
                for counters in [Counters::Halves, Counters::Words, Counters::Global] {
                    for channels in [1, 3, 4] {
                        for weighted in [false, true] {
                            if search == Search::Values && format.bits() != 8 {
                                continue;
                            }
                            let kernel = CountKernel {
                                format,
                                search,
                                counters,
                                words: MOST_WORDS,
                                channels,
                                weighted,
                                steps: if channels == 3 { Steps::Looped } else { Steps::WrittenOut },
                            };
                            kernels.push(HistogramKernel::Count(kernel));
                        }
                    }
                }
            }
        }
        kernels
    }

    #[test]
    fn every_kernel_is_valid_and_small() {
        for kernel in every_kernel() {
            let (module, _) = validated(&Operator::none(), &Kernel::Histogram(kernel));
            assert_eq!(module.entry_points[0].name, kernel.name());
            assert!(workgroup_memory(&module) <= 16 << 10, "{kernel:?}");
        }
    }
}
