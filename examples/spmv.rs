//! PageRank of a mesh's vertices: the product of one sparse matrix and a vector, again and again, all of it recorded
//! into one encoder. Compares with the same loop in f64 on the host.

use std::{error::Error, iter};

use gpuscan::{Csr, Device, GpuBuffer, GpuCsr, GpuScan, wgpu};

const MESH: &str = include_str!("data/4elt.graph");
/// How much of a vertex's rank its neighbours share; what is left is spread over all vertices.
const SHARED: f64 = 0.85;
const ROUNDS: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::new().unwrap_or_else(|error| {
        println!("{error}\nOn the CPU, then:");
        Device::cpu()
    });
    println!("{device}");
    let rows = matrix(&neighbours(MESH)?);
    let n = rows.len() - 1;

    let lengths: Vec<u32> = rows.iter().map(|row| row.len() as u32).chain([0]).collect();
    let (columns, values): (Vec<u32>, Vec<f32>) =
        rows.iter().flatten().map(|&(column, value)| (column, value as f32)).unzip();
    let matrix = Csr {
        offsets: GpuScan::new(&device).exclusive(&device.upload(&lengths)?)?,
        entries: device.upload(&columns)?,
    };
    let start: Vec<f32> = iter::repeat_n(1.0 / n as f32, n).chain([1.0]).collect();
    let ranks = [device.upload(&start)?, device.zeros(n + 1)?];
    iterate(&device, &matrix, &device.upload(&values)?, &ranks)?;
    let found = ranks[ROUNDS % 2].to_vec()?;

    let mut wanted: Vec<f64> = iter::repeat_n(1.0 / n as f64, n).chain([1.0]).collect();
    for _ in 0..ROUNDS {
        let product = |row: &Vec<(u32, f64)>| row.iter().map(|&(c, value)| value * wanted[c as usize]).sum();
        wanted = rows.iter().map(product).collect();
    }
    let off = |(&found, &wanted): (&f32, &f64)| (f64::from(found) / wanted - 1.0).abs();
    let worst = found.iter().zip(&wanted).map(off).fold(0.0, f64::max);

    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| found[b].total_cmp(&found[a]));
    for &vertex in &order[..5] {
        println!("vertex {vertex:5}: rank {:.3e}, {:2} neighbours", found[vertex], rows[vertex].len() - 1);
    }
    println!("{} entries, {ROUNDS} products, off from a loop in f64 by at most {worst:.1e}", values.len());
    match worst < 1e-5 {
        true => Ok(()),
        false => Err("that is too much".into()),
    }
}

/// One product after the other, from one vector of ranks into the other and back.
fn iterate(
    device: &Device,
    matrix: &Csr<u32>,
    values: &GpuBuffer<f32>,
    ranks: &[GpuBuffer<f32>; 2],
) -> Result<(), Box<dyn Error>> {
    let csr = GpuCsr::new(device);
    let (Some(on_gpu), Some(queue)) = (device.wgpu_device(), device.wgpu_queue()) else {
        for round in 0..ROUNDS {
            csr.multiply_into(matrix, values, &ranks[round % 2], &ranks[(round + 1) % 2])?;
        }
        return Ok(());
    };
    let mut encoder = on_gpu.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for round in 0..ROUNDS {
        csr.encode_multiply(&mut encoder, matrix, values, &ranks[round % 2], &ranks[(round + 1) % 2])?;
    }
    queue.submit([encoder.finish()]);
    Ok(())
}

/// The rows of the matrix that makes new ranks of old ones. A last element that is always 1 carries what every
/// vertex gets.
fn matrix(neighbours: &[Vec<u32>]) -> Vec<Vec<(u32, f64)>> {
    let n = neighbours.len();
    let one = n as u32;
    let row = |list: &Vec<u32>| {
        let shares = list.iter().map(|&from| (from, SHARED / neighbours[from as usize].len() as f64));
        shares.chain([(one, (1.0 - SHARED) / n as f64)]).collect()
    };
    neighbours.iter().map(row).chain([vec![(one, 1.0)]]).collect()
}

/// The neighbours of each vertex, counted from 0, of a METIS graph without weights.
fn neighbours(graph: &str) -> Result<Vec<Vec<u32>>, Box<dyn Error>> {
    let vertices = graph.lines().skip(1).map(|line| {
        let numbers = line.split_whitespace().map(|number| Ok(number.parse::<u32>()? - 1));
        numbers.collect::<Result<Vec<u32>, Box<dyn Error>>>()
    });
    vertices.collect()
}
