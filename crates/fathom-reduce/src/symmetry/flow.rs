//! Where values flow: which variables hold names of processes, of channels, or of elements of arrays, and what is asked
//! about such names beyond whether they are equal.
//!
//! Everything that can hold a value is a node; an assignment, a comparison or an index puts two nodes into one class (the
//! scalar sets of Ip and Dill 1996, inferred, as in Donaldson and Miller 2005). A class of names is one whose values
//! are compared, passed on and used as indices only. What else is computed from names alone does not spoil that: it is a
//! *table*, a function or a relation on names, which a permutation has to keep. `(x + 1) % N` leaves the rotations of a
//! ring, `x < y` leaves nothing, and no rule is needed for either.

use std::collections::BTreeSet;

use fathom_model::{
    Action, Base, Edge, Expr, Guard, Initializer, Model, Pattern, Place, ScalarType, Sync, UnaryOp,
};

use super::families::{Families, Home, Node};
use super::fold::{Fold, read_as};
use super::set_up::SetUp;

/// What is known of a class of nodes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Class {
    /// Its values are numbers: something is computed from them that has more in it than names.
    pub is_number: bool,
    /// Numbers in the text that its values are compared with or set to.
    pub constants: BTreeSet<i64>,
    /// Values that are there before anything is done: see `first_values.rs`.
    pub first_values: BTreeSet<i64>,
    /// Lengths of the arrays that it indexes.
    pub lengths: BTreeSet<u32>,
    /// Templates whose processes' numbers come in.
    pub own: BTreeSet<usize>,
    /// Its values say which process is meant.
    pub names_processes: bool,
    /// Its values are channels.
    pub is_channel: bool,
    /// What the messages of such a channel hold, as far as it was asked.
    pub fields: Vec<Node>,
    /// Types that its values have to fit into.
    pub types: Vec<ScalarType>,
}

impl Class {
    /// Whether its values are numbers of processes, if they are names.
    pub fn is_process(&self) -> bool {
        self.names_processes || !self.own.is_empty()
    }
}

/// Something computed from names alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Table {
    pub expr: Expr,
    /// What varies in it: parts of the expression, at most two.
    pub leaves: Vec<Expr>,
    /// Their class.
    pub node: Node,
    /// The value is a name of the same class; otherwise it is a number.
    pub is_function: bool,
}

/// What flows where.
#[derive(Clone, Debug)]
pub(super) struct Flow<'m> {
    model: &'m Model,
    pub families: Families,
    parents: Vec<Node>,
    classes: Vec<Class>,
    /// By template: the numbers of its processes.
    own: Vec<Node>,
    /// Nodes from 0 on that are parts of the model, and not of its text.
    pub n_given: usize,
    /// By channel type.
    pub messages: Vec<Vec<Node>>,
    pub tables: Vec<Table>,
    /// By template: someone asks for the first of its processes.
    pub is_ordered: Vec<bool>,
    /// By template: someone looks at its processes by template and number.
    pub is_looked_into: Vec<bool>,
}

/// What an expression is.
enum Kind {
    Constant(i64),
    /// A value of this class.
    Name(Node),
    /// Computed from the values of this class alone.
    Computed(Node),
    /// Anything else.
    Number,
}

/// Who looks, and what was done before.
#[derive(Clone, Copy)]
struct Looking {
    template: Option<usize>,
    created: Option<usize>,
}

