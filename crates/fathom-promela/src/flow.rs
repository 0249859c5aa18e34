//! The control-flow graph of a process, as Promela draws it.
//!
//! How many states a Promela model has depends on which points of the text are control locations, so this
//! graph follows the rules of the language's reference tool (Holzmann, *The Spin Model Checker*, 2004;
//! version 6.5 of the tool) to the letter:
//!
//! - every basic statement is a point, and so is the head of a selection, of a loop and of a block;
//! - `goto` and `break` are not: what leads to them leads on to their target. But as the first statement of
//!   an option they are a step of their own, and inside `atomic` control stops at a jump that leaves it;
//! - a selection or loop offers the first statements of its options, nested ones included;
//! - `unless` adds its escape to every point of the statement it guards.
//!
//! This file builds *elements* linked into *sequences*; [`automaton`](crate::automaton) turns them into
//! locations and edges.

use fathom_model::{Action, Guard, Sync};
use fathom_source::{Diagnostic, Span};

/// Index of an [`Element`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ElementId(pub usize);

/// Index of a [`Chain`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ChainId(pub usize);

/// Index of a label declaration or of a loop exit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct JumpId(pub usize);

/// A statement that is one edge.
#[derive(Clone, Debug)]
pub(crate) struct Basic {
    pub guard: Guard,
    pub sync: Option<Sync>,
    pub effect: Vec<Action>,
    /// Whether the channel of `sync` is known to be a rendezvous channel.
    pub rendezvous: bool,
    /// A `skip` or a print: consecutive ones in an option count once.
    pub idle: Idle,
}

/// Whether a statement does nothing that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Idle {
    No,
    Skip,
    Print,
}

/// The kinds of group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GroupKind {
    Plain,
    Atomic,
    DStep,
}

/// What an element is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Basic(Box<Basic>),
    Else,
    Goto(JumpId),
    /// The join behind a selection, or in front of a loop.
    Join,
    /// The exit of a loop.
    Exit,
    /// A selection or loop: one of `options`.
    Select {
        options: Vec<ChainId>,
    },
    Group(GroupKind, ChainId),
    Unless {
        main: ChainId,
        escape: ChainId,
    },
    /// The closing brace of the process.
    End,
}

/// A point of the text.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub kind: Kind,
    pub next: Option<ElementId>,
    /// Inside an atomic sequence and not its last statement.
    pub atomic: bool,
    /// The last statement of an atomic sequence.
    pub atomic_last: bool,
    /// Inside a `d_step`.
    pub inside_dstep: bool,
    /// Escapes that guard it, outermost first.
    pub escapes: Vec<ChainId>,
    pub span: Option<Span>,
    pub text: String,
}

/// Elements, linked by `next` from `first` to `last`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    pub first: Option<ElementId>,
    pub last: Option<ElementId>,
    /// The last element that was there when the sequence was closed, before a join was added.
    pub extent: Option<ElementId>,
}

/// A label in the text.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub name: String,
    pub span: Span,
    pub element: ElementId,
    /// Numbers of the blocks around it, outermost first.
    pub scope: Vec<u32>,
}

/// A label about to be declared.
#[derive(Clone, Debug)]
pub(crate) struct NewLabel {
    pub name: String,
    pub span: Span,
    pub scope: Vec<u32>,
    /// Whether being there must be a state of its own, even on a jump: the label marks a state, or an
    /// expression asks whether the process is there.
    pub needs_state: bool,
}

/// A jump target: a label looked up by name, or the exit of a loop.
#[derive(Clone, Debug)]
pub(crate) enum Jump {
    Label { name: String, span: Span, scope: Vec<u32> },
    Exit(Option<ElementId>),
}

/// A statement that is not yet part of a sequence.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Basic(Basic),
    Else,
    Goto(JumpId),
    Select { options: Vec<ChainId>, exit: Option<JumpId> },
    Group(GroupKind, ChainId),
    Unless { main: ChainId, escape: ChainId },
    End,
}

/// Builds the graph of one process.
#[derive(Default)]
pub(crate) struct Flow {
    pub elements: Vec<Element>,
    pub chains: Vec<Chain>,
    pub labels: Vec<Label>,
    pub jumps: Vec<Jump>,
    /// Sequences under construction, innermost last.
    open: Vec<ChainId>,
    /// Exits of the loops around the current statement, innermost last.
    loops: Vec<JumpId>,
}

