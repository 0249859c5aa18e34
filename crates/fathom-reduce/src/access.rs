//! What an edge reads and writes.
//!
//! Everything that two processes can share is a *resource*: each byte of the globals, so that elements of an array
//! with constant indices are apart, the head and the tail of a channel, the table of processes. Two edges of different processes that share no resource, or
//! only read it, do not notice each other, whatever order they are taken in.
//!
//! A channel has two ends. A send works at the tail, a receive at the head, and as long as both are possible
//! they do not notice each other either: only a second sender, a second receiver, or someone who asks how full
//! the channel is would. (Holzmann and Peled, *An improvement in formal verification*, 1994, use the same fact,
//! but only where the author promises a single sender and receiver; here it is worked out.)
//!
//! Local variables are no resource, unless expressions of other processes look at them.

use fathom_model::{Action, Base, Edge, Expr, Guard, Index, Model, Pattern, Place, Sync, TemplateId};

pub(crate) use fathom_model::visit::{for_each_written, visit, visit_edge};

use crate::bits::Bits;
use crate::constant_channels::ConstantChannels;

/// The channels that an expression can stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Channels {
    /// One of these numbers.
    Known(Vec<u32>),
    /// The one in a local variable that is set once, at this offset of the locals.
    Local(u32),
    /// Any.
    Any,
}

/// A use of a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ChannelUse {
    pub channels: Channels,
    /// Puts something in at the tail.
    pub tail: bool,
    /// Takes something out at the head.
    pub head: bool,
    /// Notices what is put in.
    pub sees_tail: bool,
    /// Notices what is taken out.
    pub sees_head: bool,
}

impl ChannelUse {
    /// Looks at what is in the channel, and touches nothing.
    pub fn look(channels: Channels) -> ChannelUse {
        ChannelUse { channels, tail: false, head: false, sees_tail: true, sees_head: true }
    }

    /// Whether two uses of one channel get in each other's way.
    pub fn touches(&self, other: &ChannelUse) -> bool {
        (self.tail && (other.tail || other.sees_tail))
            || (self.head && (other.head || other.sees_head))
            || (self.sees_tail && other.tail)
            || (self.sees_head && other.head)
    }
}

/// What something reads and writes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Access {
    pub reads: Bits,
    pub writes: Bits,
    pub channels: Vec<ChannelUse>,
    /// May touch anything: nothing is known to be independent of it.
    pub everything: bool,
}

impl Access {
    /// Adds what another reads and writes. Gives whether anything was new.
    pub fn add(&mut self, other: &Access) -> bool {
        let mut changed = self.reads.add(&other.reads);
        changed |= self.writes.add(&other.writes);
        for channel in &other.channels {
            changed |= self.add_channel(channel.clone());
        }
        changed |= other.everything && !self.everything;
        self.everything |= other.everything;
        changed
    }

    /// Adds a use of a channel. Gives whether it was new.
    pub fn add_channel(&mut self, new: ChannelUse) -> bool {
        let Some(known) = self.channels.iter_mut().find(|known| known.channels == new.channels) else {
            self.channels.push(new);
            return true;
        };
        let before = known.clone();
        known.tail |= new.tail;
        known.head |= new.head;
        known.sees_tail |= new.sees_tail;
        known.sees_head |= new.sees_head;
        *known != before
    }
}

/// What an edge reads to be executable, and what it touches when it is executed.
#[derive(Clone, Default, Debug)]
pub(crate) struct EdgeAccess {
    /// What the guard and the patterns of a receive read.
    pub enabling: Access,
    pub executing: Access,
    /// The message that the edge exchanges.
    pub exchange: Option<Exchange>,
}

/// A message that an edge exchanges.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub channels: Channels,
    pub receives: bool,
    /// Takes any message that fits, not only the first.
    pub anywhere: bool,
    /// May be one half of a hand-shake.
    pub handshake: bool,
}

