//! The paths of the library that generated code names, in one place.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, Type, ext::IdentExt, spanned::Spanned};

/// The library itself.
pub fn library() -> TokenStream {
    quote!(::gpuscan)
}

/// What the translation is made of.
pub fn translation() -> TokenStream {
    let library = library();
    quote!(#library::translation)
}

/// One side (`host` or `text`) of an operation. Errors about its operands are shown at `span`.
pub fn operation(name: &str, side: &str, span: Span) -> TokenStream {
    let (library, name, side) = (library_at(span), Ident::new(name, span), Ident::new(side, span));
    quote_spanned!(span=> #library::translation::#name::#side)
}

fn library_at(span: Span) -> TokenStream {
    quote_spanned!(span=> ::gpuscan)
}

/// The operator itself, and whether it regroups and goes by runs. Its text is made once.
pub fn monoid(
    name: &Ident,
    element: &Type,
    identity: &Expr,
    combine: &Ident,
    [regroups, by_runs]: [bool; 2],
) -> TokenStream {
    let (library, translation) = (library(), translation());
    quote! {
        impl #name {
            fn translation() -> &'static #translation::Translation {
                static TRANSLATION: ::std::sync::OnceLock<#translation::Translation> = ::std::sync::OnceLock::new();
                TRANSLATION.get_or_init(|| #translation::monoid::<#combine>(#library::Monoid::<#element>::identity(&Self)))
            }
        }

        impl #library::Monoid<#element> for #name {
            fn identity(&self) -> #element {
                #identity
            }

            #[inline(always)]
            fn combine(&self, left: #element, right: #element) -> #element {
                #combine(left, right)
            }

            fn wgsl(&self) -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(&Self::translation().wgsl)
            }

            fn regroups(&self) -> bool {
                #regroups
            }

            fn by_runs(&self) -> bool {
                #by_runs
            }
        }
    }
}

/// The fields' layouts, in their order. A field that is no element is an error at its type.
pub fn element(name: &Ident, fields: &[(String, &Type)]) -> TokenStream {
    let (library, text) = (library(), name.unraw().to_string());
    let fields = fields.iter().map(|(field, ty)| {
        let layout = quote_spanned!(ty.span()=> <#ty as #library::Element>::LAYOUT);
        quote!((#field, #layout))
    });
    quote! {
        impl #library::Element for #name {
            const LAYOUT: #library::Layout = #library::Layout::structure(#text, &[#(#fields),*]);
        }
    }
}
