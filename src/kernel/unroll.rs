//! Shader text that is the same statement for each of a lane's quads.
//!
//! An array indexed in a loop is placed in slow local memory by some drivers, which halves the speed of a
//! memory-bound kernel. So what one lane holds is a struct of named quads, and everything done to each of
//! them is written out here.

use std::fmt::Write as _;

use super::scan::{Lanes, Lifting};

/// Each of `0..count` through `line`, joined by `separator`.
pub(super) fn each(count: u32, separator: &str, line: impl Fn(u32) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join(separator)
}

/// A left-to-right binary tree of `combine` over `terms`, whose number is a power of two.
pub(super) fn tree(terms: &[String]) -> String {
    match terms {
        [term] => term.clone(),
        _ => {
            let (left, right) = terms.split_at(terms.len() / 2);
            format!("combine({}, {})", tree(left), tree(right))
        }
    }
}

/// The functions of a text, each of which is written out for so many quads.
pub(super) struct Functions {
    pub text: String,
    count: u32,
}

impl Functions {
    pub fn new(count: u32) -> Self {
        Self { text: String::new(), count }
    }

    pub fn add(&mut self, text: &str) {
        writeln!(self.text, "{text}\n").expect("writing to a string");
    }

    /// A function that returns a struct of which each field is `value`.
    fn returns(&mut self, signature: &str, result: &str, value: impl Fn(u32) -> String) {
        let values = each(self.count, ", ", value);
        self.add(&format!("fn {signature} -> {result} {{\n    return {result}({values});\n}}"));
    }

    /// A function of as many statements.
    fn does(&mut self, signature: &str, statement: impl Fn(u32) -> String) {
        let statements = each(self.count, "\n    ", statement);
        self.add(&format!("fn {signature} {{\n    {statements}\n}}"));
    }
}

/// What every tile kernel needs: the quads of a lane, loaded and combined.
pub(crate) fn quads(count: u32) -> String {
    let mut functions = Functions::new(count);
    let fields = |of: &str| each(count, ", ", |q| format!("q{q}: {of}"));
    functions.add(&format!("struct Quads {{ {} }}", fields("Quad")));
    functions.returns("load_whole(first: u32, stride: u32)", "Quads", |q| {
        format!("read_quad(first + {q}u * stride)")
    });
    functions.returns("load_ragged(first: u32, stride: u32, count: u32)", "Quads", |q| {
        format!("read_ragged(first + {q}u * stride, count)")
    });
    functions.returns("total_of_each(quads: Quads)", "Each", |q| format!("total_of_quad(quads.q{q})"));
    combine_each(&mut functions);
    functions.text
}

/// The same for lanes that hold the elements of a compaction, each as a word, and a bit that says whether it is kept:
/// `count` of them, 32 at most. A subgroup's lanes take every `stride`-th element, others a run of their own.
pub(crate) fn kept_words(count: u32, lanes: Lanes) -> String {
    let mut functions = Functions::new(count);
    functions.add(&format!("struct Quads {{ {}, kept: u32 }}", each(count, ", ", |s| format!("w{s}: u32"))));
    let words = each(count, ", ", |s| format!("w{s}"));
    let kept = each(count, " | ", |s| format!("(kept_of(w{s}, at + {s}u * stride) << {s}u)"));
    let (at, loads) = match lanes {
        Lanes::Subgroup => (
            "first_element(first, stride)",
            each(count, "\n    ", |s| format!("let w{s} = word_of_element(at + {s}u * stride);")),
        ),
        Lanes::Workgroup => (
            "4u * first",
            each(count / 4, "\n    ", |q| {
                let words = (0..4).zip(["x", "y", "z", "w"]);
                let words = words.map(|(e, c)| format!("let w{} = q{q}.{c};", 4 * q + e)).collect::<Vec<_>>();
                format!("let q{q} = words_of_quad(first + {q}u);\n    {}", words.join(" "))
            }),
        ),
    };
    functions.add(&format!(
        "fn load_whole(first: u32, stride: u32) -> Quads {{\n    let at = {at};\n    \
         {loads}\n    return Quads({words}, {kept});\n}}"
    ));
    let loads = each(count, "\n    ", |s| {
        format!(
            "var w{s} = 0u;\n    if at + {s}u * stride < count {{\n        \
             w{s} = word_of_element(at + {s}u * stride);\n        \
             kept |= kept_of(w{s}, at + {s}u * stride) << {s}u;\n    }}"
        )
    });
    functions.add(&format!(
        "fn load_ragged(first: u32, stride: u32, count: u32) -> Quads {{\n    \
         let at = {at};\n    var kept = 0u;\n    {loads}\n    \
         return Quads({words}, kept);\n}}"
    ));
    match lanes {
        Lanes::Subgroup => send_kept(&mut functions),
        Lanes::Workgroup => functions.does("stage_each(tile: Quads, at: u32, start: u32)", |s| {
            let (bit, lower) = (1u32 << s, (1u32 << s) - 1);
            format!(
                "let to_{s} = start + countOneBits(tile.kept & {lower}u);\n    \
                 if (tile.kept & {bit}u) != 0u && to_{s} < STAGED {{\n        \
                 staged[to_{s}] = send(0u, element_of(tile.w{s}), at + {s}u);\n    }}"
            )
        }),
    }
    functions.text
}

