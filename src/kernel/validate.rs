//! An operator's text before naga, without a device.

use wgpu::naga::{
    front::wgsl,
    valid::{Capabilities, ValidationFlags, Validator},
};

use super::{
    Operator, Source,
    scan::{Lanes, Pass, ScanKernel, Tiles},
    scan_text,
};
use crate::error::Error;

/// An error that says where and what if the operator's text is not what it may be. A kernel that does little but combine
/// is parsed; names are compared with those of one that declares the most.
pub(crate) fn check_operator(operator: &Operator) -> Result<(), Error> {
    let kernel =
        |pass| ScanKernel { lanes: Lanes::Subgroup, tiles: Tiles::Scratch, ..ScanKernel::plain(pass) };
    scan_text::assemble(operator, &kernel(Pass::LookBack)).check()?;
    let folding = kernel(Pass::Fold);
    let source = scan_text::assemble(operator, &folding);
    source.check()?;
    validate(&source).map_err(|(place, message)| Error::Shader {
        kernel: folding.pass.name(),
        place,
        message,
    })
}

/// What naga says of a text, and where it says so.
fn validate(source: &Source) -> Result<(), (String, String)> {
    let text = &source.text;
    let place = |at: Option<wgpu::naga::SourceLocation>| {
        at.map_or("an unknown line".into(), |at| {
            format!("{}:{}", source.locate(at.line_number as usize), at.line_position)
        })
    };
    let module =
        wgsl::parse_str(text).map_err(|error| (place(error.location(text)), error.emit_to_string(text)))?;
    Validator::new(ValidationFlags::all(), Capabilities::default()).validate(&module).map_err(|error| {
        // The function's place is one of them, and that of the expression in it.
        let narrowest =
            error.spans().min_by_key(|(span, _)| span.to_range().map_or(usize::MAX, |at| at.len()));
        (place(narrowest.map(|(span, _)| span.location(text))), error.emit_to_string(text))
    })?;
    Ok(())
}
