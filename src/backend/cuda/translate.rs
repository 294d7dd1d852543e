//! Kernels of which there is only a WGSL text, in CUDA C++: naga reads it and writes the Metal shading language, which
//! is C++ too, and `shaders/cuda/metal.cuh` gives that its meaning here.

use std::fmt::Write;

use naga::{
    AddressSpace, Binding, BuiltIn, Module, ShaderStage, TypeInner,
    back::msl,
    proc::{BoundsCheckPolicies, BoundsCheckPolicy},
    valid::{Capabilities, ModuleInfo, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator},
};

use super::kernel::WARP;
use crate::{
    error::Error,
    kernel::{Kernel, Operator, Source},
};

/// Bindings are numbered below this.
pub(super) const SLOTS: usize = 13;

/// A kernel in CUDA C++, and the threads of its blocks.
pub(super) struct Translated {
    pub source: Source,
    pub threads: u32,
}

/// Translates `kernel`. Its parameters are the first argument of a launch, or where they are, if they are `counted`:
/// written on the device. The second are the bindings.
pub(super) fn translate(operator: &Operator, kernel: &Kernel, counted: bool) -> Result<Translated, Error> {
    let name = kernel.name();
    let source = kernel.assemble(operator);
    source.check()?;
    let located = |span: Option<naga::SourceLocation>| match span {
        Some(at) => format!("{}:{}", source.locate(at.line_number as usize), at.line_position),
        None => "an unknown line".into(),
    };
    let mut module = naga::front::wgsl::parse_str(&source.text).map_err(|error| Error::Shader {
        kernel: name,
        place: located(error.location(&source.text)),
        message: error.emit_to_string(&source.text),
    })?;
    let info = validator().validate(&module).map_err(|error| Error::Shader {
        kernel: name,
        place: located(error.location(&source.text)),
        message: error.emit_to_string(&source.text),
    })?;
    let failed = |message: String| Error::Shader { kernel: name, place: "the whole kernel".into(), message };
    rename_members(&mut module);
    let (text, names) = write(&module, &info, name).map_err(|error| failed(error.to_string()))?;
    let entry = names.entry_point_names.first().ok_or_else(|| failed("it has no entry point".into()))?;
    let entry = entry.as_ref().map_err(|error| failed(error.to_string()))?;
    let launch = launch(&module, &info, name, entry, counted).map_err(failed)?;
    let slots = format!("constexpr int SLOTS = {SLOTS};\n");
    let source = Source::new(&[
        ("engine", &slots),
        ("cuda/metal.cuh", include_str!("../../../shaders/cuda/metal.cuh")),
        ("translation", &cpp(&text)),
        ("launch", &launch),
    ]);
    Ok(Translated { source, threads: module.entry_points[0].workgroup_size.iter().product() })
}

/// What wgpu asks of a shader for a device with subgroups.
fn validator() -> Validator {
    let capabilities = Capabilities::SUBGROUP | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.subgroup_stages(ShaderStages::COMPUTE).subgroup_operations(SubgroupOperationSet::all());
    validator
}

/// Gives members of structs other names where theirs look like swizzles.
fn rename_members(module: &mut Module) {
    let looks_alike = |name: &Option<String>| name.as_deref().is_some_and(|name| swizzle(name).is_some());
    let handles: Vec<_> = module.types.iter().map(|(handle, _)| handle).collect();
    for handle in handles {
        let mut of_struct = module.types[handle].clone();
        let TypeInner::Struct { members, .. } = &mut of_struct.inner else { continue };
        let renamed: Vec<_> = members.iter_mut().filter(|member| looks_alike(&member.name)).collect();
        if renamed.is_empty() {
            continue;
        }
        for member in renamed {
            member.name = member.name.take().map(|name| name + "_member");
        }
        module.types.replace(handle, of_struct);
    }
}

