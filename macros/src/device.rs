//! The copy of a function that writes its WGSL and its CUDA C++. It has the same variables in the same scopes,
//! each an expression of its type.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{ext::IdentExt, spanned::Spanned};

use crate::{
    lower,
    syntax::{Block, Expression, Function, If, Statement},
};

/// Where a block's value goes.
#[derive(Clone, Copy)]
enum Target<'a> {
    /// It has none.
    Nothing,
    /// It is the function's.
    Return,
    /// Into a variable.
    Slot(&'a Ident),
}

/// An empty type with the function's name, which is no name of a type yet, that implements `Function`.
pub fn function(function: &Function) -> TokenStream {
    let Function { visibility, name, parameters, output, body, approximate, .. } = function;
    let (translation, code, give_back) = (lower::translation(), code(), own("give_back"));
    let text = name.unraw().to_string();
    let declarations = parameters.iter().map(|parameter| {
        let (name, mutable, ty) = (&parameter.name, parameter.mutable, &parameter.ty);
        let text = name.unraw().to_string();
        quote!(let #name: #translation::Expr<#ty> = #code.parameter(#text, #mutable);)
    });
    let arguments: Vec<_> = parameters.iter().map(|parameter| &parameter.name).collect();
    let types = parameters.iter().map(|parameter| &parameter.ty);
    let body = block(body, Target::Return);
    let documentation = format!("The translation of [`{text}()`].");
    quote! {
        #[doc = #documentation]
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        #visibility enum #name {}

        impl #translation::Function for #name {
            type Output = #output;
            const NAME: &'static str = #text;
            const APPROXIMATE: bool = #approximate;

            #[allow(unused_variables, unused_mut, clippy::all)]
            fn write(#code: &mut #translation::Code) {
                // With its type, so that a literal returned is of that type here as well.
                let #give_back: fn(&mut #translation::Code, #translation::Expr<#output>) = #translation::Code::give_back;
                #(#declarations)*
                #body
            }
        }

        #[allow(clippy::all)]
        impl #name {
            /// Writes a call.
            #visibility fn call(
                #code: &mut #translation::Code,
                #(#arguments: #translation::Expr<#types>,)*
            ) -> #translation::Expr<#output> {
                #code.call::<Self>(&[#(::core::convert::Into::into(#arguments)),*])
            }
        }
    }
}

