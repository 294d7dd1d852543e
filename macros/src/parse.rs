//! From Rust's syntax to the part of it that has a translation; everything else is refused where it stands.

use proc_macro2::Span;
use syn::{
    BinOp, Error, Expr, ExprLit, FnArg, Ident, ItemFn, Lit, Local, Member, Pat, Result, ReturnType, Stmt,
    Type, UnOp, ext::IdentExt, spanned::Spanned,
};

use crate::syntax::{Block, Expression, Function, If, METHODS, Parameter, Statement};

const STATEMENTS: &str = "supported statements: `let`, assignments, `if`, blocks and `return`";
const EXPRESSIONS: &str = "supported expressions: literals, constants, variables, fields, elements of arrays, operators, \
     casts, struct and array literals, `if`, blocks, methods of numbers and calls of #[function]s";
const TYPES: &str = "supported types: u32, i32, f32, bool, arrays, and structs that are elements";

/// A checked function. `approximate` admits operations that devices round differently.
pub fn function(item: ItemFn, approximate: bool) -> Result<Function> {
    let signature = &item.sig;
    refuse(&signature.generics.lt_token, "a generic function has no translation: name the types")?;
    refuse(&signature.generics.where_clause, "a generic function has no translation: name the types")?;
    refuse(&signature.constness, "`const fn` is not supported: integer arithmetic wraps around by calls")?;
    refuse(&signature.asyncness, "an async function has no translation")?;
    refuse(&signature.unsafety, "an unsafe function has no translation")?;
    refuse(&signature.abi, "a function with an ABI has no translation")?;
    refuse(&signature.variadic, "a variadic function has no translation")?;

    let output = match &signature.output {
        ReturnType::Type(_, ty) => (**ty).clone(),
        ReturnType::Default => {
            return Err(Error::new(signature.ident.span(), "expected a function that returns a value"));
        }
    };
    check_type(&output)?;
    let mut parser = Parser { locals: Vec::new(), approximate, function: signature.ident.clone() };
    let parameters = signature.inputs.iter().map(|input| parser.parameter(input)).collect::<Result<_>>()?;
    let body = parser.block(&item.block, Place::Statement)?;
    if body.value.is_none() && !always_returns(&body) {
        return Err(Error::new(
            item.block.brace_token.span.close(),
            "expected a value at the end of the function",
        ));
    }
    Ok(Function {
        attributes: item.attrs,
        visibility: item.vis,
        name: item.sig.ident,
        parameters,
        output,
        body,
        approximate,
    })
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// On its own: what it does happens before anything else is looked at.
    Statement,
    /// Inside another expression, before which a device does what its blocks do.
    Operand,
}

struct Parser {
    /// Variables in scope.
    locals: Vec<Ident>,
    approximate: bool,
    function: Ident,
}

impl Parser {
    fn parameter(&mut self, input: &FnArg) -> Result<Parameter> {
        let FnArg::Typed(input) = input else {
            return Err(Error::new(
                input.span(),
                "a method has no translation: expected an ordinary function",
            ));
        };
        no_attributes(&input.attrs)?;
        let (name, mutable) = self.name(&input.pat)?;
        check_type(&input.ty)?;
        self.locals.push(name.clone());
        Ok(Parameter { name, mutable, ty: (*input.ty).clone() })
    }

