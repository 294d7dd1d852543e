//! The kernels of radix sorts.

use std::fmt::Write as _;

use super::{ENABLE_SUBGROUPS, LANES, Source, params, scan::Lanes, snippet};

params! {
    /// Keys that there is room for: all, unless a count on the device says less.
    capacity,
    /// Tiles that there is room for, of the kernel's own size.
    tiles,
    /// Workgroups in a row of the grid.
    grid_x,
    /// The number of the digit.
    digit,
    /// The half of the table's rows that this digit uses, 0 or 1.
    half,
    /// The first bit of the digit, or of all digits.
    shift,
    /// Bits of the digit, or of all digits.
    bits,
    /// All ones to sort downwards, or zero.
    flip,
    /// How often a lane looks for a row of the table before its workgroup counts the tile itself.
    patience,
    /// Where keys start in their binding, in words.
    src_keys,
    /// The same where they go.
    dst_keys,
    /// Where the payload starts in its binding, in words.
    src_values,
    /// The same where it goes.
    dst_values,
    /// Where a count or offsets of segments start in their binding, in words.
    extra,
    /// Segments.
    segments,
    /// Uniform structs are a multiple of 16 bytes.
    reserved,
}

/// Values of a digit.
pub(crate) const BINS: u32 = 256;
/// Digits of a key at most.
pub(crate) const MOST_DIGITS: u32 = 8;
/// Words of the table before its rows, as `shaders/radix/table.wgsl` has it.
pub(crate) const TABLE_HEADER: u32 = 32 + MOST_DIGITS * BINS;
/// Words that a workgroup of [`Step::Clear`] empties.
pub(crate) const CLEARED: u32 = 16 * LANES;
/// Keys of a lane and step of [`Step::Count`].
pub(crate) const COUNT_PER_LANE: u32 = 8;

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// Empties the table.
    Clear,
    /// Histograms of so many digits.
    Count { digits: u32 },
    /// Where each value of each digit starts.
    Starts,
    /// One digit: all keys to their places.
    Sweep,
    /// The segment of each element of a permutation.
    Segments,
    /// Elements in the order of a permutation.
    Gather,
}

/// How keys are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    Unsigned,
    /// Two's complement.
    Signed,
    /// −∞ … −0 = +0 … +∞, then NaNs by their bits.
    Float,
}

/// A key type: how its bits are ordered, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code {
    pub order: Order,
    pub bits: u32,
}

impl Code {
    /// Plain numbers of one word.
    pub const WORD: Code = Code { order: Order::Unsigned, bits: 32 };

    /// Words of a key.
    pub fn words(self) -> u32 {
        self.bits.div_ceil(32)
    }

    /// Bits of a float's mantissa.
    fn mantissa(self) -> u32 {
        match self.bits {
            16 => 10,
            32 => 23,
            64 => 52,
            _ => 0,
        }
    }

    /// The order-preserving code of a key's bits: unsigned numbers in the order of the keys. The twin of
    /// `shaders/radix/code_*.wgsl`.
    pub fn of(self, key: u64) -> u64 {
        let sign = 1 << (self.bits - 1);
        match self.order {
            Order::Unsigned => key,
            Order::Signed => key ^ sign,
            Order::Float => {
                let mantissa = (1 << self.mantissa()) - 1;
                let negative_infinity = sign | (sign - 1 - mantissa);
                match key {
                    _ if key > negative_infinity => key,
                    _ if key > sign => negative_infinity - key,
                    _ => (key | sign) - mantissa,
                }
            }
        }
    }
}

/// What goes along with the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Payload {
    Nothing,
    /// Each key's own index.
    Index,
    /// So many words.
    Words(u32),
}

impl Payload {
    /// Words of an element.
    pub fn words(self) -> u32 {
        match self {
            Payload::Nothing => 0,
            Payload::Index => 1,
            Payload::Words(words) => words,
        }
    }
}

/// Everything that decides a kernel's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SortKernel {
    pub step: Step,
    pub code: Code,
    pub payload: Payload,
    pub lanes: Lanes,
    /// Keys that a lane holds.
    pub per_lane: u32,
    /// The number of keys is on the device.
    pub counted: bool,
    /// Keys are read from scratch memory, which is bound for writing as well.
    pub scratch_keys: bool,
    /// The same of the payload.
    pub scratch_values: bool,
}

