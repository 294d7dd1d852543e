//! Changes to shader text that a user wrote.

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
    use super::rename;

    #[test]
    fn whole_words_are_renamed() {
        let text = "fn combine(T1: T, b: vec2<T>) -> T {\n  return recombine(b.T, T(combine));\n}";
        let wanted = "fn c(T1: V, b: vec2<V>) -> V {\n  return recombine(b.T, V(c));\n}";
        assert_eq!(rename(text, &[("T", "V"), ("combine", "c")]), wanted);
        assert_eq!(rename("T", &[("T", "V")]), "V");
        assert_eq!(rename("", &[("T", "V")]), "");
    }
}
