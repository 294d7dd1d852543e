//! Shader text that moves elements between buffers and registers: it depends on how many words an element
//! has, and every access is written out.
//!
//! Buffers are arrays of cells: four words, where whole quads are moved, or one. (Four bytes are a word.)

use super::{
    Operator,
    scan::{Access, Sink},
};
use crate::element::{Layout, Narrow};

/// A cell of a buffer of `layout` in WGSL, where whole quads are moved: 16 bytes, or a quad of narrow elements.
fn cell(layout: &Layout, access: Access) -> &'static str {
    match (access, layout.bytes()) {
        (Access::Elements, _) | (_, 1) => "u32",
        (_, 2) => "vec2<u32>",
        _ => "vec4<u32>",
    }
}

/// Bytes of a cell, which `src_base` and `dst_base` count; narrow elements are counted themselves where they
/// are moved one by one.
pub(crate) fn cell_bytes(layout: &Layout, access: Access) -> u64 {
    match access {
        Access::Elements => layout.bytes().min(4).into(),
        Access::Quads => (4 * layout.bytes()).min(16).into(),
    }
}

/// Whether results of several lanes lie in one word.
pub(crate) fn shares_words(operator: &Operator, access: Access) -> bool {
    access == Access::Elements && operator.output.narrow().is_some()
}

/// How many cells make up a quad of `layout`, or an element where they are moved one by one.
pub(crate) fn cells_in(layout: &Layout) -> u32 {
    layout.word_count()
}

/// The types of buffers and registers.
pub(crate) fn types(operator: &Operator, access: Access, sink: Sink) -> String {
    let mut text = String::new();
    let mut declared = Vec::new();
    for layout in [&operator.element, &operator.input, &operator.output] {
        layout.declare(&mut declared, &mut text);
    }
    let quad = match operator.element.is_scalar() {
        true => "alias Quad = vec4<T>;",
        false => "struct Quad { x: T, y: T, z: T, w: T }",
    };
    text + &format!(
        "alias T = {};\nalias In = {};\nalias Out = {};\nalias InCell = {};\nalias OutCell = {};\n{quad}\n",
        operator.element.wgsl(),
        operator.input.wgsl(),
        operator.output.wgsl(),
        cell(&operator.input, access),
        match sink {
            Sink::InOrder if shares_words(operator, access) => "atomic<u32>",
            Sink::InOrder => cell(&operator.output, access),
            Sink::Scatter => "u32",
        },
    )
}

/// `shuffle`: an element from another lane, word by word.
pub(crate) fn shuffle(element: &Layout) -> String {
    let value = match element.is_scalar() {
        true => "subgroupShuffle(value, lane)".into(),
        false => {
            let shuffled =
                element.words_of("value").into_iter().map(|word| format!("subgroupShuffle({word}, lane)"));
            element.of_words(&mut shuffled.collect::<Vec<_>>().into_iter())
        }
    };
    format!("fn shuffle(value: T, lane: u32) -> T {{\n    return {value};\n}}\n")
}

/// The value to start with, from memory.
pub(crate) fn start(operator: &Operator) -> String {
    let value = operator.keys_of.as_ref().unwrap_or(&operator.element);
    let words = (0..value.word_count()).map(|word| format!("start_words[params.start_base + {word}u]"));
    let mut start = value.of_words(&mut words.collect::<Vec<_>>().into_iter());
    if operator.keys_of.is_some() {
        start = format!("key_of({start})");
    }
    format!(
        "@group(0) @binding(6) var<storage, read> start_words: array<u32>;\nconst STARTS = true;\n\n\
         fn start() -> T {{\n    return {start};\n}}\n"
    )
}

/// `read_total` and `write_total`, for the textbook kernels: totals lie as elements do in buffers.
pub(crate) fn totals(element: &Layout) -> String {
    let count = element.word_count();
    let words = (0..count).map(|word| format!("totals[{count}u * i + {word}u]"));
    let read = element.of_words(&mut words.collect::<Vec<_>>().into_iter());
    let writes: String = (0..)
        .zip(element.words_of("value"))
        .map(|(word, value)| format!("    totals[{count}u * i + {word}u] = {value};\n"))
        .collect();
    format!(
        "fn read_total(i: u32) -> T {{\n    return {read};\n}}\n\n\
         fn write_total(i: u32, value: T) {{\n{writes}}}\n"
    )
}

