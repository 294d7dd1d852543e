//! Stream compaction: some of the elements, in their order, side by side.

use std::{borrow::Cow, sync::Arc};

use crate::{
    backend::{self, Backend, GpuMemory, Memory},
    buffer::GpuBuffer,
    device::{Device, check_usage},
    element::{Element, Layout},
    error::Error,
    kernel::{Operator, scan::Sink},
    monoid::{Monoid, Sum},
    plan::{
        Place, Plan,
        scan::{self as plan, Algorithm, Extra, Job},
    },
    scanning::{Keys, is_same_device},
    tuning::Capabilities,
};

/// Which elements to keep, in Rust and in WGSL.
pub trait Predicate<A: Element>: Clone + Send + Sync + 'static {
    /// Whether `value` is kept.
    fn keeps(&self, value: A) -> bool;

    /// The body of a WGSL function of `value` that returns a `bool`.
    fn wgsl(&self) -> Cow<'static, str>;
}

/// Stream compaction on one device. Stable; the number of elements kept stays on the device.
///
/// A scan counts and, in the same pass, moves: n + k elements for k kept in one pass, 2n + k in three. Each is n more for
/// elements of other than four bytes, for ranges that are not aligned, and on software drivers.
///
/// ```
/// use std::borrow::Cow;
///
/// use gpuscan::{Device, GpuCompact, Predicate};
///
/// #[derive(Clone)]
/// struct Odd;
///
/// impl Predicate<u32> for Odd {
///     fn keeps(&self, value: u32) -> bool {
///         value % 2 == 1
///     }
///     fn wgsl(&self) -> Cow<'static, str> {
///         "return value % 2u == 1u;".into()
///     }
/// }
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let input = device.upload(&[3u32, 1, 7, 0, 4, 2, 1, 6])?;
/// let compact = GpuCompact::new(&device);
/// assert_eq!(compact.of(&input).keeping(&Odd).run()?.to_vec()?, [3, 1, 7, 1]);
/// assert_eq!(compact.of(&input).keeping(&Odd).partition()?.0.to_vec()?, [3, 1, 7, 1, 0, 4, 2, 6]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuCompact {
    device: Device,
}

impl GpuCompact {
    /// For this device.
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone() }
    }

    /// A compaction of `input`, yet to be told what to keep.
    pub fn of<A: Element>(&self, input: &GpuBuffer<A>) -> Compacting<A> {
        let all: OnHost<A> = Arc::new(|_, _| Ok(true));
        Compacting {
            device: self.device.clone(),
            input: input.clone(),
            keeps: Keeps { text: KEEP_ALL.into(), extra: None, on_host: OnHostDebug(all) },
        }
    }

    /// Arguments for `dispatch_workgroups_indirect`, from a count on the device: a workgroup for every `group`
    /// elements, in two dimensions where one does not do. `arguments` has three elements, in a buffer that may
    /// have `BufferUsages::INDIRECT`.
    ///
    /// # Errors
    /// [`Error::Length`] for other lengths, [`Error::WrongDevice`] on the CPU, [`Error::DeviceLost`].
    pub fn encode_arguments(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        count: &GpuBuffer<u32>,
        group: u32,
        arguments: &GpuBuffer<u32>,
    ) -> Result<(), Error> {
        let context = self.device.wgpu("arguments of an indirect dispatch")?;
        for (what, expected, buffer) in [("the count", 1, count), ("the arguments", 3, arguments)] {
            is_same_device(what, buffer.device(), &self.device)?;
            if buffer.len() != expected {
                return Err(Error::Length { what, expected: expected as u64, found: buffer.len() as u64 });
            }
        }
        let (counted, target) = (count.on_gpu()?, arguments.on_gpu()?);
        let plan = plan::arguments(count.place(), arguments.place(), group, &context.capabilities);
        context.encode(&plan, &Operator::none(), &[target, target, target, target, counted], encoder)
    }
}

/// Whether element `i` of the input is kept; what is asked for every element is asked for all at first.
#[cfg(not(target_arch = "wasm32"))]
type OnHost<A> = Arc<dyn Fn(&[A], &mut Vec<bool>) -> Result<bool, Error> + Send + Sync>;
/// The same in a browser, where buffers stay on their thread.
#[cfg(target_arch = "wasm32")]
type OnHost<A> = Arc<dyn Fn(&[A], &mut Vec<bool>) -> Result<bool, Error>>;

#[derive(Clone)]
struct OnHostDebug<A>(OnHost<A>);

impl<A> std::fmt::Debug for OnHostDebug<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a predicate")
    }
}

