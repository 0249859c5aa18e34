//! Declarations: types, variables and their first values.

use fathom_model::{
    Base, ChannelType, ChannelTypeId, Enumeration, EnumerationId, Expr, Initializer, Place, Record, RecordId,
    ScalarKind, ScalarType, Type, Variable, VariableRole,
};
use fathom_source::{Diagnostic, Span};

use crate::constant::{constant_value, size_value};
use crate::context::{Context, FieldInitializer};
use crate::resolve::Access;
use crate::scope::{Symbol, VariableSymbol};
use crate::syntax::{self, TypeName};

/// Largest array or channel: a state is a byte string that has to fit into memory many times.
const LARGEST: i64 = 1 << 20;

/// Where a declaration puts its variables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    Global,
    Parameter,
    Local,
}

/// A variable that was just declared.
pub(crate) struct Declared {
    pub access: Access,
    pub name: syntax::Ident,
    pub initializer: Option<syntax::Initializer>,
}

impl Context {
    /// Declares the members of an `mtype`. Numbers count up from the last member of each declaration to
    /// its first, and on from one declaration to the next.
    pub fn declare_mtype(&mut self, mtype: &syntax::Mtype) {
        let name = mtype.subtype.as_ref().map_or("", |name| name.name.as_str());
        let id = self.enumeration(name);
        for member in mtype.members.iter().rev() {
            let value = self.model.enumerations[id.index()].members.len() as i64 + 1;
            if let Some(earlier) = self.scopes.declare(&member.name, Symbol::Constant(value, id)) {
                self.duplicate(member, &earlier);
            }
            self.model.enumerations[id.index()].members.push((value, member.name.clone()));
            if value == 256 {
                let message = "more than 255 members in one mtype";
                self.error("promela::too-many-members", message, member.span, "one too many");
            }
        }
    }

    fn enumeration(&mut self, name: &str) -> EnumerationId {
        if let Some(&id) = self.enumerations.get(name) {
            return id;
        }
        let shown = if name.is_empty() { "mtype".to_owned() } else { format!("mtype:{name}") };
        self.model.enumerations.push(Enumeration { name: shown, members: Vec::new() });
        let id = EnumerationId::from(self.model.enumerations.len() - 1);
        self.enumerations.insert(name.to_owned(), id);
        id
    }

    /// Declares a `typedef`.
    pub fn declare_typedef(&mut self, typedef: &syntax::Typedef) {
        let mut record = Record { name: typedef.name.name.clone(), fields: Vec::new(), size: 0 };
        let mut initializers = Vec::new();
        for declaration in &typedef.fields {
            for declarator in &declaration.declarators {
                let Some(ty) = self.declared_type(&declaration.ty, declarator) else { continue };
                let name = declarator.name.name.clone();
                if record.fields.iter().any(|field| field.name == name) {
                    let message = format!("field `{name}` is declared twice");
                    self.error(
                        "promela::duplicate-name",
                        message,
                        declarator.name.span,
                        "declared again here",
                    );
                    continue;
                }
                let initializer = self.field_initializer(declarator);
                let offset = record.size;
                record.size = record.size.saturating_add(self.size_of(&ty, declarator.name.span));
                let span = Some(declarator.name.span);
                record.fields.push(Variable { name, ty, offset, role: VariableRole::Plain, span });
                initializers.push(initializer);
            }
        }
        let id = RecordId::from(self.model.records.len());
        if self.user_types.insert(record.name.clone(), id).is_some() {
            let message = format!("type `{}` is declared twice", record.name);
            self.error("promela::duplicate-name", message, typedef.name.span, "declared again here");
        }
        self.model.records.push(record);
        self.field_initializers.push(initializers);
    }

    fn field_initializer(&mut self, declarator: &syntax::Declarator) -> Option<FieldInitializer> {
        match declarator.initializer.as_ref()? {
            syntax::Initializer::Value(value) => {
                Some(FieldInitializer::Values(vec![self.field_constant(value)?]))
            }
            syntax::Initializer::List(values) => {
                let values: Option<Vec<Expr>> =
                    values.iter().map(|value| self.field_constant(value)).collect();
                values.map(FieldInitializer::Values)
            }
            syntax::Initializer::Channel { capacity, fields, .. } => {
                self.channel_type(&declarator.name.name, capacity, fields).map(FieldInitializer::Channel)
            }
        }
    }