/// `publish` and `peek`, for `states.wgsl`: half a word and a flag in each word of an entry.
pub(crate) fn entries(element: &Layout) -> String {
    let count = element.word_count();
    let stores: String = (0..)
        .zip(element.words_of("value"))
        .map(|(word, value)| {
            let (low, high) = (2 * word, 2 * word + 1);
            format!(
                "    let w{word} = {value};\n    \
                 atomicStore(&states[at.first + {low}u * at.step], (w{word} << 16u) | READY);\n    \
                 atomicStore(&states[at.first + {high}u * at.step], (w{word} & 0xffff0000u) | READY);\n"
            )
        })
        .collect();
    let loads: String = (0..2 * count)
        .map(|half| format!("    let h{half} = atomicLoad(&states[at.first + {half}u * at.step]);\n"))
        .collect();
    let flags: Vec<String> = (0..2 * count).map(|half| format!("h{half}")).collect();
    let words =
        (0..count).map(|word| format!("((h{} >> 16u) | (h{} & 0xffff0000u))", 2 * word, 2 * word + 1));
    let value = element.of_words(&mut words.collect::<Vec<_>>().into_iter());
    format!(
        "const WORDS = {count}u;\n\nfn publish(at: Words, value: T) {{\n{stores}}}\n\n\
         fn peek(at: Words) -> Entry {{\n{loads}    \
         let ready = ({} & READY) == READY;\n    return Entry(ready, {value});\n}}\n",
        flags.join(" & "),
    )
}

/// `input_element` and `read_element`: element `i`, which lies at `at` from `params.src_base` on.
fn reads(operator: &Operator, at: &str) -> String {
    input_element(&operator.input, at)
        + "fn read_element(i: u32) -> T {\n    return enter(input_element(i), i);\n}\n\n"
}

fn input_element(input: &Layout, at: &str) -> String {
    let source = match input.narrow() {
        Some(narrow) => {
            narrow.of_word(&format!("cell(at >> {}u)", narrow.log2_in_word()), &narrow.bit_of("at"))
        }
        None => {
            let words = (0..input.word_count()).map(|word| format!("cell(at + {word}u)"));
            input.of_words(&mut words.collect::<Vec<_>>().into_iter())
        }
    };
    format!(
        "fn input_element(i: u32) -> In {{\n    \
         let at = params.src_base + {at}{};\n    return {source};\n}}\n\n",
        times(input),
    )
}

/// `Inputs`: a quad as it lies in memory.
const INPUTS: &str = "struct Inputs { x: In, y: In, z: In, w: In }\n\n";

/// `input_quad`: the quad `i` as it lies in memory, from `params.src_base` on, and `row` cells or elements further.
fn input_quad(input: &Layout, access: Access, row: &str) -> String {
    match access {
        Access::Elements => {
            let elements: Vec<String> = (0..4).map(|e| format!("input_element(4u * i + {e}u)")).collect();
            format!("fn input_quad(i: u32) -> Inputs {{\n    return Inputs({});\n}}\n\n", elements.join(", "))
        }
        Access::Quads => {
            let quad = quad_of_cells(input);
            format!(
                "fn input_quad(i: u32) -> Inputs {{\n    let at = params.src_base + {row}{};\n{}    \
                 return Inputs({});\n}}\n\n",
                i_times(cells_in(input)),
                quad.loads,
                quad.elements.join(", ")
            )
        }
    }
}

/// What kernels that know nothing of rows read: `input_quad`, and `input_element` where it is made of these.
pub(crate) fn inputs(operator: &Operator, access: Access) -> String {
    let input = &operator.input;
    let element = match access {
        Access::Elements => input_element(input, "i"),
        Access::Quads => String::new(),
    };
    INPUTS.to_string() + &element + &input_quad(input, access, "")
}

