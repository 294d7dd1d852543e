//! What scans by offsets need besides: bits where segments begin, and totals of segments.

use super::*;

/// The totals of segments that offsets name: a scan that begins anew at each, whose last results are all that
/// is wanted. Segments without elements have none, and are filled in before.
pub(crate) fn segment_totals(job: &Job, capabilities: &Capabilities) -> Result<Plan, Error> {
    if job.room == 0 {
        return Ok(Plan::default());
    }
    let mut plan = scan(job, capabilities)?;
    plan.dispatches.insert(0, Planner { job, capabilities }.fill_empty()?);
    Ok(plan)
}

impl Planner<'_> {
    /// Words of a bit for every element.
    pub(super) fn words_of_bits(&self) -> u64 {
        self.job.len.div_ceil(32)
    }

    /// Bits for the elements at which segments begin, and behind these, for the same elements, where results do.
    pub(super) fn heads(
        &self,
        offsets: Place,
        segments: u64,
        starts: Option<Place>,
        heads: &Range<u64>,
    ) -> Result<Vec<Dispatch>, Error> {
        let lanes = u64::from(kernel::LANES);
        let dispatch = |pass, count: u64, extra: Vec<Binding>| -> Result<Dispatch, Error> {
            let grid = self.capabilities.grid(count.div_ceil(lanes))?;
            let params = Params {
                count: self.job.len as u32,
                rows: count as u32,
                grid_x: grid[0],
                extra_base: self.base(offsets) as u32,
                start_base: starts.map_or(0, |starts| self.base(starts)) as u32,
                dst_base: self.words_of_bits() as u32,
                ..Params::default()
            };
            let bindings = [Binding { slot: slot::TOTALS, region: Region::Marks, range: heads.clone() }]
                .into_iter()
                .chain(extra)
                .collect();
            Ok(Dispatch {
                counted: None,
                kernel: ScanKernel::plain(pass).into(),
                grid,
                params: params.into(),
                bindings,
            })
        };
        let range = self.words("the offsets of all segments", offsets, segments)?;
        let mut dispatches = vec![dispatch(Pass::ClearHeads, self.words_of_bits(), Vec::new())?];
        let mut bindings = vec![Binding { slot: slot::EXTRA, region: EXTRA, range }];
        let mut pass = Pass::MarkHeads;
        if let Some(starts) = starts {
            let range = self.words("where the results of all segments begin", starts, segments)?;
            bindings.push(Binding { slot: slot::STARTS, region: STARTS, range });
            pass = Pass::MarkStarts;
        }
        if segments > 0 {
            dispatches.push(dispatch(pass, segments, bindings)?);
        }
        Ok(dispatches)
    }

    /// The offsets of all segments, for who looks for a segment.
    pub(super) fn offsets(&self) -> Result<Option<Binding>, Error> {
        let Extra::Offsets { place, segments, starts: None } = self.job.extra else { return Ok(None) };
        let range = self.words("the offsets of all segments", place, segments)?;
        Ok(Some(Binding { slot: slot::OFFSETS, region: EXTRA, range }))
    }

    /// The identity for every segment without elements.
    pub(super) fn fill_empty(&self) -> Result<Dispatch, Error> {
        let job = self.job;
        let grid = self.capabilities.grid(job.room.div_ceil(kernel::LANES.into()))?;
        let target = self.scattered()?;
        let params = Params {
            results: job.room as u32,
            len: job.len as u32,
            grid_x: grid[0],
            extra_base: self.extra_base(),
            dst_base: ((target.first - target.bytes.start) / target.unit) as u32,
            ..Params::default()
        };
        let output = Binding { slot: slot::OUTPUT, region: OUTPUT, range: target.bytes };
        Ok(Dispatch {
            counted: None,
            kernel: ScanKernel { sink: Sink::Scatter, maps: true, ..ScanKernel::plain(Pass::FillEmpty) }
                .into(),
            grid,
            params: params.into(),
            bindings: [output].into_iter().chain(self.offsets()?).collect(),
        })
    }

    /// Where what hooks read besides begins in its binding.
    pub(super) fn extra_base(&self) -> u32 {
        match self.job.extra {
            // Behind the bits is where the results of segments begin.
            Extra::Offsets { starts: Some(_), .. } => self.words_of_bits() as u32,
            Extra::Words { place, .. } | Extra::Offsets { place, .. } => self.base(place) as u32,
            Extra::Nothing => 0,
        }
    }
}
