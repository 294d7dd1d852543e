//! The WGSL side of element types: declarations, and how elements are made of words and taken apart.

use crate::element::{Layout, Narrow, Scalar, Shape};

impl Scalar {
    fn name(self) -> &'static str {
        match self {
            Scalar::U32 => "u32",
            Scalar::I32 => "i32",
            Scalar::F32 => "f32",
        }
    }

    fn of_word(self, word: &str) -> String {
        match self {
            Scalar::U32 => word.into(),
            _ => format!("bitcast<{}>({word})", self.name()),
        }
    }

    fn to_word(self, value: &str) -> String {
        match self {
            Scalar::U32 => value.into(),
            _ => format!("bitcast<u32>({value})"),
        }
    }
}

impl Narrow {
    pub fn bits(self) -> u32 {
        match self {
            Narrow::U8 | Narrow::I8 => 8,
            Narrow::U16 | Narrow::I16 | Narrow::F16 => 16,
        }
    }

    fn scalar(self) -> Scalar {
        match self {
            Narrow::U8 | Narrow::U16 => Scalar::U32,
            Narrow::I8 | Narrow::I16 => Scalar::I32,
            Narrow::F16 => Scalar::F32,
        }
    }

    /// How many share a word, as a power of two.
    pub fn log2_in_word(self) -> u32 {
        (u32::BITS / self.bits()).ilog2()
    }

    /// The bit at which number `at` (an expression) begins in its word.
    pub fn bit_of(self, at: &str) -> String {
        format!("({at} & {}u) * {}u", (1 << self.log2_in_word()) - 1, self.bits())
    }

    /// The number at bit `offset` (an expression) of `word`.
    pub fn of_word(self, word: &str, offset: &str) -> String {
        let bits = self.bits();
        match self {
            Narrow::U8 | Narrow::U16 => format!("extractBits({word}, {offset}, {bits}u)"),
            Narrow::I8 | Narrow::I16 => format!("extractBits(bitcast<i32>({word}), {offset}, {bits}u)"),
            Narrow::F16 => format!("unpack2x16float(extractBits({word}, {offset}, {bits}u)).x"),
        }
    }
}