    fn field_constant(&mut self, value: &syntax::Expr) -> Option<Expr> {
        let constant = constant_value(self, value);
        if constant.is_none() {
            let message = "the first value of a field must be a constant";
            self.error("promela::constant-expected", message, value.span, "not a constant");
        }
        constant.map(Expr::Const)
    }

    /// Declares variables. Their first values are left to the caller.
    pub fn declare(&mut self, declaration: &syntax::Declaration, home: Home) -> Vec<Declared> {
        let mut declared = Vec::new();
        for declarator in &declaration.declarators {
            let Some(ty) = self.declared_type(&declaration.ty, declarator) else {
                // Declared all the same: its uses are not to blame.
                self.new_variable(&declarator.name, Type::Scalar(ScalarType::INT), home, None, Some(1));
                continue;
            };
            let channel = match &declarator.initializer {
                Some(syntax::Initializer::Channel { capacity, fields, span }) => {
                    self.expect_channel(&ty, *span);
                    self.channel_type(&declarator.name.name, capacity, fields)
                }
                _ => None,
            };
            let constant = match &declarator.initializer {
                Some(syntax::Initializer::Value(value)) => constant_value(self, value),
                _ => None,
            };
            let access = self.new_variable(&declarator.name, ty, home, channel, constant);
            declared.push(Declared {
                access,
                name: declarator.name.clone(),
                initializer: declarator.initializer.clone(),
            });
        }
        declared
    }

    fn expect_channel(&mut self, ty: &Type, span: Span) {
        let scalar = match ty {
            Type::Array { element, .. } => element,
            other => other,
        };
        if !matches!(scalar, Type::Scalar(ScalarType { kind: ScalarKind::Channel, .. })) {
            self.error(
                "promela::not-a-channel",
                "only a `chan` can start as a channel",
                span,
                "not a `chan`",
            );
        }
    }

    /// Makes room for a variable and gives it its name.
    pub fn new_variable(
        &mut self,
        name: &syntax::Ident,
        ty: Type,
        home: Home,
        channel: Option<ChannelTypeId>,
        constant: Option<i64>,
    ) -> Access {
        let size = self.size_of(&ty, name.span);
        let global = home == Home::Global;
        let frame = if global { &mut self.model.globals } else { &mut self.locals };
        let offset = frame.size;
        frame.size = frame.size.saturating_add(size);
        let role = match home {
            Home::Parameter => VariableRole::Parameter,
            _ if name.name.starts_with(':') => VariableRole::Internal,
            _ => VariableRole::Plain,
        };
        frame.variables.push(Variable {
            name: name.name.clone(),
            ty: ty.clone(),
            offset,
            role,
            span: Some(name.span),
        });
        let symbol =
            VariableSymbol { global, offset, ty: ty.clone(), channel, constant, span: Some(name.span) };
        if let Some(earlier) = self.scopes.declare(&name.name, Symbol::Variable(symbol)) {
            self.duplicate(name, &earlier);
        }
        let base = if global { Base::Global } else { Base::Own };
        Access { base, offset, indices: Vec::new(), ty, channel }
    }

    fn duplicate(&mut self, name: &syntax::Ident, earlier: &Symbol) {
        let mut diagnostic =
            Diagnostic::error("promela::duplicate-name", format!("`{}` is declared twice", name.name))
                .at(name.span, "declared again here");
        if let Symbol::Variable(VariableSymbol { span: Some(span), .. }) = earlier {
            diagnostic = diagnostic.also(*span, "first declared here");
        }
        self.diagnostics.push(diagnostic);
    }

    fn size_of(&mut self, ty: &Type, span: Span) -> u32 {
        let size = exact_size(ty, &self.model.records);
        if size > LARGEST as u64 {
            let message = format!("a structure of {size} bytes is too large");
            self.error("promela::array-size", message, span, format!("at most {LARGEST} bytes"));
        }
        size.min(LARGEST as u64) as u32
    }