    fn name(&self, pattern: &Pat) -> Result<(Ident, bool)> {
        match pattern {
            Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
                no_attributes(&pattern.attrs)?;
                if !pattern.ident.unraw().to_string().is_ascii() {
                    return Err(Error::new(pattern.ident.span(), "CUDA C++ has ASCII names only"));
                }
                Ok((pattern.ident.clone(), pattern.mutability.is_some()))
            }
            other => Err(Error::new(other.span(), "expected a plain name: patterns have no translation")),
        }
    }

    fn is_local(&self, name: &Ident) -> bool {
        self.locals.contains(name)
    }

    fn block(&mut self, block: &syn::Block, place: Place) -> Result<Block> {
        let outside = self.locals.len();
        let mut parsed = Block::default();
        for (i, statement) in block.stmts.iter().enumerate() {
            if always_returns(&parsed) {
                return Err(Error::new(statement.span(), "this is never reached"));
            }
            let last = i + 1 == block.stmts.len();
            match statement {
                Stmt::Expr(expression, None) if last && is_value(expression) => {
                    parsed.value = Some(Box::new(self.expression(expression, place)?));
                }
                statement => parsed.statements.push(self.statement(statement, place)?),
            }
        }
        self.locals.truncate(outside);
        Ok(parsed)
    }

    fn statement(&mut self, statement: &Stmt, place: Place) -> Result<Statement> {
        match statement {
            Stmt::Local(local) => self.declaration(local, place),
            Stmt::Expr(expression, _) => self.effect(expression, place),
            Stmt::Macro(call) => {
                Err(Error::new(call.span(), format!("macros have no translation; {STATEMENTS}")))
            }
            Stmt::Item(item) => Err(Error::new(
                item.span(),
                format!("items inside a function have no translation; {STATEMENTS}"),
            )),
        }
    }

    fn declaration(&mut self, local: &Local, place: Place) -> Result<Statement> {
        no_attributes(&local.attrs)?;
        let (pattern, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some((*typed.ty).clone())),
            pattern => (pattern, None),
        };
        if let Some(ty) = ty.as_ref().filter(|ty| !matches!(ty, Type::Infer(_))) {
            check_type(ty)?;
        }
        let (name, mutable) = self.name(pattern)?;
        let Some(init) = &local.init else {
            return Err(Error::new(local.span(), "expected a value: `let name = value;`"));
        };
        if let Some((_, diverge)) = &init.diverge {
            return Err(Error::new(diverge.span(), "`let … else` has no translation"));
        }
        let value = self.expression(&init.expr, place)?;
        self.locals.push(name.clone());
        Ok(Statement::Let { name, mutable, ty, value })
    }

    /// An expression that is there for what it does.
    fn effect(&mut self, expression: &Expr, place: Place) -> Result<Statement> {
        no_attributes(attributes(expression))?;
        let no_effects = |span: Span| match place {
            Place::Statement => Ok(()),
            Place::Operand => Err(Error::new(
                span,
                "inside another expression a block may only declare variables: put it into a `let` of its own",
            )),
        };
        match expression {
            Expr::Assign(assign) => {
                no_effects(assign.eq_token.span)?;
                let target = self.place(&assign.left)?;
                Ok(Statement::Assign {
                    place: target,
                    value: self.expression(&assign.right, Place::Statement)?,
                })
            }
            Expr::Binary(binary) if compound(&binary.op).is_some() => {
                no_effects(binary.op.span())?;
                let name = self.rounded_alike(compound(&binary.op).expect("just asked"));
                // A field of a variable: naming it twice does nothing twice.
                let arguments =
                    vec![self.place(&binary.left)?, self.expression(&binary.right, Place::Operand)?];
                let value = Expression::Operation { name, span: binary.op.span(), arguments };
                Ok(Statement::Assign { place: self.place(&binary.left)?, value })
            }
            Expr::Return(give_back) => {
                no_effects(give_back.return_token.span)?;
                match &give_back.expr {
                    Some(value) => Ok(Statement::Return(self.expression(value, Place::Statement)?)),
                    None => Err(Error::new(give_back.span(), "expected a value: `return value;`")),
                }
            }
            Expr::If(_) => self.condition(expression, place).map(Statement::If),
            Expr::Block(block) if block.label.is_none() => {
                self.block(&block.block, place).map(Statement::Block)
            }
            other => Err(Error::new(
                other.span(),
                format!("{} no translation as a statement; {STATEMENTS}", described(other)),
            )),
        }
    }

    fn condition(&mut self, expression: &Expr, place: Place) -> Result<If> {
        let Expr::If(conditional) = expression else {
            return Err(Error::new(expression.span(), "expected `if`"));
        };
        let condition = self.expression(&conditional.cond, Place::Operand)?;
        let then = self.block(&conditional.then_branch, place)?;
        let otherwise = match &conditional.else_branch {
            None => None,
            Some((_, branch)) => Some(match &**branch {
                Expr::Block(block) => self.block(&block.block, place)?,
                // `else if`: a branch that ends in the next condition.
                next => {
                    let next = self.condition(next, place)?;
                    match has_value(&next) {
                        true => Block {
                            statements: vec![],
                            value: Some(Box::new(Expression::If(Box::new(next)))),
                        },
                        false => Block { statements: vec![Statement::If(next)], value: None },
                    }
                }
            }),
        };
        Ok(If { condition, then, otherwise })
    }

    /// What can be assigned to: a variable, or a part of one.
    fn place(&mut self, expression: &Expr) -> Result<Expression> {
        match expression {
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_) | Expr::Paren(_) => {
                let place = self.expression(expression, Place::Operand)?;
                let mut root = &place;
                while let Expression::Field { of, .. } | Expression::Index { of, .. } = root {
                    root = of;
                }
                match root {
                    Expression::Local(_) => Ok(place),
                    _ => Err(Error::new(
                        expression.span(),
                        "expected a variable, or a field or an element of one",
                    )),
                }
            }
            other => Err(Error::new(other.span(), "expected a variable, or a field or an element of one")),
        }
    }

    fn expression(&mut self, expression: &Expr, place: Place) -> Result<Expression> {
        no_attributes(attributes(expression))?;
        let span = expression.span();
        match expression {
            Expr::Paren(inner) => self.expression(&inner.expr, place),
            Expr::Group(inner) => self.expression(&inner.expr, place),
            Expr::Lit(literal) => {
                check_literal(literal)?;
                Ok(Expression::Constant { value: expression.clone(), span })
            }
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if self.is_local(name) => Ok(Expression::Local(name.clone())),
                _ => Ok(Expression::Constant { value: expression.clone(), span }),
            },
            Expr::Unary(unary) => match (&unary.op, &*unary.expr) {
                (UnOp::Neg(_), Expr::Lit(literal)) => {
                    check_literal(literal)?;
                    Ok(Expression::Constant { value: expression.clone(), span })
                }
                (UnOp::Neg(minus), value) => self.operation("neg", minus.span, &[value]),
                (UnOp::Not(not), value) => self.operation("not", not.span, &[value]),
                _ => Err(Error::new(span, format!("references have no translation; {EXPRESSIONS}"))),
            },
            Expr::Binary(binary) => self.binary(binary),
            Expr::Cast(cast) => {
                if !is_named(&cast.ty, &["u32", "i32", "f32"]) {
                    return Err(Error::new(cast.ty.span(), "supported casts: to u32, i32 and f32"));
                }
                let value = Box::new(self.expression(&cast.expr, Place::Operand)?);
                Ok(Expression::Cast { value, ty: (*cast.ty).clone(), span: cast.as_token.span })
            }
            Expr::Field(field) => match &field.member {
                Member::Named(name) => Ok(Expression::Field {
                    of: Box::new(self.expression(&field.base, Place::Operand)?),
                    name: name.clone(),
                }),
                Member::Unnamed(index) => {
                    Err(Error::new(index.span(), "tuples have no translation: expected a field with a name"))
                }
            },
            Expr::Index(index) => {
                let constant = match &*index.index {
                    Expr::Lit(ExprLit { lit: Lit::Int(_), .. }) => true,
                    Expr::Path(path) => !path.path.get_ident().is_some_and(|name| self.is_local(name)),
                    _ => false,
                };
                if !constant {
                    return Err(Error::new(
                        index.index.span(),
                        "expected a constant: an index that is computed has no translation",
                    ));
                }
                let of = Box::new(self.expression(&index.expr, Place::Operand)?);
                Ok(Expression::Index { of, index: (*index.index).clone() })
            }
            Expr::Struct(literal) => {
                let mut fields = Vec::new();
                for field in &literal.fields {
                    no_attributes(&field.attrs)?;
                    let Member::Named(name) = &field.member else {
                        return Err(Error::new(
                            field.member.span(),
                            "tuples have no translation: expected a field with a name",
                        ));
                    };
                    fields.push((name.clone(), self.expression(&field.expr, Place::Operand)?));
                }
                let rest =
                    literal.rest.as_ref().map(|rest| self.expression(rest, Place::Operand)).transpose()?;
                Ok(Expression::Struct { path: literal.path.clone(), fields, rest: rest.map(Box::new) })
            }
            Expr::Array(array) => {
                let elements = array.elems.iter().map(|element| self.expression(element, Place::Operand));
                Ok(Expression::Array { elements: elements.collect::<Result<_>>()?, span })
            }
            Expr::MethodCall(call) => self.method(call),
            Expr::Call(call) => self.call(call),
            Expr::If(conditional) => {
                if conditional.else_branch.is_none() {
                    return Err(Error::new(span, "expected an `else`: this `if` has to give a value"));
                }
                let conditional = self.condition(expression, place)?;
                Ok(Expression::If(Box::new(conditional)))
            }
            Expr::Block(block) if block.label.is_none() => {
                let parsed = self.block(&block.block, place)?;
                match parsed.value {
                    None => Err(Error::new(span, "expected a value at the end of this block")),
                    Some(_) => Ok(Expression::Block(parsed)),
                }
            }
            Expr::Return(_) => {
                Err(Error::new(span, "`return` has a translation only as a statement of its own"))
            }
            other => {
                Err(Error::new(other.span(), format!("{} no translation; {EXPRESSIONS}", described(other))))
            }
        }
    }

    fn operation(&mut self, name: &'static str, span: Span, arguments: &[&Expr]) -> Result<Expression> {
        let name = self.rounded_alike(name);
        let arguments = arguments.iter().map(|argument| self.expression(argument, Place::Operand));
        Ok(Expression::Operation { name, span, arguments: arguments.collect::<Result<_>>()? })
    }

    /// Division as it may be done here.
    fn rounded_alike(&self, name: &'static str) -> &'static str {
        match (self.approximate, name) {
            (true, "div") => "div_approximate",
            (true, "rem") => "rem_approximate",
            (_, name) => name,
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Result<Expression> {
        let span = binary.op.span();
        if matches!(binary.op, BinOp::Div(_) | BinOp::Rem(_)) && is_zero(&binary.right) {
            return Err(Error::new(binary.right.span(), "division by zero"));
        }
        let name = match &binary.op {
            BinOp::And(_) | BinOp::Or(_) => {
                let left = Box::new(self.expression(&binary.left, Place::Operand)?);
                let right = Box::new(self.expression(&binary.right, Place::Operand)?);
                return Ok(match &binary.op {
                    BinOp::And(_) => Expression::And { left, right, span },
                    _ => Expression::Or { left, right, span },
                });
            }
            BinOp::Add(_) => "add",
            BinOp::Sub(_) => "sub",
            BinOp::Mul(_) => "mul",
            BinOp::Div(_) => "div",
            BinOp::Rem(_) => "rem",
            BinOp::BitAnd(_) => "bitand",
            BinOp::BitOr(_) => "bitor",
            BinOp::BitXor(_) => "bitxor",
            BinOp::Shl(_) => "shl",
            BinOp::Shr(_) => "shr",
            BinOp::Lt(_) => "lt",
            BinOp::Le(_) => "le",
            BinOp::Gt(_) => "gt",
            BinOp::Ge(_) => "ge",
            BinOp::Eq(_) => "eq",
            BinOp::Ne(_) => "ne",
            _ => {
                return Err(Error::new(
                    span,
                    "an assignment gives no value: put it into a statement of its own",
                ));
            }
        };
        self.operation(name, span, &[&binary.left, &binary.right])
    }

    fn method(&mut self, call: &syn::ExprMethodCall) -> Result<Expression> {
        let span = call.method.span();
        let Some(method) = METHODS.iter().find(|method| call.method == method.name) else {
            let names: Vec<_> = METHODS.iter().map(|method| method.name).collect();
            return Err(Error::new(
                span,
                format!("`{}` has no translation; supported methods: {}", call.method, names.join(", ")),
            ));
        };
        if let Some(turbofish) = &call.turbofish {
            return Err(Error::new(turbofish.span(), "numbers' methods are not generic"));
        }
        if call.args.len() != method.arguments {
            return Err(Error::new(
                span,
                format!(
                    "`{}`: expected {} arguments, found {}",
                    method.name,
                    method.arguments,
                    call.args.len()
                ),
            ));
        }
        if method.approximate && !self.approximate {
            return Err(Error::new(
                span,
                format!(
                    "`{}` is rounded differently on different devices: allow that with the flag `approximate`",
                    method.name
                ),
            ));
        }
        let arguments: Vec<_> = std::iter::once(&*call.receiver).chain(&call.args).collect();
        self.operation(method.name, span, &arguments)
    }

    fn call(&mut self, call: &syn::ExprCall) -> Result<Expression> {
        let Expr::Path(path) = &*call.func else {
            return Err(Error::new(call.func.span(), "expected the name of a #[function]"));
        };
        let segments: Vec<_> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments == ["f32", "from_bits"] && call.args.len() == 1 {
            return self.operation("from_bits", path.span(), &[&call.args[0]]);
        }
        if path.qself.is_some() {
            return Err(Error::new(path.span(), "expected the name of a #[function]"));
        }
        if path.path.is_ident(&self.function) {
            return Err(Error::new(path.span(), "neither WGSL nor this translation knows recursion"));
        }
        let arguments = call.args.iter().map(|argument| self.expression(argument, Place::Operand));
        let arguments = arguments.collect::<Result<_>>()?;
        Ok(Expression::Call { function: path.path.clone(), arguments, approximate: self.approximate })
    }
}

/// Whether an expression at a block's end is the block's value, and not a statement like the others.
fn is_value(expression: &Expr) -> bool {
    match expression {
        Expr::Assign(_) | Expr::Return(_) => false,
        Expr::Binary(binary) => compound(&binary.op).is_none(),
        Expr::If(conditional) => {
            let last = |block: &syn::Block| matches!(block.stmts.last(), Some(Stmt::Expr(last, None)) if is_value(last));
            match &conditional.else_branch {
                None => false,
                Some((_, otherwise)) => last(&conditional.then_branch) || is_value(otherwise),
            }
        }
        Expr::Block(block) => {
            matches!(block.block.stmts.last(), Some(Stmt::Expr(last, None)) if is_value(last))
        }
        _ => true,
    }
}

fn has_value(conditional: &If) -> bool {
    conditional.then.value.is_some()
        || conditional.otherwise.as_ref().is_some_and(|block| block.value.is_some())
}

/// Whether nothing comes after the block's statements.
pub fn always_returns(block: &Block) -> bool {
    match block.statements.last() {
        Some(Statement::Return(_)) => true,
        Some(Statement::If(If { then, otherwise: Some(otherwise), .. })) => {
            always_returns(then) && always_returns(otherwise)
        }
        Some(Statement::Block(block)) => always_returns(block),
        _ => false,
    }
}

fn compound(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::AddAssign(_) => "add",
        BinOp::SubAssign(_) => "sub",
        BinOp::MulAssign(_) => "mul",
        BinOp::DivAssign(_) => "div",
        BinOp::RemAssign(_) => "rem",
        BinOp::BitAndAssign(_) => "bitand",
        BinOp::BitOrAssign(_) => "bitor",
        BinOp::BitXorAssign(_) => "bitxor",
        BinOp::ShlAssign(_) => "shl",
        BinOp::ShrAssign(_) => "shr",
        _ => return None,
    })
}

