//! What a user's shader text may be: functions, constants and types, or the body of one function. Anything else
//! would take part in how a kernel is bound and started.
//!
//! This reads no more of WGSL than names, signs and braces. What is wrong beyond that, naga says.

use super::Source;
use crate::error::Error;

/// The parts of a kernel's text that are its user's: an operator's declarations, and bodies of functions.
pub(super) const OPERATOR: &str = "operator";
pub(super) const INPUT_MAP: &str = "input map";
pub(super) const RESULT_MAP: &str = "result map";

/// What an operator declares, and what that is called inside of segmented scans.
pub(super) const WANTED: [(&str, &str); 2] =
    [("identity", "identity_of_values"), ("combine", "combine_values")];

/// A name, a number or a sign, and where it is, counted as a reader does.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Token<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

/// Everything but comments and blanks.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    // How deep in comments, which nest.
    let mut depth = 0;
    for (line, content) in (1..).zip(text.lines()) {
        let mut at = 0;
        while let Some(first) = content[at..].chars().next() {
            let rest = &content[at..];
            if rest.starts_with("/*") {
                depth += 1;
                at += 2;
            } else if depth > 0 {
                let ends = rest.starts_with("*/");
                depth -= usize::from(ends);
                at += if ends { 2 } else { first.len_utf8() };
            } else if rest.starts_with("//") {
                break;
            } else {
                let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let len = word.max(first.len_utf8());
                if !first.is_whitespace() {
                    tokens.push(Token { text: &rest[..len], line, column: at + 1 });
                }
                at += len;
            }
        }
    }
    tokens
}

/// Names that are declared outside of functions.
fn declared<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut names = Vec::new();
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate() {
        let after = |n: usize| tokens.get(i + n).copied();
        match token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "fn" | "const" | "struct" | "alias" | "override" if depth == 0 => names.extend(after(1)),
            "var" if depth == 0 => {
                let end = tokens[i..].iter().position(|token| token.text == ">");
                let name =
                    if after(1).is_some_and(|next| next.text == "<") { end.unwrap_or(0) + 1 } else { 1 };
                names.extend(after(name));
            }
            _ => {}
        }
    }
    names
}

/// Whether an operator does more than arithmetic: it branches, or calls what a software driver computes in many
/// steps.
pub(crate) fn is_heavy(text: &str) -> bool {
    const HEAVY: [&str; 16] = [
        "if", "for", "while", "loop", "switch", "exp", "exp2", "log", "log2", "pow", "sin", "cos", "tan",
        "sinh", "cosh", "tanh",
    ];
    tokens(text).iter().any(|token| HEAVY.contains(&token.text))
}

impl Source {
    /// An error that says where and what if a part of the user's is not what it may be.
    pub fn check(&self) -> Result<(), Error> {
        let parts = self.parts_with_text();
        let (users, engine): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(name, _)| [OPERATOR, INPUT_MAP, RESULT_MAP].contains(name));
        let engine: Vec<Token<'_>> = engine.iter().flat_map(|(_, text)| tokens(text)).collect();
        for (name, text) in users {
            check_part(name, text, &engine)?;
        }
        Ok(())
    }
}

fn check_part(name: &'static str, text: &str, engine: &[Token<'_>]) -> Result<(), Error> {
    let tokens = tokens(text);
    let refused = |token: &Token<'_>, what: String| Error::Operator {
        operator: format!("{name}:{}:{}", token.line, token.column),
        what,
    };
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate() {
        let after = |n: usize| tokens.get(i + n).map_or("", |token| token.text);
        match (token.text, after(1)) {
            ("{", _) => depth += 1,
            ("}", _) if depth == 0 => {
                return Err(refused(token, "expected braces in pairs, found one that closes nothing".into()));
            }
            ("}", _) => depth -= 1,
            ("@", attribute) if !["must_use", "align", "size", "diagnostic"].contains(&attribute) => {
                return Err(refused(
                    token,
                    format!("expected no bindings and no entry points, found `@{attribute}`"),
                ));
            }
            ("var", "<") if after(2) != "function" => {
                return Err(refused(
                    token,
                    format!("expected variables inside of functions, found `var<{}>`", after(2)),
                ));
            }
            ("enable" | "requires" | "override", next) if depth == 0 && next != "=" => {
                return Err(refused(
                    token,
                    format!("expected functions, constants and types, found `{} {next}`", token.text),
                ));
            }
            _ => {}
        }
    }
    if depth > 0 {
        let last = tokens.last().copied().unwrap_or(Token { text: "", line: 1, column: 1 });
        return Err(refused(&last, format!("expected braces in pairs, found {depth} left open")));
    }
    if name != OPERATOR {
        return Ok(());
    }

    let names = declared(&tokens);
    for (needed, renamed) in WANTED {
        if !names.iter().any(|name| name.text == needed || name.text == renamed) {
            return Err(Error::Operator {
                operator: name.into(),
                what: format!("expected a function `{needed}`, found none"),
            });
        }
    }
    let taken = declared(engine);
    for name in names {
        // A function of WGSL's own that kernels call would be hidden, too.
        let called = engine.windows(2).any(|pair| pair[0].text == name.text && pair[1].text == "(")
            && !WANTED.iter().any(|&(wanted, renamed)| name.text == wanted || name.text == renamed);
        if called || taken.iter().any(|taken| taken.text == name.text) {
            return Err(refused(
                &name,
                format!("expected names that kernels do not use themselves, found `{}`", name.text),
            ));
        }
    }
    Ok(())
}