const KEEP_ALL: &str = "fn keeps(value: In, i: u32) -> bool { return true; }\n";

/// What to keep, as text and on the host.
#[derive(Clone, Debug)]
struct Keeps<A> {
    text: Arc<str>,
    /// What the text reads besides the input, and how many elements that has.
    extra: Option<(Device, Option<GpuMemory>, Extra, usize)>,
    on_host: OnHostDebug<A>,
}

/// Elements side by side in the front of a buffer, and how many they are, both on the device.
#[derive(Clone, Debug)]
pub struct Compacted<T> {
    /// As long as the input; only the first elements have been written.
    pub values: GpuBuffer<T>,
    /// One element: how many were written.
    pub count: GpuBuffer<u32>,
}

impl<T: Element> Compacted<T> {
    /// Waits for the count and downloads the elements. Blocks; in browsers use [`Compacted::read`].
    ///
    /// # Errors
    /// As for [`GpuBuffer::to_vec`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        pollster::block_on(self.read())
    }

    /// The same, to be awaited.
    ///
    /// # Errors
    /// As for [`GpuBuffer::to_vec`].
    pub async fn read(&self) -> Result<Vec<T>, Error> {
        let count = self.count.read().await?;
        self.values.slice(..count[0] as usize)?.read().await
    }
}

/// A compaction, made by [`GpuCompact::of`]; nothing happens until it is run, or recorded.
#[must_use = "nothing is compacted until it is run, or recorded into an encoder"]
#[derive(Clone, Debug)]
pub struct Compacting<A> {
    device: Device,
    input: GpuBuffer<A>,
    keeps: Keeps<A>,
}

/// What is written of an element that is kept.
#[derive(Clone, Copy, PartialEq)]
enum Sent {
    Element,
    Index,
}

impl<A: Element> Compacting<A> {
    /// Keeps the elements that `predicate` keeps.
    pub fn keeping(mut self, predicate: &impl Predicate<A>) -> Self {
        let text = format!(
            "fn keep(value: In) -> bool {{\n{}\n}}\n{}",
            predicate.wgsl(),
            include_str!("../shaders/hooks/keep_values.wgsl")
        );
        let predicate = predicate.clone();
        let on_host: OnHost<A> = Arc::new(move |values, kept| {
            kept.extend(values.iter().map(|&value| predicate.keeps(value)));
            Ok(true)
        });
        self.keeps = Keeps { text: text.into(), extra: None, on_host: OnHostDebug(on_host) };
        self
    }

    /// Keeps the elements whose flag is not zero; there is a flag for each.
    pub fn flagged(mut self, flags: &GpuBuffer<u32>) -> Self {
        let text = [
            include_str!("../shaders/hooks/head_flags.wgsl"),
            include_str!("../shaders/hooks/keep_heads.wgsl"),
        ];
        let on_host = flags.clone();
        let on_host: OnHost<A> = Arc::new(move |_, kept| {
            kept.extend(on_host.on_host()?.iter().map(|&flag| flag != 0));
            Ok(true)
        });
        let extra = Extra::Words { place: flags.place(), per_element: 1 };
        self.keeps = Keeps {
            text: text.concat().into(),
            extra: Some((flags.device().clone(), flags.on_gpu().ok().cloned(), extra, flags.len())),
            on_host: OnHostDebug(on_host),
        };
        self
    }

    /// Keeps the first element of every run of equal ones: equal in all their bits.
    pub fn unique(self) -> Self {
        let input = self.input.clone();
        self.first_of_each(&input)
    }

    /// Keeps the elements at which a key differs, in any bit, from the one before it.
    pub fn first_of_each<K: Element>(mut self, keys: &GpuBuffer<K>) -> Self {
        let keys = Keys::new(keys);
        let text = format!("{}{}", keys.head(), include_str!("../shaders/hooks/keep_heads.wgsl"));
        let extra = Extra::Words { place: keys.place, per_element: keys.words.into() };
        let extra = Some((keys.device.clone(), keys.memory.clone(), extra, keys.len));
        let on_host: OnHost<A> = Arc::new(move |_, kept| {
            keys.check()?;
            kept.extend(keys.heads()?);
            Ok(true)
        });
        self.keeps = Keeps { text: text.into(), extra, on_host: OnHostDebug(on_host) };
        self
    }

    /// The elements kept, in the front of a new buffer as long as the input.
    ///
    /// # Errors
    /// [`Error::Length`] for other than one flag an element, [`Error::WrongDevice`], [`Error::OutOfMemory`],
    /// [`Error::TooLarge`], [`Error::Shader`], [`Error::Layout`], [`Error::DeviceLost`].
    pub fn run(self) -> Result<Compacted<A>, Error> {
        let compacted = self.room()?;
        self.launch(Sent::Element, &compacted.values, &compacted.count, None)?;
        Ok(compacted)
    }

