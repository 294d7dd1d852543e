//! What is asked of a scan, whatever its types: compiled once for all of them.

use std::{borrow::Cow, ops::Range};

use super::{Keys, is_same_device};
use crate::{
    backend::{Gpu, GpuMemory, cpu},
    buffer::{GpuBuffer, View},
    device::Device,
    element::Layout,
    error::Error,
    kernel::{Operator, scan::Sink},
    plan::{
        Place, Plan,
        scan::{self as plan, Algorithm, Extra, Job, Walk},
    },
};

/// A scan's choices.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub exclusive: bool,
    pub shape: Shape,
    pub reversed: bool,
    pub segments: Segments,
    pub counted: Option<GpuBuffer<u32>>,
    /// Where the results of each segment begin, if not where its elements do.
    pub starts: Option<GpuBuffer<u32>>,
}

/// Where a scan begins anew.
#[derive(Clone, Debug, Default)]
pub(super) enum Segments {
    #[default]
    Whole,
    /// At every flag that is not zero.
    Flags(GpuBuffer<u32>),
    /// Where a key of so many words differs from the one before.
    Keys(Keys),
    /// At these elements.
    Offsets(GpuBuffer<u32>),
}

/// Which elements are scanned with which.
#[derive(Clone, Debug, Default)]
pub(super) enum Shape {
    #[default]
    Flat,
    /// Rows of so many elements.
    Rows(usize),
    Axis(Vec<usize>, usize),
    /// Every so many elements of the input, of the output.
    Steps(usize, usize),
}

/// A shape as plans have it.
pub(super) struct Geometry {
    len: usize,
    rows: usize,
    inner_rows: usize,
    source: Walk,
    target: Walk,
    /// Elements that the output must have.
    pub output: usize,
}

/// The buffers of a scan.
pub(super) struct Sides {
    pub input: View,
    pub output: View,
    /// Whether the scan starts from a value, and where that is, unless it is on the host.
    pub start: Option<Option<View>>,
}

impl Request {
    /// The job, if both buffers are fit for it.
    pub fn job(&self, device: &Device, algorithm: Algorithm, sides: &Sides) -> Result<Job, Error> {
        let Sides { input, output, start } = sides;
        is_same_device("the input", &input.device, device)?;
        is_same_device("the output", &output.device, device)?;
        let geometry = self.geometry(input.len)?;
        let length = |what, expected: usize, found: usize| match expected == found {
            true => Ok(()),
            false => Err(Error::Length { what, expected: expected as u64, found: found as u64 }),
        };
        if self.starts.is_none() {
            length("the output", geometry.output, output.len)?;
        }
        if let Some(Some(start)) = start {
            is_same_device("the value to start from", &start.device, device)?;
            length("the value to start from", 1, start.len)?;
        }
        let extra = self.extra(device, algorithm, start.is_some(), geometry.len)?;
        if let Some(count) = &self.counted {
            is_same_device("the count", count.device(), device)?;
            length("the count", 1, count.len())?;
            let with = match self.shape {
                Shape::Rows(_) | Shape::Axis(..) => Some("rows"),
                _ if self.reversed => Some("the way backwards"),
                _ => None,
            };
            if let Some(with) = with {
                return Err(Error::Combination { what: "a count on the device", with });
            }
        }
        let same_buffer = input.memory == output.memory;
        let (source, target) = (input.bytes.clone(), output.bytes.clone());
        let apart = source.end <= target.start || target.end <= source.start;
        let in_place = source == target && geometry.source == geometry.target;
        // Results that go anywhere must not overwrite what is yet to be read.
        if same_buffer && (self.starts.is_some() || !apart && !in_place) {
            return Err(Error::Overlap { input: source, output: target });
        }
        Ok(Job {
            rows: geometry.rows as u64,
            inner_rows: geometry.inner_rows as u64,
            input: input.place,
            output: output.place,
            source: geometry.source,
            target: geometry.target,
            same_buffer,
            counted: self.counted.as_ref().map(GpuBuffer::place),
            extra,
            sink: if self.starts.is_some() { Sink::Scatter } else { Sink::InOrder },
            room: output.len as u64,
            maps_results: extra != Extra::Nothing,
            ..Job::new(algorithm, self.exclusive, geometry.len as u64, [Layout::words(1); 3])
        })
    }

