//! What a function may consist of: the part of Rust that there is a translation for.

use proc_macro2::Span;
use syn::{Attribute, Expr, Ident, Path, Type, Visibility};

/// A function over plain values.
pub struct Function {
    pub attributes: Vec<Attribute>,
    pub visibility: Visibility,
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub output: Type,
    pub body: Block,
    /// It may hold operations that devices round differently.
    pub approximate: bool,
}

pub struct Parameter {
    pub name: Ident,
    pub mutable: bool,
    pub ty: Type,
}

#[derive(Default)]
pub struct Block {
    pub statements: Vec<Statement>,
    /// The expression at its end.
    pub value: Option<Box<Expression>>,
}

pub enum Statement {
    Let { name: Ident, mutable: bool, ty: Option<Type>, value: Expression },
    Assign { place: Expression, value: Expression },
    Return(Expression),
    If(If),
    Block(Block),
}

pub struct If {
    pub condition: Expression,
    pub then: Block,
    pub otherwise: Option<Block>,
}

pub enum Expression {
    /// A variable.
    Local(Ident),
    /// Anything whose value Rust knows: a literal, a constant.
    Constant {
        value: Expr,
        span: Span,
    },
    /// One of the library's operations, by the name of its module.
    Operation {
        name: &'static str,
        span: Span,
        arguments: Vec<Expression>,
    },
    And {
        left: Box<Expression>,
        right: Box<Expression>,
        span: Span,
    },
    Or {
        left: Box<Expression>,
        right: Box<Expression>,
        span: Span,
    },
    Cast {
        value: Box<Expression>,
        ty: Type,
        span: Span,
    },
    Field {
        of: Box<Expression>,
        name: Ident,
    },
    Index {
        of: Box<Expression>,
        index: Expr,
    },
    Struct {
        path: Path,
        fields: Vec<(Ident, Expression)>,
        rest: Option<Box<Expression>>,
    },
    Array {
        elements: Vec<Expression>,
        span: Span,
    },
    /// `approximate` says whether the function called may be.
    Call {
        function: Path,
        arguments: Vec<Expression>,
        approximate: bool,
    },
    If(Box<If>),
    Block(Block),
}

/// How a call is written in Rust, and the operation that it is.
pub struct Method {
    pub name: &'static str,
    pub arguments: usize,
    /// Devices round it differently.
    pub approximate: bool,
}

const fn exact(name: &'static str, arguments: usize) -> Method {
    Method { name, arguments, approximate: false }
}

const fn approximate(name: &'static str, arguments: usize) -> Method {
    Method { name, arguments, approximate: true }
}

/// Each has an operation of the same name.
pub const METHODS: &[Method] = &[
    exact("min", 1),
    exact("max", 1),
    exact("clamp", 2),
    exact("abs", 0),
    exact("wrapping_add", 1),
    exact("wrapping_sub", 1),
    exact("wrapping_mul", 1),
    exact("saturating_add", 1),
    exact("saturating_sub", 1),
    exact("count_ones", 0),
    exact("leading_zeros", 0),
    exact("trailing_zeros", 0),
    exact("floor", 0),
    exact("ceil", 0),
    exact("trunc", 0),
    exact("is_nan", 0),
    exact("to_bits", 0),
    approximate("sqrt", 0),
    approximate("exp", 0),
    approximate("exp2", 0),
    approximate("ln", 0),
    approximate("log2", 0),
    approximate("powf", 1),
    approximate("sin", 0),
    approximate("cos", 0),
];
