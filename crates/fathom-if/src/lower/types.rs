//! Types of IF, their storage, and the declarations that make them.

use fathom_model::{
    Enumeration, EnumerationId, Record, RecordId, ScalarKind, ScalarType, Type, Variable, VariableRole,
};

use super::Lowering;
use super::scope::Symbol;
use crate::syntax::{Name, TypeDecl, TypeDefinition};

pub(crate) use fathom_model::NO_PROCESS as NIL;

/// Most elements of an array.
const LONGEST_ARRAY: i64 = 1 << 16;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Bool,
    /// Numbers from `low` to `high`.
    Int {
        low: i64,
        high: i64,
    },
    Enum(EnumerationId),
    Pid,
    Clock,
    Array {
        low: i64,
        length: u32,
        element: Box<Ty>,
    },
    /// By its place in the table of records.
    Record(usize),
    /// Of something that was refused: no further messages.
    Broken,
}

/// `integer`: 32 bits with sign.
pub(crate) const INTEGER: Ty = Ty::Int { low: i32::MIN as i64, high: i32::MAX as i64 };

/// A field of a record: name, type, first byte.
pub(crate) type Field = (String, Ty, u32);

impl Ty {
    pub(crate) fn is_scalar(&self) -> bool {
        !matches!(self, Ty::Array { .. } | Ty::Record(_))
    }

    /// How a scalar is stored.
    pub(crate) fn scalar(&self) -> ScalarType {
        match self {
            Ty::Bool => ScalarType::BOOL,
            Ty::Int { low, high } => bits_for(*low, *high),
            Ty::Enum(id) => ScalarType { kind: ScalarKind::Enumeration(*id), bits: 8, signed: false },
            Ty::Pid => ScalarType::PROCESS,
            Ty::Clock => ScalarType::SHORT,
            Ty::Array { .. } | Ty::Record(_) | Ty::Broken => ScalarType::INT,
        }
    }

    /// The value of a variable that nobody has assigned: false, the first member, no process, an inactive clock, 0 or the number nearest to it.
    pub(crate) fn default_value(&self) -> i64 {
        match self {
            Ty::Int { low, high } => 0.clamp(*low, *high),
            Ty::Pid => NIL,
            Ty::Clock => -1,
            _ => 0,
        }
    }

    /// Whether values of the other type can be stored here, ranges aside.
    pub(crate) fn accepts(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Broken, _) | (_, Ty::Broken) => true,
            (Ty::Int { .. }, Ty::Int { .. }) => true,
            (Ty::Array { length, element, .. }, Ty::Array { length: other_length, element: other, .. }) => {
                length == other_length && element.accepts(other)
            }
            _ => self == other,
        }
    }
}

/// The narrowest scalar for a range.
fn bits_for(low: i64, high: i64) -> ScalarType {
    let signed = low < 0;
    let fits = |bits: u8| {
        if signed { low >= -(1i64 << (bits - 1)) && high < 1i64 << (bits - 1) } else { high < 1i64 << bits }
    };
    let bits = (1..=32).find(|bits| fits(*bits)).unwrap_or(32);
    ScalarType { kind: ScalarKind::Integer, bits, signed }
}