    /// What the segments are made from, if it is fit for an input of `len`.
    fn extra(&self, device: &Device, algorithm: Algorithm, starts: bool, len: usize) -> Result<Extra, Error> {
        let what = "the segments of a scan";
        let mut starts_at = None;
        if let Some(starts) = &self.starts {
            let Segments::Offsets(offsets) = &self.segments else {
                let with = "segments that are not by offsets";
                return Err(Error::Combination { what: "other offsets for results", with });
            };
            starts.check_device("the offsets of results", device)?;
            starts.check_len("the offsets of results", offsets.len())?;
            starts_at = Some(starts.place());
        }
        let (buffer_device, extra, found) = match &self.segments {
            Segments::Whole => return Ok(Extra::Nothing),
            Segments::Flags(flags) => {
                (flags.device(), Extra::Words { place: flags.place(), per_element: 1 }, Some(flags.len()))
            }
            Segments::Keys(keys) => {
                keys.check()?;
                let extra = Extra::Words { place: keys.place, per_element: keys.words.into() };
                (&keys.device, extra, Some(keys.len))
            }
            Segments::Offsets(offsets) => {
                let segments = offsets.len() as u64;
                (
                    offsets.device(),
                    Extra::Offsets { place: offsets.place(), segments, starts: starts_at },
                    None,
                )
            }
        };
        is_same_device("the flags, keys or offsets", buffer_device, device)?;
        let with = match &self.shape {
            _ if !algorithm.is_canonical() => Some("a textbook algorithm"),
            Shape::Rows(_) | Shape::Axis(..) => Some("rows"),
            Shape::Steps(..) => Some("steps"),
            _ if starts => Some("a value to start from"),
            _ if self.reversed => Some("the way backwards"),
            _ => None,
        };
        if let Some(with) = with {
            return Err(Error::Combination { what, with });
        }
        if let Some(found) = found.filter(|&found| found != len) {
            return Err(Error::Length {
                what: "the flags or keys",
                expected: len as u64,
                found: found as u64,
            });
        }
        Ok(extra)
    }

    /// Whether a segment begins at each element.
    pub fn heads_on_host(&self, len: usize) -> Result<Option<Vec<bool>>, Error> {
        Ok(match &self.segments {
            Segments::Whole => None,
            Segments::Flags(flags) => Some(flags.on_host()?.iter().map(|&flag| flag != 0).collect()),
            Segments::Keys(keys) => Some(keys.heads()?),
            Segments::Offsets(offsets) => Some(cpu::heads(&offsets.on_host()?, len)),
        })
    }

    /// Where each result goes if not to its element's place: to an element of an output of `room`, or nowhere.
    pub fn places_on_host(&self, len: usize, room: usize) -> Result<Option<Vec<Option<usize>>>, Error> {
        let (Segments::Offsets(offsets), Some(starts)) = (&self.segments, &self.starts) else {
            return Ok(None);
        };
        let mut places = vec![None; len];
        for (elements, start) in segments(&offsets.on_host()?, len).zip(starts.on_host()?) {
            let target = start as usize..room;
            elements.zip(target).for_each(|(element, place)| places[element] = Some(place));
        }
        Ok(Some(places))
    }