/// How a quad's cells are loaded from `at` on, and its elements made of them.
struct QuadOfCells {
    loads: String,
    elements: Vec<String>,
}

fn quad_of_cells(input: &Layout) -> QuadOfCells {
    let count = cells_in(input);
    let loads = (0..count).map(|c| format!("    let c{c} = cell(at + {c}u);\n")).collect();
    let elements = (0..4)
        .map(|e| match input.narrow() {
            Some(narrow) => {
                let bit = e * narrow.bits();
                let word =
                    if narrow.bits() == 8 { "c0".into() } else { format!("c0.{}", component(bit / 32)) };
                narrow.of_word(&word, &format!("{}u", bit % 32))
            }
            None => {
                let words =
                    (e * count..(e + 1) * count).map(|word| format!("c{}.{}", word / 4, component(word)));
                input.of_words(&mut words.collect::<Vec<_>>().into_iter())
            }
        })
        .collect();
    QuadOfCells { loads, elements }
}

/// `read_element`, `read_quad` and `write_element`, for `access/elements.wgsl`.
pub(crate) fn elements(operator: &Operator, sink: Sink) -> String {
    let read = reads(operator, "(src_row + i * params.src_step)")
        + INPUTS
        + &input_quad(&operator.input, Access::Elements, "");
    let write = match sink {
        Sink::InOrder => format!(
            "fn write_element(i: u32, value: Leaving) {{\n    \
             let at = params.dst_base + (dst_row + i * params.dst_step){};\n    \
             let result = leave(value, i);\n{}}}\n",
            times(&operator.output),
            stores(&operator.output),
        ),
        Sink::Scatter => {
            scatter(operator)
                + "fn write_element(i: u32, value: Leaving) {\n    scatter(value, input_element(i), i);\n}\n"
        }
    };
    read + &write
}

/// The factor that makes a number of words of a number of elements.
fn times(layout: &Layout) -> String {
    match layout.word_count() {
        1 => String::new(),
        words => format!(" * {words}u"),
    }
}

/// Stores the words of `result` from `at` on; a narrow one among the bits of its neighbours.
fn stores(output: &Layout) -> String {
    if let Some(narrow) = output.narrow() {
        let (cell, bits) = (format!("&dst[at >> {}u]", narrow.log2_in_word()), (1u32 << narrow.bits()) - 1);
        return format!(
            "    let bit = {};\n    let word = {};\n    atomicAnd({cell}, ~({bits:#x}u << bit));\n    \
             atomicOr({cell}, (word & {bits:#x}u) << bit);\n",
            narrow.bit_of("at"),
            output.words_of("result")[0],
        );
    }
    let words = (0..).zip(output.words_of("result"));
    words.map(|(word, value)| format!("    dst[at + {word}u] = {value};\n")).collect()
}

/// `scatter`: sends a result where the hooks say; and `write_result`.
pub(crate) fn scatter(operator: &Operator) -> String {
    "fn scatter(value: T, element: In, i: u32) {\n    let index = place(value, element, i);\n    \
     if index != NOWHERE {\n        write_result(index, send(value, element, i));\n    }\n}\n\n\
     const NOWHERE = 0xffffffffu;\n\n"
        .to_string()
        + &results(operator)
}

/// `write_result`: a result to its place.
pub(crate) fn results(operator: &Operator) -> String {
    format!(
        "fn write_result(index: u32, result: Out) {{\n    let at = params.dst_base + index{};\n{}}}\n\n",
        times(&operator.output),
        stores(&operator.output),
    )
}

