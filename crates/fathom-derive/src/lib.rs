//! `#[derive(Data)]` and `#[derive(Finite)]` for the structures and enumerations of model programs.
//!
//! A type with few values numbers them. Any other structure is written field by field; as a state, each field is a part of its own.
//! Any other enumeration is the number of the variant and then its fields; when all variants have a known width it is padded to the
//! widest, so that values of one type have one width wherever that is possible.

use proc_macro::TokenStream;
use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Span, TokenStream as Tokens};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Ident, Index, Type, parse_macro_input};

/// Makes a structure or an enumeration of data something that states can be made of.
#[proc_macro_derive(Data)]
pub fn derive_data(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    data(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Numbers the values of an enumeration without fields, so that a set of them can be a row of bits.
#[proc_macro_derive(Finite)]
pub fn derive_finite(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    finite(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// The path of the crate with the traits.
fn home() -> Tokens {
    let named = |name: &str| {
        let ident = Ident::new(name, Span::call_site());
        quote!(::#ident)
    };
    match (crate_name("fathom-program"), crate_name("fathom")) {
        (Ok(FoundCrate::Name(name)), _) => named(&name),
        (Ok(FoundCrate::Itself), _) => named("fathom_program"),
        (_, Ok(FoundCrate::Name(name))) => {
            let facade = named(&name);
            quote!(#facade::program)
        }
        _ => quote!(::fathom::program),
    }
}

/// The fields of a structure or a variant.
struct Parts<'a> {
    /// How they are reached: by name or by place.
    members: Vec<Tokens>,
    /// What they are bound to in a pattern.
    bound: Vec<Ident>,
    types: Vec<&'a Type>,
    is_named: bool,
}

impl Parts<'_> {
    fn of(fields: &Fields) -> Parts<'_> {
        let members = fields.iter().enumerate().map(|(place, field)| match &field.ident {
            Some(name) => quote!(#name),
            None => {
                let place = Index::from(place);
                quote!(#place)
            }
        });
        Parts {
            members: members.collect(),
            bound: (0..fields.len()).map(|place| format_ident!("field_{place}")).collect(),
            types: fields.iter().map(|field| &field.ty).collect(),
            is_named: matches!(fields, Fields::Named(_)),
        }
    }

    /// The type or variant with every field bound, as a pattern and as an expression.
    fn bind(&self, path: &Tokens) -> Tokens {
        let Parts { members, bound, .. } = self;
        quote!(#path { #(#members: #bound),* })
    }

    /// How many rows of values of the fields there are, if few.
    fn values(&self, home: &Tokens) -> Tokens {
        let types = &self.types;
        quote!({
            let values = 1;
            #(let values = #home::pairs(values, <#types as Data>::VALUES);)*
            values
        })
    }

    /// The number of what the fields are bound to, if there are few rows of values.
    fn number(&self) -> Tokens {
        let Parts { bound, types, .. } = self;
        quote!({
            let number = 0;
            #(let number = number * <#types as Data>::VALUES + Data::number(#bound);)*
            number
        })
    }

    /// Binds the fields to what has the number `number`.
    fn bind_number(&self, home: &Tokens) -> Tokens {
        let Parts { bound, types, .. } = self;
        let values = self.values(home);
        quote! {
            let _above: usize = const { #values };
            #(
                // The first one counts most; a count of 0 stands for many, and does not come here.
                let _above = _above / const { if <#types as Data>::VALUES == 0 { 1 } else { <#types as Data>::VALUES } };
                let #bound = <#types as Data>::from_number(number / _above.max(1) % <#types as Data>::VALUES.max(1));
            )*
        }
    }

    /// How many bytes the fields take behind what is there.
    fn layout(&self, before: &Tokens) -> Tokens {
        let types = &self.types;
        quote!(#before #(.with::<#types>())*)
    }

    /// How it is shown.
    fn show(&self, name: &str) -> Tokens {
        let Parts { members, bound, is_named, .. } = self;
        if bound.is_empty() {
            return quote!(out.write_str(#name)?;);
        }
        let (open, close) = if *is_named { (" { ", " }") } else { ("(", ")") };
        let shown = members.iter().zip(bound).enumerate().map(|(place, (member, bound))| {
            let comma = (place > 0).then(|| quote!(out.write_str(", ")?;));
            let label = is_named.then(|| {
                let label = format!("{}: ", shown_name(member));
                quote!(out.write_str(#label)?;)
            });
            quote!(#comma #label Data::show(#bound, out)?;)
        });
        quote!(out.write_str(#name)?; out.write_str(#open)?; #(#shown)* out.write_str(#close)?;)
    }
}

/// A name as people read it: `r#type` is `type`.
fn shown_name(name: &impl ToString) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

fn data(input: &DeriveInput) -> Result<Tokens, Error> {
    let home = home();
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let bounds = {
        let mut bounds = bounds.cloned().unwrap_or_else(|| syn::parse_quote!(where));
        for parameter in input.generics.type_params() {
            let parameter = &parameter.ident;
            bounds.predicates.push(syn::parse_quote!(#parameter: #home::Data));
        }
        bounds
    };
    let body = match &input.data {
        Data::Struct(structure) => structure_body(name, &structure.fields, &home),
        Data::Enum(enumeration) => {
            let variants: Vec<(&Ident, Parts<'_>)> = enumeration
                .variants
                .iter()
                .map(|variant| (&variant.ident, Parts::of(&variant.fields)))
                .collect();
            if variants.is_empty() || variants.len() > 256 {
                return Err(Error::new_spanned(name, "expected an enumeration of 1 to 256 variants"));
            }
            enumeration_body(&variants, &home)
        }
        Data::Union(_) => return Err(Error::new_spanned(name, "expected a structure or an enumeration")),
    };
    Ok(quote! {
        #[automatically_derived]
        const _: () = {
            use #home::Data;
            impl #generics #home::Data for #name #arguments #bounds { #body }
        };
    })
}

fn structure_body(name: &Ident, fields: &Fields, home: &Tokens) -> Tokens {
    let parts = Parts::of(fields);
    let Parts { members, bound, types, is_named } = &parts;
    let pattern = parts.bind(&quote!(Self));
    let (values, number, from_number) = (parts.values(home), parts.number(), parts.bind_number(home));
    let layout = parts.layout(&quote!(#home::Layout::EMPTY));
    let show = parts.show(&shown_name(name));
    let places = 0..members.len() as u64;
    let places_again = places.clone();
    let variables = is_named.then(|| {
        let names = members.iter().map(shown_name);
        quote! {
            fn variables(&self) -> Vec<(String, String)> {
                vec![#((#names.to_string(), #home::Shown(&self.#members).to_string())),*]
            }
        }
    });
    quote! {
        const WIDTH: Option<usize> = if Self::VALUES == #home::MANY {
            #layout.width()
        } else {
            #home::width_alone(Self::VALUES)
        };
        const HAS_OBJECTS: bool = false #(|| <#types as Data>::HAS_OBJECTS)*;
        const VALUES: usize = #values;
        #[inline]
        fn number(&self) -> usize {
            let #pattern = self;
            #number
        }
        #[inline]
        fn from_number(number: usize) -> Self {
            #from_number
            #pattern
        }
        #[inline]
        fn write(&self, out: &mut #home::Writer<'_>) {
            if Self::VALUES != #home::MANY {
                return out.number_alone(Data::number(self), Self::VALUES);
            }
            let #pattern = self;
            #(out.part(#bound);)*
            out.align();
        }
        #[inline]
        fn read(input: &mut #home::Reader<'_>) -> Self {
            if Self::VALUES != #home::MANY {
                return Data::from_number(input.number_alone(Self::VALUES));
            }
            #(let #bound = input.part();)*
            input.align();
            #pattern
        }
        fn draw_objects(&self, place: #home::Place, drawing: &mut #home::Drawing) {
            let parts = drawing.open(place);
            #(#home::draw(&self.#members, parts.part(#places), drawing);)*
            drawing.close(place);
        }
        fn show(&self, out: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            let #pattern = self;
            #show
            Ok(())
        }
        fn write_state(&self, parts: &mut #home::Parts<'_>) {
            #(parts.write(&self.#members);)*
        }
        fn read_state(parts: &mut #home::StateReader<'_>) -> Self {
            #(let #bound = parts.read();)*
            #pattern
        }
        fn draw_state(&self, drawing: &mut #home::Drawing) {
            #(#home::draw(&self.#members, #home::Place::variable(#places_again), drawing);)*
        }
        #variables
    }
}

fn enumeration_body(variants: &[(&Ident, Parts<'_>)], home: &Tokens) -> Tokens {
    let patterns: Vec<Tokens> =
        variants.iter().map(|(name, parts)| parts.bind(&quote!(Self::#name))).collect();
    let all_types = || variants.iter().flat_map(|(_, parts)| &parts.types);
    let objects = all_types().map(|kind| quote!(<#kind as Data>::HAS_OBJECTS));
    let n_variants = variants.len();
    let widths = variants
        .iter()
        .map(|(_, parts)| parts.layout(&quote!(#home::Layout::EMPTY.with_number(#n_variants))))
        .map(|layout| quote!(#layout.width()));
    let counts: Vec<Tokens> = variants.iter().map(|(_, parts)| parts.values(home)).collect();
    let values = counts.iter().fold(quote!(0), |sum, count| {
        if sum.to_string() == "0" { count.clone() } else { quote!(#home::either(#sum, #count)) }
    });
    let own_numbers: Vec<Tokens> = variants.iter().map(|(_, parts)| parts.number()).collect();
    let from_numbers: Vec<Tokens> = variants.iter().map(|(_, parts)| parts.bind_number(home)).collect();
    let befores: Vec<Tokens> = (0..n_variants)
        .map(|place| {
            let before = &counts[..place];
            quote!(const { 0 #(+ #before)* })
        })
        .collect();
    let numbers: Vec<u8> = (0..n_variants).map(|number| number as u8).collect();
    let bounds: Vec<&Vec<Ident>> = variants.iter().map(|(_, parts)| &parts.bound).collect();
    let draws = variants.iter().zip(&patterns).zip(&numbers).map(|(((_, parts), pattern), number)| {
        let Parts { bound, .. } = parts;
        let places = 0..bound.len() as u64;
        quote! {
            #pattern => {
                drawing.plain(parts.part(0x100), u64::from(#number));
                #(#home::draw(#bound, parts.part(u64::from(#number) << 16 | #places), drawing);)*
            }
        }
    });
    let shows = variants.iter().zip(&patterns).map(|((name, parts), pattern)| {
        let show = parts.show(&shown_name(name));
        quote!(#pattern => { #show })
    });
    quote! {
        const WIDTH: Option<usize> = if Self::VALUES == #home::MANY {
            #home::widest(&[#(#widths),*])
        } else {
            #home::width_alone(Self::VALUES)
        };
        const HAS_OBJECTS: bool = false #(|| #objects)*;
        const VALUES: usize = #values;
        #[inline]
        fn number(&self) -> usize {
            match self {
                #(#patterns => {
                    let number = #own_numbers;
                    number + #befores
                })*
            }
        }
        #[inline]
        fn from_number(number: usize) -> Self {
            #(
                let before: usize = #befores;
                if number < before + const { #counts } {
                    let number = number - before;
                    #from_numbers
                    let _ = number;
                    return #patterns;
                }
            )*
            panic!("no value has the number {number}")
        }
        #[inline]
        fn write(&self, out: &mut #home::Writer<'_>) {
            if Self::VALUES != #home::MANY {
                return out.number_alone(Data::number(self), Self::VALUES);
            }
            let start = out.position();
            match self {
                #(#patterns => {
                    out.number(usize::from(#numbers), #n_variants);
                    #(out.part(#bounds);)*
                })*
            }
            out.pad(start + Self::WIDTH.unwrap_or(0));
        }
        #[inline]
        fn read(input: &mut #home::Reader<'_>) -> Self {
            if Self::VALUES != #home::MANY {
                return Data::from_number(input.number_alone(Self::VALUES));
            }
            let before = input.remaining();
            let value = match input.number(#n_variants) as u8 {
                #(#numbers => {
                    #(let #bounds = input.part();)*
                    #patterns
                })*
                other => panic!("no variant has the number {other}"),
            };
            input.skip_padding(before, Self::WIDTH);
            value
        }
        fn draw_objects(&self, place: #home::Place, drawing: &mut #home::Drawing) {
            let parts = drawing.open(place);
            match self { #(#draws)* }
            drawing.close(place);
        }
        fn show(&self, out: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self { #(#shows)* }
            Ok(())
        }
    }
}

fn finite(input: &DeriveInput) -> Result<Tokens, Error> {
    let home = home();
    let name = &input.ident;
    let Data::Enum(enumeration) = &input.data else {
        return Err(Error::new_spanned(name, "expected an enumeration"));
    };
    let variants: Vec<(&Ident, Parts<'_>)> =
        enumeration.variants.iter().map(|variant| (&variant.ident, Parts::of(&variant.fields))).collect();
    let counts: Vec<Tokens> = variants
        .iter()
        .map(|(_, parts)| {
            let types = &parts.types;
            quote!(1 #(* <#types as #home::Finite>::COUNT)*)
        })
        .collect();
    let starts: Vec<Tokens> = (0..variants.len())
        .map(|place| {
            let before = &counts[..place];
            quote!((0 #(+ #before)*))
        })
        .collect();
    let indices = variants.iter().zip(&starts).map(|((variant, parts), start)| {
        let pattern = parts.bind(&quote!(Self::#variant));
        let Parts { bound, types, .. } = parts;
        quote!(#pattern => {
            let index = 0;
            #(let index = index * <#types as #home::Finite>::COUNT + #home::Finite::index(#bound);)*
            #start + index
        })
    });
    let values = variants.iter().zip(&starts).zip(&counts).map(|(((variant, parts), start), count)| {
        let pattern = parts.bind(&quote!(Self::#variant));
        let Parts { bound, types, .. } = parts;
        let bound_back = bound.iter().rev();
        let types_back: Vec<_> = types.iter().rev().collect();
        quote! {
            if index < #start + #count {
                let rest = index - #start;
                #(
                    let (#bound_back, rest) = (
                        <#types_back as #home::Finite>::value(rest % <#types_back as #home::Finite>::COUNT),
                        rest / <#types_back as #home::Finite>::COUNT,
                    );
                )*
                let _ = rest;
                return #pattern;
            }
        }
    });
    Ok(quote! {
        #[automatically_derived]
        impl #home::Finite for #name {
            const COUNT: usize = 0 #(+ #counts)*;
            fn index(&self) -> usize {
                match self { #(#indices)* }
            }
            fn value(index: usize) -> Self {
                #(#values)*
                panic!("there are fewer values")
            }
        }
    })
}