/// What a subgroup keeps of each step, a vote of its lanes says.
fn send_kept(functions: &mut Functions) {
    let sends = each(functions.count, "\n    ", |s| {
        format!(
            "let kept_{s} = (tile.kept & {bit}u) != 0u;\n    let votes_{s} = subgroupBallot(kept_{s});\n    \
             if kept_{s} {{\n        let to = next + count_of(votes_{s} & lanes);\n        \
             write_result(to, send(0u, element_of(tile.w{s}), at + {s}u * stride));\n    }}\n    \
             next += count_of(votes_{s});",
            bit = 1u32 << s,
        )
    });
    functions.add("/// Sends what is kept from place `before` on; `lanes` are those before this one.");
    functions.add(&format!(
        "fn send_each(tile: Quads, at: u32, stride: u32, before: u32, lanes: vec4<u32>) {{\n    \
         var next = before;\n    {sends}\n}}"
    ));
}

/// One value for each quad, combined quad by quad, and over the quads.
fn combine_each(functions: &mut Functions) {
    let fields = each(functions.count, ", ", |q| format!("q{q}: T"));
    functions.add("/// One value for each quad.");
    functions.add(&format!("struct Each {{ {fields} }}"));
    functions.returns("combine_each(left: Each, right: Each)", "Each", |q| {
        format!("combine(left.q{q}, right.q{q})")
    });
    let totals: Vec<String> = (0..functions.count).map(|q| format!("each.q{q}")).collect();
    functions.add(&format!("fn reduce_steps(each: Each) -> T {{\n    return {};\n}}", tree(&totals)));
}

/// What those with subgroups need besides: steps of a subgroup are the quads of its lanes.
pub(crate) fn subgroup_steps(count: u32) -> String {
    let mut functions = Functions::new(count);
    functions.returns("shuffle_each(each: Each, lane: u32)", "Each", |q| format!("shuffle(each.q{q}, lane)"));
    functions.text + &fold_steps(count)
}

/// What scans need besides. `write` is the function that writes a whole quad. With `short_rows`, levels above a row of
/// `ROW` elements are left out.
pub(crate) fn scans(count: u32, lanes: Lanes, lifting: Lifting, write: &str, short_rows: bool) -> String {
    let mut functions = Functions::new(count);
    store_quads(&mut functions, write);
    functions.add("/// What precedes each step, if `entering` precedes the first.");
    functions.returns("step_back(entering: T, each: Each)", "Each", |q| match q {
        0 => "entering".into(),
        _ => format!("each.q{}", q - 1),
    });
    if lifting == Lifting::Once {
        lift_once(&mut functions);
        functions.add(&scan_ends(count, lanes, short_rows));
    } else {
        lift_by_level(&mut functions);
        functions.add(&scan_steps(count, lanes, short_rows));
    }
    functions.text
}

fn store_quads(functions: &mut Functions, write: &str) {
    functions.does("store_whole(first: u32, stride: u32, quads: Quads)", |q| {
        format!("{write}(first + {q}u * stride, quads.q{q});")
    });
    functions.does("store_ragged(first: u32, stride: u32, quads: Quads, count: u32)", |q| {
        format!("write_ragged(first + {q}u * stride, quads.q{q}, count);")
    });
    functions.returns("scan_each(quads: Quads)", "Quads", |q| format!("scan_quad(quads.q{q})"));
    functions.returns("last_of_each(quads: Quads)", "Each", |q| format!("quads.q{q}.w"));
}