    fn declared_type(&mut self, ty: &TypeName, declarator: &syntax::Declarator) -> Option<Type> {
        let element = self.type_named(ty, declarator.width.as_ref())?;
        let Some(length) = &declarator.length else { return Some(element) };
        match size_value(self, length) {
            Some(length @ 1..=LARGEST) => {
                let array = Type::Array { element: Box::new(element), length: length as u32, first: 0 };
                let size = exact_size(&array, &self.model.records);
                if size > LARGEST as u64 {
                    let message = format!("an array of {size} bytes is too large");
                    let span = declarator.name.span;
                    self.error("promela::array-size", message, span, format!("at most {LARGEST} bytes"));
                    return None;
                }
                Some(array)
            }
            Some(other) => {
                let message = format!("an array cannot have {other} elements");
                self.error("promela::array-size", message, length.span, format!("from 1 to {LARGEST}"));
                None
            }
            None => {
                let message = "the size of an array must be a constant";
                self.error("promela::constant-expected", message, length.span, "not a constant");
                None
            }
        }
    }

    fn type_named(&mut self, ty: &TypeName, width: Option<&syntax::Expr>) -> Option<Type> {
        if let (Some(width), false) = (width, matches!(ty, TypeName::Unsigned)) {
            let message = "only `unsigned` variables have a width";
            self.error("promela::type-mismatch", message, width.span, "width not allowed here");
        }
        Some(Type::Scalar(match ty {
            TypeName::Bit => ScalarType::BIT,
            TypeName::Bool => ScalarType::BOOL,
            TypeName::Byte => ScalarType::BYTE,
            TypeName::Pid => ScalarType::PROCESS,
            TypeName::Short => ScalarType::SHORT,
            TypeName::Int => ScalarType::INT,
            TypeName::Chan => ScalarType::CHANNEL,
            TypeName::Unsigned => self.unsigned(width)?,
            TypeName::Mtype(subtype) => {
                let name = subtype.as_ref().map_or("", |name| name.name.as_str());
                if let Some(subtype) = subtype
                    && !self.enumerations.contains_key(name)
                {
                    let message = format!("there is no `mtype:{name}`");
                    self.error("promela::unknown-type", message, subtype.span, "not declared");
                    return None;
                }
                let id = self.enumeration(name);
                ScalarType { kind: ScalarKind::Enumeration(id), ..ScalarType::BYTE }
            }
            TypeName::User(name) => {
                let Some(&record) = self.user_types.get(&name.name) else {
                    let message = format!("there is no type `{}`", name.name);
                    self.error("promela::unknown-type", message, name.span, "not declared before this point");
                    return None;
                };
                return Some(Type::Record(record));
            }
        }))
    }

    fn unsigned(&mut self, width: Option<&syntax::Expr>) -> Option<ScalarType> {
        let Some(width) = width else { return Some(ScalarType { signed: false, ..ScalarType::INT }) };
        match constant_value(self, width) {
            Some(bits @ 1..=32) => {
                Some(ScalarType { kind: ScalarKind::Integer, bits: bits as u8, signed: false })
            }
            _ => {
                let message = "the width of a variable is a constant from 1 to 32";
                self.error("promela::constant-expected", message, width.span, "not such a constant");
                None
            }
        }
    }

    fn channel_type(
        &mut self,
        name: &str,
        capacity: &syntax::Expr,
        fields: &[TypeName],
    ) -> Option<ChannelTypeId> {
        let capacity = match constant_value(self, capacity) {
            Some(value @ 0..=LARGEST) => value as u32,
            Some(other) => {
                let message = format!("a channel cannot hold {other} messages");
                self.error("promela::array-size", message, capacity.span, format!("from 0 to {LARGEST}"));
                return None;
            }
            None => {
                let message = "the capacity of a channel must be a constant";
                self.error("promela::constant-expected", message, capacity.span, "not a constant");
                return None;
            }
        };
        let mut scalars = Vec::new();
        for field in fields {
            let ty = self.type_named(field, None)?;
            let whole = Access { base: Base::Discard, offset: 0, indices: Vec::new(), ty, channel: None };
            scalars.extend(self.flatten(&whole).into_iter().map(|place| place.ty));
        }
        self.model.channel_types.push(ChannelType { name: name.to_owned(), capacity, fields: scalars });
        Some(ChannelTypeId::from(self.model.channel_types.len() - 1))
    }

