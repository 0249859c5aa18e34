//! Templates that differ in constants only, read as one.
//!
//! Tools and people write `proctype p0() { … flag[0] … }`, `proctype p1() { … flag[1] … }`. Templates of one process each with the same edges
//! are one template with parameters: a constant for each place at which the texts differ. For the analysis the first
//! of them gets these parameters as further locals, and the others have no text. Afterwards a process of the fold is tied to
//! the values of its parameters, which are names like others, or tell it apart.

use fathom_model::{
    Action, Base, Edge, Expr, Guard, Index, Initializer, Model, Pattern, Place, ScalarType, Sync, Template,
    TemplateId, TemplateRole, Type, Variable, VariableRole,
};

use super::families::{Families, Home};

/// A constant at which the templates of a fold differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Parameter {
    /// Offset in the locals of the first template, as read for the analysis.
    pub offset: u32,
    /// By template of the fold.
    pub values: Vec<i64>,
}

/// Templates that are read as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fold {
    pub templates: Vec<usize>,
    pub parameters: Vec<Parameter>,
}

/// The template as which a template is read.
pub(super) fn read_as(folds: &[Fold], template: usize) -> usize {
    let fold = folds.iter().find(|fold| fold.templates.contains(&template));
    fold.map_or(template, |fold| fold.templates[0])
}

/// The model as it is read for the analysis, and the folds in it.
pub(super) fn fold(model: &Model) -> (Model, Vec<Fold>) {
    let mut read = model.clone();
    let mut folds = Vec::new();
    let Some(families) = Families::of(model) else { return (read, folds) };
    let mut is_taken = vec![false; model.templates.len()];
    for first in 0..model.templates.len() {
        if is_taken[first] || !may_fold(model, first) {
            continue;
        }
        let mut fold = Fold { templates: vec![first], parameters: Vec::new() };
        let others = (first + 1..model.templates.len()).filter(|&other| {
            !is_taken[other] && may_fold(model, other) && are_alike(model, &[first, other], &families)
        });
        fold.templates.extend(others);
        if fold.templates.len() < 2 {
            continue;
        }
        let mut merge = Merge::new(model, &families, &fold.templates);
        let Some(template) = merge.template() else { continue };
        fold.parameters = merge.parameters;
        read.templates[first] = template;
        for &other in &fold.templates[1..] {
            is_taken[other] = true;
            let silent = &mut read.templates[other];
            silent.edges.clear();
            silent.locations.iter_mut().for_each(|location| location.groups.clear());
            silent.provided = None;
        }
        folds.push(fold);
    }
    (read, folds)
}

/// Whether a template has one process, from the start, that starts no others and has no channels of its own: their types
/// would have to be read as one as well.
fn may_fold(model: &Model, template: usize) -> bool {
    let id = TemplateId::from(template);
    let effects = || model.templates.iter().flat_map(|text| &text.edges).flat_map(|edge| &edge.effect);
    let creates = |action: &Action| matches!(action, Action::Create { .. });
    let is_created =
        effects().any(|action| matches!(action, Action::Create { template, .. } if *template == id));
    let text = &model.templates[template];
    text.role == TemplateRole::Process
        && !is_created
        && model.start.iter().filter(|start| start.template == id).count() == 1
        && !text.edges.iter().flat_map(|edge| &edge.effect).any(creates)
        && !text.locals.initializers.iter().any(|first| matches!(first, Initializer::Channel { .. }))
}

fn are_alike(model: &Model, templates: &[usize], families: &Families) -> bool {
    let [first, other] = [templates[0], templates[1]].map(|template| &model.templates[template]);
    let types = |text: &Template| -> Vec<(Type, u32)> {
        text.locals.variables.iter().map(|variable| (variable.ty.clone(), variable.offset)).collect()
    };
    let marks = |text: &Template| -> Vec<_> {
        let locations = text.locations.iter();
        locations.map(|at| (at.groups.clone(), at.end, at.progress, at.accept, at.deterministic)).collect()
    };
    first.edges.len() == other.edges.len()
        && first.initial == other.initial
        && first.locals.size == other.locals.size
        && types(first) == types(other)
        && marks(first) == marks(other)
        && Merge::new(model, families, templates).template().is_some()
}

/// Templates being read as one.
struct Merge<'m> {
    families: &'m Families,
    templates: &'m [usize],
    texts: Vec<&'m Template>,
    parameters: Vec<Parameter>,
}