fn lift_by_level(functions: &mut Functions) {
    functions.add(&format!(
        "fn last_of_all(quads: Quads) -> T {{\n    return quads.q{}.w;\n}}",
        functions.count - 1
    ));
    functions
        .returns("lift_each(left: Each, quads: Quads)", "Quads", |q| format!("lift(left.q{q}, quads.q{q})"));
    functions.returns("lift_all(left: T, quads: Quads)", "Quads", |q| format!("lift(left, quads.q{q})"));
    functions.add("/// Every quad moved on by one element; `before` enters each at its first.");
    functions.returns("shift_each(quads: Quads, before: Each)", "Quads", |q| {
        format!("Quad(before.q{q}, quads.q{q}.x, quads.q{q}.y, quads.q{q}.z)")
    });
    functions.add(
        "/// The first element of every row as an exclusive scan starts it, where a tile holds several.",
    );
    let starts = each(functions.count, "\n    ", |q| {
        format!("if (first + {q}u * step) % (ROW / 4u) == 0u {{\n        started.q{q}.x = start();\n    }}")
    });
    functions.add(&format!(
        "fn start_each(quads: Quads, first: u32, step: u32) -> Quads {{\n    var started = quads;\n    {starts}\n    \
         return started;\n}}"
    ));
}

/// The tree's levels between the steps of a subgroup or a lane.
fn scan_steps(count: u32, lanes: Lanes, short_rows: bool) -> String {
    let (parameters, step) = match lanes {
        Lanes::Subgroup => ("quads: Quads, last_lane: u32", "4u * (last_lane + 1u)"),
        Lanes::Workgroup => ("quads: Quads", "4u"),
    };
    let mut steps = String::new();
    let mut add = |line: String| writeln!(steps, "    {line}").expect("writing to a string");
    let mut half = 1;
    while half < count {
        if short_rows {
            add(format!("if {step} * {half}u < ROW {{"));
        }
        for q in (0..count).filter(|q| q & half != 0) {
            // The left sibling's last step ends in its total.
            let last = (q & !(2 * half - 1)) + half - 1;
            let total = format!("total_{last}_of_{half}");
            if q % half == 0 {
                add(format!("let {total} = {};", end_of(&format!("scanned.q{last}.w"), lanes)));
            }
            add(format!("scanned.q{q} = lift({total}, scanned.q{q});"));
        }
        if short_rows {
            add("}".into());
        }
        half *= 2;
    }
    format!(
        "/// The tree's levels between steps.\n\
         fn scan_steps({parameters}) -> Quads {{\n    var scanned = quads;\n{steps}    return scanned;\n}}"
    )
}

/// The last value of a step, of which `value` is this lane's.
fn end_of(value: &str, lanes: Lanes) -> String {
    match lanes {
        Lanes::Subgroup => format!("shuffle({value}, last_lane)"),
        Lanes::Workgroup => value.into(),
    }
}

fn lift_once(functions: &mut Functions) {
    functions.add(&format!("fn last_of(each: Each) -> T {{\n    return each.q{};\n}}", functions.count - 1));
    let finished = each(functions.count, ",\n        ", |q| {
        format!("finish_quad(quads.q{q}, ((first + {q}u * stride) & within) != 0u, before.q{q}, outer)")
    });
    functions.add(&format!(
        "/// Every quad with its whole past combined in. `within` masks its place in its run or row, whichever is \
         shorter.\n\
         fn finish_each(quads: Quads, before: Each, outer: Left, first: u32, stride: u32) -> Quads {{\n    \
         let within = min(ROW / 4u, QUADS * stride) - 1u;\n    return Quads(\n        {finished},\n    );\n}}"
    ));
}

/// The totals of each quad and all before it in the steps of a subgroup or a lane, or in its row.
fn scan_ends(count: u32, lanes: Lanes, short_rows: bool) -> String {
    let (parameters, step) = match lanes {
        Lanes::Subgroup => ("each: Each, last_lane: u32", "4u * (last_lane + 1u)"),
        Lanes::Workgroup => ("each: Each", "4u"),
    };
    let mut steps = String::new();
    let mut add = |line: String| writeln!(steps, "    {line}").expect("writing to a string");
    for q in 1..count {
        let last = q - 1;
        add(format!("let end_{last} = {};", end_of(&format!("ends.q{last}"), lanes)));
        let combined = format!("ends.q{q} = combine(end_{last}, ends.q{q});");
        match short_rows {
            true => add(format!("if ({step} * {q}u) % ROW != 0u {{\n        {combined}\n    }}")),
            false => add(combined),
        }
    }
    format!(
        "/// Totals of each quad and all before it in its run, or in its row.\n\
         fn scan_ends({parameters}) -> Each {{\n    var ends = each;\n{steps}    return ends;\n}}"
    )
}