    /// The indices of the elements kept, in the front of a new buffer as long as the input.
    ///
    /// # Errors
    /// As for [`Compacting::run`].
    pub fn indices(self) -> Result<Compacted<u32>, Error> {
        let compacted = self.room()?;
        self.launch(Sent::Index, &compacted.values, &compacted.count, None)?;
        Ok(compacted)
    }

    /// The elements kept into `output`, which is as long as the input, and how many into the one element of
    /// `count`.
    ///
    /// # Errors
    /// As for [`Compacting::run`]; [`Error::Overlap`] if one of them is in the input's buffer.
    pub fn run_into(self, output: &GpuBuffer<A>, count: &GpuBuffer<u32>) -> Result<(), Error> {
        self.launch(Sent::Element, output, count, None)
    }

    /// Records it into the caller's encoder: no submission, no read-back.
    ///
    /// # Errors
    /// As for [`Compacting::run_into`]; [`Error::WrongDevice`] on the CPU.
    pub fn encode(
        self,
        encoder: &mut wgpu::CommandEncoder,
        output: &GpuBuffer<A>,
        count: &GpuBuffer<u32>,
    ) -> Result<(), Error> {
        self.device.wgpu("recording a compaction")?;
        self.launch(Sent::Element, output, count, Some(encoder))
    }

    /// Records the indices of the elements kept.
    ///
    /// # Errors
    /// As for [`Compacting::encode`].
    pub fn encode_indices(
        self,
        encoder: &mut wgpu::CommandEncoder,
        output: &GpuBuffer<u32>,
        count: &GpuBuffer<u32>,
    ) -> Result<(), Error> {
        self.device.wgpu("recording a compaction")?;
        self.launch(Sent::Index, output, count, Some(encoder))
    }