impl<'m> Merge<'m> {
    fn new(model: &'m Model, families: &'m Families, templates: &'m [usize]) -> Merge<'m> {
        let texts = templates.iter().map(|&template| &model.templates[template]).collect();
        Merge { families, templates, texts, parameters: Vec::new() }
    }

    fn template(&mut self) -> Option<Template> {
        let mut merged = self.texts[0].clone();
        for edge in 0..merged.edges.len() {
            let edges: Vec<&Edge> = self.texts.iter().map(|text| &text.edges[edge]).collect();
            merged.edges[edge] = self.edge(&edges)?;
        }
        let provided: Vec<Option<&Expr>> = self.texts.iter().map(|text| text.provided.as_ref()).collect();
        merged.provided = match provided.iter().flatten().count() {
            0 => None,
            count if count == provided.len() => {
                let all: Vec<&Expr> = provided.into_iter().flatten().collect();
                Some(self.expr(&all)?)
            }
            _ => return None,
        };
        for (number, parameter) in self.parameters.iter().enumerate() {
            merged.locals.variables.push(Variable {
                name: format!("constant {number}"),
                ty: Type::Scalar(ScalarType::INT),
                offset: parameter.offset,
                role: VariableRole::Internal,
                span: None,
            });
            merged.locals.size = parameter.offset + ScalarType::INT.size();
        }
        Some(merged)
    }

    fn edge(&mut self, all: &[&Edge]) -> Option<Edge> {
        let first = all[0];
        if all.iter().any(|edge| {
            edge.target != first.target
                || edge.atomic != first.atomic
                || edge.effect.len() != first.effect.len()
        }) {
            return None;
        }
        let guards: Vec<&Guard> = all.iter().map(|edge| &edge.guard).collect();
        let guard = match guards[0] {
            Guard::When(_) => Guard::When(self.each(&guards, |guard| match guard {
                Guard::When(condition) => Some(condition),
                _ => None,
            })?),
            same => guards.iter().all(|guard| *guard == same).then(|| same.clone())?,
        };
        let sync = match all.iter().filter_map(|edge| edge.sync.as_ref()).collect::<Vec<_>>() {
            none if none.is_empty() => None,
            some if some.len() == all.len() => Some(self.sync(&some)?),
            _ => return None,
        };
        let mut effect = Vec::new();
        for at in 0..first.effect.len() {
            let actions: Vec<&Action> = all.iter().map(|edge| &edge.effect[at]).collect();
            effect.push(self.action(&actions)?);
        }
        Some(Edge { guard, sync, effect, ..first.clone() })
    }

    fn sync(&mut self, all: &[&Sync]) -> Option<Sync> {
        match all[0] {
            Sync::Send { fields, sorted, .. } => {
                let channel = self.each(all, |sync| match sync {
                    Sync::Send { channel, sorted: other, fields: more } => {
                        (other == sorted && more.len() == fields.len()).then_some(channel)
                    }
                    Sync::Receive { .. } => None,
                })?;
                let mut merged = Vec::new();
                for at in 0..fields.len() {
                    merged.push(self.each(all, |sync| match sync {
                        Sync::Send { fields, .. } => fields.get(at),
                        Sync::Receive { .. } => None,
                    })?);
                }
                Some(Sync::Send { channel, fields: merged, sorted: *sorted })
            }
            Sync::Receive { patterns, which, copy, .. } => {
                let channel = self.each(all, |sync| match sync {
                    Sync::Receive { channel, patterns: more, which: other, copy: leaves } => {
                        let is_same = (other, leaves, more.len()) == (which, copy, patterns.len());
                        is_same.then_some(channel)
                    }
                    Sync::Send { .. } => None,
                })?;
                let of = |sync: &'_ Sync| match sync {
                    Sync::Receive { patterns, .. } => patterns.clone(),
                    Sync::Send { .. } => Vec::new(),
                };
                let rows: Vec<Vec<Pattern>> = all.iter().map(|sync| of(sync)).collect();
                let patterns = self.patterns(&rows)?;
                Some(Sync::Receive { channel, patterns, which: *which, copy: *copy })
            }
        }
    }

    fn patterns(&mut self, rows: &[Vec<Pattern>]) -> Option<Vec<Pattern>> {
        let mut merged = Vec::new();
        for at in 0..rows[0].len() {
            let column: Vec<&Pattern> = rows.iter().map(|row| row.get(at)).collect::<Option<_>>()?;
            merged.push(match column[0] {
                Pattern::Match(_) => Pattern::Match(self.each(&column, |pattern| match pattern {
                    Pattern::Match(value) => Some(value),
                    Pattern::Bind(_) => None,
                })?),
                Pattern::Bind(_) => {
                    let places = column.iter().map(|pattern| match pattern {
                        Pattern::Bind(place) => Some(place),
                        Pattern::Match(_) => None,
                    });
                    let places: Vec<&Place> = places.collect::<Option<_>>()?;
                    Pattern::Bind(self.place(&places)?)
                }
            });
        }
        Some(merged)
    }