/// The total of a subgroup's run, right in its first lane. In each of the first rounds a lane keeps one half of
/// its values and gives the other half away for its neighbour's, so that twelve shuffles do what forty would.
/// The subgroup has at least as many lanes as each has values.
fn fold_steps(count: u32) -> String {
    let mut text = String::from("fn fold_steps(each: Each, width: u32, lane: Lane) -> T {\n");
    let mut values: Vec<String> = (0..count).map(|q| format!("each.q{q}")).collect();
    let mut add = |line: String| writeln!(text, "    {line}").expect("writing to a string");
    let rounds = count.trailing_zeros();
    for round in 0..rounds {
        let half = values.len() / 2;
        let bit = 1 << round;
        add(format!("let odd_{round} = (lane.rank & {bit}u) != 0u;"));
        let mut kept = Vec::new();
        for (i, (lower, upper)) in values[..half].iter().zip(&values[half..]).enumerate() {
            let name = format!("v{round}_{i}");
            add(format!("var {name} = {lower};"));
            add(format!("var given_{name} = {upper};"));
            add(format!(
                "if odd_{round} {{\n        {name} = {upper};\n        given_{name} = {lower};\n    }}"
            ));
            add(format!("let got_{name} = shuffle(given_{name}, lane.rank ^ {bit}u);"));
            add(format!(
                "if odd_{round} {{\n        {name} = combine(got_{name}, {name});\n    }} else {{\n        \
                 {name} = combine({name}, got_{name});\n    }}"
            ));
            kept.push(name);
        }
        values = kept;
    }
    add(format!("var total = {};", values[0]));
    add(format!(
        "for (var half = {count}u; half < width; half = half << 1u) {{\n        \
         total = combine(total, shuffle(total, lane.rank ^ half));\n    }}"
    ));
    for round in (0..rounds).rev() {
        add(format!("total = combine(total, shuffle(total, lane.rank ^ {}u));", 1 << round));
    }
    text + "    return total;\n}\n"
}

/// Left siblings among the tiles of a block, each as one expression over totals of tiles, or of eight tiles, which some
/// lanes have combined for all: a tree grown level by level would take a barrier a level.
pub(crate) fn left_in_block(tiles_per_block: u32) -> String {
    let mut text = String::from(
        "var<workgroup> eights: array<T, TILES_PER_BLOCK / 8u>;\n\n\
         fn total_of_1(i: u32) -> T {\n    return nodes[node(tiles_of_block(), 0u, i)];\n}\n\n\
         fn total_of_8(i: u32) -> T {\n    return eights[i / 8u];\n}\n\n\
         /// Combines eight leaves each. They may be of tiles that are not there: nobody asks for such totals.\n\
         fn grow_eights(lane: u32) {\n    if lane < TILES_PER_BLOCK / 8u {\n        \
         eights[lane] = combine(total_of_4(8u * lane), total_of_4(8u * lane + 4u));\n    }\n}\n\n",
    );
    let mut cases = String::new();
    let levels = tiles_per_block.trailing_zeros();
    for level in 0..levels {
        let size = 1 << level;
        if ![1, 8].contains(&size) {
            let half = size / 2;
            writeln!(
                text,
                "fn total_of_{size}(i: u32) -> T {{\n    \
                 return combine(total_of_{half}(i), total_of_{half}(i + {half}u));\n}}\n"
            )
            .expect("writing to a string");
        }
        let label = if level + 1 < levels { format!("case {level}u") } else { "default".into() };
        writeln!(cases, "        {label}: {{\n            return total_of_{size}(first);\n        }}")
            .expect("writing to a string");
    }
    text + &format!(
        "/// The total of the left sibling of the subtree of 2^level tiles that holds tile `i`.\n\
         fn left_in_block(i: u32, level: u32) -> T {{\n    let first = ((i >> level) ^ 1u) << level;\n    \
         switch level {{\n{cases}    }}\n}}\n"
    )
}

/// The total of a block as one expression over its tiles' totals, so that all loads are in flight at once.
pub(crate) fn block_total(tiles_per_block: u32) -> String {
    let terms: Vec<String> = (0..tiles_per_block).map(|t| format!("totals[first + {t}u]")).collect();
    format!(
        "fn block_total(row: u32, block: u32) -> T {{\n    \
         let first = total_index(row, block * TILES_PER_BLOCK);\n    return {};\n}}\n",
        tree(&terms)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_keep_their_order() {
        assert_eq!(
            block_total(4),
            "fn block_total(row: u32, block: u32) -> T {\n    let first = total_index(row, block * \
             TILES_PER_BLOCK);\n    return combine(combine(totals[first + 0u], totals[first + 1u]), \
             combine(totals[first + 2u], totals[first + 3u]));\n}\n"
        );
    }

    #[test]
    fn four_steps_take_three_shuffles() {
        let text = scans(4, Lanes::Subgroup, Lifting::ByLevel, "write_quad", false);
        assert_eq!(text.matches("= shuffle(scanned").count(), 3);
        let text = scans(4, Lanes::Subgroup, Lifting::Once, "write_quad", false);
        assert_eq!(text.matches("= shuffle(ends").count(), 3);
    }
}
