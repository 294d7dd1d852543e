//! Operators of `gpuscan`, written once: Rust functions that become WGSL and CUDA C++ as well.
//!
//! `gpuscan` exports everything here, with examples; its module `gpuscan::translation` says what each operation means.
//! Depend on `gpuscan`, not on this crate: the generated code names it.
//!
//! * [`Element`](derive@Element) tells a struct's fields to the device.
//! * [`macro@monoid`] makes an operator of a function.
//! * [`macro@function`] makes a function that operators can call.
//!
//! How it is done: `parse` checks a function against the supported part of Rust (`syntax`) and refuses everything
//! else where it stands; `host` prints it as Rust whose arithmetic wraps around; `device` prints it as Rust that
//! builds text; `lower` holds the few paths of `gpuscan` that both name. No type is known to a macro: the printed
//! functions are generic, and Rust's type inference completes them.

mod device;
mod element;
mod host;
mod lower;
mod monoid;
mod parse;
mod reserved;
mod syntax;

use proc_macro::TokenStream;
use syn::{DeriveInput, Ident, ItemFn, parse_macro_input};

/// Implements `gpuscan::Element` for a `#[repr(C)]` struct.
///
/// Described where it is exported: `gpuscan::Element`.
#[proc_macro_derive(Element)]
pub fn derive_element(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    element::expand(input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes an operator of an associative function: `#[monoid(identity = VALUE)]` on `fn name(left: T, right: T) -> T`.
///
/// Described where it is exported: `gpuscan::monoid`.
#[proc_macro_attribute]
pub fn monoid(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = parse_macro_input!(arguments as monoid::Arguments);
    let item = parse_macro_input!(item as ItemFn);
    monoid::expand(arguments, item).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a function that operators, and other such functions, can call.
///
/// Described where it is exported: `gpuscan::function`.
#[proc_macro_attribute]
pub fn function(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let approximate = match parse_macro_input!(arguments as Option<Ident>) {
        None => false,
        Some(word) if word == "approximate" => true,
        Some(word) => {
            return syn::Error::new(word.span(), "expected nothing or `approximate`")
                .into_compile_error()
                .into();
        }
    };
    let item = parse_macro_input!(item as ItemFn);
    let expand = || {
        let function = parse::function(item, approximate)?;
        let (host, device) = (host::function(&function), device::function(&function));
        Ok(quote::quote!(#host #device))
    };
    expand().unwrap_or_else(syn::Error::into_compile_error).into()
}