impl SortKernel {
    /// The entry point.
    pub fn name(&self) -> &'static str {
        match self.step {
            Step::Clear => "radix_clear",
            Step::Count { .. } => "radix_count",
            Step::Starts => "radix_starts",
            Step::Sweep => "radix_sweep",
            Step::Segments => "radix_segments",
            Step::Gather => "radix_gather",
        }
    }

    /// Keys that a workgroup handles at a time.
    pub fn tile(&self) -> u32 {
        self.per_lane * LANES
    }
}

/// The whole text of `kernel`.
pub(crate) fn assemble(kernel: &SortKernel) -> Source {
    let by_lanes = matches!(kernel.step, Step::Count { .. } | Step::Starts | Step::Sweep);
    let enable = if by_lanes && kernel.lanes == Lanes::Subgroup { ENABLE_SUBGROUPS } else { "" };
    let constants = enable.to_string() + &constants(kernel);
    let bindings = bindings(kernel);
    let unrolled = match kernel.step {
        Step::Count { digits } => keys(kernel) + &count_digits(kernel, digits),
        Step::Sweep => keys(kernel) + &rank_tile(kernel) + &move_tile(kernel),
        _ => String::new(),
    };
    let mut parts = vec![
        ("constants", &*constants),
        ("params", Params::WGSL),
        snippet!("radix/table.wgsl"),
        ("bindings", &*bindings),
        ("unrolled", &*unrolled),
    ];
    if matches!(kernel.step, Step::Count { .. } | Step::Sweep) {
        parts.push(match kernel.code.words() {
            1 => snippet!("radix/code_word.wgsl"),
            _ => snippet!("radix/code_pair.wgsl"),
        });
    }
    if by_lanes {
        parts.push(match kernel.lanes {
            Lanes::Subgroup => snippet!("radix/lanes_subgroup.wgsl"),
            Lanes::Workgroup => snippet!("radix/lanes_workgroup.wgsl"),
        });
    }
    match (kernel.step, kernel.lanes) {
        (Step::Count { .. }, Lanes::Subgroup) => parts.push(snippet!("radix/count_subgroup.wgsl")),
        (Step::Count { .. }, Lanes::Workgroup) => parts.push(snippet!("radix/count_workgroup.wgsl")),
        (Step::Sweep, Lanes::Subgroup) => {
            parts.push(snippet!("radix/rank_subgroup.wgsl"));
            parts.push(match cfg!(target_arch = "wasm32") {
                true => snippet!("width/proven.wgsl"),
                false => snippet!("width/plain.wgsl"),
            });
        }
        (Step::Sweep, Lanes::Workgroup) => parts.push(snippet!("radix/rank_workgroup.wgsl")),
        _ => {}
    }
    parts.push(match kernel.step {
        Step::Clear => snippet!("kernels/radix_clear.wgsl"),
        Step::Count { .. } => snippet!("kernels/radix_count.wgsl"),
        Step::Starts => snippet!("kernels/radix_starts.wgsl"),
        Step::Sweep => snippet!("kernels/radix_sweep.wgsl"),
        Step::Segments => snippet!("kernels/radix_segments.wgsl"),
        Step::Gather => snippet!("kernels/radix_gather.wgsl"),
    });
    Source::new(&parts)
}

fn constants(kernel: &SortKernel) -> String {
    // Ranking needs 8 tables of 256 counts, and staging a word for each key.
    let words = (8 * BINS).max(kernel.tile());
    let code = kernel.code;
    let high_bits = code.bits - 32 * (code.words() - 1);
    let mantissa = (code.mantissa() + high_bits).saturating_sub(code.bits);
    format!(
        "const LANES = {LANES}u;\nconst PER_LANE = {}u;\nconst TILE = {}u;\n\
         const WORDS = {words}u;\nconst CLEARED = {CLEARED}u;\nconst SIGN = {}u;\nconst MANTISSA = {}u;\n",
        kernel.per_lane,
        kernel.tile(),
        1u32 << (high_bits - 1),
        (1u32 << mantissa) - 1,
    )
}