fn is_zero(expression: &Expr) -> bool {
    matches!(expression, Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.base10_parse::<u128>().is_ok_and(|number| number == 0))
}

fn check_literal(literal: &ExprLit) -> Result<()> {
    let suffix = match &literal.lit {
        Lit::Bool(_) => return Ok(()),
        Lit::Int(number) => number.suffix(),
        Lit::Float(number) => number.suffix(),
        other => return Err(Error::new(other.span(), "supported literals: numbers, `true` and `false`")),
    };
    match suffix {
        "" | "u32" | "i32" | "f32" => Ok(()),
        other => Err(Error::new(
            literal.lit.span(),
            format!("a literal of type {other} has no translation; {TYPES}"),
        )),
    }
}

fn check_type(ty: &Type) -> Result<()> {
    const NEVER: &[&str] = &[
        "u8", "i8", "u16", "i16", "u64", "i64", "u128", "i128", "usize", "isize", "f16", "f64", "f128",
        "char", "str", "String",
    ];
    match ty {
        Type::Path(path) if path.qself.is_none() && !is_named(ty, NEVER) => Ok(()),
        Type::Array(array) => check_type(&array.elem),
        Type::Paren(inner) => check_type(&inner.elem),
        Type::Group(inner) => check_type(&inner.elem),
        other => Err(Error::new(other.span(), format!("this type has no translation; {TYPES}"))),
    }
}

