//! Shader text that is the same statement for each of a lane's quads.
//!
//! An array indexed in a loop is placed in slow local memory by some drivers, which halves the speed of a
//! memory-bound kernel. So what one lane holds is a struct of named quads, and everything done to each of
//! them is written out here.

use std::fmt::Write as _;

use super::scan::{Lanes, Lifting};

/// Each of `0..count` through `line`, joined by `separator`.
fn each(count: u32, separator: &str, line: impl Fn(u32) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join(separator)
}

/// A left-to-right binary tree of `combine` over `terms`, whose number is a power of two.
fn tree(terms: &[String]) -> String {
    match terms {
        [term] => term.clone(),
        _ => {
            let (left, right) = terms.split_at(terms.len() / 2);
            format!("combine({}, {})", tree(left), tree(right))
        }
    }
}

/// The functions of a text, each of which is written out for so many quads.
struct Functions {
    text: String,
    count: u32,
}

impl Functions {
    fn new(count: u32) -> Self {
        Self { text: String::new(), count }
    }

    fn add(&mut self, text: &str) {
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

/// The same for lanes that hold the elements of a compaction: what is combined is how many of them are kept.
pub(crate) fn kept_quads(count: u32) -> String {
    let mut functions = Functions::new(count);
    let fields = |of: &str| each(count, ", ", |q| format!("q{q}: {of}"));
    functions.add("/// `kept` has a bit for each element, `before` how many are kept before each quad, once that is known.");
    functions.add(&format!("struct Quads {{ {}, kept: u32, before: Each }}", fields("InCell")));
    let raw = each(count, ", ", |q| format!("q{q}"));
    let kept = each(count, " | ", |q| format!("(k{q} << {}u)", 4 * q));
    let loads = each(count, "\n    ", |q| {
        format!(
            "let q{q} = raw_quad(first + {q}u * stride);\n    let k{q} = kept_of(q{q}, first + {q}u * stride);"
        )
    });
    functions.add(&format!(
        "fn load_whole(first: u32, stride: u32) -> Quads {{\n    {loads}\n    \
         return Quads({raw}, {kept}, Each());\n}}"
    ));
    functions.add(
        "/// Elements that are there of quad `i`, of `count` in all.\n\
         fn present_of(i: u32, count: u32) -> u32 {\n    return min(4u, max(count, 4u * i) - 4u * i);\n}",
    );
    let loads = each(count, "\n    ", |q| {
        format!(
            "var q{q} = InCell();\n    var k{q} = 0u;\n    let p{q} = present_of(first + {q}u * stride, count);\n    \
             if p{q} > 0u {{\n        q{q} = raw_quad(first + {q}u * stride);\n        \
             k{q} = kept_of(q{q}, first + {q}u * stride) & ((1u << p{q}) - 1u);\n    }}"
        )
    });
    functions.add(&format!(
        "fn load_ragged(first: u32, stride: u32, count: u32) -> Quads {{\n    {loads}\n    \
         return Quads({raw}, {kept}, Each());\n}}"
    ));
    functions.returns("total_of_each(quads: Quads)", "Each", |q| {
        format!("countOneBits((quads.kept >> {}u) & 15u)", 4 * q)
    });
    combine_each(&mut functions);
    functions.text
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

/// What scans need besides. With `short_rows`, levels above a row of `ROW` elements are left out.
pub(crate) fn scans(count: u32, lanes: Lanes, lifting: Lifting, short_rows: bool) -> String {
    let mut functions = Functions::new(count);
    match lifting {
        Lifting::Kept => stage_kept(&mut functions),
        Lifting::ByLevel | Lifting::Once => store_quads(&mut functions),
    }
    functions.add("/// What precedes each step, if `entering` precedes the first.");
    functions.returns("step_back(entering: T, each: Each)", "Each", |q| match q {
        0 => "entering".into(),
        _ => format!("each.q{}", q - 1),
    });
    match lifting {
        Lifting::ByLevel => {
            lift_by_level(&mut functions);
            functions.add(&scan_steps(count, lanes, short_rows));
        }
        Lifting::Once => {
            lift_once(&mut functions);
            functions.add(&scan_ends(count, lanes, short_rows));
        }
        Lifting::Kept => functions.add(&scan_ends(count, lanes, short_rows)),
    }
    functions.text
}

fn store_quads(functions: &mut Functions) {
    functions.does("store_whole(first: u32, stride: u32, quads: Quads)", |q| {
        format!("write_quad(first + {q}u * stride, quads.q{q});")
    });
    functions.does("store_ragged(first: u32, stride: u32, quads: Quads, count: u32)", |q| {
        format!("write_ragged(first + {q}u * stride, quads.q{q}, count);")
    });
    functions.returns("scan_each(quads: Quads)", "Quads", |q| format!("scan_quad(quads.q{q})"));
    functions.returns("last_of_each(quads: Quads)", "Each", |q| format!("quads.q{q}.w"));
}

/// What stands in for all of that in a compaction.
fn stage_kept(functions: &mut Functions) {
    let count = functions.count;
    functions.does("stage_each(quads: Quads, first: u32, stride: u32, start: u32)", |q| {
        format!(
            "stage_quad(first + {q}u * stride, quads.q{q}, (quads.kept >> {}u) & 15u, quads.before.q{q} - start);",
            4 * q
        )
    });
    functions.add("fn scan_each(quads: Quads) -> Quads {\n    return quads;\n}");
    functions.add("fn last_of_each(quads: Quads) -> Each {\n    return total_of_each(quads);\n}");
    functions.add(&format!("fn last_of(each: Each) -> T {{\n    return each.q{};\n}}", count - 1));
    let raw = each(count, ", ", |q| format!("quads.q{q}"));
    let before = each(count, ", ", |q| {
        format!("outer.value + select(0u, before.q{q}, ((first + {q}u * stride) & within) != 0u)")
    });
    functions.add("/// With how many are kept before each quad in its tile.");
    functions.add(&format!(
        "fn finish_each(quads: Quads, before: Each, outer: Left, first: u32, stride: u32) -> Quads {{\n    \
         let within = QUADS * stride - 1u;\n    return Quads({raw}, quads.kept, Each({before}));\n}}"
    ));
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

/// Left siblings among the tiles of a block, each as one expression over the tiles' totals: a tree grown level by
/// level would take a barrier a level.
pub(crate) fn left_in_block(tiles_per_block: u32) -> String {
    let mut text =
        String::from("fn total_of_1(i: u32) -> T {\n    return nodes[node(tiles_of_block(), 0u, i)];\n}\n\n");
    let mut cases = String::new();
    let levels = tiles_per_block.trailing_zeros();
    for level in 0..levels {
        let size = 1 << level;
        if level > 0 {
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
        let text = scans(4, Lanes::Subgroup, Lifting::ByLevel, false);
        assert_eq!(text.matches("= shuffle(scanned").count(), 3);
        let text = scans(4, Lanes::Subgroup, Lifting::Once, false);
        assert_eq!(text.matches("= shuffle(ends").count(), 3);
    }
}
