//! What the driver does at each location: decided once, when the model is compiled.
//!
//! A plan names functions first by their number in the list of what is to be compiled, and by their address
//! once they are ([`Plan::link`]).

use fathom_model::{Action, Edge, EdgeId, Expr, Guard, LocationId, Sync, TemplateId, TemplateRole};

use crate::Extent;
use crate::context::Code;
use crate::emit::Purpose;
use crate::facts::Facts;
use crate::kinds::{
    LocationKind, changes_records, changes_records_inside, channel_bit, grows, idle_offer, is_plain_move,
    location_kind, may_go_on, needs_one_by_one, requires, without_offers,
};

/// Plans for all templates.
#[derive(Debug)]
pub(crate) struct Plan<F> {
    pub templates: Vec<TemplatePlan<F>>,
    /// What is needed all the time of the plans of all locations, one template after the other.
    pub hot: Vec<HotPlan<F>>,
    /// Conditions of properties about single states.
    pub properties: Vec<F>,
    /// Which edges might be taken, by location, one template after the other; empty when nobody asks.
    pub might_take: Vec<F>,
}

/// What is needed all the time of the plan of a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HotPlan<F> {
    /// Takes all edges at once, or says that the whole plan is needed.
    pub expand: F,
    /// As in [`LocationPlan`].
    pub receives: u64,
    /// As in [`LocationPlan`].
    pub offers: u64,
    /// Number of edges.
    pub n_edges: u32,
    /// Whether the whole plan is always needed.
    pub is_special: bool,
    /// As in [`LocationPlan`].
    pub end: bool,
}

/// The plan of one template.
#[derive(Debug)]
pub(crate) struct TemplatePlan<F> {
    /// Offset of the location in the record.
    pub location_offset: u32,
    pub location_width: u32,
    pub provided: Option<F>,
    pub locations: Vec<LocationPlan<F>>,
}

/// The plan of one location.
#[derive(Debug)]
pub(crate) struct LocationPlan<F> {
    /// Takes all edges at once, or says that the rest of the plan is needed.
    pub expand: F,
    /// Number of edges.
    pub n_edges: usize,
    pub choices: Choices<F>,
    /// All edges, in the order of the groups and lists.
    pub edges: Vec<EdgePlan<F>>,
    /// The edges that may accept a message under way, by group; groups without are left out.
    pub receivers: Vec<Vec<ReceiverPlan<F>>>,
    /// Whether `expand` always says so.
    pub is_special: bool,
    /// `expand` says so when somebody may receive from one of these channels: the edges that offer something there
    /// are left out in it.
    pub offers: u64,
    /// A bit for each channel, by its number modulo 64, that one of the receivers may receive from.
    pub receives: u64,
    pub deterministic: bool,
    pub end: bool,
}

impl<F> LocationPlan<F> {
    /// The plan of a location where nobody rests: the interpreter is asked.
    fn unknown(expand: F) -> LocationPlan<F> {
        LocationPlan {
            expand,
            n_edges: 0,
            choices: Choices::Unknown,
            edges: Vec::new(),
            receivers: Vec::new(),
            is_special: true,
            offers: 0,
            receives: u64::MAX,
            deterministic: true,
            end: false,
        }
    }
}

/// How to find out which edges can be taken.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choices<F> {
    /// Not at all: they are taken at once.
    None,
    /// By one function, which gives a bit for each edge.
    Ask(F),
    /// One by one, because one depends on what comes of those before.
    OneByOne,
    /// By the interpreter: nobody rests here.
    Unknown,
}

/// How to take an edge.
#[derive(Debug)]
pub(crate) struct EdgePlan<F> {
    /// Its group.
    pub group: usize,
    /// Only when none before it was taken; asked one by one only.
    pub is_else: bool,
    /// Whether it can be taken; asked one by one only.
    pub guard: Option<F>,
    pub effect: EffectPlan<F>,
    /// The sender's half of a hand-shake.
    pub offered: EffectPlan<F>,
    /// The bit of the channel of an offer that is idle when nobody receives from it.
    pub offers: Option<u64>,
    /// Whether the process may go on alone afterwards, or the effect may refuse: the state may not be a step.
    pub is_tentative: bool,
}

