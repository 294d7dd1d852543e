//! Plans of radix sorts.

use std::ops::Range;

use super::{Binding, Dispatch, Place, Plan, Region, Scratch};
use crate::{
    error::Error,
    kernel::{
        LANES,
        scan::Lanes,
        sort::{
            BINS, CLEARED, COUNT_PER_LANE, Code, MOST_DIGITS, Params, Payload, SortKernel, Step, TABLE_HEADER,
        },
    },
    tuning::{self, Capabilities, SortPolicy},
};

/// Bytes in a word.
const WORD: u64 = size_of::<u32>() as u64;
/// Rows of the table count keys in 30 bits.
const MOST_KEYS: u64 = (1 << 30) - 1;
/// Bits of a digit.
const DIGIT: u32 = 8;

/// A sort to be planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub code: Code,
    /// The bits of the code to sort by.
    pub bits: Range<u32>,
    pub descending: bool,
    /// Keys.
    pub len: u64,
    pub keys: Place,
    /// None: only the payload is wanted.
    pub sorted_keys: Option<Place>,
    pub payload: Payload,
    /// The payload's words, where it is not the index.
    pub values: Option<Place>,
    pub sorted_values: Option<Place>,
    /// A result lies in a buffer of an input's.
    pub shared: bool,
    /// Where the number of keys is, if it is on the device.
    pub count: Option<Place>,
    /// Where the offsets of segments are, and their number.
    pub segments: Option<(Place, u64)>,
}

/// The buffers that a sort's plan is run with, in this order.
pub(crate) mod buffers {
    use super::Region;

    pub const KEYS: Region = Region::Buffer(0);
    pub const SORTED_KEYS: Region = Region::Buffer(1);
    pub const VALUES: Region = Region::Buffer(2);
    pub const SORTED_VALUES: Region = Region::Buffer(3);
    pub const COUNT: Region = Region::Buffer(4);
    pub const SEGMENTS: Region = Region::Buffer(5);
    /// How many there are.
    pub const NUMBER: usize = 6;
}

/// The binding slots, as the kernels declare them.
mod slot {
    pub const SRC_KEYS: u32 = 1;
    pub const DST_KEYS: u32 = 2;
    pub const TABLE: u32 = 3;
    pub const SRC_VALUES: u32 = 4;
    pub const DST_VALUES: u32 = 5;
    pub const EXTRA: u32 = 6;
}

/// Elements in a row, in one of the buffers.
#[derive(Clone, Copy, Debug)]
struct Spot {
    region: Region,
    /// Byte in the buffer.
    offset: u64,
}

impl Spot {
    fn is_scratch(self) -> bool {
        self.region == Region::Scratch
    }
}

/// Where keys and payload are before or after a digit.
#[derive(Clone, Copy, Debug)]
struct Side {
    keys: Spot,
    /// None before the first digit where the payload is the index.
    values: Option<Spot>,
}

/// Plans `job`. The caller has checked that all ranges lie inside their buffers and are apart, or the same.
pub(crate) fn sort(job: &Job, capabilities: &Capabilities) -> Result<Plan, Error> {
    if job.len == 0 {
        return Ok(Plan::default());
    }
    if job.len > MOST_KEYS {
        return Err(Error::TooLarge {
            what: "the input of a sort",
            unit: "keys",
            expected: MOST_KEYS,
            found: job.len,
        });
    }
    let mut planner = Planner {
        job,
        capabilities,
        shape: tuning::sort_tiles(capabilities, job.len),
        scratch: Scratch::new(capabilities),
        dispatches: Vec::new(),
        table: 0..0,
    };
    let tiles = job.len.div_ceil(planner.kernel(Step::Sweep, job.code, job.payload).tile().into());
    planner.table = planner.scratch.take((u64::from(TABLE_HEADER) + 2 * tiles * u64::from(BINS)) * WORD);
    match job.segments {
        None => planner.whole()?,
        Some((offsets, number)) => planner.segmented(offsets, number)?,
    }
    Ok(Plan { dispatches: planner.dispatches, scratch: planner.scratch.size(), ..Plan::default() })
}