impl<'m> Flow<'m> {
    /// Follows the values of a model from where it is set up; none when it has something that cannot be followed.
    pub fn of(model: &'m Model, looked_at: &[&Expr], late: &SetUp) -> Option<Flow<'m>> {
        let mut families = Families::of(model)?;
        let own: Vec<Node> = model.templates.iter().map(|_| families.fresh()).collect();
        let messages: Vec<Vec<Node>> = model
            .channel_types
            .iter()
            .map(|ty| ty.fields.iter().map(|_| families.fresh()).collect())
            .collect();
        let mut flow = Flow {
            model,
            parents: (0..families.n_nodes).collect(),
            classes: vec![Class::default(); families.n_nodes],
            n_given: families.n_nodes,
            families,
            own,
            messages,
            tables: Vec::new(),
            is_ordered: vec![false; model.templates.len()],
            is_looked_into: vec![false; model.templates.len()],
        };
        flow.start();
        for (template, text) in model.templates.iter().enumerate() {
            let looking = Looking { template: Some(template), created: None };
            flow.channels_of(&text.locals.initializers, Home::Locals(template))?;
            if late.starts_late(template) {
                flow.initializers(&text.locals.initializers, Home::Locals(template), looking)?;
            }
            if let Some(provided) = &text.provided {
                flow.condition(provided, looking)?;
            }
            for edge in late.edges(model, template) {
                flow.edge(edge, looking)?;
            }
        }
        let nobody = Looking { template: None, created: None };
        flow.channels_of(&model.globals.initializers, Home::Globals)?;
        for expr in looked_at {
            flow.condition(expr, nobody)?;
        }
        Some(flow)
    }

    /// Follows the values of a model from its first state on, whoever starts when. Templates that are read as one have their first values
    /// in the variables of the one.
    pub fn of_everything(
        model: &'m Model,
        looked_at: &[&Expr],
        set_up: &SetUp,
        folds: &[Fold],
    ) -> Option<Flow<'m>> {
        let mut flow = Flow::of(model, looked_at, &set_up.ignored())?;
        let nobody = Looking { template: None, created: None };
        flow.initializers(&model.globals.initializers, Home::Globals, nobody)?;
        for start in &model.start {
            let template = start.template.index();
            for (parameter, argument) in model.templates[template].parameters.iter().zip(&start.arguments) {
                let node = flow.place_in(Home::Locals(read_as(folds, template)), parameter, nobody)?;
                flow.flow(argument, node, nobody)?;
            }
        }
        for fold in folds {
            let looking = Looking { template: Some(fold.templates[0]), created: None };
            for &other in &fold.templates[1..] {
                let first = &model.templates[other].locals.initializers;
                flow.initializers(first, Home::Locals(fold.templates[0]), looking)?;
            }
        }
        Some(flow)
    }

    /// Classes for which it matters which values there are: something is computed from them, or they have to fit.
    pub fn classes_with_tables(&self) -> BTreeSet<Node> {
        let tables = self.tables.iter().map(|table| self.root(table.node));
        let fitted = (0..self.n_given).map(|node| self.root(node)).filter(|&node| {
            let types = &self.classes[node].types;
            types.iter().any(|ty| (ty.bits, ty.signed) != (types[0].bits, types[0].signed))
        });
        let may_be_names = |class: &Class| !class.is_number && !class.is_channel;
        tables.chain(fitted).filter(|&node| may_be_names(&self.classes[node])).collect()
    }

    /// These values are in a class from the start.
    pub fn add_first_values(&mut self, node: Node, values: &BTreeSet<i64>) {
        self.class_mut(node).first_values.extend(values);
    }

    /// The values of a class are numbers.
    pub fn make_number(&mut self, node: Node) {
        self.class_mut(node).is_number = true;
    }

    /// What is known before anything is read.
    fn start(&mut self) {
        for family in self.families.all.clone() {
            self.classes[family.node].types.push(family.ty);
            for dimension in &family.dimensions {
                self.classes[dimension.node].lengths.insert(dimension.length);
            }
        }
        for (template, &node) in self.own.clone().iter().enumerate() {
            self.classes[node].own.insert(template);
        }
        for (ty, fields) in self.model.channel_types.iter().zip(self.messages.clone()) {
            for (field, node) in ty.fields.iter().zip(fields) {
                self.classes[node].types.push(*field);
            }
        }
    }

    /// The node that stands for the class of a node.
    pub fn root(&self, mut node: Node) -> Node {
        while self.parents[node] != node {
            node = self.parents[node];
        }
        node
    }

    /// What is known of the class of a node.
    pub fn class(&self, node: Node) -> &Class {
        &self.classes[self.root(node)]
    }

    fn class_mut(&mut self, node: Node) -> &mut Class {
        let root = self.root(node);
        &mut self.classes[root]
    }

    fn fresh(&mut self) -> Node {
        let node = self.families.fresh();
        self.parents.push(node);
        self.classes.push(Class::default());
        node
    }