/// How to do what an edge does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EffectPlan<F> {
    /// Never asked for.
    None,
    /// Nothing but the move to this location; then whether the process goes on alone.
    Goto(u32, bool),
    /// Nothing but the end of the process.
    End,
    /// Code that works in place.
    InPlace(F),
    /// Code that may add or remove records.
    Growing(F),
}

/// How to take an edge that receives a message under way.
#[derive(Debug)]
pub(crate) struct ReceiverPlan<F> {
    /// The only channel that it receives from, counted from 0, if that is known.
    pub channel: Option<u64>,
    pub accept: F,
    pub accepted: Option<F>,
}

/// Makes the plans of a model, and the list of what is to be compiled.
pub(crate) fn plan<'m>(
    facts: &Facts<'m>,
    properties: &[&'m Expr],
    extent: Extent,
) -> (Plan<usize>, Vec<Purpose<'m>>) {
    let mut planner = Planner { facts, wanted: Vec::new() };
    // Code that others go on with comes first.
    for (template, location) in facts.run_on.locations() {
        planner.want(Purpose::Run(template, location));
    }
    let templates = (0..facts.model.templates.len()).map(|index| planner.template(TemplateId::from(index)));
    let templates = templates.collect();
    let properties = properties.iter().map(|condition| planner.want(Purpose::Property(condition))).collect();
    let might_take = match extent {
        Extent::Steps => Vec::new(),
        Extent::StepsAndLooks => planner.looks(),
    };
    (Plan { templates, hot: Vec::new(), properties, might_take }, planner.wanted)
}

struct Planner<'p, 'm> {
    facts: &'p Facts<'m>,
    wanted: Vec<Purpose<'m>>,
}

