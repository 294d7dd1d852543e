//! Statements and functions as text.

use std::any::TypeId;

use super::{Text, Value, expr::Expr, helpers};

/// A function that can be called by others: what [`function`](macro@crate::function) declares beside the
/// Rust function, under the same name.
pub trait Function: 'static {
    /// What it returns.
    type Output: Value;
    /// Its name in Rust.
    const NAME: &'static str;
    /// Whether devices may round it differently.
    const APPROXIMATE: bool;
    /// Writes its parameters and its body.
    fn write(code: &mut Code);
}

/// An operator's declarations in both languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// `fn identity() -> T`, `fn combine(left: T, right: T) -> T` and what they call, in WGSL.
    pub wgsl: String,
    /// `T identity()`, `T combine(T, T)` and what they call, in CUDA C++.
    pub cuda: String,
}

/// The declarations of the operator whose `combine` is `F`.
pub fn monoid<F: Function>(identity: F::Output) -> Translation {
    let mut code = Code::default();
    code.define::<F>("combine");
    let identity = identity.constant();
    let ty = F::Output::name();
    let own = Text::new(
        format!("{}fn identity() -> {} {{\n    return {};\n}}\n", code.declared.wgsl, ty.wgsl, identity.wgsl),
        format!(
            "{}__device__ inline {} identity() {{\n    return {};\n}}\n",
            code.declared.cuda, ty.cuda, identity.cuda
        ),
    );
    let helpers = helpers::used_by(&own);
    Translation { wgsl: helpers.wgsl + &own.wgsl, cuda: helpers.cuda + &own.cuda }
}

/// A function in the making, and the functions before it that it calls.
#[derive(Debug, Default)]
pub struct Code {
    declared: Text,
    functions: Vec<(TypeId, String)>,
    parameters: Vec<Text>,
    body: Text,
    depth: usize,
    variables: usize,
}

impl Code {
    /// A parameter of the function. A device's parameters do not change: a variable that does gets a copy.
    pub fn parameter<T: Value>(&mut self, name: &str, mutable: bool) -> Expr<T> {
        let ty = T::name();
        let parameter = self.fresh(name);
        self.parameters
            .push(Text::new(format!("{parameter}: {}", ty.wgsl), format!("{} {parameter}", ty.cuda)));
        let parameter = Expr::new(Text::same(parameter));
        if mutable { self.variable(name, true, parameter) } else { parameter }
    }

    /// `let` or `let mut`. The number behind the name keeps variables apart that shadow one another, and the
    /// name apart from the words of both languages.
    pub fn variable<T: Value>(&mut self, name: &str, mutable: bool, value: Expr<T>) -> Expr<T> {
        let (name, ty) = (self.fresh(name), T::name());
        let (wgsl, cuda) = if mutable { ("var", "") } else { ("let", "const ") };
        self.line(Text::new(
            format!("{wgsl} {name}: {} = {};", ty.wgsl, value.text.wgsl),
            format!("{cuda}{} {name} = {};", ty.cuda, value.text.cuda),
        ));
        Expr::new(Text::same(name))
    }

    /// A variable that gets its value from every branch of an `if`.
    pub fn slot<T: Value>(&mut self) -> Expr<T> {
        let (name, ty) = (self.fresh("value"), T::name());
        self.line(Text::new(format!("var {name}: {};", ty.wgsl), format!("{} {name};", ty.cuda)));
        Expr::new(Text::same(name))
    }

    /// `place = value`.
    pub fn assign<T: Value>(&mut self, place: &Expr<T>, value: Expr<T>) {
        self.line(Text::new(
            format!("{} = {};", place.text.wgsl, value.text.wgsl),
            format!("{} = {};", place.text.cuda, value.text.cuda),
        ));
    }

    /// `return value`.
    pub fn give_back<T: Value>(&mut self, value: Expr<T>) {
        self.line(Text::new(format!("return {};", value.text.wgsl), format!("return {};", value.text.cuda)));
    }

    /// The beginning of `if condition { … }`.
    pub fn open_if(&mut self, condition: Expr<bool>) {
        // No parentheses around the parentheses.
        let bare = |text: &str| match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            Some(inner) if is_balanced(inner) => inner.to_owned(),
            _ => text.to_owned(),
        };
        self.line(Text::new(
            format!("if {} {{", bare(&condition.text.wgsl)),
            format!("if ({}) {{", bare(&condition.text.cuda)),
        ));
        self.depth += 1;
    }

    /// The beginning of a block of its own.
    pub fn open(&mut self) {
        self.line(Text::same("{"));
        self.depth += 1;
    }

    /// From an `if`'s first branch to its second.
    pub fn open_else(&mut self) {
        self.depth -= 1;
        self.line(Text::same("} else {"));
        self.depth += 1;
    }

    /// The end of an `if` or a block.
    pub fn close(&mut self) {
        self.depth -= 1;
        self.line(Text::same("}"));
    }

    /// A call of `F`, which is declared unless it already is.
    pub fn call<F: Function>(&mut self, arguments: &[Text]) -> Expr<F::Output> {
        let name = match self.functions.iter().find(|(id, _)| *id == TypeId::of::<F>()) {
            Some((_, name)) => name.clone(),
            None => {
                // Two functions of one name may come from different modules.
                let number = self.functions.len();
                let name = format!("{}_{number}", F::NAME.trim_start_matches('_'));
                self.define::<F>(&name);
                name
            }
        };
        let arguments = Text::list(arguments);
        Expr::new(Text::new(format!("{name}({})", arguments.wgsl), format!("{name}({})", arguments.cuda)))
    }

    /// Declares `F` and everything that it calls, before whatever is being written.
    fn define<F: Function>(&mut self, name: &str) {
        self.functions.push((TypeId::of::<F>(), name.to_owned()));
        let mut inner = Code {
            declared: std::mem::take(&mut self.declared),
            functions: std::mem::take(&mut self.functions),
            depth: 1,
            ..Code::default()
        };
        F::write(&mut inner);
        let (parameters, ty) = (Text::list(&inner.parameters), F::Output::name());
        inner.declared.wgsl +=
            &format!("fn {name}({}) -> {} {{\n{}}}\n\n", parameters.wgsl, ty.wgsl, inner.body.wgsl);
        inner.declared.cuda += &format!(
            "__device__ inline {} {name}({}) {{\n{}}}\n\n",
            ty.cuda, parameters.cuda, inner.body.cuda
        );
        self.declared = inner.declared;
        self.functions = inner.functions;
    }

    fn fresh(&mut self, name: &str) -> String {
        self.variables += 1;
        let name = name.trim_start_matches('_');
        format!("{}_{}", if name.is_empty() { "unused" } else { name }, self.variables)
    }

    fn line(&mut self, text: Text) {
        let indent = "    ".repeat(self.depth);
        self.body.wgsl += &format!("{indent}{}\n", text.wgsl);
        self.body.cuda += &format!("{indent}{}\n", text.cuda);
    }
}

/// Whether no parenthesis of `text` belongs to one outside.
fn is_balanced(text: &str) -> bool {
    let mut open = 0i32;
    text.chars().all(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open >= 0
    }) && open == 0
}
