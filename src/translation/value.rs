//! Values that translated functions compute with.

use crate::element::{Element, Scalar, Shape};

use super::{Text, expr::Template};

/// What a translated function takes, computes with and returns: every [`Element`], and `bool`.
#[diagnostic::on_unimplemented(
    message = "there is no translation for values of type {Self}",
    note = "there is one for u32, i32, f32, bool, arrays of two to four numbers, and structs with #[derive(Element)]"
)]
pub trait Value: Copy + 'static {
    /// The type's name.
    fn name() -> Text;

    /// This value as an expression.
    fn constant(self) -> Text;

    /// The names of a struct's fields, in order; none of other types.
    fn field_names() -> Vec<&'static str> {
        Vec::new()
    }

    /// The expression that makes one of its fields or elements.
    fn of_parts(parts: &Text) -> Text {
        let name = Self::name();
        Text::new(format!("{}({})", name.wgsl, parts.wgsl), format!("{}{{{}}}", name.cuda, parts.cuda))
    }
}

impl Value for bool {
    fn name() -> Text {
        Text::same("bool")
    }

    fn constant(self) -> Text {
        Text::same(self.to_string())
    }
}

impl<T: Element> Value for T {
    fn name() -> Text {
        name(T::LAYOUT.0)
    }

    fn constant(self) -> Text {
        let mut words = bytemuck::bytes_of(&self).chunks(4).map(|bytes| {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            u32::from_ne_bytes(word)
        });
        constant(T::LAYOUT.0, &mut words)
    }

    fn field_names() -> Vec<&'static str> {
        match T::LAYOUT.0 {
            Shape::Structure(_, fields) => fields.iter().map(|(name, _)| *name).collect(),
            _ => Vec::new(),
        }
    }
}

/// CUDA C++ has no arrays that are values: there a vector is a `Vec<E, N>`, a struct with `operator[]`.
fn name(shape: Shape) -> Text {
    match shape {
        Shape::Scalar(Scalar::U32) => Text::new("u32", "unsigned"),
        Shape::Scalar(Scalar::I32) => Text::new("i32", "int"),
        Shape::Scalar(Scalar::F32) => Text::new("f32", "float"),
        Shape::Vector(scalar, len) => {
            let part = name(Shape::Scalar(scalar));
            Text::new(format!("vec{len}<{}>", part.wgsl), format!("Vec<{}, {len}>", part.cuda))
        }
        Shape::Words(count) => Text::same(format!("Words{count}")),
        Shape::Structure(name, _) => Text::same(name),
        // No shader language's word for it: a number is widened before it is computed with, and what computes with
        // a narrow one does not compile.
        Shape::Narrow(narrow) => Text::same(format!("{narrow:?}")),
    }
}

/// The value of this shape whose bits are the next words.
fn constant(shape: Shape, words: &mut dyn Iterator<Item = u32>) -> Text {
    let parts: Vec<Text> = match shape {
        Shape::Scalar(scalar) => {
            return number(scalar, words.next().expect("as many words as the shape has"));
        }
        Shape::Vector(scalar, len) => (0..len).map(|_| constant(Shape::Scalar(scalar), words)).collect(),
        Shape::Words(count) => (0..count).map(|_| constant(Shape::Scalar(Scalar::U32), words)).collect(),
        Shape::Structure(_, fields) => fields.iter().map(|(_, field)| constant(field.0, words)).collect(),
        Shape::Narrow(_) => Vec::new(),
    };
    let parts = Text::list(&parts);
    let name = name(shape);
    Text::new(format!("{}({})", name.wgsl, parts.wgsl), format!("{}{{{}}}", name.cuda, parts.cuda))
}

/// A number as a literal with its type; negative ones in parentheses.
fn number(scalar: Scalar, bits: u32) -> Text {
    match scalar {
        Scalar::U32 => Text::same(format!("{bits}u")),
        Scalar::I32 => match bits as i32 {
            i32::MIN => Text::new("(-2147483647i - 1i)", "(-2147483647 - 1)"),
            value if value < 0 => Text::new(format!("({value}i)"), format!("({value})")),
            value => Text::new(format!("{value}i"), format!("{value}")),
        },
        Scalar::F32 => match f32::from_bits(bits) {
            // Neither language has a literal for them.
            value if !value.is_finite() => {
                let bits = Text::same(format!("{bits:#x}u"));
                Template { wgsl: "float_of($0)", cuda: "float_of($0)" }.fill(&[bits])
            }
            value if value.is_sign_negative() => Text::same(format!("({value:?}f)")),
            value => Text::same(format!("{value:?}f")),
        },
    }
}