impl Flow {
    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.0]
    }

    pub fn chain(&self, id: ChainId) -> &Chain {
        &self.chains[id.0]
    }

    /// The first element of a closed sequence.
    pub fn first(&self, id: ChainId) -> ElementId {
        self.chain(id).first.expect("a closed sequence is not empty")
    }

    /// Starts a sequence.
    pub fn open(&mut self) -> ChainId {
        self.chains.push(Chain { first: None, last: None, extent: None });
        let id = ChainId(self.chains.len() - 1);
        self.open.push(id);
        id
    }

    /// Ends the innermost sequence. An empty one gets a `skip`.
    pub fn close(&mut self) -> ChainId {
        let id = *self.open.last().expect("a sequence is open");
        if self.chain(id).first.is_none() {
            self.add(Node::Basic(skip()), None, "skip".to_owned(), &[]);
        }
        self.open.pop();
        self.chains[id.0].extent = self.chain(id).last;
        id
    }

    /// Enters a loop.
    pub fn enter_loop(&mut self) -> JumpId {
        self.jumps.push(Jump::Exit(None));
        let id = JumpId(self.jumps.len() - 1);
        self.loops.push(id);
        id
    }

    /// Leaves the innermost loop.
    pub fn leave_loop(&mut self) {
        self.loops.pop();
    }

    /// The exit of the innermost loop.
    pub fn innermost_loop(&self) -> Option<JumpId> {
        self.loops.last().copied()
    }

    /// A jump to a label, resolved when the whole process has been read.
    pub fn jump_to(&mut self, name: &str, span: Span, scope: &[u32]) -> JumpId {
        self.jumps.push(Jump::Label { name: name.to_owned(), span, scope: scope.to_vec() });
        JumpId(self.jumps.len() - 1)
    }

    fn new_element(&mut self, kind: Kind, span: Option<Span>, text: String) -> ElementId {
        self.elements.push(Element {
            kind,
            next: None,
            atomic: false,
            atomic_last: false,
            inside_dstep: false,
            escapes: Vec::new(),
            span,
            text,
        });
        ElementId(self.elements.len() - 1)
    }

    fn append(&mut self, element: ElementId, chain: ChainId) {
        match self.chain(chain).last {
            None => self.chains[chain.0].first = Some(element),
            Some(last) => self.elements[last.0].next = Some(element),
        }
        self.chains[chain.0].last = Some(element);
    }

    /// Adds a statement with its labels to the innermost sequence.
    pub fn add(&mut self, node: Node, span: Option<Span>, text: String, labels: &[NewLabel]) -> ElementId {
        let chain = *self.open.last().expect("a sequence is open");
        if matches!(node, Node::Goto(_)) && labels.iter().any(|label| label.needs_state) {
            self.add(Node::Basic(skip()), span, "skip".to_owned(), labels);
            return self.add(node, span, text, &[]);
        }
        let element = match node {
            Node::Select { options, exit } => self.add_select(options, exit, chain, span, text),
            Node::Unless { main, escape } => self.add_unless(main, escape, chain, span, text),
            Node::Basic(basic) => self.add_simple(Kind::Basic(Box::new(basic)), chain, span, text),
            Node::Else => self.add_simple(Kind::Else, chain, span, text),
            Node::Goto(jump) => self.add_simple(Kind::Goto(jump), chain, span, text),
            Node::Group(kind, body) => self.add_simple(Kind::Group(kind, body), chain, span, text),
            Node::End => self.add_simple(Kind::End, chain, span, text),
        };
        for NewLabel { name, span, scope, .. } in labels.iter().cloned() {
            self.labels.push(Label { name, span, element, scope });
        }
        element
    }

    fn add_simple(&mut self, kind: Kind, chain: ChainId, span: Option<Span>, text: String) -> ElementId {
        let element = self.new_element(kind, span, text);
        self.append(element, chain);
        element
    }

    fn add_select(
        &mut self,
        mut options: Vec<ChainId>,
        exit: Option<JumpId>,
        chain: ChainId,
        span: Option<Span>,
        text: String,
    ) -> ElementId {
        // `else` is tried last, wherever it stands.
        options.sort_by_key(|&option| matches!(self.element(self.first(option)).kind, Kind::Else));
        let head = self.new_element(Kind::Select { options: options.clone() }, span, text);
        let join = self.new_element(Kind::Join, span, "(join)".to_owned());
        for option in options {
            self.append(join, option);
        }
        let behind = match exit {
            None => join,
            Some(jump) => {
                self.append(join, chain);
                let exit = self.new_element(Kind::Exit, span, "(exit)".to_owned());
                self.jumps[jump.0] = Jump::Exit(Some(exit));
                exit
            }
        };
        self.append(head, chain);
        self.append(behind, chain);
        head
    }

    fn add_unless(
        &mut self,
        main: ChainId,
        escape: ChainId,
        chain: ChainId,
        span: Option<Span>,
        text: String,
    ) -> ElementId {
        let head = self.new_element(Kind::Unless { main, escape }, span, text);
        let join = self.new_element(Kind::Join, span, "(join)".to_owned());
        self.append(join, main);
        self.append(join, escape);
        self.attach_escape(main, escape);
        self.append(head, chain);
        self.append(join, chain);
        head
    }

    fn attach_escape(&mut self, chain: ChainId, escape: ChainId) {
        let Chain { first, extent, .. } = *self.chain(chain);
        let mut cursor = first;
        while let Some(element) = cursor {
            self.escape_element(element, escape);
            if Some(element) == extent {
                break;
            }
            cursor = self.element(element).next;
        }
    }

    fn escape_element(&mut self, element: ElementId, escape: ChainId) {
        if self.element(element).escapes.contains(&escape) {
            return;
        }
        // The new escape also guards the escapes that are there already.
        for inner in self.element(element).escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.elements[element.0].escapes.insert(0, escape);
        match self.element(element).kind.clone() {
            Kind::Unless { main, .. } => self.attach_escape(main, escape),
            Kind::Select { options } => options.iter().for_each(|&option| self.attach_escape(option, escape)),
            Kind::Group(GroupKind::DStep, body) => self.escape_element(self.first(body), escape),
            Kind::Group(_, body) => self.attach_escape(body, escape),
            _ => {}
        }
    }

    /// Marks the statements of an `atomic` or `d_step` body.
    pub fn make_atomic(&mut self, chain: ChainId, dstep: bool, diagnostics: &mut Vec<Diagnostic>) {
        let Chain { first, last, .. } = *self.chain(chain);
        let (Some(first), Some(last)) = (first, last) else { return };
        self.mark_atomic(first, last, dstep, diagnostics);
        let last_element = self.element(last).clone();
        match last_element.kind {
            Kind::Group(GroupKind::Plain | GroupKind::Atomic, body) => {
                self.make_atomic(body, dstep, diagnostics)
            }
            Kind::Unless { main, .. } => self.make_atomic(main, dstep, diagnostics),
            _ => {
                self.elements[last.0].atomic = false;
                self.elements[last.0].atomic_last = true;
            }
        }
    }

    fn mark_atomic(
        &mut self,
        from: ElementId,
        to: ElementId,
        dstep: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let mut cursor = Some(from);
        while let Some(id) = cursor {
            self.elements[id.0].atomic = true;
            self.elements[id.0].inside_dstep |= dstep;
            let mut inner = Vec::new();
            match self.element(id).kind.clone() {
                Kind::Group(GroupKind::DStep, _) if !dstep => {}
                Kind::Group(_, body) => {
                    self.elements[id.0].kind = Kind::Group(GroupKind::Plain, body);
                    inner.push(body);
                }
                Kind::Unless { main, escape } => {
                    if dstep {
                        let place = self.element(id).span;
                        let warning = Diagnostic::warning(
                            "promela::unless-in-d-step",
                            "`unless` inside `d_step` never escapes",
                        );
                        diagnostics.push(match place {
                            Some(span) => warning.at(span, "its escape is ignored"),
                            None => warning,
                        });
                    }
                    inner.extend([main, escape]);
                }
                Kind::Select { options } => inner.extend(options),
                _ => {}
            }
            for chain in inner {
                let Chain { first, last, .. } = *self.chain(chain);
                if let (Some(first), Some(last)) = (first, last) {
                    self.mark_atomic(first, last, dstep, diagnostics);
                }
            }
            if id == to {
                break;
            }
            cursor = self.element(id).next;
        }
    }

    /// Of consecutive unlabeled `skip`s in an option (a print counts as one), only the first is a step.
    pub fn drop_repeated_skips(&mut self, chain: ChainId) {
        let Chain { first, last, extent } = *self.chain(chain);
        let (mut previous, mut cursor, mut idle_run) = (None, first, 0);
        while let Some(id) = cursor {
            let idle = match &self.element(id).kind {
                Kind::Basic(basic) => basic.idle,
                _ => Idle::No,
            };
            let labeled = self.labels.iter().any(|label| label.element == id);
            cursor = self.element(id).next;
            if idle == Idle::No || labeled {
                idle_run = 0;
            } else {
                idle_run += 1;
                let inner = Some(id) != first && Some(id) != last && Some(id) != extent;
                if idle_run > 1 && idle == Idle::Skip && inner {
                    let before: ElementId = previous.expect("an inner element has one before it");
                    self.elements[before.0].next = cursor;
                    continue;
                }
            }
            previous = Some(id);
        }
    }
}

/// The statement that does nothing.
pub(crate) fn skip() -> Basic {
    Basic { guard: Guard::Always, sync: None, effect: Vec::new(), rendezvous: false, idle: Idle::Skip }
}

/// Whether a label marks a state as end, progress or accept state.
pub(crate) fn is_mark(label: &str) -> bool {
    ["end", "progress", "accept"].iter().any(|prefix| label.starts_with(prefix))
}
