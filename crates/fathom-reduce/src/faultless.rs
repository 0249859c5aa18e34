//! Models that can do nothing wrong.
//!
//! Where no assertion stands in the text and no computation can fail, these two questions are answered before the
//! search, and only deadlocks are left to look for: then steps may be put off for ever, and no edge has to be
//! [`sticky`](crate::sticky). What is not obviously harmless counts as harmful.

use fathom_model::{Action, Expr, Initializer, Model, Pattern, Sync, Template, TemplateId};

use crate::access::{Channels, for_each_written, visit, visit_edge};
use crate::constant_channels::ConstantChannels;
use crate::slice::{has_fixed_indices, may_fail};
use crate::sticky::has_cycle;

/// Whether no assertion stands in a model.
pub(crate) fn asserts_nothing(model: &Model) -> bool {
    let mut edges = model.templates.iter().flat_map(|template| &template.edges);
    !edges.any(|edge| edge.effect.iter().any(|action| matches!(action, Action::Assert(_))))
}

/// Whether no step of a model can run into a fault other than a failed assertion.
pub(crate) fn is_faultless(model: &Model, constant: &ConstantChannels) -> bool {
    let templates = model.templates.iter().enumerate();
    templates.into_iter().all(|(index, template)| {
        let checked = Checked { model, constant, template, id: TemplateId::from(index) };
        checked.is_faultless()
    })
}

struct Checked<'a> {
    model: &'a Model,
    constant: &'a ConstantChannels,
    template: &'a Template,
    id: TemplateId,
}

impl Checked<'_> {
    fn is_faultless(&self) -> bool {
        // A block may get stuck, and an atomic loop may go on for ever.
        !self.template.locations.iter().any(|location| location.deterministic)
            && !has_cycle(self.template, &|edge| self.template.edge(edge).atomic)
            && self.creates_few()
            && self.computes_safely()
            && self.exchanges_safely()
    }

    /// Whether the processes that the template creates, and those that these create, are few: it is there from the
    /// start only, and creates nobody in a loop.
    fn creates_few(&self) -> bool {
        let created_in = |template: &Template| -> Vec<TemplateId> {
            let actions = template.edges.iter().flat_map(|edge| &edge.effect);
            let created = actions.filter_map(|action| match action {
                Action::Create { template, .. } => Some(*template),
                _ => None,
            });
            created.collect()
        };
        let creates = !created_in(self.template).is_empty();
        let is_created = self.model.templates.iter().any(|other| created_in(other).contains(&self.id));
        !creates || !is_created && !has_cycle(self.template, &|_| true)
    }

    fn computes_safely(&self) -> bool {
        let mut safe = true;
        let mut note = |expr: &Expr| safe &= !self.fails(expr);
        self.template.edges.iter().for_each(|edge| visit_edge(edge, &mut note));
        for initializer in &self.template.locals.initializers {
            if let Initializer::Value { value, .. } = initializer {
                visit(value, &mut note);
            }
        }
        for_each_written(self.template, &mut |place| safe &= has_fixed_indices(place));
        let priorities = |action: &Action| matches!(action, Action::SetPriority { .. });
        safe && !self.template.edges.iter().any(|edge| edge.effect.iter().any(priorities))
    }

    /// Whether an expression may fail, not counting its parts.
    fn fails(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Channel(_, channel) => self.fields_of(channel).is_none(),
            Expr::Poll { .. } | Expr::Enabled(_) => true,
            Expr::Created => false,
            Expr::Load(_) | Expr::Binary(..) => may_fail(expr),
            _ => false,
        }
    }

    fn exchanges_safely(&self) -> bool {
        self.template.edges.iter().all(|edge| match &edge.sync {
            None => true,
            Some(Sync::Send { channel, fields, .. }) => self.fields_of(channel) == Some(fields.len()),
            Some(Sync::Receive { channel, patterns, copy, .. }) => {
                let binds_safely = patterns
                    .iter()
                    .all(|pattern| !matches!(pattern, Pattern::Bind(place) if !has_fixed_indices(place)));
                !copy && binds_safely && self.fields_of(channel) == Some(patterns.len())
            }
        })
    }

    /// The number of fields of the channels that an expression can mean, when it always means one.
    fn fields_of(&self, channel: &Expr) -> Option<usize> {
        let Channels::Known(numbers) = self.constant.channels(channel, Some(self.id)) else { return None };
        let mut counts = numbers.iter().map(|&number| self.constant.n_fields(number));
        let first = counts.next()??;
        counts.all(|count| count == Some(first)).then_some(first)
    }
}
