//! Expressions as text, with the Rust type that they have.

use std::marker::PhantomData;

use super::Value;

/// The same piece of a program in WGSL and in CUDA C++.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// In WGSL.
    pub wgsl: String,
    /// In CUDA C++.
    pub cuda: String,
}

impl Text {
    /// A text that is alike in both languages.
    pub fn same(text: impl Into<String>) -> Self {
        let wgsl = text.into();
        Self { cuda: wgsl.clone(), wgsl }
    }

    /// A text of either language.
    pub fn new(wgsl: impl Into<String>, cuda: impl Into<String>) -> Self {
        Self { wgsl: wgsl.into(), cuda: cuda.into() }
    }

    /// Texts one after the other, with ", " between them.
    pub(crate) fn list<'a>(texts: impl IntoIterator<Item = &'a Text>) -> Self {
        let mut list = Text::default();
        for (i, text) in texts.into_iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            list.wgsl += comma;
            list.wgsl += &text.wgsl;
            list.cuda += comma;
            list.cuda += &text.cuda;
        }
        list
    }
}

/// An operation's text in both languages; `$0`, `$1`, … stand for its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    pub(crate) wgsl: &'static str,
    pub(crate) cuda: &'static str,
}

impl Template {
    pub(crate) fn fill(self, arguments: &[Text]) -> Text {
        Text {
            wgsl: filled(self.wgsl, |i| &arguments[i].wgsl),
            cuda: filled(self.cuda, |i| &arguments[i].cuda),
        }
    }
}

fn filled<'a>(template: &str, argument: impl Fn(usize) -> &'a str) -> String {
    let mut parts = template.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_at(1);
        text += argument(number.parse().expect("a digit follows every $ of a template"));
        text += rest;
    }
    text
}

/// An expression of type `T`. Its text stands for itself anywhere: it needs no parentheses around it.
pub struct Expr<T> {
    pub(crate) text: Text,
    /// Its value, where Rust knows it. Operations on such are computed here: WGSL would compute them when it is
    /// compiled, too, but takes an overflow, an infinity or a NaN on the way for a mistake.
    pub(crate) value: Option<T>,
}

impl<T> std::fmt::Debug for Expr<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.text.wgsl)
    }
}

impl<T: Copy> Clone for Expr<T> {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), value: self.value }
    }
}

impl<T> Expr<T> {
    pub(crate) fn new(text: Text) -> Self {
        Self { text, value: None }
    }
}

impl<T> From<Expr<T>> for Text {
    fn from(expr: Expr<T>) -> Self {
        expr.text
    }
}

/// A value that Rust knows: a literal, `f32::INFINITY`, a constant of the caller's.
pub fn constant<T: Value>(value: T) -> Expr<T> {
    Expr { text: value.constant(), value: Some(value) }
}

/// The field `name` of a struct. `_project` is never called: it tells the compiler the field's type.
pub fn field<S: Value, F: Value>(of: Expr<S>, name: &str, _project: fn(S) -> F) -> Expr<F> {
    Expr::new(Text::new(format!("{}.{name}", of.text.wgsl), format!("{}.{name}", of.text.cuda)))
}

/// Element `i` of an array.
pub fn index<E: Value, const N: usize>(of: Expr<[E; N]>, i: usize) -> Expr<E>
where
    [E; N]: Value,
{
    Expr::new(Text::new(format!("{}[{i}]", of.text.wgsl), format!("{}[{i}]", of.text.cuda)))
}

/// An array of these elements.
pub fn array<E: Value, const N: usize>(elements: [Expr<E>; N]) -> Expr<[E; N]>
where
    [E; N]: Value,
{
    let texts = elements.map(|element| element.text);
    Expr::new(<[E; N]>::of_parts(&Text::list(&texts)))
}

/// Begins a struct literal.
pub fn construct<S: Value>() -> Construct<S> {
    Construct { fields: Vec::new(), kind: PhantomData }
}

/// A struct literal in the making.
#[derive(Debug)]
pub struct Construct<S> {
    fields: Vec<(&'static str, Text)>,
    kind: PhantomData<fn() -> S>,
}

impl<S: Value> Construct<S> {
    /// The field `name` gets `value`. `_project` is never called: it tells the compiler the field's type.
    pub fn with<F: Value>(mut self, name: &'static str, _project: fn(S) -> F, value: Expr<F>) -> Self {
        self.fields.push((name, value.text));
        self
    }

    /// The literal; Rust has checked that no field is missing.
    pub fn done(self) -> Expr<S> {
        self.ordered(|name| panic!("{} without its field {name}", std::any::type_name::<S>()))
    }

    /// The literal with every other field taken from `base`.
    pub fn rest(self, base: Expr<S>) -> Expr<S> {
        self.ordered(|name| {
            Text::new(format!("{}.{name}", base.text.wgsl), format!("{}.{name}", base.text.cuda))
        })
    }

    /// The fields as they are declared, not as the literal names them.
    fn ordered(self, otherwise: impl Fn(&str) -> Text) -> Expr<S> {
        let texts = S::field_names().into_iter().map(|name| {
            let found = self.fields.iter().find(|(given, _)| *given == name);
            found.map_or_else(|| otherwise(name), |(_, text)| text.clone())
        });
        Expr::new(S::of_parts(&Text::list(&texts.collect::<Vec<_>>())))
    }
}