    /// An error for offsets that decrease or lie behind an input of `len`, and for results that would lie behind an
    /// output of `room` or meet.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn check_offsets(&self, len: usize, room: usize) -> Result<(), Error> {
        let Segments::Offsets(offsets) = &self.segments else { return Ok(()) };
        let offsets = offsets.to_vec()?;
        let invalid = |what, expected, found| Err(Error::Invalid { what, expected, found });
        let what = "the offsets of segments";
        if let Some(s) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            let found = format!("{} before {} at {s}", offsets[s], offsets[s + 1]);
            return invalid(what, "numbers that do not decrease".into(), found);
        }
        if let Some(&last) = offsets.last().filter(|&&last| last as usize > len) {
            return invalid(what, format!("numbers up to {len}"), last.to_string());
        }
        let Some(starts) = &self.starts else { return Ok(()) };
        let what = "the offsets of results";
        starts.check_len(what, offsets.len())?;
        let mut targets: Vec<Range<u64>> = segments(&offsets, len)
            .zip(starts.to_vec()?)
            .map(|(elements, start)| start.into()..u64::from(start) + elements.len() as u64)
            .filter(|target| !target.is_empty())
            .collect();
        targets.sort_by_key(|target| target.start);
        if let Some(target) = targets.iter().find(|target| target.end > room as u64) {
            return invalid(what, format!("results up to {room}"), format!("{target:?}"));
        }
        if let Some(pair) = targets.windows(2).find(|pair| pair[0].end > pair[1].start) {
            return invalid(what, "results apart".into(), format!("{:?} and {:?}", pair[0], pair[1]));
        }
        Ok(())
    }

    /// Elements of an output that is yet to be made.
    pub fn output_len(&self, n: usize) -> Result<usize, Error> {
        match self.starts {
            None => Ok(self.geometry(n)?.output),
            Some(_) => Err(Error::Combination {
                what: "other offsets for results",
                with: "a new buffer: results go into one that is there",
            }),
        }
    }

    /// How elements and results lie, for an input of `n`.
    pub fn geometry(&self, n: usize) -> Result<Geometry, Error> {
        let rows_of = |len: usize, inner: usize| -> Geometry {
            let rows = n.checked_div(len).unwrap_or(0);
            let walk = Walk {
                origin: 0,
                step: signed(inner),
                outer: len.saturating_mul(inner) as u64,
                inner: u64::from(inner > 1),
            };
            Geometry { len, rows, inner_rows: inner, source: walk, target: walk, output: n }
        };
        let mut geometry = match &self.shape {
            Shape::Flat => rows_of(n, 1),
            Shape::Rows(len) => {
                if n.checked_rem(*len).unwrap_or(n) != 0 {
                    return Err(Error::Length {
                        what: "the input (a multiple of the length of a row)",
                        expected: (n / (*len).max(1) * len) as u64,
                        found: n as u64,
                    });
                }
                rows_of(*len, 1)
            }
            Shape::Axis(lens, axis) => {
                let whole = product(lens);
                let Some(&len) = lens.get(*axis) else {
                    return Err(Error::Range {
                        range: *axis as u64..*axis as u64 + 1,
                        unit: "axes",
                        len: lens.len() as u64,
                    });
                };
                if whole != n {
                    return Err(Error::Length {
                        what: "the input (the product of the lengths of all axes)",
                        expected: whole as u64,
                        found: n as u64,
                    });
                }
                rows_of(len, product(&lens[axis + 1..]))
            }
            &Shape::Steps(input, output) => {
                for (what, step) in [("the step of the input", input), ("the step of the output", output)] {
                    if step == 0 {
                        return Err(Error::Length { what, expected: 1, found: 0 });
                    }
                }
                let len = n.div_ceil(input);
                // A single element takes no step.
                let walk = |step: usize| Walk { step: if len > 1 { signed(step) } else { 1 }, ..Walk::PLAIN };
                let output_len =
                    if len == 0 { 0 } else { (len - 1).saturating_mul(output).saturating_add(1) };
                Geometry {
                    len,
                    rows: 1,
                    inner_rows: 1,
                    source: walk(input),
                    target: walk(output),
                    output: output_len,
                }
            }
        };
        if self.reversed && geometry.len > 0 {
            for walk in [&mut geometry.source, &mut geometry.target] {
                walk.origin = (geometry.len as u64 - 1).saturating_mul(walk.step as u64);
                walk.step = -walk.step;
            }
        }
        Ok(geometry)
    }

    /// How many of `len` elements are to be scanned, on the CPU.
    pub fn counted_on_host(&self, len: u64) -> Result<u64, Error> {
        Ok(match &self.counted {
            None => len,
            Some(count) => len.min(count.on_host()?[0].into()),
        })
    }

    /// The operator for kernels, with elements of these types as they are read, combined and written; `texts` are those
    /// of the operator on `value`, the input map and the result map.
    pub fn operator(&self, types: &[Layout; 3], value: Layout, texts: [Cow<'static, str>; 3]) -> Operator {
        let mut in_quads = false;
        let head = match &self.segments {
            Segments::Whole => return Operator::of(*types, texts),
            Segments::Flags(_) => include_str!("../../shaders/hooks/head_flags.wgsl").into(),
            Segments::Keys(keys) => {
                let heads = keys.heads_of_quads();
                in_quads = heads.is_some();
                heads.unwrap_or_else(|| keys.head())
            }
            Segments::Offsets(_) => {
                in_quads = true;
                include_str!("../../shaders/hooks/head_bits.wgsl").into()
            }
        };
        let mut operator = Operator::segmented([types[0], value, types[2]], types[1], texts, head);
        if self.starts.is_some() {
            operator.scatter_segments();
        } else if in_quads {
            operator.enter_quads();
        }
        operator
    }

    /// The plan with its buffers; `start` is where the value to start from begins, in bytes of a buffer.
    pub fn planned<'b>(
        &self,
        gpu: &Gpu,
        mut job: Job,
        operator: Operator,
        [source, target]: [&'b GpuMemory; 2],
        start: Option<(GpuMemory, u64)>,
    ) -> Result<Planned<'b>, Error> {
        job.types[1] = operator.element;
        job.starts = start.as_ref().map(|(memory, offset)| Place { offset: *offset, buffer: memory.bytes() });
        if operator.cuda.is_some() {
            // Those kernels touch nothing beyond a range.
            (job.input.buffer, job.output.buffer) = (u64::MAX, u64::MAX);
        }
        let plan = plan::scan(&job, gpu.capabilities_for(&operator))?;
        let extra = match &self.segments {
            Segments::Whole => None,
            Segments::Flags(words) | Segments::Offsets(words) => words.on_gpu().ok().cloned(),
            Segments::Keys(keys) => keys.memory.clone(),
        };
        let count = self.counted.as_ref().and_then(|count| count.on_gpu().ok()).cloned();
        let starts = self.starts.as_ref().and_then(|starts| starts.on_gpu().ok()).cloned();
        let start = start.map(|(memory, _)| memory);
        Ok(Planned { plan, operator, source, target, start, extra, count, starts })
    }
}

