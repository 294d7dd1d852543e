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
    format!(
        "fn shuffle_each(each: Each, lane: u32) -> Each {{\n    return Each({shuffles});\n}}\n\n\
         /// The tree's levels between steps of one subgroup.\n\
         fn scan_steps(quads: Quads, last_lane: u32) -> Quads {{\n    var scanned = quads;\n{steps}    return scanned;\n}}\n\n\
         fn reduce_steps(each: Each) -> T {{\n    return {};\n}}\n\n\
         {}\n{}",
        tree(&totals),
        step_back(count),
        fold_steps(count),
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

/// What the kernels without subgroups need besides: steps are the quads of one lane.
pub(crate) fn lane_steps(count: u32, short_rows: bool) -> String {
    let totals: Vec<String> = (0..count).map(|q| format!("each.q{q}")).collect();
    let mut steps = String::new();
    let mut half = 1;
    while half < count {
        if short_rows {
            writeln!(steps, "    if 4u * {half}u < ROW {{").expect("writing to a string");
        }
        for q in (0..count).filter(|q| q & half != 0) {
            // The left sibling's last step ends in its total.
            let last = (q & !(2 * half - 1)) + half - 1;
            writeln!(steps, "    scanned.q{q} = lift(scanned.q{last}.w, scanned.q{q});")
                .expect("writing to a string");
        }
        if short_rows {
            writeln!(steps, "    }}").expect("writing to a string");
        }
        half *= 2;
    }
    format!(
        "/// The tree's levels between steps of one lane.\n\
         fn scan_steps(quads: Quads) -> Quads {{\n    var scanned = quads;\n{steps}    return scanned;\n}}\n\n\
         fn reduce_steps(each: Each) -> T {{\n    return {};\n}}\n\n{}",
        tree(&totals),
        step_back(count),
    )
}

/// What precedes each step, if `entering` precedes the first.
fn step_back(count: u32) -> String {
    let back = each(count, ", ", |q| match q {
        0 => "entering".into(),
        _ => format!("each.q{}", q - 1),
    });
    format!("fn step_back(entering: T, each: Each) -> Each {{\n    return Each({back});\n}}\n")
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
        assert_eq!(subgroup_steps(4, false).matches("= shuffle(scanned").count(), 3);
    }
}
