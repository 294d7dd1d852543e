//! The examples' own tests: Cargo builds examples, but runs no test in them.

// The quickstart uses all of it.
#[allow(dead_code, missing_docs, unreachable_pub)]
#[path = "../examples/graph/mod.rs"]
mod graph;