impl<'m> Planner<'_, 'm> {
    fn want(&mut self, purpose: Purpose<'m>) -> usize {
        self.wanted.push(purpose);
        self.wanted.len() - 1
    }

    /// Code that says which edges might be taken, for each location where a process may rest.
    fn looks(&mut self) -> Vec<usize> {
        let mut looks = Vec::new();
        for (index, template) in self.facts.model.templates.iter().enumerate() {
            for (number, location) in template.locations.iter().enumerate() {
                let id = LocationId::from(number);
                let nobody_rests = location.deterministic && id != template.initial;
                let n_edges = location.groups.iter().map(Vec::len).sum::<usize>();
                let purpose = match template.role {
                    TemplateRole::Process if !nobody_rests && n_edges <= 64 => {
                        Purpose::MightTake(TemplateId::from(index), id)
                    }
                    _ => Purpose::Unknown,
                };
                looks.push(self.want(purpose));
            }
        }
        looks
    }

    fn template(&mut self, id: TemplateId) -> TemplatePlan<usize> {
        let template = self.facts.model.template(id);
        let layout = self.facts.layout.processes[id.index()];
        let mut plan = TemplatePlan {
            location_offset: layout.location,
            location_width: layout.location_width,
            provided: None,
            locations: Vec::new(),
        };
        // Claims and event traces are never processes of a state, but their locations are numbered.
        if template.role != TemplateRole::Process {
            let expand = self.want(Purpose::Nothing);
            plan.locations.extend(template.locations.iter().map(|_| LocationPlan::unknown(expand)));
        } else {
            plan.provided =
                template.provided.as_ref().map(|condition| self.want(Purpose::Provided(id, condition)));
            for index in 0..template.locations.len() {
                let location = self.location(id, LocationId::from(index));
                plan.locations.push(location);
            }
        }
        plan
    }

    fn location(&mut self, template_id: TemplateId, id: LocationId) -> LocationPlan<usize> {
        let template = self.facts.model.template(template_id);
        let location = template.location(id);
        // Nobody rests inside a block, unless it starts there.
        if location.deterministic && id != template.initial {
            return LocationPlan::unknown(self.want(Purpose::Nothing));
        }
        let mut plan = LocationPlan {
            expand: self.want(Purpose::Expand(template_id, id)),
            n_edges: location.groups.iter().map(Vec::len).sum(),
            choices: Choices::None,
            edges: Vec::new(),
            receivers: Vec::new(),
            is_special: false,
            offers: 0,
            receives: if template.provided.is_some() { u64::MAX } else { 0 },
            deterministic: location.deterministic,
            end: location.end,
        };
        let edges: Vec<&Edge> = location.groups.iter().flatten().map(|edge| template.edge(*edge)).collect();
        let kind = location_kind(self.facts, template_id, location);
        let is_special = kind != LocationKind::InPlace;
        plan.is_special = kind == LocationKind::Special;
        if is_special {
            plan.choices = if needs_one_by_one(self.facts, &edges) {
                Choices::OneByOne
            } else {
                Choices::Ask(self.want(Purpose::Choices(template_id, id)))
            };
        }
        for (group, edges) in location.groups.iter().enumerate() {
            if is_special {
                for &edge in edges {
                    let one_by_one = matches!(plan.choices, Choices::OneByOne);
                    plan.edges.push(self.edge(template_id, edge, group, one_by_one));
                }
            }
            let receivers: Vec<_> =
                edges.iter().filter_map(|&edge| self.receiver(template_id, edge)).collect();
            for receiver in &receivers {
                plan.receives |= receiver.channel.map_or(u64::MAX, channel_bit);
            }
            if !receivers.is_empty() {
                plan.receivers.push(receivers);
            }
        }
        if let Some((_, channels)) = without_offers(self.facts, template_id, location) {
            (plan.offers, plan.is_special) = (channels, false);
        }
        if location.groups.len() == 1 && !location.deterministic {
            for (edge, plan) in edges.iter().zip(&mut plan.edges) {
                plan.offers = idle_offer(self.facts, template_id, edge);
            }
        }
        plan
    }

    fn edge(&mut self, template: TemplateId, id: EdgeId, group: usize, one_by_one: bool) -> EdgePlan<usize> {
        let model = self.facts.model;
        let edge = model.template(template).edge(id);
        let mut plan = EdgePlan {
            group,
            is_else: edge.guard == Guard::Else,
            guard: None,
            effect: EffectPlan::None,
            offered: EffectPlan::None,
            offers: None,
            is_tentative: requires(edge) || may_go_on(model, template, edge),
        };
        if one_by_one && !(matches!(edge.guard, Guard::Always | Guard::Else) && edge.sync.is_none()) {
            plan.guard = Some(self.want(Purpose::Guard(template, id)));
        }
        if self.may_be_taken_alone(edge) {
            plan.effect = self.effect(template, id);
        }
        if self.facts.may_offer(edge.sync.as_ref()) && !changes_records(edge) {
            plan.offered = match self.plain_effect(template, edge) {
                Some(plain) => plain,
                None => EffectPlan::InPlace(self.want(Purpose::Offered(template, id))),
            };
        }
        plan
    }

    /// Whether an edge is ever taken without a partner.
    fn may_be_taken_alone(&self, edge: &Edge) -> bool {
        match &edge.sync {
            None => true,
            Some(Sync::Send { channel, .. } | Sync::Receive { channel, .. }) => {
                self.facts.classes_of(channel).iter().any(|class| !self.facts.classes[*class].is_rendezvous())
            }
        }
    }

    fn effect(&mut self, template: TemplateId, id: EdgeId) -> EffectPlan<usize> {
        let model = self.facts.model;
        let edge = model.template(template).edge(id);
        if edge.sync.is_none()
            && let Some(plain) = self.plain_effect(template, edge)
        {
            return plain;
        }
        let code = self.want(Purpose::Effect(template, id));
        if grows(model, template, id) { EffectPlan::Growing(code) } else { EffectPlan::InPlace(code) }
    }

    /// An effect, apart from the exchange, that needs no code.
    fn plain_effect(&self, template: TemplateId, edge: &Edge) -> Option<EffectPlan<usize>> {
        if is_plain_move(self.facts, template, edge) {
            return Some(EffectPlan::Goto(edge.target.0, edge.atomic));
        }
        let mut actions = edge.effect.iter().filter(|action| !matches!(action, Action::Print(_)));
        let only_ends = matches!((actions.next(), actions.next()), (Some(Action::End), None));
        (only_ends && self.facts.layout.last.is_none()).then_some(EffectPlan::End)
    }

    fn receiver(&mut self, template: TemplateId, id: EdgeId) -> Option<ReceiverPlan<usize>> {
        let model = self.facts.model;
        let edge = model.template(template).edge(id);
        let Some(Sync::Receive { channel, copy: false, .. }) = &edge.sync else { return None };
        let may_meet =
            self.facts.classes_of(channel).iter().any(|class| self.facts.classes[*class].is_rendezvous());
        let guard_is_total = match &edge.guard {
            Guard::When(condition) => self.facts.is_total(condition),
            Guard::Else => return None,
            Guard::Always | Guard::Youngest => true,
        };
        if !may_meet && guard_is_total && self.facts.always_names_channel(channel) {
            return None;
        }
        let number = self.facts.constant(channel).filter(|number| *number > 0 && guard_is_total);
        let accept = self.want(Purpose::Accept(template, id));
        let accepted = (!changes_records_inside(model, template, edge))
            .then(|| self.want(Purpose::Accepted(template, id)));
        Some(ReceiverPlan { channel: number.map(|number| number as u64 - 1), accept, accepted })
    }
}

