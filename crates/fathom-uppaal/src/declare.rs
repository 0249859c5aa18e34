//! Declarations: types, constants, variables, clocks, channels, functions.

use std::rc::Rc;

use fathom_source::Diagnostic;
use fathom_timed::{Clock, Variable};

use crate::resolve::{Channel, Lowering};
use crate::scope::{Object, Scope, Storage, Symbol};
use crate::syntax::{Declaration, Declarator, Expression, ExpressionKind, Name, TypeExpression};
use crate::types::{CHANNELS, Type};

/// Variables, clocks or channels after which a model is too large.
const MOST_CELLS: usize = 1 << 16;

impl<'a> Lowering<'a> {
    /// Declarations one after the other; variables of a process are called by its name, too.
    pub fn declare_all(&mut self, scope: &Rc<Scope<'a>>, declarations: &'a [Declaration], prefix: &str) {
        for declaration in declarations {
            match declaration {
                Declaration::Variables(ty, declarators) => {
                    self.variables(scope, ty, declarators, prefix);
                }
                Declaration::Typedef(ty, declarators) => {
                    if let Some((ty, is_const)) = self.type_of(scope, ty) {
                        for declarator in declarators {
                            if let Some(ty) = self.with_dimensions(scope, &ty, declarator) {
                                self.name(scope, &declarator.name, Symbol::Type(ty, is_const));
                            }
                        }
                    }
                }
                Declaration::Function(function) => {
                    self.name(scope, &function.name, Symbol::Function(function, scope.clone()));
                }
                Declaration::ChannelPriorities(groups) => self.channel_priorities(scope, groups),
            }
        }
    }

    fn name(&mut self, scope: &Rc<Scope<'a>>, name: &Name, symbol: Symbol<'a>) {
        if !scope.declare(&name.text, symbol) {
            let message = format!("'{}' is declared twice", name.text);
            self.diagnostics.push(Diagnostic::error("uppaal::redeclared", message).at(name.span, ""));
        }
    }

    fn channel_priorities(&mut self, scope: &Rc<Scope<'a>>, groups: &'a [Vec<Option<Expression>>]) {
        for (level, group) in groups.iter().enumerate() {
            // Whatever is not mentioned has the priority of `default`; that one is the lowest if it is not mentioned itself.
            let level = level as i32 + 1;
            for channel in group {
                let Some(channel) = channel else {
                    let before = self.network.alone_priority;
                    self.network.alone_priority = level;
                    for other in &mut self.channels {
                        if other.priority == before {
                            other.priority = level;
                        }
                    }
                    continue;
                };
                let mut prelude = Vec::new();
                let Some(object) = self.object(scope, channel, &mut prelude) else { continue };
                let size = object.ty.size()[CHANNELS];
                if size == 0 || !object.steps.is_empty() {
                    self.complain::<()>("uppaal::type", "expected a channel", channel.span);
                    continue;
                }
                for index in object.base[CHANNELS]..object.base[CHANNELS] + size {
                    self.channels[index].priority = level;
                }
            }
        }
    }

    fn variables(
        &mut self,
        scope: &Rc<Scope<'a>>,
        written: &'a TypeExpression,
        declarators: &'a [Declarator],
        prefix: &str,
    ) -> Option<()> {
        let (ty, is_const) = self.type_of(scope, written)?;
        for declarator in declarators {
            let Some(ty) = self.with_dimensions(scope, &ty, declarator) else { continue };
            let Some(object) = self.variable(scope, written, &ty, is_const, declarator, prefix) else {
                continue;
            };
            self.name(scope, &declarator.name, Symbol::Object(object));
        }
        Some(())
    }

    fn variable(
        &mut self,
        scope: &Rc<Scope<'a>>,
        written: &'a TypeExpression,
        ty: &Type,
        is_const: bool,
        declarator: &'a Declarator,
        prefix: &str,
    ) -> Option<Object> {
        let span = declarator.name.span;
        if ty.size() == [0, 0, 0] {
            return self.complain("uppaal::type", format!("{} cannot be declared", ty.describe()), span);
        }
        if declarator.initial.is_some() && ty.size()[1..] != [0, 0] {
            let message = "clocks and channels have no initial value";
            return self.complain("uppaal::clock-initializer", message, span);
        }
        let initial = self.initial_values(scope, ty, declarator)?;
        if is_const && ty.size()[1..] == [0, 0] {
            let storage = Storage::Constant(initial.into());
            return Some(Object { storage, base: [0; 3], steps: Vec::new(), ty: ty.clone(), is_const: true });
        }
        let name = format!("{prefix}{}", declarator.name.text);
        Some(self.allocate(&name, ty, &initial, written.is_meta, declarator.name.span))
    }

