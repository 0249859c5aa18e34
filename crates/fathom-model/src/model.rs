//! The model: communicating processes with guarded edges.
//!
//! Front ends end here. A model is plain data; what it means is written down once, in the reference
//! [`interpreter`](crate::interpreter), and everything faster is tested against that.
//!
//! # Meaning in short
//!
//! A state holds the globals, then processes and channels in the order of their creation. A process is at
//! a location of its template. From a location it may take one of the location's edges: the first *group*
//! of edges with an executable one counts, the groups after it do not (this is how an `unless` escape
//! overrules the statement it guards). A step of the system is one edge of one process, or a hand-shake of
//! two. After an edge marked *atomic* the same process goes on alone as part of the same step, until it
//! takes an edge without the mark or blocks. At a location marked *deterministic* it goes on as well, takes
//! its first executable edge, and may not block.

use fathom_source::Span;

use crate::{
    Base, ChannelTypeId, EdgeId, Enumeration, Expr, Frame, Listing, LocationId, Pattern, Place, Property,
    Record, ScalarType, TemplateId, Which,
};

/// A whole model.
#[derive(Clone, Default, Debug)]
pub struct Model {
    /// Name, usually that of the main file.
    pub name: String,
    /// Enumerations, for printing.
    pub enumerations: Vec<Enumeration>,
    /// Record types.
    pub records: Vec<Record>,
    /// Channel types.
    pub channel_types: Vec<ChannelType>,
    /// The variables that all processes share. Their initialisers run first and may create channels.
    pub globals: Frame,
    /// Process templates.
    pub templates: Vec<Template>,
    /// The processes alive at the start, in order of creation.
    pub start: Vec<Start>,
    /// What happens once the processes are there, before anyone looks: each of its outcomes is an initial state. Nobody
    /// does it, so it reads and writes globals, and variables of processes by their numbers.
    pub initial_effect: Vec<Action>,
    /// What is asked.
    pub properties: Vec<Property>,
    /// Whether [`Expr::LastProcess`] occurs: the last process becomes part of the state.
    pub uses_last: bool,
    /// Whether priorities steer scheduling: each process carries one, and only processes of the highest
    /// priority among those that can move do move.
    pub uses_priorities: bool,
    /// Whether [`Expr::Timeout`] occurs.
    pub uses_timeout: bool,
    /// How far outcomes are listed, and whether some were left out.
    pub listing: Listing,
}

/// A process that is there from the start.
#[derive(Clone, Debug)]
pub struct Start {
    /// Its template.
    pub template: TemplateId,
    /// Its arguments, one for each parameter.
    pub arguments: Vec<Expr>,
    /// Its priority, 1 to 255; 1 unless the author says otherwise.
    pub priority: u8,
}

/// The type of a channel: how many messages it holds, and of what.
#[derive(Clone, Debug)]
pub struct ChannelType {
    /// Name for printing, usually that of the variable declared with it.
    pub name: String,
    /// Number of messages that fit; 0 makes every exchange a hand-shake.
    pub capacity: u32,
    /// Types of the fields of a message, records flattened.
    pub fields: Vec<ScalarType>,
}

impl ChannelType {
    /// Whether every exchange is a hand-shake.
    pub fn is_rendezvous(&self) -> bool {
        self.capacity == 0
    }

    /// Bytes of one message.
    pub fn message_size(&self) -> u32 {
        self.fields.iter().map(|field| field.size()).sum()
    }
}

/// What instances of a template are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TemplateRole {
    /// A process of the system.
    Process,
    /// A claim: moves in lock-step with the system and watches it. Never started as a process.
    Claim,
    /// An event trace: follows the messages of the system.
    EventTrace {
        /// Whether a run that matches is the error, not one that fails to match.
        negated: bool,
    },
}

/// A process template.
#[derive(Clone, Debug)]
pub struct Template {
    /// Name as the author wrote it.
    pub name: String,
    /// What its instances are.
    pub role: TemplateRole,
    /// Locals, parameters first.
    pub locals: Frame,
    /// Types of the parameters, with their places in `locals`.
    pub parameters: Vec<Place>,
    /// Control locations.
    pub locations: Vec<Location>,
    /// Edges; a location lists those that leave it, and two locations may share one.
    pub edges: Vec<Edge>,
    /// Where an instance starts.
    pub initial: LocationId,
    /// A process takes no edge while this is false.
    pub provided: Option<Expr>,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// A control location.
#[derive(Clone, Default, Debug)]
pub struct Location {
    /// Labels that the author put here.
    pub labels: Vec<String>,
    /// Edges that leave, in groups of falling precedence. An ordinary location has one group.
    pub groups: Vec<Vec<EdgeId>>,
    /// A process may rest here for good.
    pub end: bool,
    /// Being here is progress.
    pub progress: bool,
    /// Being here infinitely often is accepting.
    pub accept: bool,
    /// Inside an indivisible block: see the module header.
    pub deterministic: bool,
    /// Where it stands in the text.
    pub span: Option<Span>,
}

/// When an edge is executable, besides what its synchronisation asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Always.
    Always,
    /// When this is not 0.
    When(Expr),
    /// When no edge listed before it at the location is executable. A hand-shake offer listed before it
    /// counts when another process accepts it.
    Else,
    /// When the process is the youngest alive: processes end in the reverse order of their creation.
    Youngest,
}