/// `read_quad`, `write_quad` and `write_part_of_quad`, for `access/quads.wgsl`.
pub(crate) fn quads(operator: &Operator, sink: Sink) -> String {
    let input = &operator.input;
    let QuadOfCells { loads, elements } = quad_of_cells(input);
    let at = format!("    let at = params.src_base + src_row + {};\n", i_times(cells_in(input)));
    let read = INPUTS.to_string() + &input_quad(input, Access::Quads, "src_row + ");
    let write = match sink {
        Sink::InOrder => write_quads(&operator.output),
        Sink::Scatter => {
            let one = |e: usize| {
                let value = component(e as u32);
                format!("scatter(quad.{value}, {}, 4u * i + {e}u);\n", elements[e])
            };
            let all: String = (0..4).map(|e| format!("    {}", one(e))).collect();
            let parts: String =
                (0..3).map(|e| format!("    if {e}u < present {{\n        {}    }}\n", one(e))).collect();
            scatter(operator)
                + &format!(
                    "fn write_quad(i: u32, quad: Written) {{\n{at}{loads}{all}}}\n\n\
                     fn write_part_of_quad(i: u32, quad: Written, present: u32) {{\n{at}{loads}{parts}}}\n"
                )
        }
    };
    read + &write
}

/// `input_cell` and `inputs_of`, for lanes that exchange what they load: elements of one word.
pub(crate) fn input_cells(input: &Layout) -> String {
    format!(
        "fn input_cell(i: u32) -> vec4<u32> {{\n    return cell(params.src_base + src_row + i);\n}}\n\n\
         fn inputs_of(c0: vec4<u32>) -> Inputs {{\n    return Inputs({});\n}}\n\n",
        quad_of_cells(input).elements.join(", ")
    )
}

/// `result_cell` and `store_cell`, for lanes that exchange what they store.
pub(crate) fn result_cells(output: &Layout) -> String {
    let words: Vec<String> = (0..4)
        .flat_map(|e| output.words_of(&format!("leave(quad.{}, 4u * i + {e}u)", component(e))))
        .collect();
    let part = |e: u32| {
        let c = component(e);
        format!("        if 4u * i + {e}u < count {{\n            dst[at].{c} = cell.{c};\n        }}\n")
    };
    let parts: String = (0..3).map(part).collect();
    format!(
        "fn result_cell(quad: Written, i: u32) -> vec4<u32> {{\n    return vec4<u32>({});\n}}\n\n\
         fn store_cell(i: u32, cell: vec4<u32>) {{\n    dst[params.dst_base + dst_row + i] = cell;\n}}\n\n\
         /// Only its elements before `count`.\n\
         fn store_ragged(i: u32, cell: vec4<u32>, count: u32) {{\n    let at = params.dst_base + dst_row + i;\n    \
         if 4u * i + 3u < count {{\n        dst[at] = cell;\n    }} else {{\n{parts}    }}\n}}\n\n",
        words.join(", ")
    )
}

/// `word_of_element`, `words_of_quad`, `element_of` and `kept_of`, for lanes that hold the elements of a compaction: of one word each.
pub(crate) fn kept_words(operator: &Operator) -> String {
    let element = operator.input.of_words(&mut ["word".to_string()].into_iter());
    format!(
        "fn word_of_element(i: u32) -> u32 {{\n    \
         return src[params.src_base + src_row + (i >> 2u)][i & 3u];\n}}\n\n\
         fn words_of_quad(i: u32) -> vec4<u32> {{\n    return src[params.src_base + src_row + i];\n}}\n\n\
         fn element_of(word: u32) -> In {{\n    return {element};\n}}\n\n\
         fn kept_of(word: u32, i: u32) -> u32 {{\n    return enter(element_of(word), i);\n}}\n\n"
    )
}

fn component(word: u32) -> &'static str {
    ["x", "y", "z", "w"][(word % 4) as usize]
}

fn i_times(count: u32) -> String {
    if count == 1 { "i".into() } else { format!("i * {count}u") }
}