    /// All elements in a new buffer, those kept in front of the others, each in their order; and how many are
    /// kept. Takes two compactions.
    ///
    /// # Errors
    /// As for [`Compacting::run`].
    pub fn partition(self) -> Result<(GpuBuffer<A>, GpuBuffer<u32>), Error> {
        let Compacted { values, count } = self.room()?;
        self.launch(Sent::Element, &values, &count, None)?;
        match self.device.backend() {
            Backend::Gpu(gpu) => {
                let rest = Operator {
                    hooks: vec![
                        ("predicate", self.keeps.text.clone()),
                        ("hooks", include_str!("../shaders/hooks/compact_rest.wgsl").into()),
                        ("sent", include_str!("../shaders/hooks/send_element.wgsl").into()),
                    ],
                    ..self.operator(Sent::Element)
                };
                let capabilities = gpu.capabilities();
                let plan = self.plan(capabilities, values.place(), A::LAYOUT, count.place())?;
                if !self.input.is_empty() {
                    gpu.run(&plan, &rest, &self.buffers(&values, &count)?)?;
                }
            }
            Backend::Cpu => {
                let kept = self.kept_on_host()?;
                let input = self.input.on_host()?;
                let others: Vec<A> =
                    input.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(&value, _)| value).collect();
                values.slice(input.len() - others.len()..)?.write(&others)?;
            }
        }
        Ok((values, count))
    }

    fn room<T: Element>(&self) -> Result<Compacted<T>, Error> {
        is_same_device("the input", self.input.device(), &self.device)?;
        Ok(Compacted { values: self.device.zeros(self.input.len())?, count: self.device.zeros(1)? })
    }

    fn launch<T: Element>(
        &self,
        sent: Sent,
        output: &GpuBuffer<T>,
        count: &GpuBuffer<u32>,
        encoder: Option<&mut wgpu::CommandEncoder>,
    ) -> Result<(), Error> {
        self.check(output, count)?;
        match (self.device.backend(), output.memory(), count.memory()) {
            (Backend::Gpu(gpu), ..) => {
                let capabilities = gpu.capabilities();
                let plan = self.plan(capabilities, output.place(), T::LAYOUT, count.place())?;
                if let Some(buffer) = count.wgpu_buffer().filter(|_| self.input.is_empty()) {
                    check_usage("the count of nothing", buffer, wgpu::BufferUsages::COPY_DST)?;
                }
                let (operator, buffers) = (self.operator(sent), self.buffers(output, count)?);
                match encoder {
                    None => gpu.run(&plan, &operator, &buffers),
                    Some(encoder) => {
                        let context = self.device.wgpu("recording a compaction")?;
                        context.encode(&plan, &operator, &buffers, encoder)
                    }
                }
            }
            (_, Memory::Host(target), Memory::Host(counted)) => {
                let kept = self.kept_on_host()?;
                let places = (0u32..).zip(&kept).filter(|(_, kept)| **kept).map(|(i, _)| i);
                let results: Vec<T> = match sent {
                    Sent::Index => places.map(|i| bytemuck::cast(i)).collect(),
                    Sent::Element => {
                        let input = self.input.on_host()?;
                        places.map(|i| bytemuck::cast(input[i as usize])).collect()
                    }
                };
                backend::write(target, output.offset(), &results);
                backend::write(counted, count.offset(), &[results.len() as u32]);
                Ok(())
            }
            _ => Err(Error::mixed(&self.device)),
        }
    }

    fn kept_on_host(&self) -> Result<Vec<bool>, Error> {
        let input = self.input.on_host()?;
        let mut kept = Vec::with_capacity(input.len());
        (self.keeps.on_host.0)(&input, &mut kept)?;
        kept.resize(input.len(), true);
        Ok(kept)
    }

    fn check<T: Element>(&self, output: &GpuBuffer<T>, count: &GpuBuffer<u32>) -> Result<(), Error> {
        is_same_device("the input", self.input.device(), &self.device)?;
        is_same_device("the output", output.device(), &self.device)?;
        is_same_device("the count", count.device(), &self.device)?;
        let flags = self.keeps.extra.as_ref().map_or(self.input.len(), |(.., len)| *len);
        for (what, expected, found) in [
            ("the output", self.input.len(), output.len()),
            ("the count", 1, count.len()),
            ("the flags or keys", self.input.len(), flags),
        ] {
            if expected != found {
                return Err(Error::Length { what, expected: expected as u64, found: found as u64 });
            }
        }
        if let Some((device, ..)) = &self.keeps.extra {
            is_same_device("the flags or keys", device, &self.device)?;
        }
        T::LAYOUT.check_words::<T>()?;
        A::LAYOUT.check::<A>()?;
        for (memory, range) in
            [(output.memory_id(), output.byte_range()), (count.memory_id(), count.byte_range())]
        {
            if memory == self.input.memory_id() {
                return Err(Error::Overlap { input: self.input.byte_range(), output: range });
            }
        }
        if output.memory_id() == count.memory_id() {
            return Err(Error::Overlap { input: count.byte_range(), output: output.byte_range() });
        }
        Ok(())
    }

    fn plan(
        &self,
        capabilities: &Capabilities,
        output: Place,
        sent: Layout,
        count: Place,
    ) -> Result<Plan, Error> {
        if self.input.is_empty() {
            return Ok(plan::of_nothing(plan::COUNT, count, &[0]));
        }
        let job = Job {
            input: self.input.place(),
            output,
            extra: self.keeps.extra.as_ref().map_or(Extra::Nothing, |(_, _, extra, _)| *extra),
            count: Some(count),
            sink: Sink::Scatter,
            regroups: Monoid::<u32>::regroups(&Sum),
            keeps: true,
            ..Job::new(Algorithm::Auto, false, self.input.len() as u64, [A::LAYOUT, u32::LAYOUT, sent])
        };
        plan::scan(&job, capabilities)
    }

    fn operator(&self, sent: Sent) -> Operator {
        Operator {
            input: A::LAYOUT,
            element: u32::LAYOUT,
            output: if sent == Sent::Index { u32::LAYOUT } else { A::LAYOUT },
            combine: vec![("operator", Monoid::<u32>::wgsl(&Sum).into())],
            hooks: vec![
                ("predicate", self.keeps.text.clone()),
                ("hooks", include_str!("../shaders/hooks/compact.wgsl").into()),
                (
                    "sent",
                    match sent {
                        Sent::Element => include_str!("../shaders/hooks/send_element.wgsl"),
                        Sent::Index => include_str!("../shaders/hooks/send_index.wgsl"),
                    }
                    .into(),
                ),
            ],
            keys_of: None,
            windows: None,
            cuda: None,
        }
    }

    fn buffers<'b, T: Element>(
        &'b self,
        output: &'b GpuBuffer<T>,
        count: &'b GpuBuffer<u32>,
    ) -> Result<[&'b GpuMemory; 5], Error> {
        let (input, output, count) = (self.input.on_gpu()?, output.on_gpu()?, count.on_gpu()?);
        let extra = self.keeps.extra.as_ref().and_then(|(_, buffer, ..)| buffer.as_ref());
        Ok([input, output, output, extra.unwrap_or(output), count])
    }
}