/// What is bound besides the table, and how single words of it are reached.
fn bindings(kernel: &SortKernel) -> String {
    let mut text = String::new();
    let mut source = |slot: u32, name: &str, scratch: bool| {
        let access = if scratch { "read_write" } else { "read" };
        let line = format!("@group(0) @binding({slot}) var<storage, {access}> {name}: array<u32>;");
        writeln!(text, "{line}").expect("writing to a string");
    };
    match kernel.step {
        Step::Clear if kernel.counted => source(6, "extra", false),
        Step::Clear | Step::Starts => {}
        Step::Count { .. } => source(1, "src_keys", kernel.scratch_keys),
        Step::Segments => source(4, "src_values", kernel.scratch_values),
        Step::Gather => {
            source(1, "src_keys", kernel.scratch_keys);
            if kernel.payload == Payload::Index {
                source(4, "src_values", kernel.scratch_values);
                text.push_str(
                    "fn element(i: u32) -> u32 {\n    return src_values[params.src_values + i];\n}\n",
                );
            } else {
                text.push_str("fn element(i: u32) -> u32 {\n    return i;\n}\n");
            }
            let words = kernel.code.words();
            writeln!(text, "const GATHERED = {words}u;").expect("writing to a string");
        }
        Step::Sweep => {
            source(1, "src_keys", kernel.scratch_keys);
            if let Payload::Words(_) = kernel.payload {
                source(4, "src_values", kernel.scratch_values);
            }
            text.push_str("@group(0) @binding(2) var<storage, read_write> dst_keys: array<u32>;\n");
            if kernel.payload != Payload::Nothing {
                text.push_str("@group(0) @binding(5) var<storage, read_write> dst_values: array<u32>;\n");
            }
        }
    }
    let length = match (kernel.counted, kernel.step) {
        (false, _) => "params.capacity",
        (true, Step::Clear) => "min(extra[params.extra], params.capacity)",
        (true, _) => "atomicLoad(&table[LENGTH])",
    };
    write!(
        text,
        "/// Keys to sort: all that there is room for, or what a count on the device says.\n\
         fn length() -> u32 {{\n    return {length};\n}}\n"
    )
    .expect("writing to a string");
    text
}

/// Each of `0..count` through `line`, joined by `separator`.
fn each(count: u32, separator: &str, line: impl Fn(u32) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join(separator)
}

/// Shader text that is the same statement for each of a lane's keys. They are named variables, for an array
/// indexed in a loop is placed in slow local memory by some drivers.
struct Unrolled {
    text: String,
    count: u32,
}

impl Unrolled {
    fn new(kernel: &SortKernel) -> Self {
        Self { text: String::new(), count: kernel.per_lane }
    }

    /// A declaration.
    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }

    /// A function whose result has one field for each key.
    fn map(&mut self, signature: &str, result: &str, field: impl Fn(u32) -> String) {
        let fields = each(self.count, ", ", field);
        self.add(&format!("fn {signature} -> {result} {{\n    return {result}({fields});\n}}"));
    }

    /// A function that does something for each key.
    fn for_each(&mut self, signature: &str, statement: impl Fn(u32) -> String) {
        let statements = each(self.count, "\n    ", statement);
        self.add(&format!("fn {signature} {{\n    {statements}\n}}"));
    }
}

/// Keys, their digits, and how a tile's are loaded.
fn keys(kernel: &SortKernel) -> String {
    let mut text = Unrolled::new(kernel);
    let fields = |kind: &str| each(kernel.per_lane, ", ", |k| format!("k{k}: {kind}"));
    text.add(&format!("struct Keys {{ {} }}", fields("Key")));
    text.add("/// A word for each key.");
    text.add(&format!("struct Words {{ {} }}", fields("u32")));
    text.add(match kernel.code.words() {
        1 => "fn load_key(i: u32) -> Key {\n    return src_keys[params.src_keys + i];\n}",
        _ => {
            "fn load_key(i: u32) -> Key {\n    let at = params.src_keys + 2u * i;\n    \
             return vec2(src_keys[at], src_keys[at + 1u]);\n}"
        }
    });
    let code = match kernel.code.order {
        Order::Unsigned => "unsigned_code",
        Order::Signed => "signed_code",
        Order::Float => "float_code",
    };
    text.add(&format!("fn code_of(key: Key) -> Key {{\n    return key_xor({code}(key), params.flip);\n}}"));
    text.map("load_tile(first: u32, stride: u32, last: u32)", "Keys", |k| {
        format!("load_key(min(first + {k}u * stride, last))")
    });
    text.text
}