/// `write_quad_of_pair`: a quad of elements of two words, which are 32 bytes. Two neighbouring lanes exchange halves, so
/// that both write one lane's quad, and then both the other's: memory takes 32 bytes at once, and would be told of
/// each twice.
pub(crate) fn write_quads_of_pairs(output: &Layout) -> String {
    let results: String =
        (0..4).map(|e| format!("    let r{e} = leave(quad.{}, 4u * i + {e}u);\n", component(e))).collect();
    let words: Vec<String> = (0..4).flat_map(|e| output.words_of(&format!("r{e}"))).collect();
    let (lower, upper) = words.split_at(4);
    format!(
        "/// All lanes of a subgroup call it, each with the quad behind its neighbour's.\n\
         fn write_quad_of_pair(i: u32, quad: Written) {{\n{results}    \
         let lower = vec4<u32>({});\n    let upper = vec4<u32>({});\n    \
         let odd = (i & 1u) != 0u;\n    let given = select(upper, lower, odd);\n    \
         let got = vec4(\n        subgroupShuffleXor(given.x, 1u),\n        subgroupShuffleXor(given.y, 1u),\n        \
         subgroupShuffleXor(given.z, 1u),\n        subgroupShuffleXor(given.w, 1u),\n    );\n    \
         let at = params.dst_base + dst_row + 2u * (i & ~1u) + (i & 1u);\n    \
         dst[at] = select(lower, got, odd);\n    dst[at + 2u] = select(got, upper, odd);\n}}\n",
        lower.join(", "),
        upper.join(", "),
    )
}

/// Whole quads to the place of their elements, and parts of them.
fn write_quads(output: &Layout) -> String {
    let results: String =
        (0..4).map(|e| format!("    let r{e} = leave(quad.{}, 4u * i + {e}u);\n", component(e))).collect();
    let words: Vec<String> = (0..4).flat_map(|e| output.words_of(&format!("r{e}"))).collect();
    if let Some(narrow) = output.narrow() {
        return write_narrow_quads(narrow, &results, &words);
    }
    let stores: String = words
        .chunks(4)
        .enumerate()
        .map(|(cell, words)| format!("    dst[at + {cell}u] = vec4<u32>({});\n", words.join(", ")))
        .collect();
    let per_element = output.word_count();
    // The last element of a quad that is cut short is never there.
    let parts: String = (0..3)
        .map(|e| {
            let stores: String = (e * per_element..(e + 1) * per_element)
                .map(|word| {
                    let value = &words[word as usize];
                    format!("        dst[at + {}u].{} = {value};\n", word / 4, component(word))
                })
                .collect();
            format!("    if {e}u < present {{\n{stores}    }}\n")
        })
        .collect();
    let at = format!("    let at = params.dst_base + dst_row + {};\n", i_times(per_element));
    format!(
        "fn write_quad(i: u32, quad: Written) {{\n{at}{results}{stores}}}\n\n\
         /// Its first `present` elements, fewer than four.\n\
         fn write_part_of_quad(i: u32, quad: Written, present: u32) {{\n{at}{results}{parts}}}\n"
    )
}

/// The same for narrow results: a quad is a cell of one word, or two.
fn write_narrow_quads(narrow: Narrow, results: &str, words: &[String]) -> String {
    let bits = narrow.bits();
    // Where each lies: its word in the cell, and its bit there.
    let lies = |e: u32| match bits {
        8 => ("dst[at]".to_string(), 8 * e),
        _ => (format!("dst[at].{}", component(e / 2)), 16 * (e % 2)),
    };
    let packed: Vec<String> = words
        .chunks(1 << narrow.log2_in_word())
        .map(|words| {
            let shifted = (0..)
                .zip(words)
                .map(|(i, word)| format!("((({word}) & {:#x}u) << {}u)", (1u32 << bits) - 1, i * bits));
            shifted.collect::<Vec<_>>().join(" | ")
        })
        .collect();
    let cell = match &packed[..] {
        [word] => word.clone(),
        words => format!("vec2<u32>({})", words.join(", ")),
    };
    let parts: String = (0..3)
        .map(|e| {
            let (cell, bit) = lies(e);
            let word = &words[e as usize];
            format!(
                "    if {e}u < present {{\n        {cell} = insertBits({cell}, {word}, {bit}u, {bits}u);\n    }}\n"
            )
        })
        .collect();
    let at = "    let at = params.dst_base + dst_row + i;\n";
    format!(
        "fn write_quad(i: u32, quad: Written) {{\n{at}{results}    dst[at] = {cell};\n}}\n\n\
         /// Its first `present` elements, fewer than four.\n\
         fn write_part_of_quad(i: u32, quad: Written, present: u32) {{\n{at}{results}{parts}}}\n"
    )
}