impl Plan<usize> {
    /// Replaces the numbers of functions by their addresses.
    pub fn link(self, codes: &[Code]) -> Plan<Code> {
        let effect = |plan: EffectPlan<usize>| match plan {
            EffectPlan::None => EffectPlan::None,
            EffectPlan::Goto(target, atomic) => EffectPlan::Goto(target, atomic),
            EffectPlan::End => EffectPlan::End,
            EffectPlan::InPlace(code) => EffectPlan::InPlace(codes[code]),
            EffectPlan::Growing(code) => EffectPlan::Growing(codes[code]),
        };
        let edge = |plan: EdgePlan<usize>| EdgePlan {
            group: plan.group,
            is_else: plan.is_else,
            guard: plan.guard.map(|guard| codes[guard]),
            effect: effect(plan.effect),
            offered: effect(plan.offered),
            offers: plan.offers,
            is_tentative: plan.is_tentative,
        };
        let receiver = |plan: ReceiverPlan<usize>| ReceiverPlan {
            channel: plan.channel,
            accept: codes[plan.accept],
            accepted: plan.accepted.map(|code| codes[code]),
        };
        let receivers = |group: Vec<ReceiverPlan<usize>>| group.into_iter().map(receiver).collect();
        let location = |plan: LocationPlan<usize>| LocationPlan {
            expand: codes[plan.expand],
            n_edges: plan.n_edges,
            choices: match plan.choices {
                Choices::None => Choices::None,
                Choices::Ask(code) => Choices::Ask(codes[code]),
                Choices::OneByOne => Choices::OneByOne,
                Choices::Unknown => Choices::Unknown,
            },
            edges: plan.edges.into_iter().map(edge).collect(),
            receivers: plan.receivers.into_iter().map(receivers).collect(),
            is_special: plan.is_special,
            offers: plan.offers,
            receives: plan.receives,
            deterministic: plan.deterministic,
            end: plan.end,
        };
        let template = |plan: TemplatePlan<usize>| TemplatePlan {
            location_offset: plan.location_offset,
            location_width: plan.location_width,
            provided: plan.provided.map(|provided| codes[provided]),
            locations: plan.locations.into_iter().map(location).collect(),
        };
        let templates: Vec<TemplatePlan<Code>> = self.templates.into_iter().map(template).collect();
        let hot = |plan: &LocationPlan<Code>| HotPlan {
            expand: plan.expand,
            receives: plan.receives,
            offers: plan.offers,
            n_edges: plan.n_edges as u32,
            is_special: plan.is_special,
            end: plan.end,
        };
        Plan {
            hot: templates.iter().flat_map(|template| template.locations.iter().map(hot)).collect(),
            templates,
            properties: self.properties.iter().map(|property| codes[*property]).collect(),
            might_take: self.might_take.iter().map(|look| codes[*look]).collect(),
        }
    }
}
