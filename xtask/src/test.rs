//! The steps of `cargo xtask test` and `cargo xtask soak`.

use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::command::{cargo, run, run_watched};
use crate::drivers::{self, Driver};
use crate::nvrtc;
use crate::steps::{Done, Steps, TestCount};
use crate::web;

/// What to run.
#[derive(Args)]
pub struct Options {
    /// Run the GPU tests on this driver only (may be given several times)
    #[arg(long = "driver", value_name = "NAME")]
    drivers: Vec<Driver>,
    /// Use the drivers that are there; download nothing
    #[arg(long)]
    no_install: bool,
    /// Leave out the tests in a browser
    #[arg(long)]
    no_web: bool,
    /// Run the remaining steps after one failed
    #[arg(long)]
    keep_going: bool,
}

/// Every check, then the tests on each driver.
pub fn test(options: &Options) -> Result<()> {
    let mut steps = Steps::new(options.keep_going);
    let only_system = options.drivers == [Driver::System];
    install_step(&mut steps, !options.no_install && !only_system);
    let chosen = choose(&options.drivers, &mut steps);

    steps.step("format", |_| run(&mut cargo(["fmt", "--all", "--check"])));
    steps.step("clippy", |_| {
        let everything = ["clippy", "--workspace", "--all-targets", "--features", "gpuscan/cuda"];
        run(cargo(everything).args(["--", "-D", "warnings"]))
    });
    steps.step("clippy without cuda", |_| run(&mut cargo(["clippy", "--lib", "--", "-D", "warnings"])));
    steps
        .step("docs", |_| run(cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings")));
    steps.step("package", |_| {
        let packages = ["--package", "gpuscan", "--package", "gpuscan-macros"];
        run(cargo(["package", "--allow-dirty", "--no-verify"]).args(packages))
    });
    // Without `--workspace` here: its features would differ from those of the runs below, and build all twice.
    steps.step("build tests", |_| run(&mut cargo(["test", "--no-run"])));
    steps.step("xtask tests", |done| run_tests(&mut cargo(["test", "--package", "xtask"]), done));
    steps.step("macro tests", |done| run_tests(&mut cargo(["test", "--package", "gpuscan-macros"]), done));

    match nvrtc::missing(!options.no_install) {
        Some(reason) => steps.skip("CUDA kernels", reason),
        None => steps.step("CUDA kernels", |done| {
            nvrtc::install()?;
            let mut command = cargo(["test", "--features", "cuda", "--lib", "backend::cuda"]);
            nvrtc::apply(&mut command)?;
            run_tests(&mut command, done)
        }),
    }

    // Unit tests, documentation and examples need some adapter; the first one will do.
    let Some(&first) = chosen.first() else {
        steps.step("GPU tests", |_| bail!("none of the drivers asked for is there"));
        return steps.finish();
    };
    steps.step("unit tests", |done| run_tests(&mut on(first, &["test", "--lib"])?, done));
    steps.step("doc tests", |done| run_tests(&mut on(first, &["test", "--doc"])?, done));
    steps.step("example quickstart", |_| run(&mut on(first, &["run", "--example", "quickstart"])?));
    steps.step("example trace", |_| {
        let numbers = ["3", "1", "7", "0", "4", "2", "1", "6"];
        run(on(first, &["run", "--example", "trace", "--"])?.args(numbers))
    });
    for example in ["custom_monoid", "recurrence", "biquad", "histogram", "integral_image", "spmv"] {
        steps.step(&format!("example {example}"), |_| run(&mut on(first, &["run", "--example", example])?));
    }
    steps.step("example zero_copy", |_| {
        run(&mut on(first, &["run", "--features", "cuda", "--example", "zero_copy"])?)
    });
    for driver in chosen {
        steps.step(&format!("shared memory on {}", driver.name()), |done| {
            run_tests(&mut shared_memory(driver)?, done)
        });
        steps.step(&format!("tests on {}", driver.name()), |done| {
            done.note = driver.version();
            run_tests(&mut driver_tests(driver)?, done)
        });
    }
    if options.no_web || only_system {
        steps.skip("web", "not asked for");
    } else {
        web::steps(&mut steps, !options.no_install);
    }
    steps.finish()
}

/// How often the soak test of the single pass uses its states.
const REUSES: u32 = 10_000;

/// And how often those of sorts and compactions run.
const RUNS: u32 = 2000;

/// The soak tests, the first for as long as asked: on lavapipe, what waits for others on SwiftShader too; where they
/// are not, on the system's driver.
pub fn soak(minutes: u32) -> Result<()> {
    let mut steps = Steps::new(false);
    install_step(&mut steps, true);
    let chosen = choose(&[], &mut steps);
    let driver = chosen.first().copied().unwrap_or(Driver::System);
    steps.step(&format!("soak on {} for {minutes} minutes", driver.name()), |done| {
        let mut command = on(driver, &["test", "--release", "--test", "soak"])?;
        run_tests(command.env("GPUSCAN_SOAK_MINUTES", minutes.to_string()), done)
    });
    for driver in
        [driver, Driver::Swiftshader].into_iter().filter(|&one| one == driver || chosen.contains(&one))
    {
        let again = [
            ("single_pass", "states_are_reused", REUSES),
            ("sort", "runs_do_not_differ", RUNS),
            ("compact", "runs_do_not_differ", RUNS),
        ];
        for (target, name, rounds) in again {
            steps.step(&format!("{rounds} times {target} {name} on {}", driver.name()), |done| {
                let mut command = on(driver, &["test", "--release", "--test", target, name])?;
                run_tests(command.env("GPUSCAN_SOAK_ROUNDS", rounds.to_string()), done)
            });
        }
    }
    steps.finish()
}

fn install_step(steps: &mut Steps, wanted: bool) {
    if !wanted {
        return steps.skip("drivers", "nothing is to be installed");
    }
    let started = std::time::Instant::now();
    steps.step("drivers", |done| {
        let say = |what: &str| println!("[{:7.1} s]   {what}", started.elapsed().as_secs_f64());
        drivers::install(&say).context(
            "the software drivers could not be installed (--no-install and --driver system do without)",
        )?;
        if !drivers::has_validation() {
            done.note = "no Vulkan validation layer: the tests run without it".to_owned();
        }
        Ok(())
    });
}

/// The drivers to run on. Those that are not there get a line of their own in the table.
fn choose(asked: &[Driver], steps: &mut Steps) -> Vec<Driver> {
    if steps.stopped() {
        return Vec::new();
    }
    let candidates = if asked.is_empty() { &Driver::SOFTWARE[..] } else { asked };
    let mut chosen = Vec::new();
    for &driver in candidates {
        let name = format!("driver {}", driver.name());
        match driver.missing() {
            None => chosen.push(driver),
            // What was asked for by name must not be passed over.
            Some(reason) if !asked.is_empty() => steps.step(&name, |_| bail!("{reason}")),
            Some(reason) => steps.skip(&name, &reason),
        }
    }
    if chosen.is_empty() && asked.is_empty() {
        steps.say(format_args!("no software driver here: {SYSTEM_HINT}"));
        chosen.push(Driver::System);
    }
    chosen
}

const SYSTEM_HINT: &str = "the tests use the system's own GPU driver. Where the system has none, install \
    Mesa's Vulkan drivers and the Vulkan loader by hand (the packages are called mesa-vulkan-drivers and \
    libvulkan1, vulkan-swrast and vulkan-icd-loader, or mesa-vulkan-drivers and vulkan-loader); macOS and \
    Windows bring theirs along";

/// What a driver with subgroups of four lanes might do otherwise: scans in every form, and what is made of them.
const ON_SWIFTSHADER: [&str; 18] = [
    "compact",
    "conformance",
    "csr",
    "errors",
    "examples",
    "histogram",
    "limits",
    "operators",
    "order",
    "properties",
    "rows",
    "runs",
    "scan",
    "segments",
    "single_pass",
    "soak",
    "trace",
    "warm",
];

/// The integration tests for a driver: all of them, or fewer and smaller ones where it is slow.
fn driver_tests(driver: Driver) -> Result<Command> {
    let targets = match driver {
        // An old Mesa is there for what it does to loops, which this one target shows.
        Driver::OldMesa => &["conformance"][..],
        Driver::Swiftshader => &ON_SWIFTSHADER,
        _ => &["*"],
    };
    let mut command = on(driver, &["test", "--no-fail-fast"])?;
    for target in targets {
        command.args(["--test", target]);
    }
    if matches!(driver, Driver::Swiftshader | Driver::OldMesa) {
        command.env("GPUSCAN_TEST_SIZES", "small");
    }
    Ok(command)
}

/// What Vulkan shares with CUDA, without CUDA: memory and timelines that are exported, and what is said where there is
/// nobody to share with.
fn shared_memory(driver: Driver) -> Result<Command> {
    let mut command = on(driver, &["test", "--features", "cuda", "--lib", "--test", "zero_copy"])?;
    command.args(["--", "export::", "refused::"]);
    Ok(command)
}

fn on(driver: Driver, arguments: &[&str]) -> Result<Command> {
    let mut command = cargo(arguments);
    drivers::apply(&driver.environment()?, &mut command);
    Ok(command)
}

/// Runs tests and reads their output: for the counts, and for what the validation layer says.
pub fn run_tests(command: &mut Command, done: &mut Done) -> Result<()> {
    let mut count = TestCount::default();
    let mut validation = None;
    let result = run_watched(command, |line| {
        if let Some(here) = test_result(line) {
            count.passed += here.passed;
            count.failed += here.failed;
        }
        if validation.is_none() && is_validation_message(line) {
            validation = Some(line.to_owned());
        }
    });
    done.tests = Some(count);
    if let Some(line) = validation {
        bail!("the Vulkan validation layer reported: {line}");
    }
    result?;
    if count == TestCount::default() {
        bail!("no test ran");
    }
    Ok(())
}

fn is_validation_message(line: &str) -> bool {
    line.contains("VALIDATION [") || line.contains("Validation Error")
}

/// The counts in `test result: ok. 3 passed; 0 failed; …`.
fn test_result(line: &str) -> Option<TestCount> {
    let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let count = |word: &str| {
        let part = counts.split(';').find_map(|part| part.trim().strip_suffix(word))?;
        part.trim().parse().ok()
    };
    Some(TestCount { passed: count("passed")?, failed: count("failed")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_counted() {
        let ok =
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.10s";
        assert_eq!(test_result(ok), Some(TestCount { passed: 12, failed: 0 }));
        let failed = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(test_result(failed), Some(TestCount { passed: 1, failed: 2 }));
        assert_eq!(test_result("test sum ... ok"), None);
    }

    #[test]
    fn validation_messages_are_seen() {
        assert!(is_validation_message("VALIDATION [VUID-vkCmdDispatch-None (0x0)]"));
        assert!(is_validation_message("[ERROR] Validation Error: [ VUID-x ]"));
        assert!(!is_validation_message("test validation ... ok"));
    }
}
