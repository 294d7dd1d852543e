//! The Rust peers: CPU scans always, lampshade and massively where compiled in.
//!
//! `gpuscan-peers --out rows.json [--peers cpu,lampshade,lampshade-sort,massively] [--elements u32,f32]`.
//! The protocol is `../README.md`; the CUDA and Python peers follow the same one.

mod cpu;
#[cfg(feature = "lampshade")]
mod lampshade;
#[cfg(feature = "massively")]
mod massively;
mod protocol;

use clap::Parser;
use protocol::{Data, Options, Row};

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let mut rows = Vec::new();
    if options.wants_element("u32") {
        let data = Data::<u32>::new(options.largest());
        common_peers(&options, &data, &mut rows);
        if options.wants_peer("lampshade") {
            report("lampshade", lampshade(&options, &data, &mut rows));
        }
        if options.wants_peer("lampshade-sort") {
            report("lampshade-sort", lampshade_sort(&options, &data, &mut rows));
        }
    }
    if options.wants_element("f32") {
        let data = Data::<f32>::new(options.largest());
        common_peers(&options, &data, &mut rows);
    }
    protocol::write(&options.out, &rows)
}

/// The peers that scan integers and floats.
fn common_peers<T: Scannable>(options: &Options, data: &Data<T>, rows: &mut Vec<Row>) {
    if options.wants_peer("cpu") {
        cpu::rows(options, data, rows);
    }
    if options.wants_peer("massively") {
        report("massively", massively(options, data, rows));
    }
}

/// A peer that cannot run here is skipped with a word: the others still run.
fn report(peer: &str, result: anyhow::Result<()>) {
    if let Err(why) = result {
        eprintln!("skipped: {peer}: {why:#}");
    }
}

#[cfg(feature = "massively")]
use massively::Scannable;
#[cfg(not(feature = "massively"))]
use protocol::Element as Scannable;

#[cfg(feature = "massively")]
fn massively<T: Scannable>(
    options: &Options,
    data: &Data<T>,
    rows: &mut Vec<Row>,
) -> anyhow::Result<()> {
    massively::rows(options, data, rows)
}

#[cfg(not(feature = "massively"))]
fn massively<T: Scannable>(_: &Options, _: &Data<T>, _: &mut Vec<Row>) -> anyhow::Result<()> {
    anyhow::bail!("not compiled in (--features massively)")
}

#[cfg(feature = "lampshade")]
fn lampshade(options: &Options, data: &Data<u32>, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    lampshade::rows(options, data, rows)
}

#[cfg(feature = "lampshade")]
fn lampshade_sort(options: &Options, data: &Data<u32>, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    lampshade::sort_rows(options, data, rows)
}

#[cfg(not(feature = "lampshade"))]
fn lampshade_sort(_: &Options, _: &Data<u32>, _: &mut Vec<Row>) -> anyhow::Result<()> {
    anyhow::bail!("not compiled in (--features lampshade)")
}

#[cfg(not(feature = "lampshade"))]
fn lampshade(_: &Options, _: &Data<u32>, _: &mut Vec<Row>) -> anyhow::Result<()> {
    anyhow::bail!("not compiled in (--features lampshade)")
}