    /// The initialisers of a variable that gets its first value when its frame is made.
    pub fn initializers(&mut self, declared: &Declared) -> Vec<Initializer> {
        let places = self.flatten(&declared.access);
        match &declared.initializer {
            None => self.record_initializers(&declared.access),
            Some(syntax::Initializer::Channel { .. }) => {
                let Some(channel_type) = declared.access.channel else { return Vec::new() };
                let channel = |place| Initializer::Channel { place, channel_type };
                places.into_iter().map(channel).collect()
            }
            Some(syntax::Initializer::Value(value)) => {
                if matches!(declared.access.ty, Type::Record(_)) {
                    let message = "a structure cannot start as a single value";
                    self.error("promela::type-mismatch", message, value.span, "not a structure");
                    return Vec::new();
                }
                let value = self.expr(value);
                places.into_iter().map(|place| Initializer::Value { place, value: value.clone() }).collect()
            }
            Some(syntax::Initializer::List(values)) => self.list_initializers(declared, &places, values),
        }
    }

    fn list_initializers(
        &mut self,
        declared: &Declared,
        places: &[Place],
        values: &[syntax::Expr],
    ) -> Vec<Initializer> {
        if !matches!(declared.access.ty, Type::Array { .. }) {
            let message = format!("`{}` is not an array", declared.name.name);
            self.error("promela::not-an-array", message, declared.name.span, "cannot start as a list");
            return Vec::new();
        }
        if values.len() > places.len() {
            let message = format!("{} values for {} elements", values.len(), places.len());
            self.error("promela::array-size", message, values[places.len()].span, "one too many");
        }
        let values: Vec<Expr> = values.iter().map(|value| self.expr(value)).collect();
        let Some(last) = values.last().cloned() else { return Vec::new() };
        // A list that is too short goes on with its last value.
        let values = values.into_iter().chain(std::iter::repeat(last));
        let pairs = places.iter().cloned().zip(values);
        pairs.map(|(place, value)| Initializer::Value { place, value }).collect()
    }

    fn record_initializers(&mut self, access: &Access) -> Vec<Initializer> {
        match access.ty.clone() {
            Type::Scalar(_) => Vec::new(),
            Type::Array { element, length, .. } => {
                let stride = element.size_in(&self.model.records);
                let element = |index| Access {
                    offset: access.offset + index * stride,
                    ty: (*element).clone(),
                    ..access.clone()
                };
                (0..length).flat_map(|index| self.record_initializers(&element(index))).collect()
            }
            Type::Record(record) => {
                let fields = self.model.records[record.index()].fields.clone();
                let given = self.field_initializers[record.index()].clone();
                let mut all = Vec::new();
                for (field, given) in fields.into_iter().zip(given) {
                    let part =
                        Access { offset: access.offset + field.offset, ty: field.ty, ..access.clone() };
                    match given {
                        None => all.extend(self.record_initializers(&part)),
                        Some(FieldInitializer::Values(values)) => {
                            let last = values.last().cloned();
                            let values = values.into_iter().chain(last.into_iter().cycle());
                            let pairs = self.flatten(&part).into_iter().zip(values);
                            all.extend(pairs.map(|(place, value)| Initializer::Value { place, value }));
                        }
                        Some(FieldInitializer::Channel(channel_type)) => all.extend(
                            self.flatten(&part)
                                .into_iter()
                                .map(|place| Initializer::Channel { place, channel_type }),
                        ),
                    }
                }
                all
            }
        }
    }
}

/// The size of a type without fear of overflow.
fn exact_size(ty: &Type, records: &[Record]) -> u64 {
    match ty {
        Type::Scalar(scalar) => u64::from(scalar.size()),
        Type::Array { element, length, .. } => {
            exact_size(element, records).saturating_mul(u64::from(*length))
        }
        Type::Record(record) => u64::from(records[record.index()].size),
    }
}
