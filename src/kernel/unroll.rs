//! Shader text that is the same statement for each of a lane's quads.
//!
//! An array indexed in a loop is placed in slow local memory by some drivers, which halves the speed of a
//! memory-bound kernel. So what one lane holds is a struct of named quads, and everything done to each of
//! them is written out here.

use std::fmt::Write as _;

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

/// What every tile kernel needs: the quads of a lane, moved, scanned and lifted.
pub(crate) fn quads(count: u32) -> String {
    let mut text = String::new();
    let fields = |of: &str| each(count, ", ", |q| format!("q{q}: {of}"));
    let all = |line: &dyn Fn(u32) -> String| each(count, ", ", line);
    let statements = |line: &dyn Fn(u32) -> String| each(count, "\n    ", line);
    let mut add = |line: String| writeln!(text, "{line}\n").expect("writing to a string");

    add(format!("const QUADS = {count}u;"));
    add("const TILE = 4u * QUADS * LANES;".into());
    add(format!("struct Quads {{ {} }}", fields("Quad")));
    add("/// One value for each quad.".into());
    add(format!("struct Each {{ {} }}", fields("T")));
    add(format!(
        "fn load_whole(first: u32, stride: u32) -> Quads {{\n    return Quads({});\n}}",
        all(&|q| format!("read_quad(first + {q}u * stride)"))
    ));
    add(format!(
        "fn load_ragged(first: u32, stride: u32, count: u32) -> Quads {{\n    return Quads({});\n}}",
        all(&|q| format!("read_ragged(first + {q}u * stride, count)"))
    ));
    add(format!(
        "fn store_whole(first: u32, stride: u32, quads: Quads) {{\n    {}\n}}",
        statements(&|q| format!("write_quad(first + {q}u * stride, quads.q{q});"))
    ));
    add(format!(
        "fn store_ragged(first: u32, stride: u32, quads: Quads, count: u32) {{\n    {}\n}}",
        statements(&|q| format!("write_ragged(first + {q}u * stride, quads.q{q}, count);"))
    ));
    add(format!(
        "fn scan_each(quads: Quads) -> Quads {{\n    return Quads({});\n}}",
        all(&|q| format!("scan_quad(quads.q{q})"))
    ));
    add(format!(
        "fn total_of_each(quads: Quads) -> Each {{\n    return Each({});\n}}",
        all(&|q| format!("total_of_quad(quads.q{q})"))
    ));
    add(format!(
        "fn last_of_each(quads: Quads) -> Each {{\n    return Each({});\n}}",
        all(&|q| format!("quads.q{q}.w"))
    ));
    add(format!("fn last_of_all(quads: Quads) -> T {{\n    return quads.q{}.w;\n}}", count - 1));
    add(format!(
        "fn combine_each(left: Each, right: Each) -> Each {{\n    return Each({});\n}}",
        all(&|q| format!("combine(left.q{q}, right.q{q})"))
    ));
    add(format!(
        "fn lift_each(left: Each, quads: Quads) -> Quads {{\n    return Quads({});\n}}",
        all(&|q| format!("lift(left.q{q}, quads.q{q})"))
    ));
    add(format!(
        "fn lift_all(left: T, quads: Quads) -> Quads {{\n    return Quads({});\n}}",
        all(&|q| format!("lift(left, quads.q{q})"))
    ));
    add("/// Every quad moved on by one element; `before` enters each at its first.".into());
    add(format!(
        "fn shift_each(quads: Quads, before: Each) -> Quads {{\n    return Quads({});\n}}",
        all(&|q| format!("Quad(before.q{q}, quads.q{q}.x, quads.q{q}.y, quads.q{q}.z)"))
    ));
    add("/// The first element of every row as an exclusive scan starts it, where a tile holds several."
        .into());
    add(format!(
        "fn start_each(quads: Quads, first: u32, step: u32) -> Quads {{\n    var started = quads;\n    {}\n    \
         return started;\n}}",
        statements(&|q| format!(
            "if (first + {q}u * step) % (ROW / 4u) == 0u {{\n        started.q{q}.x = start();\n    }}"
        ))
    ));
    text
}

/// What the subgroup kernels need besides: steps of a subgroup are the quads of its lanes.
///
/// With `short_rows`, levels above a row of `ROW` elements are left out.
pub(crate) fn subgroup_steps(count: u32, short_rows: bool) -> String {
    let shuffles = each(count, ", ", |q| format!("shuffle(each.q{q}, lane)"));
    let totals: Vec<String> = (0..count).map(|q| format!("each.q{q}")).collect();
    let mut steps = String::new();
    let mut half = 1;
    while half < count {
        if short_rows {
            writeln!(steps, "    if 4u * (last_lane + 1u) * {half}u < ROW {{").expect("writing to a string");
        }
        for q in (0..count).filter(|q| q & half != 0) {
            // The left sibling's last step ends in its total.
            let last = (q & !(2 * half - 1)) + half - 1;
            let total = format!("total_{last}_of_{half}");
            if q % half == 0 {
                writeln!(steps, "    let {total} = shuffle(scanned.q{last}.w, last_lane);")
                    .expect("writing to a string");
            }
            writeln!(steps, "    scanned.q{q} = lift({total}, scanned.q{q});").expect("writing to a string");
        }
        if short_rows {
            writeln!(steps, "    }}").expect("writing to a string");
        }
        half *= 2;
    }
    let back = each(count, ", ", |q| match q {
        0 => "entering".into(),
        _ => format!("each.q{}", q - 1),
    });
    format!(
        "fn shuffle_each(each: Each, lane: u32) -> Each {{\n    return Each({shuffles});\n}}\n\n\
         /// The tree's levels between steps of one subgroup.\n\
         fn scan_steps(quads: Quads, last_lane: u32) -> Quads {{\n    var scanned = quads;\n{steps}    return scanned;\n}}\n\n\
         fn reduce_steps(each: Each) -> T {{\n    return {};\n}}\n\n\
         /// What precedes each step in the subgroup's first lane.\n\
         fn step_back(entering: T, each: Each) -> Each {{\n    return Each({back});\n}}\n",
        tree(&totals)
    )
}

/// What the kernels without subgroups need besides: leaf `q · LANES + lane` stands for quad `q` of a lane.
pub(crate) fn workgroup_leaves(count: u32) -> String {
    let plant = each(count, "\n    ", |q| format!("nodes[{q}u * LANES + lane] = each.q{q};"));
    let lifts = each(count, "\n    ", |q| {
        format!(
            "if has_left({q}u * LANES + lane, level) {{\n        \
             lifted.q{q} = lift(left_of(tree, {q}u * LANES + lane, level), lifted.q{q});\n    }}"
        )
    });
    let before = each(count, ", ", |q| match q {
        0 => "entering".into(),
        _ => format!("nodes[{q}u * LANES + lane - 1u]"),
    });
    format!(
        "fn plant_each(each: Each, lane: u32) {{\n    {plant}\n}}\n\n\
         fn lift_leaves(tree: Tree, level: u32, quads: Quads, lane: u32) -> Quads {{\n    \
         var lifted = quads;\n    {lifts}\n    return lifted;\n}}\n\n\
         /// What precedes each of a lane's quads; `entering` precedes the first.\n\
         fn leaves_before(entering: T, lane: u32) -> Each {{\n    return Each({before});\n}}\n"
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
        assert_eq!(subgroup_steps(4, false).matches("= shuffle(scanned").count(), 3);
    }
}
