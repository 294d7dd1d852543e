//! The textbook algorithms round by round, as a device's workgroup memory held them.

use crate::{
    device::Device,
    element::Element,
    error::Error,
    kernel::{Operator, scan::Pass},
    monoid::{Monoid, Sum},
    plan::scan::{self as plan, Algorithm, Job},
    textbook,
};

pub use crate::textbook::Round;

/// Every round of Hillis and Steele's scan of `values`, at most 256: the input as loaded, then one round
/// for each offset. On a GPU the kernel writes its workgroup memory out between rounds. Blocks; not in browsers.
///
/// # Errors
/// [`Error::TooLarge`] for more values than a tile holds, and those of a scan.
#[cfg(not(target_arch = "wasm32"))]
pub fn hillis_steele<T: Element>(device: &Device, values: &[T]) -> Result<Vec<Round<T>>, Error>
where
    Sum: Monoid<T>,
{
    pollster::block_on(hillis_steele_async(device, values))
}

/// The same, to be awaited.
///
/// # Errors
/// [`Error::TooLarge`] for more values than a tile holds, and those of a scan.
pub async fn hillis_steele_async<T: Element>(device: &Device, values: &[T]) -> Result<Vec<Round<T>>, Error>
where
    Sum: Monoid<T>,
{
    let twin = textbook::hillis_steele_rounds::<T, Sum>;
    let (algorithm, pass, tile) = (Algorithm::HillisSteele, Pass::HillisSteele, textbook::HILLIS_STEELE_TILE);
    trace(device, values, algorithm, pass, tile, twin).await
}

/// Every round of Blelloch's scan of `values`, at most 512, filled up with zeros to a power of two: the
/// input as loaded, the up-sweep, the cleared root, the down-sweep. Blocks; not in browsers.
///
/// # Errors
/// As for [`hillis_steele_async`].
#[cfg(not(target_arch = "wasm32"))]
pub fn blelloch<T: Element>(device: &Device, values: &[T]) -> Result<Vec<Round<T>>, Error>
where
    Sum: Monoid<T>,
{
    pollster::block_on(blelloch_async(device, values))
}

/// The same, to be awaited.
///
/// # Errors
/// As for [`hillis_steele_async`].
pub async fn blelloch_async<T: Element>(device: &Device, values: &[T]) -> Result<Vec<Round<T>>, Error>
where
    Sum: Monoid<T>,
{
    let twin = textbook::blelloch_rounds::<T, Sum>;
    trace(device, values, Algorithm::Blelloch, Pass::Blelloch, textbook::BLELLOCH_TILE, twin).await
}

async fn trace<T: Element>(
    device: &Device,
    values: &[T],
    algorithm: Algorithm,
    pass: Pass,
    tile: usize,
    twin: fn(&Sum, &[T]) -> Vec<Round<T>>,
) -> Result<Vec<Round<T>>, Error>
where
    Sum: Monoid<T>,
{
    if values.len() > tile {
        return Err(Error::TooLarge {
            what: "the input of a trace",
            unit: "elements",
            expected: tile as u64,
            found: values.len() as u64,
        });
    }
    let Some(gpu) = device.gpu() else {
        return Ok(twin(&Sum, values));
    };
    if values.is_empty() {
        return Ok(twin(&Sum, values));
    }
    let data = device.upload(values)?;
    let rounds = device.zeros::<T>(plan::rounds(pass, values.len() as u64) as usize * tile)?;
    let job = Job {
        input: data.place(),
        output: data.place(),
        same_buffer: true,
        trace: true,
        ..Job::new(algorithm, algorithm == Algorithm::Blelloch, values.len() as u64, [T::LAYOUT; 3])
    };
    let written = if gpu.takes_cuda() { Operator::in_cuda::<T, Sum>(&Sum) } else { None };
    let operator = written.unwrap_or_else(|| Operator::plain::<T, Sum>(&Sum));
    let plan = plan::scan(&job, gpu.capabilities_for(&operator))?;
    gpu.run(&plan, &operator, &[data.on_gpu()?, data.on_gpu()?, rounds.on_gpu()?])?;
    // The twin gives each round its name and its length; the values are the device's.
    let seen = rounds.read().await?;
    let named = twin(&Sum, values);
    Ok(named
        .into_iter()
        .zip(seen.chunks(tile))
        .map(|(round, seen)| Round { values: seen[..round.values.len()].to_vec(), ..round })
        .collect())
}