pub fn is_named(ty: &Type, names: &[&str]) -> bool {
    match ty {
        Type::Path(path) => names.iter().any(|name| path.path.is_ident(name)),
        Type::Group(inner) => is_named(&inner.elem, names),
        _ => false,
    }
}

fn described(expression: &Expr) -> &'static str {
    match expression {
        Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => "loops have",
        Expr::Match(_) => "`match` has",
        Expr::Macro(_) => "macros have",
        Expr::Closure(_) => "closures have",
        Expr::Reference(_) => "references have",
        Expr::Tuple(_) => "tuples have",
        Expr::Let(_) => "`if let` has",
        Expr::Range(_) => "ranges have",
        Expr::Unsafe(_) => "`unsafe` has",
        Expr::Repeat(_) => "`[value; length]` has",
        _ => "this has",
    }
}

fn refuse(part: &Option<impl quote::ToTokens>, message: &str) -> Result<()> {
    match part {
        None => Ok(()),
        Some(part) => Err(Error::new(part.span(), message)),
    }
}

fn no_attributes(attributes: &[syn::Attribute]) -> Result<()> {
    match attributes.first() {
        None => Ok(()),
        Some(attribute) => {
            Err(Error::new(attribute.span(), "attributes inside a function have no translation"))
        }
    }
}

fn attributes(expression: &Expr) -> &[syn::Attribute] {
    match expression {
        Expr::If(inner) => &inner.attrs,
        Expr::Block(inner) => &inner.attrs,
        Expr::Struct(inner) => &inner.attrs,
        Expr::Call(inner) => &inner.attrs,
        Expr::MethodCall(inner) => &inner.attrs,
        Expr::Binary(inner) => &inner.attrs,
        Expr::Assign(inner) => &inner.attrs,
        Expr::Return(inner) => &inner.attrs,
        Expr::Path(inner) => &inner.attrs,
        Expr::Lit(inner) => &inner.attrs,
        Expr::Paren(inner) => &inner.attrs,
        _ => &[],
    }
}