struct Planner<'a> {
    job: &'a Job,
    capabilities: &'a Capabilities,
    shape: SortPolicy,
    scratch: Scratch,
    dispatches: Vec<Dispatch>,
    /// The table's bytes in scratch.
    table: Range<u64>,
}

/// The digits of one sort.
#[derive(Clone, Debug)]
struct Digits {
    code: Code,
    bits: Range<u32>,
    flip: u32,
    /// How many there are. More than the bits need: the last ones have no bits.
    number: u32,
}

impl Planner<'_> {
    /// One sort, to where the results belong.
    fn whole(&mut self) -> Result<(), Error> {
        let job = self.job;
        let mut digits = self.digits();
        // Digits go from the input to and fro between two places, and end in the results'. No dispatch may
        // read and write one buffer of the caller's: an even number of digits keeps inputs and results apart.
        if job.shared {
            digits.number = digits.number.next_multiple_of(2);
        }
        let keys = || Spot { region: buffers::KEYS, offset: job.keys.offset };
        let source = Side { keys: keys(), values: job.values.map(|place| spot(buffers::VALUES, place)) };
        let target = Side {
            keys: match job.sorted_keys {
                Some(place) => spot(buffers::SORTED_KEYS, place),
                None => self.take(job.code.words()),
            },
            values: job.sorted_values.map(|place| spot(buffers::SORTED_VALUES, place)),
        };
        let other = match digits.number {
            1 => target,
            _ => self.side(job.code, job.payload),
        };
        let sides = match digits.number % 2 {
            1 => [target, other],
            _ => [other, target],
        };
        self.sort(source, sides, job.payload, &digits).map(|_| ())
    }

    /// The stable order of all keys; then, stable again, the order of the segments they are in: together, the
    /// order in each segment. Keys and values follow it in the end.
    fn segmented(&mut self, offsets: Place, number: u64) -> Result<(), Error> {
        let job = self.job;
        let digits = self.digits();
        let keys = Spot { region: buffers::KEYS, offset: job.keys.offset };
        let sides = [self.side(job.code, Payload::Index), self.side(job.code, Payload::Index)];
        let source = Side { keys, values: None };
        let by_key = self.sort(source, sides, Payload::Index, &digits)?;
        let order = values_of(by_key);

        // Segment numbers take the place of the sorted keys, which nobody needs.
        let mut segments = self.dispatch(
            SortKernel { scratch_values: true, ..self.kernel(Step::Segments, Code::WORD, Payload::Nothing) },
            job.len.div_ceil(LANES.into()),
        )?;
        segments.params.segments = number as u32;
        segments.params.src_values = self.bind(&mut segments.bindings, slot::SRC_VALUES, order, 1)?;
        segments.params.dst_keys = self.bind(&mut segments.bindings, slot::DST_KEYS, by_key.keys, 1)?;
        segments.params.extra = self.bind_bytes(
            &mut segments.bindings,
            slot::EXTRA,
            spot(buffers::SEGMENTS, offsets),
            number * WORD,
        )?;
        self.push(segments);

        let bits = 0..u64::BITS - number.leading_zeros();
        let digits = Digits { code: Code::WORD, number: number_of_digits(&bits), bits, flip: 0 };
        // The other side first.
        let sides = match values_of(sides[0]).offset == order.offset {
            true => [sides[1], sides[0]],
            false => sides,
        };
        let order = values_of(self.sort(by_key, sides, Payload::Words(1), &digits)?);

        if let Some(place) = job.sorted_keys {
            self.gather(keys, spot(buffers::SORTED_KEYS, place), job.code.words(), order)?;
        }
        if let Some(place) = job.sorted_values {
            let target = spot(buffers::SORTED_VALUES, place);
            match (job.payload, job.values) {
                (Payload::Words(words), Some(values)) => {
                    self.gather(spot(buffers::VALUES, values), target, words, order)?;
                }
                _ => self.copy(order, target, 1)?,
            }
        }
        Ok(())
    }

    fn digits(&self) -> Digits {
        let job = self.job;
        Digits {
            code: job.code,
            bits: job.bits.clone(),
            flip: if job.descending { u32::MAX } else { 0 },
            number: number_of_digits(&job.bits),
        }
    }

    /// Sorts from `source` into `sides[0]`, on into `sides[1]`, and so on; returns the last one.
    fn sort(
        &mut self,
        source: Side,
        sides: [Side; 2],
        payload: Payload,
        digits: &Digits,
    ) -> Result<Side, Error> {
        let Digits { code, ref bits, flip, number } = *digits;
        let len = self.job.len;
        let kernel = |step| SortKernel {
            scratch_keys: source.keys.is_scratch(),
            ..self.kernel(step, code, Payload::Nothing)
        };
        let tiles = len.div_ceil(self.kernel(Step::Sweep, code, payload).tile().into());

        let clear = SortKernel {
            lanes: Lanes::Workgroup,
            code: Code::WORD,
            scratch_keys: false,
            ..kernel(Step::Clear)
        };
        let words = u64::from(TABLE_HEADER) + tiles * u64::from(BINS);
        let mut clear = self.dispatch(clear, words.div_ceil(CLEARED.into()))?;
        clear.params.tiles = tiles as u32;
        if let Some(count) = self.job.count {
            clear.params.extra =
                self.bind_bytes(&mut clear.bindings, slot::EXTRA, spot(buffers::COUNT, count), WORD)?;
        }

        let count = kernel(Step::Count { digits: number });
        let groups = len.div_ceil(count.tile().into()).min(tuning::COUNT_GROUPS.into());
        let mut count = self.dispatch(count, groups.min(self.capabilities.max_groups.into()))?;
        (count.params.shift, count.params.bits, count.params.flip) =
            (bits.start, bits.end - bits.start, flip);
        count.params.src_keys = self.bind(&mut count.bindings, slot::SRC_KEYS, source.keys, code.words())?;

        let starts = SortKernel { code: Code::WORD, scratch_keys: false, ..kernel(Step::Starts) };
        let starts = self.dispatch(starts, number.into())?;
        for step in [clear, count, starts] {
            self.push(step);
        }

        let mut from = source;
        for pass in 0..number {
            let to = sides[pass as usize % 2];
            let payload = match (payload, from.values) {
                (Payload::Index, Some(_)) => Payload::Words(1),
                (payload, _) => payload,
            };
            let kernel = SortKernel {
                payload,
                scratch_keys: from.keys.is_scratch(),
                scratch_values: from.values.is_some_and(Spot::is_scratch),
                ..self.kernel(Step::Sweep, code, payload)
            };
            let mut sweep = self.dispatch(kernel, tiles)?;
            let first = DIGIT * pass;
            let params = &mut sweep.params;
            params.tiles = tiles as u32;
            params.digit = pass;
            params.half = pass % 2;
            params.bits = (bits.end - bits.start).saturating_sub(first).min(DIGIT);
            // A digit of no bits begins anywhere inside the key.
            params.shift = if params.bits > 0 { bits.start + first } else { 0 };
            params.flip = flip;
            params.patience = self.capabilities.patience;
            params.src_keys = self.bind(&mut sweep.bindings, slot::SRC_KEYS, from.keys, code.words())?;
            params.dst_keys = self.bind(&mut sweep.bindings, slot::DST_KEYS, to.keys, code.words())?;
            if let (Payload::Words(words), Some(values)) = (payload, from.values) {
                params.src_values = self.bind(&mut sweep.bindings, slot::SRC_VALUES, values, words)?;
            }
            if let Some(values) = to.values {
                params.dst_values =
                    self.bind(&mut sweep.bindings, slot::DST_VALUES, values, payload.words())?;
            }
            self.push(sweep);
            from = to;
        }
        Ok(from)
    }

    /// Elements in the order of a permutation. In place by way of scratch.
    fn gather(&mut self, source: Spot, target: Spot, words: u32, order: Spot) -> Result<(), Error> {
        if self.job.shared {
            let between = self.take(words);
            self.gather_to(source, between, words, Some(order))?;
            self.copy(between, target, words)
        } else {
            self.gather_to(source, target, words, Some(order))
        }
    }

    fn copy(&mut self, source: Spot, target: Spot, words: u32) -> Result<(), Error> {
        self.gather_to(source, target, words, None)
    }

    fn gather_to(
        &mut self,
        source: Spot,
        target: Spot,
        words: u32,
        order: Option<Spot>,
    ) -> Result<(), Error> {
        let payload = if order.is_some() { Payload::Index } else { Payload::Nothing };
        let kernel = SortKernel {
            scratch_keys: source.is_scratch(),
            scratch_values: order.is_some(),
            ..self.kernel(Step::Gather, Code { bits: 32 * words, ..Code::WORD }, payload)
        };
        let groups = (self.job.len * u64::from(words)).div_ceil(LANES.into());
        let mut gather = self.dispatch(kernel, groups)?;
        gather.params.src_keys = self.bind(&mut gather.bindings, slot::SRC_KEYS, source, words)?;
        gather.params.dst_keys = self.bind(&mut gather.bindings, slot::DST_KEYS, target, words)?;
        if let Some(order) = order {
            gather.params.src_values = self.bind(&mut gather.bindings, slot::SRC_VALUES, order, 1)?;
        }
        self.push(gather);
        Ok(())
    }

    /// Scratch memory for all elements, of so many words each.
    fn take(&mut self, words: u32) -> Spot {
        let range = self.scratch.take(self.job.len * u64::from(words) * WORD);
        Spot { region: Region::Scratch, offset: range.start }
    }

    fn side(&mut self, code: Code, payload: Payload) -> Side {
        let keys = self.take(code.words());
        let values = (payload != Payload::Nothing).then(|| self.take(payload.words()));
        Side { keys, values }
    }

    fn kernel(&self, step: Step, code: Code, payload: Payload) -> SortKernel {
        SortKernel {
            step,
            code,
            payload,
            lanes: self.shape.lanes,
            per_lane: match step {
                Step::Sweep => self.shape.per_lane,
                _ => COUNT_PER_LANE,
            },
            counted: self.job.count.is_some(),
            scratch_keys: false,
            scratch_values: false,
        }
    }

    /// A dispatch with the table bound, still without its other bindings.
    fn dispatch(&self, kernel: SortKernel, groups: u64) -> Result<Open, Error> {
        self.capabilities.fits("the table of all tiles of a sort", &self.table)?;
        let grid = self.capabilities.grid(groups)?;
        let params = Params { capacity: self.job.len as u32, grid_x: grid[0], ..Params::default() };
        let uses_table = !matches!(kernel.step, Step::Segments | Step::Gather) || kernel.counted;
        let bindings = match uses_table {
            true => vec![Binding::scratch(slot::TABLE, &self.table)],
            false => Vec::new(),
        };
        Ok(Open { kernel, grid, params, bindings })
    }

    fn push(&mut self, open: Open) {
        let Open { kernel, grid, params, bindings } = open;
        self.dispatches.push(Dispatch {
            counted: None,
            kernel: kernel.into(),
            grid,
            params: params.into(),
            bindings,
        });
    }

    /// Binds all elements at `spot`; returns where they start in the binding, in words.
    fn bind(&self, bindings: &mut Vec<Binding>, slot: u32, spot: Spot, words: u32) -> Result<u32, Error> {
        self.bind_bytes(bindings, slot, spot, self.job.len * u64::from(words) * WORD)
    }

    fn bind_bytes(
        &self,
        bindings: &mut Vec<Binding>,
        slot: u32,
        spot: Spot,
        bytes: u64,
    ) -> Result<u32, Error> {
        let start = self.capabilities.aligned(spot.offset);
        let range = start..spot.offset + bytes;
        self.capabilities.fits("a buffer of a sort, in one binding,", &range)?;
        bindings.push(Binding { slot, region: spot.region, range });
        Ok(((spot.offset - start) / WORD) as u32)
    }
}

/// A dispatch in the making.
struct Open {
    kernel: SortKernel,
    grid: [u32; 2],
    params: Params,
    bindings: Vec<Binding>,
}

fn spot(region: Region, place: Place) -> Spot {
    Spot { region, offset: place.offset }
}

/// Every side of a sort with a payload has a place for it.
fn values_of(side: Side) -> Spot {
    side.values.unwrap_or(side.keys)
}

/// Digits that these bits take, one at least: a sort by no bits is a copy.
fn number_of_digits(bits: &Range<u32>) -> u32 {
    (bits.end - bits.start).div_ceil(DIGIT).clamp(1, MOST_DIGITS)
}

#[cfg(test)]
#[path = "sort_tests.rs"]
mod tests;