/// A variable of the generated code. No variable of the function can be it, whatever its name.
fn own(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The variable that collects the text.
fn code() -> Ident {
    own("code")
}

fn block(block: &Block, target: Target) -> TokenStream {
    let statements = block.statements.iter().map(statement);
    let value = block.value.as_deref().map(|value| give(value, target));
    quote!({ #(#statements)* #value })
}

/// Sends a value where it goes. An `if` or a block passes the target on.
fn give(value: &Expression, target: Target) -> TokenStream {
    let (code, held) = (code(), own("held"));
    match (value, target) {
        (Expression::If(inner), target) => conditional(inner, target),
        (Expression::Block(inner), target) => scope(inner, target),
        (value, Target::Nothing) => expression(value),
        (value, Target::Return) => {
            let value = expression(value);
            let give_back = own("give_back");
            quote!({ let #held = #value; #give_back(#code, #held); })
        }
        (value, Target::Slot(slot)) => {
            let value = expression(value);
            quote!({ let #held = #value; #code.assign(&#slot, #held); })
        }
    }
}

fn statement(statement: &Statement) -> TokenStream {
    let (code, held) = (code(), own("held"));
    match statement {
        Statement::Let { name, mutable, ty, value } => {
            let (value, text) = (expression(value), name.unraw().to_string());
            let translation = lower::translation();
            let ty = ty.as_ref().map(|ty| quote!(: #translation::Expr<#ty>));
            quote! {
                let #name #ty = { let #held = #value; #code.variable(#text, #mutable, #held) };
            }
        }
        Statement::Assign { place, value } => {
            let (place, value) = (expression(place), expression(value));
            quote!({ let #held = #value; #code.assign(&#place, #held); })
        }
        Statement::Return(value) => give(value, Target::Return),
        Statement::If(inner) => conditional(inner, Target::Nothing),
        Statement::Block(inner) => scope(inner, Target::Nothing),
    }
}

fn scope(inner: &Block, target: Target) -> TokenStream {
    let (code, inner) = (code(), block(inner, target));
    quote!({ #code.open(); #inner #code.close(); })
}

fn conditional(conditional: &If, target: Target) -> TokenStream {
    let (code, held, condition) = (code(), own("held"), expression(&conditional.condition));
    let then = block(&conditional.then, target);
    let otherwise = conditional.otherwise.as_ref().map(|otherwise| {
        let otherwise = block(otherwise, target);
        quote!(#code.open_else(); #otherwise)
    });
    quote! {{
        let #held = #condition;
        #code.open_if(#held);
        #then
        #otherwise
        #code.close();
    }}
}

fn expression(this: &Expression) -> TokenStream {
    let (translation, code) = (lower::translation(), code());
    match this {
        Expression::Local(name) => quote!(::core::clone::Clone::clone(&#name)),
        Expression::Constant { value, span } => quote_spanned!(*span=> #translation::constant(#value)),
        Expression::Operation { name, span, arguments } => {
            let operation = lower::operation(name, "text", *span);
            let arguments = arguments.iter().map(expression);
            quote_spanned!(*span=> #operation(#(#arguments),*))
        }
        Expression::And { left, right, .. } => {
            let (left, right) = (expression(left), expression(right));
            quote!(#translation::both(#left, #right))
        }
        Expression::Or { left, right, .. } => {
            let (left, right) = (expression(left), expression(right));
            quote!(#translation::either(#left, #right))
        }
        Expression::Cast { value, ty, span } => {
            let (operation, value) = (lower::operation("cast", "text", *span), expression(value));
            quote_spanned!(*span=> #operation::<_, #ty>(#value))
        }
        Expression::Field { of, name } => {
            let (of, text) = (expression(of), name.unraw().to_string());
            let span = name.span();
            quote_spanned!(span=> #translation::field(#of, #text, |of| of.#name))
        }
        Expression::Index { of, index } => {
            let of = expression(of);
            quote!(#translation::index(#of, #index))
        }
        Expression::Struct { path, fields, rest } => {
            let fields = fields.iter().map(|(name, value)| {
                let (value, text) = (expression(value), name.unraw().to_string());
                quote!(.with(#text, |of: #path| of.#name, #value))
            });
            let end = match rest.as_deref().map(expression) {
                Some(rest) => quote!(.rest(#rest)),
                None => quote!(.done()),
            };
            quote!(#translation::construct::<#path>()#(#fields)*#end)
        }
        Expression::Array { elements, span } => {
            let elements = elements.iter().map(expression);
            quote_spanned!(*span=> #translation::array([#(#elements),*]))
        }
        Expression::Call { function, arguments, approximate } => {
            let arguments: Vec<_> = arguments.iter().map(expression).collect();
            let names: Vec<_> = (0..arguments.len()).map(|i| own(&format!("argument_{i}"))).collect();
            let admitted = (!approximate).then(|| {
                let message = "this function is `approximate`: what calls it has to be, too";
                quote_spanned! {function.span()=>
                    const _: () = assert!(!<#function as #translation::Function>::APPROXIMATE, #message);
                }
            });
            quote!({ #admitted #(let #names = #arguments;)* #function::call(#code, #(#names),*) })
        }
        Expression::If(inner) => {
            let slot = own("slot");
            let inner = conditional(inner, Target::Slot(&slot));
            quote!({ let #slot = #code.slot(); #inner #slot })
        }
        Expression::Block(inner) => {
            let slot = own("slot");
            let inner = scope(inner, Target::Slot(&slot));
            quote!({ let #slot = #code.slot(); #inner #slot })
        }
    }
}