/// All digits of a tile's keys, counted.
fn count_digits(kernel: &SortKernel, digits: u32) -> String {
    let mut text = Unrolled::new(kernel);
    text.add(&format!("const DIGITS = {digits}u;"));
    text.add(
        "fn digit_of(code: Key, digit: u32) -> u32 {\n    let first = 8u * digit;\n    \
         let bits = min(8u, max(params.bits, first) - first);\n    \
         return bits_of(code, params.shift + select(0u, first, bits > 0u), (1u << bits) - 1u);\n}",
    );
    // Lanes of a subgroup that agree on a digit need not each count it.
    if kernel.lanes == Lanes::Subgroup {
        let count_bin =
            |d| format!("count_bin({d}u, digit_of(code, {d}u), digit_of(differing, {d}u) == 0u, lane);");
        text.add(&format!(
            "fn count_together(code: Key, differing: Key, lane: Lane) {{\n    {}\n}}",
            each(digits, "\n    ", count_bin)
        ));
    }
    text.for_each("count_whole(keys: Keys, lane: Lane)", |k| format!("count_key(keys.k{k}, lane);"));
    text.add(&format!(
        "fn count_alone(code: Key) {{\n    {}\n}}",
        each(digits, "\n    ", |d| format!("atomicAdd(&bins[{d}u * BINS + digit_of(code, {d}u)], 1u);"))
    ));
    text.for_each("count_ragged(keys: Keys, first: u32, length: u32)", |k| {
        format!("if first + {k}u * LANES < length {{ count_alone(code_of(keys.k{k})); }}")
    });
    text.text
}

/// What ranking a tile by one digit does for each key.
fn rank_tile(kernel: &SortKernel) -> String {
    let mut text = Unrolled::new(kernel);
    text.add(
        "fn digit_of(key: Key) -> u32 {\n    \
         return bits_of(code_of(key), params.shift, (1u << params.bits) - 1u);\n}",
    );
    text.add(
        "/// The digit of a key, or the highest one where there is none.\n\
         fn digit_or_last(key: Key, i: u32, size: u32) -> u32 {\n    \
         return select(BINS - 1u, digit_of(key), i < size);\n}",
    );
    match kernel.lanes {
        Lanes::Subgroup => {
            text.add(&format!(
                "fn rank_each(keys: Keys, known: Words, mine: bool, first: u32, size: u32, width: u32, lane: \
                 Lane) -> Words {{\n    {}\n    return Words({});\n}}",
                each(text.count, "\n    ", |k| format!(
                    "let k{k} = rank_key(digit_or_last(keys.k{k}, first + {k}u * width, size), \
                     known.k{k}, mine, width, lane);"
                )),
                each(text.count, ", ", |k| format!("k{k}"))
            ));
            text.map(
                "place_each(keys: Keys, ranks: Words, table: u32, first: u32, size: u32, stride: u32)",
                "Words",
                |k| {
                    format!(
                        "ranks.k{k} + take(table + digit_or_last(keys.k{k}, first + {k}u * stride, size))"
                    )
                },
            );
        }
        Lanes::Workgroup => {
            text.for_each("count_each(keys: Keys, first: u32, size: u32)", |k| {
                format!("if first + {k}u * LANES < size {{ atomicAdd(&bins[digit_of(keys.k{k})], 1u); }}")
            });
            text.for_each("put_records(keys: Keys, first: u32, size: u32)", |k| {
                let i = format!("first + {k}u * LANES");
                format!("put({i}, (digit_or_last(keys.k{k}, {i}, size) << 16u) | ({i}));")
            });
            text.map("take_records(first: u32)", "Words", |k| format!("take(first + {k}u)"));
            text.add(&format!(
                "fn count_records(records: Words, shift: u32, lane: u32) -> Words {{\n    {}\n    \
                 return Words({});\n}}",
                each(text.count, "\n    ", |k| format!(
                    "let k{k} = count_record(records.k{k}, shift, lane);"
                )),
                each(text.count, ", ", |k| format!("k{k}"))
            ));
            text.map("place_records(records: Words, before: Words, shift: u32, lane: u32)", "Words", |k| {
                format!("place_record(records.k{k}, before.k{k}, shift, lane)")
            });
            text.for_each("put_each(places: Words, words: Words)", |k| {
                format!("put(places.k{k}, words.k{k});")
            });
            text.add("/// Each key's place, where its index in the tile is.");
            text.for_each("put_places(places: Words, records: Words)", |k| {
                format!("put(records.k{k} & 0xffffu, places.k{k});")
            });
            text.map("take_places(lane: u32)", "Words", |k| format!("take({k}u * LANES + lane)"));
        }
    }
    text.text
}