    fn unite(&mut self, left: Node, right: Node) {
        let mut pending = vec![(left, right)];
        while let Some((left, right)) = pending.pop() {
            let (left, right) = (self.root(left), self.root(right));
            if left == right {
                continue;
            }
            let other = std::mem::take(&mut self.classes[right]);
            self.parents[right] = left;
            let class = &mut self.classes[left];
            class.is_number |= other.is_number;
            class.names_processes |= other.names_processes;
            class.is_channel |= other.is_channel;
            class.constants.extend(other.constants);
            class.lengths.extend(other.lengths);
            class.own.extend(other.own);
            class.types.extend(other.types);
            pending.extend(class.fields.iter().copied().zip(other.fields.iter().copied()));
            if other.fields.len() > class.fields.len() {
                let rest = class.fields.len()..;
                class.fields.extend_from_slice(&other.fields[rest]);
            }
        }
    }

    /// The node of field `index` of the messages of channels of a class.
    fn field(&mut self, channel: Node, index: usize) -> Node {
        while self.class(channel).fields.len() <= index {
            let node = self.fresh();
            self.class_mut(channel).fields.push(node);
        }
        self.class(channel).fields[index]
    }

    /// Channels that start here have messages of their type.
    fn channels_of(&mut self, all: &[Initializer], home: Home) -> Option<()> {
        for initializer in all {
            let Initializer::Channel { place, channel_type } = initializer else { continue };
            let (family, _) = self.families.find(home, place.offset, &place.indices)?;
            let node = family.node;
            self.class_mut(node).is_channel = true;
            for (index, field) in self.messages[channel_type.index()].clone().into_iter().enumerate() {
                let other = self.field(node, index);
                self.unite(other, field);
            }
        }
        Some(())
    }

    /// First values, where processes may start later. Where they do not, first values belong to the first state, which need
    /// not look like its images.
    fn initializers(&mut self, all: &[Initializer], home: Home, looking: Looking) -> Option<()> {
        for initializer in all {
            match initializer {
                Initializer::Value { place, value } => {
                    let node = self.place_in(home, place, looking)?;
                    self.flow(value, node, looking)?;
                }
                Initializer::Channel { place, .. } => {
                    self.place_in(home, place, looking)?;
                }
            }
        }
        Some(())
    }

    fn edge(&mut self, edge: &Edge, looking: Looking) -> Option<()> {
        match &edge.guard {
            Guard::When(condition) => self.condition(condition, looking)?,
            Guard::Always | Guard::Else | Guard::Youngest => (),
        }
        match &edge.sync {
            Some(Sync::Send { channel, fields, sorted }) => {
                let channel = self.channel(channel, looking)?;
                for (index, value) in fields.iter().enumerate() {
                    let field = self.field(channel, index);
                    self.flow(value, field, looking)?;
                    self.class_mut(field).is_number |= *sorted;
                }
            }
            Some(Sync::Receive { channel, patterns, .. }) => self.patterns(channel, patterns, looking)?,
            None => (),
        }
        let mut looking = looking;
        for action in &edge.effect {
            self.action(action, &mut looking)?;
        }
        Some(())
    }