    fn action(&mut self, all: &[&Action]) -> Option<Action> {
        Some(match all[0] {
            Action::Assign(..) => {
                let both = |action: &&'_ Action| match action {
                    Action::Assign(place, value) => Some((place.clone(), value.clone())),
                    _ => None,
                };
                let pairs: Vec<(Place, Expr)> = all.iter().map(both).collect::<Option<_>>()?;
                let places: Vec<&Place> = pairs.iter().map(|(place, _)| place).collect();
                let values: Vec<&Expr> = pairs.iter().map(|(_, value)| value).collect();
                Action::Assign(self.place(&places)?, self.expr(&values)?)
            }
            Action::Require(_) => Action::Require(self.each(all, |action| match action {
                Action::Require(condition) => Some(condition),
                _ => None,
            })?),
            Action::Assert(_) => Action::Assert(self.each(all, |action| match action {
                Action::Assert(condition) => Some(condition),
                _ => None,
            })?),
            // What is printed is no part of a state.
            Action::Print(parts) => {
                let is_print = |action: &&Action| matches!(action, Action::Print(_));
                all.iter().all(is_print).then(|| Action::Print(parts.clone()))?
            }
            same => all.iter().all(|action| *action == same).then(|| same.clone())?,
        })
    }

    /// Merges what `part` takes from each of these.
    fn each<'a, T>(&mut self, all: &[&'a T], part: impl Fn(&'a T) -> Option<&'a Expr>) -> Option<Expr> {
        let parts: Vec<&Expr> = all.iter().map(|one| part(one)).collect::<Option<_>>()?;
        self.expr(&parts)
    }

    fn expr(&mut self, all: &[&Expr]) -> Option<Expr> {
        if all.iter().all(|expr| *expr == all[0]) {
            return Some(all[0].clone());
        }
        match all[0] {
            Expr::Const(_) => {
                let number = |expr: &&Expr| match expr {
                    Expr::Const(number) => Some(*number),
                    _ => None,
                };
                let values: Vec<i64> = all.iter().map(number).collect::<Option<_>>()?;
                Some(self.parameter(values))
            }
            Expr::Load(_) => {
                let place = |expr: &&'_ Expr| match expr {
                    Expr::Load(place) => Some(place.clone()),
                    _ => None,
                };
                let places: Vec<Place> = all.iter().map(place).collect::<Option<_>>()?;
                Some(Expr::Load(self.place(&places.iter().collect::<Vec<_>>())?))
            }
            Expr::Unary(op, _) => {
                let operand = self.each(all, |expr| match expr {
                    Expr::Unary(other, operand) if other == op => Some(operand),
                    _ => None,
                })?;
                Some(Expr::Unary(*op, Box::new(operand)))
            }
            Expr::Binary(op, ..) => {
                let left = self.each(all, |expr| match expr {
                    Expr::Binary(other, left, _) if other == op => Some(left),
                    _ => None,
                })?;
                let right = self.each(all, |expr| match expr {
                    Expr::Binary(_, _, right) => Some(right),
                    _ => None,
                })?;
                Some(Expr::binary(*op, left, right))
            }
            Expr::Channel(query, _) => {
                let channel = self.each(all, |expr| match expr {
                    Expr::Channel(other, channel) if other == query => Some(channel),
                    _ => None,
                })?;
                Some(Expr::Channel(*query, Box::new(channel)))
            }
            _ => None,
        }
    }

    /// A constant that differs from template to template.
    fn parameter(&mut self, values: Vec<i64>) -> Expr {
        let known = self.parameters.iter().find(|parameter| parameter.values == values);
        let offset = known.map_or_else(
            || self.texts[0].locals.size + self.parameters.len() as u32 * ScalarType::INT.size(),
            |parameter| parameter.offset,
        );
        if known.is_none() {
            self.parameters.push(Parameter { offset, values });
        }
        Expr::Load(Place::fixed(Base::Own, offset, ScalarType::INT))
    }

    /// Merges places of one family. Where numbers of elements differ, they become indices.
    fn place(&mut self, all: &[&Place]) -> Option<Place> {
        let first = all[0];
        if all.iter().all(|place| *place == first) {
            return Some(first.clone());
        }
        if all.iter().any(|place| place.base != first.base || place.ty != first.ty) {
            return None;
        }
        let found = all.iter().enumerate().map(|(at, place)| {
            let home = match place.base {
                Base::Global => Home::Globals,
                Base::Own => Home::Locals(self.templates[at]),
                _ => return None,
            };
            let (family, indices) = self.families.find(home, place.offset, &place.indices)?;
            let indices = indices.into_iter().map(|index| match index {
                Ok(index) => index.value.clone(),
                Err(number) => Expr::Const(i64::from(number)),
            });
            Some((family, indices.collect::<Vec<Expr>>()))
        });
        let found: Vec<_> = found.collect::<Option<_>>()?;
        let family = found[0].0;
        if found.iter().any(|(other, _)| (other.offset, other.ty) != (family.offset, family.ty)) {
            return None;
        }
        let mut indices = Vec::new();
        for (at, dimension) in family.dimensions.iter().enumerate() {
            let column: Vec<&Expr> = found.iter().map(|(_, indices)| &indices[at]).collect();
            let value = self.expr(&column)?;
            indices.push(Index { value, length: dimension.length, stride: dimension.stride });
        }
        Some(Place { base: first.base.clone(), offset: family.offset, indices, ty: first.ty })
    }
}