impl Lowering {
    pub(crate) fn type_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Bool => "boolean".to_owned(),
            Ty::Int { .. } if *ty == INTEGER => "integer".to_owned(),
            Ty::Int { low, high } => format!("range {low}..{high}"),
            Ty::Enum(id) => self.model.enumerations[id.index()].name.clone(),
            Ty::Pid => "pid".to_owned(),
            Ty::Clock => "clock".to_owned(),
            Ty::Array { low, length, element } => {
                format!("array[{low}..{}] of {}", low + i64::from(*length) - 1, self.type_name(element))
            }
            Ty::Record(index) => self.model.records[*index].name.clone(),
            Ty::Broken => "unknown".to_owned(),
        }
    }

    /// The type as the model stores it.
    pub(crate) fn stored(&self, ty: &Ty) -> Type {
        match ty {
            Ty::Array { low, length, element } => {
                Type::Array { element: Box::new(self.stored(element)), length: *length, first: *low }
            }
            Ty::Record(index) => Type::Record(RecordId::from(*index)),
            _ => Type::Scalar(ty.scalar()),
        }
    }

    /// Bytes of storage.
    pub(crate) fn size_of(&self, ty: &Ty) -> u32 {
        self.stored(ty).size(&self.model)
    }

    /// The scalars inside a type: offset and type.
    pub(crate) fn scalars(&self, ty: &Ty) -> Vec<(u32, Ty)> {
        match ty {
            Ty::Array { length, element, .. } => {
                let size = self.size_of(element);
                let inner = self.scalars(element);
                let at =
                    |index: u32| inner.iter().map(move |(offset, ty)| (index * size + offset, ty.clone()));
                (0..*length).flat_map(at).collect()
            }
            Ty::Record(index) => {
                let fields = &self.record_fields[*index];
                let of = |(_, ty, start): &Field| {
                    let start = *start;
                    self.scalars(ty).into_iter().map(move |(offset, ty)| (start + offset, ty))
                };
                fields.iter().flat_map(of).collect()
            }
            _ => vec![(0, ty.clone())],
        }
    }

    /// The type with a name.
    pub(crate) fn named_type(&mut self, name: &Name) -> Ty {
        match self.scopes.find_meant(&name.text, |symbol| matches!(symbol, Symbol::Type(_))) {
            Some(Symbol::Type(ty)) => return ty.clone(),
            Some(_) => self.error("if::not-a-type", format!("`{}` is not a type", name.text), name.span),
            None => match name.text.as_str() {
                "boolean" => return Ty::Bool,
                "integer" => return INTEGER,
                "pid" => return Ty::Pid,
                "clock" => return Ty::Clock,
                "float" => self.unsupported("if::unsupported-float", "numbers with fractions", name.span),
                _ => self.unknown("type", name),
            },
        }
        Ty::Broken
    }

    pub(crate) fn declare_type(&mut self, declaration: &TypeDecl) {
        let ty = self.defined_type(declaration);
        self.declare(&declaration.name, Symbol::Type(ty));
    }

    fn defined_type(&mut self, declaration: &TypeDecl) -> Ty {
        let name = &declaration.name;
        match &declaration.definition {
            TypeDefinition::Alias(other) => self.named_type(other),
            TypeDefinition::Enum(members) => self.enumeration(name, members),
            TypeDefinition::Range(low, high) => {
                let (Some(low), Some(high)) = (self.constant(low), self.constant(high)) else {
                    return Ty::Broken;
                };
                if low > high {
                    self.error("if::empty-range", format!("the range {low}..{high} is empty"), name.span);
                    return Ty::Broken;
                }
                Ty::Int { low, high }
            }
            TypeDefinition::Array { low, high, element } => {
                let element = self.named_type(element);
                let (Some(low), Some(high)) = (self.constant(low), self.constant(high)) else {
                    return Ty::Broken;
                };
                if element == Ty::Broken {
                    return Ty::Broken;
                }
                if element == Ty::Clock {
                    self.unsupported("if::unsupported-clock", "arrays of clocks", name.span);
                    return Ty::Broken;
                }
                if !(0..LONGEST_ARRAY).contains(&(high - low))
                    || u64::from(self.size_of(&element)) * (high - low + 1) as u64 > 1 << 20
                {
                    let message = format!("an array from {low} to {high} has no elements, or too many");
                    self.error("if::array-length", message, name.span);
                    return Ty::Broken;
                }
                Ty::Array { low, length: (high - low + 1) as u32, element: Box::new(element) }
            }
            TypeDefinition::Record(fields) => self.record(name, fields),
            TypeDefinition::String { span, .. } => {
                self.unsupported("if::unsupported-string", "strings of variable length", *span);
                Ty::Broken
            }
            TypeDefinition::Abstract { span, .. } => {
                self.unsupported(
                    "if::unsupported-abstract",
                    "abstract types, which need foreign code,",
                    *span,
                );
                Ty::Broken
            }
        }
    }

    fn enumeration(&mut self, name: &Name, members: &[Name]) -> Ty {
        if members.len() > 256 {
            self.error("if::enumeration-size", "an enumeration has at most 256 members", name.span);
            return Ty::Broken;
        }
        let id = EnumerationId::from(self.model.enumerations.len());
        let numbered =
            members.iter().enumerate().map(|(number, member)| (number as i64, member.text.clone()));
        let members_of_model = numbered.collect();
        self.model.enumerations.push(Enumeration { name: name.text.clone(), members: members_of_model });
        for (number, member) in members.iter().enumerate() {
            self.declare(member, Symbol::Const { ty: Ty::Enum(id), value: number as i64 });
        }
        Ty::Enum(id)
    }

    fn record(&mut self, name: &Name, declared: &[(Name, Name)]) -> Ty {
        let mut fields: Vec<Field> = Vec::new();
        let mut variables = Vec::new();
        let mut size: u32 = 0;
        for (field, ty) in declared {
            let ty = self.named_type(ty);
            if ty == Ty::Clock {
                self.unsupported("if::unsupported-clock", "records with clocks", field.span);
                return Ty::Broken;
            }
            if ty == Ty::Broken {
                return Ty::Broken;
            }
            if fields.iter().any(|(other, ..)| *other == field.text) {
                self.error("if::duplicate", format!("a second field `{}`", field.text), field.span);
                return Ty::Broken;
            }
            variables.push(Variable {
                name: field.text.clone(),
                ty: self.stored(&ty),
                offset: size,
                role: VariableRole::Plain,
                span: Some(field.span),
            });
            let bytes = self.size_of(&ty);
            fields.push((field.text.clone(), ty, size));
            size += bytes;
            if size > 1 << 20 {
                self.error("if::record-size", "a record of more than 2^20 bytes", name.span);
                return Ty::Broken;
            }
        }
        if fields.is_empty() {
            self.error("if::record-size", "a record without fields", name.span);
            return Ty::Broken;
        }
        self.record_fields.push(fields);
        self.model.records.push(Record { name: name.text.clone(), fields: variables, size });
        Ty::Record(self.model.records.len() - 1)
    }
}
