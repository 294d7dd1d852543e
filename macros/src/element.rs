//! `#[derive(Element)]`: a struct's fields, told to WGSL and CUDA C++.

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, Type, ext::IdentExt, spanned::Spanned};

use crate::{lower, parse, reserved};

const FIELDS: &str = "supported fields: u32, i32, f32, u64, i64, f64, arrays of two to four 32-bit numbers, and other elements";

pub fn expand(input: DeriveInput) -> Result<TokenStream> {
    if !is_repr_c(&input)? {
        return Err(Error::new(
            input.ident.span(),
            "expected #[repr(C)]: without it Rust may reorder the fields",
        ));
    }
    if let Some(bracket) = &input.generics.lt_token {
        return Err(Error::new(
            bracket.span,
            "an element of a generic type has no one layout: name the types",
        ));
    }
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) if !fields.named.is_empty() => &fields.named,
            Fields::Unnamed(fields) => {
                return Err(Error::new(fields.span(), "expected fields with names: WGSL has no tuples"));
            }
            _ => {
                return Err(Error::new(
                    input.ident.span(),
                    "expected a field at least: WGSL has no empty structs",
                ));
            }
        },
        Data::Enum(data) => {
            return Err(Error::new(data.enum_token.span, "expected a struct: WGSL has no enums"));
        }
        Data::Union(data) => {
            return Err(Error::new(data.union_token.span, "expected a struct: WGSL has no unions"));
        }
    };

    check_name(&input.ident)?;
    let mut entries = Vec::new();
    for field in fields {
        let name = field.ident.as_ref().expect("a named field");
        check_name(name)?;
        check_type(&field.ty)?;
        entries.push((name.unraw().to_string(), &field.ty));
    }
    Ok(lower::element(&input.ident, &entries))
}

fn is_repr_c(input: &DeriveInput) -> Result<bool> {
    let mut found = false;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("C") {
                found = true;
                return Ok(());
            }
            Err(meta.error("expected #[repr(C)] alone: WGSL knows neither packed nor aligned structs"))
        })?;
    }
    Ok(found)
}

fn check_name(name: &Ident) -> Result<()> {
    let text = name.unraw().to_string();
    let refused = if reserved::in_wgsl(&text) {
        "is a reserved word of WGSL"
    } else if reserved::in_cuda(&text) {
        "is a reserved word of CUDA C++"
    } else if text.starts_with("__") {
        "begins with two underscores, which WGSL does not allow"
    } else if !text.is_ascii() {
        "is not ASCII, which CUDA C++ asks for"
    } else {
        return Ok(());
    };
    Err(Error::new(name.span(), format!("`{text}` {refused}: choose another name")))
}

fn check_type(ty: &Type) -> Result<()> {
    const NEVER: &[&str] = &[
        "bool", "u8", "i8", "u16", "i16", "f16", "u128", "i128", "f128", "usize", "isize", "char", "str",
        "String",
    ];
    match ty {
        Type::Path(path) if path.qself.is_none() && !parse::is_named(ty, NEVER) => Ok(()),
        Type::Array(array) if parse::is_named(&array.elem, &["u32", "i32", "f32"]) => Ok(()),
        Type::Paren(inner) => check_type(&inner.elem),
        Type::Group(inner) => check_type(&inner.elem),
        other => Err(Error::new(other.span(), format!("a field of this type has no translation; {FIELDS}"))),
    }
}