    fn action(&mut self, action: &Action, looking: &mut Looking) -> Option<()> {
        match action {
            Action::Assign(place, value) => match self.place(place, *looking)? {
                Some(node) => self.flow(value, node, *looking)?,
                None => {
                    let kind = self.kind(value, *looking)?;
                    self.is_number(kind);
                }
            },
            Action::Choose { place, .. } => {
                if let Some(node) = self.place(place, *looking)? {
                    self.class_mut(node).is_number = true;
                }
            }
            Action::Create { template, arguments, .. } => {
                let parameters = &self.model.templates[template.index()].parameters;
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    let node = self.place_in(Home::Locals(template.index()), parameter, *looking)?;
                    self.flow(argument, node, *looking)?;
                }
                looking.created = Some(template.index());
            }
            Action::Require(condition) | Action::Assert(condition) => self.condition(condition, *looking)?,
            Action::SetPriority { process, priority } => {
                self.process(process, *looking)?;
                let kind = self.kind(priority, *looking)?;
                self.is_number(kind);
            }
            // What is printed is no part of a state.
            Action::Print(_) | Action::End => (),
        }
        Some(())
    }

    fn patterns(&mut self, channel: &Expr, patterns: &[Pattern], looking: Looking) -> Option<()> {
        let channel = self.channel(channel, looking)?;
        for (index, pattern) in patterns.iter().enumerate() {
            let field = self.field(channel, index);
            match pattern {
                Pattern::Match(value) => self.flow(value, field, looking)?,
                Pattern::Bind(place) => {
                    if let Some(node) = self.place(place, looking)? {
                        self.unite(field, node);
                    }
                }
            }
        }
        Some(())
    }

    /// The class of a place; none for what is forgotten.
    fn place(&mut self, place: &Place, looking: Looking) -> Option<Option<Node>> {
        let home = match &place.base {
            Base::Global => Home::Globals,
            Base::Own => Home::Locals(looking.template?),
            Base::Other { template, process } => {
                self.look_into(template.index(), process.as_deref(), looking)?;
                Home::Locals(template.index())
            }
            Base::Temporary => return None,
            Base::Discard => return Some(None),
        };
        self.place_in(home, place, looking).map(Some)
    }

    fn place_in(&mut self, home: Home, place: &Place, looking: Looking) -> Option<Node> {
        let (family, found) = self.families.find(home, place.offset, &place.indices)?;
        let node = family.node;
        let dimensions: Vec<Node> = family.dimensions.iter().map(|dimension| dimension.node).collect();
        for (dimension, index) in dimensions.into_iter().zip(found) {
            match index {
                Ok(index) => self.flow(&index.value, dimension, looking)?,
                Err(number) => {
                    self.class_mut(dimension).constants.insert(i64::from(number));
                }
            }
        }
        Some(node)
    }

    /// A value goes into a class, or is compared with what is in it.
    fn flow(&mut self, value: &Expr, node: Node, looking: Looking) -> Option<()> {
        match self.kind(value, looking)? {
            Kind::Constant(number) => {
                self.class_mut(node).constants.insert(number);
            }
            Kind::Name(other) => self.unite(node, other),
            Kind::Computed(other) => {
                self.unite(node, other);
                self.table(value, other, true);
            }
            Kind::Number => self.class_mut(node).is_number = true,
        }
        Some(())
    }

    /// Names that are used as numbers.
    fn is_number(&mut self, kind: Kind) {
        if let Kind::Name(node) | Kind::Computed(node) = kind {
            self.class_mut(node).is_number = true;
        }
    }

    fn table(&mut self, expr: &Expr, node: Node, is_function: bool) {
        let mut leaves = Vec::new();
        leaves_of(expr, &mut leaves);
        if leaves.len() > if is_function { 1 } else { 2 } {
            self.class_mut(node).is_number = true;
        } else {
            self.tables.push(Table { expr: expr.clone(), leaves, node, is_function });
        }
    }

    /// An expression that is true or false.
    fn condition(&mut self, expr: &Expr, looking: Looking) -> Option<()> {
        match self.kind(expr, looking)? {
            Kind::Name(node) => {
                self.class_mut(node).constants.insert(0);
            }
            Kind::Computed(node) => self.table(expr, node, false),
            Kind::Constant(_) | Kind::Number => (),
        }
        Some(())
    }

    fn channel(&mut self, expr: &Expr, looking: Looking) -> Option<Node> {
        let node = self.fresh();
        self.flow(expr, node, looking)?;
        self.class_mut(node).is_channel = true;
        Some(node)
    }

    fn process(&mut self, expr: &Expr, looking: Looking) -> Option<()> {
        let node = self.fresh();
        self.flow(expr, node, looking)?;
        self.class_mut(node).names_processes = true;
        Some(())
    }

    /// Someone looks at a process of a template: the one with a number, or the first.
    fn look_into(&mut self, template: usize, process: Option<&Expr>, looking: Looking) -> Option<()> {
        self.is_looked_into[template] = true;
        match process {
            Some(process) => self.process(process, looking)?,
            None => self.is_ordered[template] = true,
        }
        Some(())
    }

    fn kind(&mut self, expr: &Expr, looking: Looking) -> Option<Kind> {
        Some(match expr {
            Expr::Const(number) => Kind::Constant(*number),
            Expr::Load(place) => match self.place(place, looking)? {
                Some(node) => Kind::Name(node),
                None => Kind::Constant(0),
            },
            Expr::OwnProcess => Kind::Name(self.own[looking.template?]),
            Expr::Created => Kind::Name(self.own[looking.created?]),
            Expr::Unary(UnaryOp::Not, operand) => {
                self.condition(operand, looking)?;
                Kind::Number
            }
            Expr::Unary(op, operand) => match self.kind(operand, looking)? {
                Kind::Name(node) | Kind::Computed(node) => Kind::Computed(node),
                Kind::Constant(number) => Kind::Constant(op.apply(number)),
                Kind::Number => Kind::Number,
            },
            Expr::Binary(op, left, right) => return self.binary(expr, *op, left, right, looking),
            Expr::Conditional(condition, then, otherwise) => {
                self.condition(condition, looking)?;
                let node = self.fresh();
                self.flow(then, node, looking)?;
                self.flow(otherwise, node, looking)?;
                Kind::Name(node)
            }
            Expr::Channel(_, channel) => {
                self.channel(channel, looking)?;
                Kind::Number
            }
            Expr::Poll { channel, patterns, .. } => {
                self.patterns(channel, patterns, looking)?;
                Kind::Number
            }
            Expr::Enabled(process) | Expr::LocationOf(process) | Expr::Priority(process) => {
                self.process(process, looking)?;
                Kind::Number
            }
            Expr::AtLocation { template, process, .. } => {
                self.look_into(template.index(), process.as_deref(), looking)?;
                Kind::Number
            }
            Expr::ProcessCount | Expr::Timeout | Expr::NonProgress | Expr::SomeAccepting => Kind::Number,
            Expr::LastProcess => return None,
        })
    }

    fn binary(
        &mut self,
        expr: &Expr,
        op: fathom_model::BinaryOp,
        left: &Expr,
        right: &Expr,
        looking: Looking,
    ) -> Option<Kind> {
        use fathom_model::BinaryOp::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
        if matches!(op, And | Or) {
            self.condition(left, looking)?;
            self.condition(right, looking)?;
            return Some(Kind::Number);
        }
        let is_question = matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual);
        let kinds = (self.kind(left, looking)?, self.kind(right, looking)?);
        let node = match kinds {
            (Kind::Name(node), Kind::Constant(number)) | (Kind::Constant(number), Kind::Name(node))
                if matches!(op, Equal | NotEqual) =>
            {
                self.class_mut(node).constants.insert(number);
                return Some(Kind::Number);
            }
            (Kind::Name(node), Kind::Name(other)) if matches!(op, Equal | NotEqual) => {
                self.unite(node, other);
                return Some(Kind::Number);
            }
            (Kind::Name(node) | Kind::Computed(node), Kind::Constant(_))
            | (Kind::Constant(_), Kind::Name(node) | Kind::Computed(node)) => node,
            (Kind::Name(node) | Kind::Computed(node), Kind::Name(other) | Kind::Computed(other)) => {
                self.unite(node, other);
                node
            }
            (Kind::Constant(left), Kind::Constant(right)) => {
                return Some(op.apply(left, right).map_or(Kind::Number, Kind::Constant));
            }
            (Kind::Number, other) | (other, Kind::Number) => {
                self.is_number(other);
                return Some(Kind::Number);
            }
        };
        if is_question {
            self.table(expr, node, false);
            return Some(Kind::Number);
        }
        Some(Kind::Computed(node))
    }
}

/// The parts of an expression that vary: variables and numbers of processes, each once.
fn leaves_of(expr: &Expr, leaves: &mut Vec<Expr>) {
    match expr {
        Expr::Unary(_, operand) => leaves_of(operand, leaves),
        Expr::Binary(_, left, right) => {
            leaves_of(left, leaves);
            leaves_of(right, leaves);
        }
        Expr::Const(_) => (),
        other => {
            if !leaves.contains(other) {
                leaves.push(other.clone());
            }
        }
    }
}

/// The value of an expression whose leaves have these values; none when it faults.
pub(super) fn value_of(expr: &Expr, leaves: &[Expr], values: &[i64]) -> Option<i64> {
    if let Some(index) = leaves.iter().position(|leaf| leaf == expr) {
        return Some(values[index]);
    }
    match expr {
        Expr::Const(number) => Some(*number),
        Expr::Unary(op, operand) => Some(op.apply(value_of(operand, leaves, values)?)),
        Expr::Binary(op, left, right) => {
            op.apply(value_of(left, leaves, values)?, value_of(right, leaves, values)?).ok()
        }
        _ => None,
    }
}