/// A tile's keys and payload to their places: staged word by word in workgroup memory, in their new order, so
/// that what is written lies in runs.
fn move_tile(kernel: &SortKernel) -> String {
    let mut text = Unrolled::new(kernel);
    let statements = |line: &dyn Fn(u32) -> String| each(kernel.per_lane, "\n    ", line);
    let words = kernel.code.words();
    let component = |word: u32| match words {
        1 => "",
        _ => [".x", ".y"][word as usize],
    };
    let value = |i: &str, v: u32| match kernel.payload {
        Payload::Nothing => String::new(),
        Payload::Index => i.into(),
        Payload::Words(words) => format!("src_values[params.src_values + ({i}) * {words}u + {v}u]"),
    };
    let values = kernel.payload.words();

    let copies = statements(&|k| {
        let key = each(words, " ", |w| {
            format!("dst_keys[params.dst_keys + i{k} * {words}u + {w}u] = keys.k{k}{};", component(w))
        });
        let payload = each(values, " ", |v| {
            format!(
                "dst_values[params.dst_values + i{k} * {values}u + {v}u] = {};",
                value(&format!("i{k}"), v)
            )
        });
        format!(
            "if first + {k}u * stride < size {{ let i{k} = start + first + {k}u * stride; {key} {payload} }}"
        )
    });
    text.add(&format!(
        "fn copy_tile(keys: Keys, start: u32, first: u32, stride: u32, size: u32) {{\n    {copies}\n}}"
    ));

    // Keys of one word tell their digit where they are staged; of longer ones the digit is staged first.
    let staged = |k: u32| match words {
        1 => format!("keys.k{k}"),
        _ => format!("digit_of(keys.k{k})"),
    };
    text.add(&format!(
        "fn stage_tile(keys: Keys, places: Words) {{\n    {}\n}}",
        statements(&|k| format!("put(places.k{k}, {});", staged(k)))
    ));
    let targets = statements(&|k| {
        let i = format!("lane.index + {k}u * LANES");
        let (digit, store) = match words {
            1 => ("digit_of(word)", format!("dst_keys[params.dst_keys + t{k}] = word;")),
            _ => ("word", String::new()),
        };
        format!(
            "var t{k} = 0u; if {i} < size {{ let word = take({i}); t{k} = atomicLoad(&bins[{digit}]) + {i}; \
             {store} }}"
        )
    });
    let mut body = targets;
    let mut plane = |stage: &dyn Fn(u32) -> String, target: &dyn Fn(u32) -> String| {
        let flush = |k| {
            format!(
                "if lane.index + {k}u * LANES < size {{ {} = take(lane.index + {k}u * LANES); }}",
                target(k)
            )
        };
        write!(
            body,
            "\n    workgroupBarrier();\n    {}\n    workgroupBarrier();\n    {}",
            statements(&|k| format!("put(places.k{k}, {});", stage(k))),
            statements(&flush)
        )
        .expect("writing to a string");
    };
    if words > 1 {
        for w in 0..words {
            plane(&|k| format!("keys.k{k}{}", component(w)), &|k| {
                format!("dst_keys[params.dst_keys + t{k} * {words}u + {w}u]")
            });
        }
    }
    for v in 0..values {
        plane(&|k| value(&format!("start + min(first + {k}u * stride, size - 1u)"), v), &|k| {
            format!("dst_values[params.dst_values + t{k} * {values}u + {v}u]")
        });
    }
    text.add(&format!(
        "fn move_tile(keys: Keys, places: Words, start: u32, first: u32, size: u32, lane: Lane) {{\n    let \
         stride = stride_of(lane);\n    {body}\n}}"
    ));
    text.text
}

#[cfg(test)]
#[path = "sort_tests.rs"]
pub(crate) mod tests;