/// In the Metal shading language. No index leaves its array or its binding, as on every other device.
fn write(
    module: &Module,
    info: &ModuleInfo,
    name: &str,
) -> Result<(String, msl::TranslationInfo), msl::Error> {
    let options = msl::Options {
        lang_version: (2, 4),
        fake_missing_bindings: true,
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            buffer: BoundsCheckPolicy::Restrict,
            ..BoundsCheckPolicies::default()
        },
        // Every word of workgroup memory is written before it is read, and CUDA's compiler takes no loop to end.
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: false,
        ..msl::Options::default()
    };
    let pipeline = msl::PipelineOptions {
        entry_point: Some((ShaderStage::Compute, name.into())),
        ..msl::PipelineOptions::default()
    };
    msl::write_string(module, info, &options, &pipeline)
}

/// What is Metal's own syntax, in C++'s: attributes, swizzles and headers. And shifts: Metal's are by the lowest bits of
/// a number, as WGSL's, which `metal::by` does between two of C++'s.
fn cpp(metal: &str) -> String {
    const USED: [&str; 11] = [
        "as_type",
        "half",
        "half2",
        "float2",
        "int2",
        "int3",
        "int4",
        "uint4",
        "uint64_t",
        "packed_char4",
        "packed_uchar4",
    ];
    let mut text = String::from("namespace translated {\n");
    for name in USED {
        let _ = writeln!(text, "using metal::{name};");
    }
    for line in metal.lines().filter(|line| !line.starts_with('#')) {
        let mut rest = line;
        while let Some(start) = rest.find("[[") {
            tokens(&mut text, &rest[..start]);
            rest = rest[start..].split_once("]]").map_or("", |(_, rest)| rest);
        }
        tokens(&mut text, rest);
        text.push('\n');
    }
    text.push_str("}\n");
    text.replace(" << ", " << metal::by << ").replace(" >> ", " >> metal::by >> ")
}

/// `v.xy` as `v.at<0, 1>()`, and `2.0` as `2.0f`: Metal has no doubles.
fn tokens(text: &mut String, mut line: &str) {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut before = "";
    while let Some(first) = line.chars().next() {
        let len = if first.is_ascii_digit() {
            // A sign belongs to the exponent that it follows.
            let mut last = first;
            let ends = |c: char| {
                let goes_on = is_name(c) || c == '.' || (last == 'e' && "+-".contains(c));
                last = c;
                !goes_on
            };
            line.find(ends).unwrap_or(line.len())
        } else {
            line.find(|c| !is_name(c)).unwrap_or(line.len()).max(first.len_utf8())
        };
        let (token, rest) = line.split_at(len);
        let is_float = first.is_ascii_digit() && !token.starts_with("0x") && token.contains(['.', 'e']);
        match swizzle(token).filter(|_| before == ".") {
            Some(places) => {
                let _ = write!(text, "at<{places}>()");
            }
            None => text.push_str(token),
        }
        if is_float && !token.ends_with(['f', 'h']) {
            text.push('f');
        }
        (before, line) = (token, rest);
    }
}

/// Which components a name stands for, if it names two to four.
fn swizzle(name: &str) -> Option<String> {
    let places: Option<Vec<String>> =
        name.chars().map(|c| "xyzw".find(c).map(|place| place.to_string())).collect();
    places.filter(|places| (2..=4).contains(&places.len())).map(|places| places.join(", "))
}