/// An exchange of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sync {
    /// Puts a message into a channel. On a hand-shake channel, needs another process that can receive it
    /// now, and both edges are one step.
    Send {
        /// The channel's number.
        channel: Expr,
        /// The fields.
        fields: Vec<Expr>,
        /// Insert before the first message that is greater, fields compared in order.
        sorted: bool,
    },
    /// Takes a message out of a channel.
    Receive {
        /// The channel's number.
        channel: Expr,
        /// What the fields must be and where they go.
        patterns: Vec<Pattern>,
        /// Which message it takes.
        which: Which,
        /// Leave the message in the channel.
        copy: bool,
    },
}

/// One thing that an edge does. Actions run in order, on the state left by those before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Stores a value, truncated to the type of the place.
    Assign(Place, Expr),
    /// Stores any of the values from `least` to `most`: the effect has an outcome for each, and the edge leads to as many states. Edges
    /// that choose exchange no message and do not leave deterministic locations.
    Choose {
        /// Where the value goes.
        place: Place,
        /// The first value, which is tried first.
        least: i64,
        /// The last value, not below the first.
        most: i64,
    },
    /// Creates a process. Its number is [`Expr::Created`] from here on.
    Create {
        /// The template.
        template: TemplateId,
        /// One argument for each parameter.
        arguments: Vec<Expr>,
        /// Its priority.
        priority: u8,
    },
    /// The edge is not executable after all when this is 0.
    Require(Expr),
    /// Violates the assertion property when this is 0. The process goes on.
    Assert(Expr),
    /// Sets the priority of a process.
    SetPriority {
        /// The process.
        process: Expr,
        /// The priority, 1 to 255.
        priority: Expr,
    },
    /// Prints, in traces and simulations.
    Print(Vec<PrintPart>),
    /// Ends the process: it goes, and with it all channels younger than it.
    End,
}

/// A piece of printed text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PrintPart {
    /// As it stands.
    Text(String),
    /// A value.
    Value(Expr, PrintForm),
}

/// How a value is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrintForm {
    /// Decimal, with sign.
    Decimal,
    /// Decimal, without sign.
    Unsigned,
    /// Hexadecimal.
    Hexadecimal,
    /// Octal.
    Octal,
    /// One character.
    Character,
    /// `true` or `false`.
    Truth,
    /// The name of a member of an enumeration, or the number when it has none.
    Name(crate::EnumerationId),
}

/// A way from one location to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// When it is executable.
    pub guard: Guard,
    /// The message it exchanges.
    pub sync: Option<Sync>,
    /// What it does after that.
    pub effect: Vec<Action>,
    /// Where it leads.
    pub target: LocationId,
    /// The process goes on alone afterwards.
    pub atomic: bool,
    /// The statement in the text.
    pub span: Option<Span>,
    /// The statement, printed.
    pub text: String,
}

impl Model {
    /// The template of an identity.
    pub fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.index()]
    }

    /// The channel type of an identity.
    pub fn channel_type(&self, id: ChannelTypeId) -> &ChannelType {
        &self.channel_types[id.index()]
    }

    /// Whether some effect chooses a value or needs temporaries: native code and reductions do without such models.
    pub fn has_choices(&self) -> bool {
        let is_meant = |action: &Action| match action {
            Action::Choose { .. } => true,
            Action::Assign(place, _) => place.base == Base::Temporary,
            _ => false,
        };
        let mut edges = self.templates.iter().flat_map(|template| &template.edges);
        !self.initial_effect.is_empty() || edges.any(|edge| edge.effect.iter().any(is_meant))
    }

    /// Finds a template by name.
    pub fn find_template(&self, name: &str) -> Option<TemplateId> {
        self.templates.iter().position(|template| template.name == name).map(TemplateId::from)
    }
}

impl Template {
    /// The edge of an identity.
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    /// The location of an identity.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }

    /// Finds a location by one of its labels.
    pub fn find_label(&self, label: &str) -> Option<LocationId> {
        self.locations
            .iter()
            .position(|location| location.labels.iter().any(|name| name == label))
            .map(LocationId::from)
    }
}