/// All that a backend needs.
pub(super) struct Planned<'b> {
    pub plan: Plan,
    pub operator: Operator,
    source: &'b GpuMemory,
    target: &'b GpuMemory,
    start: Option<GpuMemory>,
    extra: Option<GpuMemory>,
    count: Option<GpuMemory>,
    starts: Option<GpuMemory>,
}

/// A step, or the longest that there is.
fn signed(step: usize) -> i64 {
    i64::try_from(step).unwrap_or(i64::MAX)
}

/// How many elements axes of these lengths span, or the most that can be said. No buffer has as many.
fn product(lens: &[usize]) -> usize {
    match lens.contains(&0) {
        true => 0,
        false => lens.iter().fold(1, |product: usize, &len| product.saturating_mul(len)),
    }
}

/// The elements of each segment of an input of `len`: up to the next offset.
fn segments(offsets: &[u32], len: usize) -> impl Iterator<Item = Range<usize>> {
    let ends = offsets.iter().skip(1).map(|&end| end as usize).chain([len]);
    offsets.iter().zip(ends).map(move |(&start, end)| start as usize..end.min(len))
}

impl Planned<'_> {
    /// In the order of `plan::scan`. What is not there is not bound either.
    pub fn buffers(&self) -> [&GpuMemory; 6] {
        let nothing = self.target;
        [
            self.source,
            self.target,
            self.start.as_ref().unwrap_or(nothing),
            self.extra.as_ref().unwrap_or(nothing),
            self.count.as_ref().unwrap_or(nothing),
            self.starts.as_ref().unwrap_or(nothing),
        ]
    }
}
