//! `#[monoid]`: a function, and an operator whose `combine` it is.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Error, Expr, ItemFn, Result, Token,
    ext::IdentExt,
    parse::{Parse, ParseStream},
};

use crate::{device, host, lower, parse};

/// What stands in the attribute's parentheses.
pub struct Arguments {
    name: Option<Ident>,
    identity: Option<Expr>,
    approximate: bool,
    regroups: bool,
    by_runs: bool,
}

impl Parse for Arguments {
    fn parse(input: ParseStream) -> Result<Self> {
        let (mut name, mut identity) = (None, None);
        let (mut approximate, mut regroups, mut by_runs) = (false, false, false);
        while !input.is_empty() {
            let word: Ident = input.call(Ident::parse_any)?;
            if word == "identity" {
                input.parse::<Token![=]>()?;
                if identity.replace(input.parse()?).is_some() {
                    return Err(Error::new(word.span(), "expected one identity"));
                }
            } else if word == "approximate" {
                approximate = true;
            } else if word == "regroups" {
                regroups = true;
            } else if word == "by_runs" {
                by_runs = true;
            } else if word.to_string().starts_with(char::is_uppercase) && name.is_none() {
                name = Some(word);
            } else {
                return Err(Error::new(
                    word.span(),
                    "expected `identity = VALUE`, the operator's name in UpperCamelCase, `approximate`, `regroups` \
                     or `by_runs`",
                ));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Self { name, identity, approximate, regroups, by_runs })
    }
}

pub fn expand(arguments: Arguments, item: ItemFn) -> Result<TokenStream> {
    let Some(identity) = arguments.identity else {
        return Err(Error::new(
            item.sig.ident.span(),
            "expected the operator's identity: `#[monoid(identity = VALUE)]`",
        ));
    };
    let function = parse::function(item, arguments.approximate)?;
    let of_output =
        |ty: &syn::Type| ty.to_token_stream().to_string() == function.output.to_token_stream().to_string();
    if function.parameters.len() != 2 || !function.parameters.iter().all(|parameter| of_output(&parameter.ty))
    {
        return Err(Error::new(
            function.name.span(),
            "expected an operator: `fn name(left: T, right: T) -> T`",
        ));
    }

    let name = arguments.name.unwrap_or_else(|| upper_camel_case(&function.name));
    let (combine, element, visibility, identity) =
        (&function.name, &function.output, &function.visibility, &identity);
    let documentation: Vec<_> =
        function.attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).collect();
    let documentation = match documentation.is_empty() {
        true => {
            let text = format!("The operator of [`{}()`].", combine.unraw());
            quote!(#[doc = #text])
        }
        false => quote!(#(#documentation)*),
    };
    let (host, device) = (host::function(&function), device::function(&function));
    let operator = lower::monoid(&name, element, identity, combine, [arguments.regroups, arguments.by_runs]);
    Ok(quote! {
        #host
        #device
        #documentation
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #visibility struct #name;
        #operator
    })
}

fn upper_camel_case(name: &Ident) -> Ident {
    let capitalised = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    };
    let text: String = name.unraw().to_string().split('_').map(capitalised).collect();
    Ident::new(&text, name.span())
}