/// Numbers the resources of a model.
#[derive(Clone, Debug)]
pub(crate) struct Resources<'m> {
    model: &'m Model,
    pub constant: ConstantChannels,
    /// Templates that expressions of other processes look into.
    remote: Vec<bool>,
    /// Number of resources that stand for globals: one for each byte or, when there are many, for each variable.
    n_slots: usize,
    is_per_byte: bool,
}

/// Up to this many bytes of globals, each is a resource.
const MOST_BYTES: u32 = 2048;

impl<'m> Resources<'m> {
    /// `looked_at`: expressions about states that properties ask about.
    pub fn new(model: &'m Model, looked_at: &[&Expr]) -> Resources<'m> {
        let is_per_byte = model.globals.size <= MOST_BYTES;
        let mut resources = Resources {
            model,
            n_slots: if is_per_byte { model.globals.size as usize } else { model.globals.variables.len() },
            is_per_byte,
            constant: ConstantChannels::new(model),
            remote: vec![false; model.templates.len()],
        };
        resources.find_remote(looked_at);
        resources
    }

    /// The creation of processes.
    pub fn creation(&self) -> usize {
        self.n_slots
    }

    /// The end of processes. Two ends never get in each other's way: there is one youngest process.
    pub fn ending(&self) -> usize {
        self.creation() + 1
    }

    /// The location and locals of processes of a template, seen from outside.
    fn inside(&self, template: TemplateId) -> usize {
        self.creation() + 2 + template.index()
    }

    fn find_remote(&mut self, looked_at: &[&Expr]) {
        let mut remote = vec![false; self.remote.len()];
        let mut note = |expr: &Expr| match expr {
            Expr::AtLocation { template, .. }
            | Expr::Load(Place { base: Base::Other { template, .. }, .. }) => remote[template.index()] = true,
            Expr::LocationOf(_) | Expr::Enabled(_) | Expr::Priority(_) => {
                remote.iter_mut().for_each(|remote| *remote = true);
            }
            _ => {}
        };
        looked_at.iter().for_each(|expr| visit(expr, &mut note));
        for template in &self.model.templates {
            template.provided.iter().for_each(|expr| visit(expr, &mut note));
            for edge in &template.edges {
                visit_edge(edge, &mut note);
            }
        }
        self.remote = remote;
    }

    /// What a state expression reads, seen by no process.
    pub fn of_expr(&self, expr: &Expr) -> Access {
        let mut access = Access::default();
        self.read(expr, None, &mut access);
        access
    }

    /// What an edge of a template reads and writes.
    pub fn of_edge(&self, template: TemplateId, edge: &Edge) -> EdgeAccess {
        let own = Some(template);
        let mut enabling = Access::default();
        let mut executing = Access::default();
        match &edge.guard {
            Guard::When(condition) => self.read(condition, own, &mut enabling),
            Guard::Youngest => {
                enabling.reads.set(self.creation());
                enabling.reads.set(self.ending());
                // What executing an end notices is only that someone younger appears.
                executing.reads.set(self.creation());
            }
            Guard::Always | Guard::Else => {}
        }
        if !matches!(edge.guard, Guard::Youngest) {
            executing.add(&enabling);
        }
        let exchange = edge.sync.as_ref().map(|sync| self.of_sync(sync, own, &mut enabling, &mut executing));
        for action in &edge.effect {
            self.of_action(action, own, &mut executing);
        }
        if self.remote[template.index()] {
            executing.writes.set(self.inside(template));
        }
        EdgeAccess { enabling, executing, exchange }
    }

    fn of_sync(
        &self,
        sync: &Sync,
        own: Option<TemplateId>,
        enabling: &mut Access,
        executing: &mut Access,
    ) -> Exchange {
        let (Sync::Send { channel, .. } | Sync::Receive { channel, .. }) = sync;
        self.read(channel, own, executing);
        let channels = self.constant.channels(channel, own);
        let handshake = self.constant.may_rendezvous(&channels, self.model);
        let (mut receives, mut any_message) = (false, false);
        let mut touched = ChannelUse {
            channels: channels.clone(),
            tail: handshake,
            head: handshake,
            sees_tail: false,
            sees_head: false,
        };
        match sync {
            Sync::Send { fields, sorted, .. } => {
                fields.iter().for_each(|field| self.read(field, own, executing));
                touched.tail = true;
                touched.head |= *sorted;
            }
            Sync::Receive { patterns, which, copy, .. } => {
                for pattern in patterns {
                    match pattern {
                        Pattern::Match(value) => {
                            self.read(value, own, enabling);
                            self.read(value, own, executing);
                        }
                        Pattern::Bind(place) => self.write(place, own, executing),
                    }
                }
                (receives, any_message) = (true, !which.is_front());
                touched.head |= !*copy;
                touched.sees_head = *copy;
                touched.sees_tail = !which.is_front();
            }
        }
        executing.add_channel(touched);
        Exchange { channels, receives, anywhere: any_message, handshake }
    }

    fn of_action(&self, action: &Action, own: Option<TemplateId>, executing: &mut Access) {
        match action {
            Action::Assign(place, value) => {
                self.read(value, own, executing);
                self.write(place, own, executing);
            }
            Action::Create { arguments, .. } => {
                arguments.iter().for_each(|argument| self.read(argument, own, executing));
                executing.writes.set(self.creation());
            }
            Action::Require(condition) | Action::Assert(condition) => self.read(condition, own, executing),
            Action::Choose { .. } | Action::SetPriority { .. } => executing.everything = true,
            // What is printed in a trace is the trace's own business.
            Action::Print(_) => {}
            Action::End => executing.writes.set(self.ending()),
        }
    }

    fn read(&self, expr: &Expr, own: Option<TemplateId>, access: &mut Access) {
        visit(expr, &mut |part| match part {
            Expr::Load(place) => match &place.base {
                Base::Global => self.global(place, &mut access.reads),
                Base::Other { template, .. } => access.reads.set(self.inside(*template)),
                Base::Own | Base::Temporary | Base::Discard => {}
            },
            Expr::Channel(_, channel) | Expr::Poll { channel, .. } => {
                access.add_channel(ChannelUse::look(self.constant.channels(channel, own)));
            }
            Expr::ProcessCount => {
                access.reads.set(self.creation());
                access.reads.set(self.ending());
            }
            Expr::AtLocation { template, .. } => access.reads.set(self.inside(*template)),
            Expr::LastProcess
            | Expr::Enabled(_)
            | Expr::LocationOf(_)
            | Expr::Priority(_)
            | Expr::NonProgress
            | Expr::SomeAccepting => access.everything = true,
            // Never true while something else can move, and then nothing is reduced.
            Expr::Timeout => {}
            _ => {}
        });
    }

    fn write(&self, place: &Place, own: Option<TemplateId>, access: &mut Access) {
        if place.base == Base::Global {
            self.global(place, &mut access.writes);
        }
        place.indices.iter().for_each(|index| self.read(&index.value, own, access));
    }

    /// The resources of a global place.
    fn global(&self, place: &Place, bits: &mut Bits) {
        if self.is_per_byte {
            return each_start(place.offset, &place.indices, &mut |start| {
                (start..start + place.ty.size()).for_each(|byte| bits.set(byte as usize));
            });
        }
        let variables = &self.model.globals.variables;
        let found = variables.partition_point(|variable| variable.offset <= place.offset);
        if found > 0 {
            bits.set(found - 1);
        }
    }
}

/// Calls `f` on every offset that a place with these indices may start at.
fn each_start(offset: u32, indices: &[Index], f: &mut dyn FnMut(u32)) {
    let Some((index, rest)) = indices.split_first() else { return f(offset) };
    let constant = match index.value {
        Expr::Const(value) => u32::try_from(value).ok().filter(|value| *value < index.length),
        _ => None,
    };
    match constant {
        Some(value) => each_start(offset + value * index.stride, rest, f),
        None => (0..index.length).for_each(|value| each_start(offset + value * index.stride, rest, f)),
    }
}