    /// Room in the network.
    pub fn allocate(
        &mut self,
        name: &str,
        ty: &Type,
        initial: &[i64],
        is_meta: bool,
        span: fathom_source::Span,
    ) -> Object {
        let base = [self.network.variables.len(), self.network.clocks.len(), self.channels.len()];
        let size = ty.size();
        let is_too_large = (0..3).any(|row| base[row] + size[row] > MOST_CELLS);
        if is_too_large {
            self.complain::<()>("uppaal::too-large", "too many variables", span);
        } else {
            let mut next = 0;
            let Lowering { network, channels, place, .. } = self;
            // Names of processes have their elements in them; what is declared inside has the same name in each.
            let own = name.rsplit_once('.').map_or(name, |(_, own)| own);
            let mut start = place.clone();
            start.family.push_str(&format!(".{own}"));
            ty.each_leaf("", &start, &mut |suffix, place, leaf| {
                let name = format!("{name}{suffix}");
                match leaf {
                    Type::Clock => {
                        network.clocks.push(Clock { name });
                        network.scalars.clocks.push(place.clone());
                    }
                    Type::Channel { is_urgent, is_broadcast } => channels.push(Channel {
                        name,
                        is_urgent: *is_urgent,
                        is_broadcast: *is_broadcast,
                        priority: network.alone_priority,
                        place: place.clone(),
                    }),
                    _ => {
                        let (least, most) = leaf.range();
                        let initial = initial.get(next).copied().unwrap_or(0) as i32;
                        let (least, most) = (least as i32, most as i32);
                        network.variables.push(Variable { name, least, most, initial, is_meta });
                        network.scalars.variables.push(place.clone());
                        network.scalars.values.push(match leaf {
                            Type::Scalar { set, .. } => Some(*set),
                            _ => None,
                        });
                        next += 1;
                    }
                }
            });
        }
        Object { storage: Storage::Network, base, steps: Vec::new(), ty: ty.clone(), is_const: false }
    }

    /// The first values of the integers of what is declared.
    fn initial_values(
        &mut self,
        scope: &Rc<Scope<'a>>,
        ty: &Type,
        declarator: &'a Declarator,
    ) -> Option<Vec<i64>> {
        let types = ty.integers();
        let values = match &declarator.initial {
            None => {
                let nearest = |ty: &Type| 0_i64.clamp(ty.range().0, ty.range().1);
                types.iter().map(nearest).collect()
            }
            Some(list @ Expression { kind: ExpressionKind::List(_), .. }) => {
                let mut leaves = Vec::new();
                self.list(ty, list, &mut leaves)?;
                let mut values = Vec::new();
                for leaf in leaves {
                    values.push(self.initial_value(scope, leaf)?);
                }
                values
            }
            Some(initial) if ty.is_integer() => vec![self.initial_value(scope, initial)?],
            Some(initial) => {
                let mut prelude = Vec::new();
                let from = self.object(scope, initial, &mut prelude)?;
                let others = from.ty.integers();
                if others.len() != types.len() || from.ty.size() != ty.size() || !prelude.is_empty() {
                    return self.complain("uppaal::type", "these are not of the same type", initial.span);
                }
                let values: Vec<i32> = self.network.variables.iter().map(|one| one.initial).collect();
                let environment =
                    fathom_timed::Environment { values: &values, locals: &[], locations: &[], labels: &[] };
                let value =
                    |(number, ty): (usize, Type)| from.integer(number, ty).read().evaluate(&environment).ok();
                others.into_iter().enumerate().map(value).collect::<Option<Vec<i64>>>()?
            }
        };
        for (value, ty) in values.iter().zip(&types) {
            let (least, most) = ty.range();
            if *ty != Type::Bool && !(least..=most).contains(value) {
                let message = format!("initial value {value} is not between {least} and {most}");
                return self.complain("uppaal::range", message, declarator.name.span);
            }
        }
        let truth = |(value, ty): (i64, &Type)| if *ty == Type::Bool { i64::from(value != 0) } else { value };
        Some(values.into_iter().zip(&types).map(truth).collect())
    }

    /// The expressions of a list, one for each integer of a type.
    pub fn list(&mut self, ty: &Type, written: &'a Expression, out: &mut Vec<&'a Expression>) -> Option<()> {
        let ExpressionKind::List(items) = &written.kind else {
            if ty.is_integer() {
                out.push(written);
                return Some(());
            }
            return self.complain(
                "uppaal::type",
                format!("expected {} in braces", ty.describe()),
                written.span,
            );
        };
        let expected = match ty {
            Type::Array { length, .. } => *length as usize,
            Type::Struct(fields) => fields.len(),
            _ => return self.complain("uppaal::type", "a list is for arrays and records", written.span),
        };
        if items.len() != expected {
            let message = format!("expected {expected} values, found {}", items.len());
            return self.complain("uppaal::type", message, written.span);
        }
        match ty {
            Type::Array { element, .. } => {
                items.iter().try_for_each(|(_, item)| self.list(element, item, out))
            }
            Type::Struct(fields) => fields.iter().enumerate().try_for_each(|(index, (field, ty))| {
                let named =
                    items.iter().find(|(name, _)| name.as_ref().is_some_and(|name| name.text == *field));
                let (_, item) = named.unwrap_or(&items[index]);
                self.list(ty, item, out)
            }),
            _ => None,
        }
    }
}
