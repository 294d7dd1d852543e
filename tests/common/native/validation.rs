//! Makes every message of the Vulkan validation layer a failure.

use std::{io::Write as _, process, sync::Once};

/// Ends the process at the layer's first message. wgpu logs them from inside a callback of the driver, where
/// a panic would be caught and lost.
struct Strict;

impl log::Log for Strict {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &log::Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let text = record.args().to_string();
        // The driver's own remarks come the same way, marked GENERAL or PERFORMANCE.
        if record.target().starts_with("wgpu_hal::vulkan") && text.starts_with("VALIDATION") {
            // Not by `eprintln!`: the test harness would hold that back, and lose it at the abort.
            let _ = writeln!(std::io::stderr(), "the Vulkan validation layer reports:\n{text}");
            process::abort();
        }
        println!("{} {}: {text}", record.level(), record.target());
    }

    fn flush(&self) {}
}

/// Before the first device is made.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        log::set_logger(&Strict).expect("no test installs another logger");
        log::set_max_level(log::LevelFilter::Warn);
    });
}