/// `text` with some identifiers replaced by others, wherever they stand as a word of their own and not behind
/// a dot. Line breaks stay where they are.
pub(crate) fn rename(text: &str, names: &[(&str, &str)]) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (before, word_on) = rest.split_at(start);
        let end = word_on.find(|c| !is_word(c)).unwrap_or(word_on.len());
        let (word, after) = word_on.split_at(end);
        renamed.push_str(before);
        let member = before.trim_end().ends_with('.');
        let replaced = names.iter().find(|(name, _)| *name == word && !member);
        renamed.push_str(replaced.map_or(word, |(_, name)| name));
        rest = after;
    }
    renamed.push_str(rest);
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|token| token.text).collect()
    }

    #[test]
    fn branches_are_heavy_and_names_are_not() {
        for (text, heavy) in
            [("if x { return y; }", true), ("log(x)", true), ("logs(iff)", false), ("a + b", false)]
        {
            assert_eq!(is_heavy(text), heavy, "{text}");
        }
    }

    #[test]
    fn tokens_have_their_places() {
        assert_eq!(
            texts("fn a_1(x: u32) // y\n/* z /* in */ z */ {é}"),
            ["fn", "a_1", "(", "x", ":", "u32", ")", "{", "é", "}"]
        );
        let second = tokens("a\n /*é*/ b")[1];
        assert_eq!(second, Token { text: "b", line: 2, column: 9 });
        assert_eq!(texts("/* never closed\n fn f"), [""; 0]);
    }

    #[test]
    fn declarations_are_those_outside_of_functions() {
        let tokens = tokens(
            "const A = 1u; fn f(x: u32) -> u32 { const B = 2u; var c = x; return c; }\nstruct S { fn_: u32 }\n\
             @group(0) @binding(1) var<storage, read> d: array<u32>; var<private> e: u32; alias F = u32;",
        );
        let names: Vec<_> = declared(&tokens).iter().map(|token| token.text).collect();
        assert_eq!(names, ["A", "f", "S", "d", "e", "F"]);
    }

    #[test]
    fn only_functions_are_taken() {
        let good = "fn identity() -> T { return helper(); }\nfn combine(left: T, right: T) -> T { return left; }\n\
                    fn helper() -> T { var<function> x = T(); return x; }\n";
        let check = |name, text: &str| {
            let source = Source::new(&[("engine", "fn scan_quad() { let m = max(1, 2); }"), (name, text)]);
            source.check().map_err(|error| error.to_string())
        };
        assert_eq!(check(OPERATOR, good), Ok(()));
        let refused = |name, text: &str, place: &str, what: &str| {
            let error = check(name, text).expect_err(text);
            assert!(error.starts_with(place) && error.contains(what), "{error}");
        };
        let with = |more: &str| format!("{good}{more}");
        refused(OPERATOR, &with(" @group(0) @binding(0) var<storage> x: u32;"), "operator:4:2", "`@group`");
        refused(OPERATOR, &with("@compute @workgroup_size(1) fn f() {}"), "operator:4:1", "`@compute`");
        refused(OPERATOR, &with("var<workgroup> x: u32;"), "operator:4:1", "`var<workgroup>`");
        refused(OPERATOR, &with("override x = 1;"), "operator:4:1", "`override x`");
        refused(OPERATOR, &with("enable f16;"), "operator:4:1", "`enable f16`");
        refused(OPERATOR, &with("fn scan_quad() {}"), "operator:4:4", "`scan_quad`");
        refused(OPERATOR, &with("fn max() {}"), "operator:4:4", "`max`");
        refused(OPERATOR, &with("fn f() {"), "operator:4:8", "1 left open");
        refused(OPERATOR, "fn identity() -> T { return T(); }", "operator ", "`combine`");
        refused(INPUT_MAP, "return value; } fn f() {", "input map:1:15", "closes nothing");
        assert_eq!(check(RESULT_MAP, "let scan_quad = value; { return scan_quad; }"), Ok(()));
    }

    #[test]
    fn whole_words_are_renamed() {
        let text = "fn combine(T1: T, b: vec2<T>) -> T {\n  return recombine(b.T, T(combine));\n}";
        let wanted = "fn c(T1: V, b: vec2<V>) -> V {\n  return recombine(b.T, V(c));\n}";
        assert_eq!(rename(text, &[("T", "V"), ("combine", "c")]), wanted);
        assert_eq!(rename("T", &[("T", "V")]), "V");
        assert_eq!(rename("", &[("T", "V")]), "");
    }
}