impl Layout {
    /// The type's name in WGSL.
    pub(crate) fn wgsl(&self) -> String {
        match self.0 {
            Shape::Narrow(narrow) => narrow.scalar().name().into(),
            Shape::Scalar(scalar) => scalar.name().into(),
            Shape::Vector(scalar, len) => format!("vec{len}<{}>", scalar.name()),
            Shape::Words(count) => format!("Words{count}"),
            Shape::Structure(name, _) => name.into(),
        }
    }

    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self.0, Shape::Scalar(_))
    }

    pub(crate) fn narrow(&self) -> Option<Narrow> {
        match self.0 {
            Shape::Narrow(narrow) => Some(narrow),
            _ => None,
        }
    }

    /// Words of an element in a buffer; narrow ones are in one, with others.
    pub(crate) fn word_count(&self) -> u32 {
        self.bytes().div_ceil(4)
    }

    /// Adds the declarations of all structs in it, inner ones first, each once.
    pub(crate) fn declare(&self, declared: &mut Vec<String>, text: &mut String) {
        let (name, fields) = match self.0 {
            Shape::Structure(name, fields) => (name.to_string(), fields),
            Shape::Words(count) => {
                let name = self.wgsl();
                if !declared.contains(&name) {
                    let fields: Vec<String> = (0..count).map(|i| format!("w{i}: u32")).collect();
                    text.push_str(&format!("struct {name} {{ {} }}\n", fields.join(", ")));
                    declared.push(name);
                }
                return;
            }
            _ => return,
        };
        for (_, field) in fields {
            field.declare(declared, text);
        }
        if declared.contains(&name) {
            return;
        }
        let fields: Vec<String> =
            fields.iter().map(|(field, layout)| format!("{field}: {}", layout.wgsl())).collect();
        text.push_str(&format!("struct {name} {{ {} }}\n", fields.join(", ")));
        declared.push(name);
    }

    /// An expression that makes an element of words.
    pub(crate) fn of_words(&self, words: &mut dyn Iterator<Item = String>) -> String {
        let mut next = || words.next().expect("as many words as the layout has");
        match self.0 {
            Shape::Narrow(narrow) => narrow.of_word(&next(), "0u"),
            Shape::Scalar(scalar) => scalar.of_word(&next()),
            Shape::Vector(scalar, count) => {
                let parts: Vec<String> = (0..count).map(|_| scalar.of_word(&next())).collect();
                format!("{}({})", self.wgsl(), parts.join(", "))
            }
            Shape::Words(count) => {
                let parts: Vec<String> = (0..count).map(|_| next()).collect();
                format!("{}({})", self.wgsl(), parts.join(", "))
            }
            Shape::Structure(name, fields) => {
                let parts: Vec<String> = fields.iter().map(|(_, field)| field.of_words(words)).collect();
                format!("{name}({})", parts.join(", "))
            }
        }
    }

    /// Expressions for the words of the element `value`, itself an expression without side effects.
    pub(crate) fn words_of(&self, value: &str) -> Vec<String> {
        match self.0 {
            Shape::Narrow(Narrow::F16) => vec![format!("half_bits({value})")],
            Shape::Narrow(narrow) => vec![narrow.scalar().to_word(value)],
            Shape::Scalar(scalar) => vec![scalar.to_word(value)],
            Shape::Vector(scalar, len) => ["x", "y", "z", "w"][..len as usize]
                .iter()
                .map(|c| scalar.to_word(&format!("{value}.{c}")))
                .collect(),
            Shape::Words(count) => (0..count).map(|i| format!("{value}.w{i}")).collect(),
            Shape::Structure(_, fields) => fields
                .iter()
                .flat_map(|(field, layout)| layout.words_of(&format!("{value}.{field}")))
                .collect(),
        }
    }

    /// Bytes from one element to the next in an array of WGSL's, with WGSL's padding.
    pub(crate) fn stride(&self) -> u64 {
        let (size, align) = self.size_and_align();
        size.next_multiple_of(align)
    }

    fn size_and_align(&self) -> (u64, u64) {
        match self.0 {
            Shape::Narrow(_) | Shape::Scalar(_) => (4, 4),
            Shape::Vector(_, 3) => (12, 16),
            Shape::Vector(_, len) => (4 * u64::from(len), 4 * u64::from(len)),
            Shape::Words(count) => (4 * u64::from(count), 4),
            Shape::Structure(_, fields) => {
                let (mut end, mut most) = (0u64, 4);
                for (_, field) in fields {
                    let (size, align) = field.size_and_align();
                    end = end.next_multiple_of(align) + size;
                    most = most.max(align);
                }
                (end.next_multiple_of(most), most)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;

    const PAIR: Layout = Layout::structure("Pair", &[("v", <[f32; 3]>::LAYOUT), ("n", u32::LAYOUT)]);
    const NESTED: Layout = Layout::structure("Nested", &[("pair", PAIR), ("i", i32::LAYOUT)]);

    #[test]
    fn elements_are_made_of_words_and_taken_apart() {
        let words = ["a", "b", "c", "d", "e"].map(String::from);
        assert_eq!(
            NESTED.of_words(&mut words.into_iter()),
            "Nested(Pair(vec3<f32>(bitcast<f32>(a), bitcast<f32>(b), bitcast<f32>(c)), d), bitcast<i32>(e))"
        );
        assert_eq!(NESTED.words_of("n")[1], "bitcast<u32>(n.pair.v.y)");
        assert_eq!(NESTED.words_of("n")[4], "bitcast<u32>(n.i)");
        assert_eq!(NESTED.word_count(), 5);
    }

    #[test]
    fn wgsl_pads_what_rust_does_not() {
        assert_eq!(<[f32; 3]>::LAYOUT.stride(), 16);
        assert_eq!(PAIR.stride(), 16);
        assert_eq!(NESTED.stride(), 32);
        assert_eq!(u64::LAYOUT.stride(), 8);
        assert_eq!(Layout::words(11).stride(), 44);
    }

    #[test]
    fn structs_are_declared_once_and_inner_ones_first() {
        let (mut declared, mut text) = (Vec::new(), String::new());
        NESTED.declare(&mut declared, &mut text);
        PAIR.declare(&mut declared, &mut text);
        assert_eq!(text, "struct Pair { v: vec3<f32>, n: u32 }\nstruct Nested { pair: Pair, i: i32 }\n");
    }
}