/// The kernel proper, which calls what was translated with all that Metal would.
fn launch(
    module: &Module,
    info: &ModuleInfo,
    name: &str,
    entry: &str,
    counted: bool,
) -> Result<String, String> {
    let point = &module.entry_points[0];
    let used = info.get_entry_point(0);
    let threads: u32 = point.workgroup_size.iter().product();
    let (mut declared, mut arguments) = (String::new(), Vec::new());
    for argument in &point.function.arguments {
        match (&argument.binding, &module.types[argument.ty].inner) {
            (Some(binding), _) => arguments.push(builtin(binding, point.workgroup_size)?),
            (None, TypeInner::Struct { members, .. }) => {
                for member in members {
                    let binding = member.binding.as_ref().ok_or("an argument that is not built in")?;
                    arguments.push(builtin(binding, point.workgroup_size)?);
                }
            }
            _ => return Err("an argument that is not built in".into()),
        }
    }
    let type_of = |argument: usize| format!("typename Argument<{argument}, Entry>::type");
    let mut params = "int".to_string();
    for (handle, global) in module.global_variables.iter() {
        if used[handle].is_empty() {
            continue;
        }
        let slot = global.binding.map(|binding| binding.binding);
        let number = arguments.len();
        match (global.space, slot) {
            (AddressSpace::Private, _) => {}
            (AddressSpace::WorkGroup, _) => {
                let _ = writeln!(declared, "    __shared__ {} shared{number};", type_of(number));
                arguments.push(format!("shared{number}"));
            }
            (AddressSpace::Uniform, Some(_)) => {
                params = type_of(number);
                arguments.push(if counted { "*params" } else { "params" }.into());
            }
            (AddressSpace::Storage { .. }, Some(slot)) if (slot as usize) < SLOTS => {
                let place = format!("reinterpret_cast<{}*>(buffers.at[{slot}].start)", type_of(number));
                arguments.push(format!("*{place}"));
            }
            (space, slot) => return Err(format!("a variable in {space:?} bound at {slot:?}")),
        }
    }
    // Metal is told how long arrays are that have no length of their own: all of them, in the order of variables,
    // if any is used.
    let unsized_arrays: Vec<_> =
        module.global_variables.iter().filter(|(_, global)| is_unsized(module, global)).collect();
    if unsized_arrays.iter().any(|(handle, _)| !used[*handle].is_empty()) {
        let sizes = unsized_arrays.iter().map(|(_, global)| {
            let slot = global.binding.map_or(0, |binding| binding.binding);
            format!("buffers.at[{slot}].bytes")
        });
        let sizes: Vec<String> = sizes.collect();
        let _ = writeln!(declared, "    translated::_mslBufferSizes sizes = {{{}}};", sizes.join(", "));
        arguments.push("sizes".into());
    }
    let pass = if counted { "const Params* params" } else { "const __grid_constant__ Params params" };
    Ok(format!(
        "typedef decltype(translated::{entry}) Entry;\n\
         typedef {params} Params;\n\n\
         extern \"C\" __global__ void __launch_bounds__({threads}) {name}(\n    \
         {pass}, const __grid_constant__ Buffers buffers\n) {{\n{declared}    \
         translated::{entry}({});\n}}\n",
        arguments.join(", "),
    ))
}

/// Whether a variable is an array of whatever length, or ends with one.
fn is_unsized(module: &Module, global: &naga::GlobalVariable) -> bool {
    module.types[global.ty].inner.needs_host_buffer_byte_size(&module.types)
}

/// What a built-in value is here.
fn builtin(binding: &Binding, [x, y, z]: [u32; 3]) -> Result<String, String> {
    let Binding::BuiltIn(builtin) = binding else { return Err("an argument with a location".into()) };
    if (y, z) != (1, 1) {
        return Err("a workgroup of more than one dimension".into());
    }
    Ok(match builtin {
        BuiltIn::WorkGroupId => "metal::uint3(blockIdx.x, blockIdx.y, blockIdx.z)".into(),
        BuiltIn::NumWorkGroups => "metal::uint3(gridDim.x, gridDim.y, gridDim.z)".into(),
        BuiltIn::LocalInvocationIndex => "threadIdx.x".into(),
        BuiltIn::LocalInvocationId => "metal::uint3(threadIdx.x, 0, 0)".into(),
        BuiltIn::GlobalInvocationId => {
            format!("metal::uint3(blockIdx.x * {x}u + threadIdx.x, blockIdx.y, blockIdx.z)")
        }
        BuiltIn::SubgroupInvocationId => format!("threadIdx.x % {WARP}u"),
        BuiltIn::SubgroupId => format!("threadIdx.x / {WARP}u"),
        BuiltIn::SubgroupSize => format!("{WARP}u"),
        BuiltIn::NumSubgroups => format!("{}u", x / WARP),
        other => return Err(format!("the built-in value {other:?}")),
    })
}
