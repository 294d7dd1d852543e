//! The copy of a function that stays Rust: its arithmetic wraps around and never panics.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::{
    lower,
    syntax::{Block, Expression, Function, If, Statement},
};

pub fn function(function: &Function) -> TokenStream {
    let Function { attributes, visibility, name, parameters, output, body, .. } = function;
    let parameters = parameters.iter().map(|parameter| {
        let (name, ty) = (&parameter.name, &parameter.ty);
        let mutable = parameter.mutable.then(|| quote!(mut));
        quote!(#mutable #name: #ty)
    });
    let body = block(body);
    quote! {
        #(#attributes)*
        #[allow(unused_parens, clippy::nonminimal_bool)]
        #visibility fn #name(#(#parameters),*) -> #output #body
    }
}

fn block(block: &Block) -> TokenStream {
    let statements = block.statements.iter().map(statement);
    let value = block.value.as_deref().map(expression);
    quote!({ #(#statements)* #value })
}

fn statement(statement: &Statement) -> TokenStream {
    match statement {
        Statement::Let { name, mutable, ty, value } => {
            let value = expression(value);
            let mutable = mutable.then(|| quote!(mut));
            let ty = ty.as_ref().map(|ty| quote!(: #ty));
            quote!(let #mutable #name #ty = #value;)
        }
        Statement::Assign { place, value } => {
            let (place, value) = (expression(place), expression(value));
            quote!(#place = #value;)
        }
        Statement::Return(value) => {
            let value = expression(value);
            quote!(return #value;)
        }
        Statement::If(inner) => conditional(inner),
        Statement::Block(inner) => block(inner),
    }
}

fn conditional(conditional: &If) -> TokenStream {
    let (condition, then) = (expression(&conditional.condition), block(&conditional.then));
    let otherwise = conditional.otherwise.as_ref().map(|otherwise| {
        let otherwise = block(otherwise);
        quote!(else #otherwise)
    });
    quote!(if #condition #then #otherwise)
}

fn expression(this: &Expression) -> TokenStream {
    match this {
        Expression::Local(name) => quote!(#name),
        Expression::Constant { value, .. } => quote!(#value),
        Expression::Operation { name, span, arguments } => {
            let operation = lower::operation(name, "host", *span);
            let arguments = arguments.iter().map(expression);
            quote_spanned!(*span=> #operation(#(#arguments),*))
        }
        Expression::And { left, right, span } => {
            let (left, right) = (expression(left), expression(right));
            quote_spanned!(*span=> (#left && #right))
        }
        Expression::Or { left, right, span } => {
            let (left, right) = (expression(left), expression(right));
            quote_spanned!(*span=> (#left || #right))
        }
        Expression::Cast { value, ty, span } => {
            let (operation, value) = (lower::operation("cast", "host", *span), expression(value));
            quote_spanned!(*span=> #operation::<_, #ty>(#value))
        }
        Expression::Field { of, name } => {
            let of = expression(of);
            quote!(#of.#name)
        }
        Expression::Index { of, index } => {
            let of = expression(of);
            quote!(#of[#index])
        }
        Expression::Struct { path, fields, rest } => {
            let fields = fields.iter().map(|(name, value)| {
                let value = expression(value);
                quote!(#name: #value)
            });
            let rest = rest.as_deref().map(|rest| {
                let rest = expression(rest);
                quote!(..#rest)
            });
            // In parentheses: a struct literal must not stand bare in the condition of an `if`.
            quote!((#path { #(#fields,)* #rest }))
        }
        Expression::Array { elements, span } => {
            let elements = elements.iter().map(expression);
            quote_spanned!(*span=> [#(#elements),*])
        }
        Expression::Call { function, arguments, .. } => {
            let arguments = arguments.iter().map(expression);
            quote!(#function(#(#arguments),*))
        }
        Expression::If(inner) => {
            let inner = conditional(inner);
            quote!(#inner)
        }
        Expression::Block(inner) => block(inner),
    }
}
