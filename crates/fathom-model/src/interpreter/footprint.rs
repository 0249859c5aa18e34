//! The footprint of a process: see [`System::footprint`](crate::System::footprint).
//!
//! Every edge that the process could take is walked over, with the partners that could accept what it offers and
//! with everything that could be done alone afterwards. Expressions are looked at in full, whichever part decides.
//! Indices and channels are evaluated in the state at hand, as long as nothing that they read may have been written
//! on the way: what was read is a layer of the footprint, which holds the one element in place of the array.
//!
//! What goes on alone may pass through a location many times, so it is walked over twice: first to learn which locations there are
//! and what may be written, then to learn what is touched.

use super::eval::Look;
use super::frames::Configuration;
use super::{Interpreter, Scratch};
use crate::footprint::{ByteSet, Footprint};
use crate::{Action, Base, Edge, Expr, Guard, LocationId, Pattern, Place, Sync, TemplateId};

impl Interpreter<'_> {
    /// See [`System::footprint`](crate::System::footprint).
    pub fn footprint_of_portion(
        &self,
        portion: usize,
        state: &[u8],
        scratch: &mut Scratch,
        footprint: &mut Footprint,
    ) -> bool {
        footprint.clear();
        if self.model.uses_priorities || self.model.uses_last || self.model.has_choices() {
            return false;
        }
        scratch.base.load(&self.layout, state);
        let state = &scratch.base;
        let offsets = state.processes.iter().map(|process| process.offset);
        for offset in offsets.chain(state.channels.iter().map(|channel| channel.offset)) {
            footprint.frame.insert(offset, self.layout.tag_width);
        }
        let mut walk = Walk {
            look: self.look(),
            state,
            touched: ByteSet::default(),
            decided: ByteSet::default(),
            layers: &mut footprint.layers,
            written: ByteSet::default(),
            alone: Vec::new(),
            is_first: true,
            gives_up: false,
        };
        if let Some(process) = (state.processes.len() as u32).checked_sub(portion as u32 + 1) {
            walk.decide_by_location(process);
            walk.process(process);
        }
        if portion == 0 {
            // Where a search looks at single states, it does so before the first portion.
            walk.is_first = false;
            walk.written.clear();
            self.states.iter().for_each(|(_, condition, _)| walk.read(None, condition));
        }
        let Walk { touched, decided, gives_up, .. } = walk;
        footprint.touched.add(&touched);
        footprint.touched.add(&decided);
        !gives_up
    }
}

/// A walk over what can happen.
struct Walk<'a> {
    look: Look<'a>,
    state: &'a Configuration,
    touched: ByteSet,
    /// All layers so far: whatever this walk does depends on nothing else.
    decided: ByteSet,
    layers: &'a mut Vec<ByteSet>,
    /// Bytes that may differ from those of the state by now.
    written: ByteSet,
    /// Where who may be while somebody goes on alone.
    alone: Vec<(u32, LocationId)>,
    /// Whether this is the walk that finds out what may be written, and nothing else.
    is_first: bool,
    /// Something may depend on anything.
    gives_up: bool,
}

impl<'a> Walk<'a> {
    fn process(&mut self, process: u32) {
        let here = self.state.location(self.look.layout, self.state.processes[process as usize]);
        self.location(process, here);
        // Those who go on alone may meet each other in hand-shakes, so that there may be more every time.
        let mut n_before = 0;
        while n_before < self.alone.len() {
            n_before = self.alone.len();
            for index in 0..n_before {
                let (process, location) = self.alone[index];
                self.location(process, location);
            }
        }
        let written_alone = std::mem::take(&mut self.written);
        self.touched.clear();
        self.is_first = false;
        self.provided(process);
        for edge in self.edges_at(process, here) {
            self.written.clear();
            self.edge(process, edge);
        }
        for index in 0..self.alone.len() {
            let (process, location) = self.alone[index];
            self.written.clone_from(&written_alone);
            self.location(process, location);
        }
    }

    fn template_id(&self, process: u32) -> TemplateId {
        self.state.processes[process as usize].template
    }

    /// All edges that leave a location.
    fn edges_at(&self, process: u32, location: LocationId) -> impl Iterator<Item = &'a Edge> + use<'a> {
        let template = self.look.model.template(self.template_id(process));
        template.location(location).groups.iter().flatten().map(|edge| template.edge(*edge))
    }

    fn location(&mut self, process: u32, location: LocationId) {
        self.provided(process);
        for edge in self.edges_at(process, location) {
            self.edge(process, edge);
        }
    }

    fn provided(&mut self, process: u32) {
        if let Some(condition) = &self.look.model.template(self.template_id(process)).provided {
            self.read(Some(process), condition);
        }
    }

    fn edge(&mut self, process: u32, edge: &Edge) {
        match &edge.guard {
            Guard::When(condition) => self.read(Some(process), condition),
            Guard::Youngest if process as usize + 1 != self.state.processes.len() => return,
            Guard::Youngest | Guard::Always | Guard::Else => {}
        }
        let mut offered_on = None;
        match &edge.sync {
            None => {}
            Some(Sync::Send { channel, fields, .. }) => {
                fields.iter().for_each(|field| self.read(Some(process), field));
                let Some(channel) = self.channel(process, channel) else { return };
                if self.is_hand_shake(channel) {
                    offered_on = Some(channel);
                } else {
                    self.write_channel(channel);
                }
            }
            Some(Sync::Receive { channel, patterns, .. }) => {
                let Some(channel) = self.channel(process, channel) else { return };
                if self.is_hand_shake(channel) {
                    // Only together with a sender, in a step of the sender.
                    return;
                }
                self.patterns(process, patterns);
                self.write_channel(channel);
            }
        }
        self.act_and_arrive(process, edge);
        if self.goes_on(process, edge) {
            self.add_alone(process, edge.target);
        }
        if let Some(channel) = offered_on {
            self.partners((process, edge), channel);
        }
    }

    fn goes_on(&self, process: u32, edge: &Edge) -> bool {
        let template = self.look.model.template(self.template_id(process));
        edge.atomic || template.location(edge.target).deterministic
    }

    fn add_alone(&mut self, process: u32, location: LocationId) {
        if self.is_first && !self.alone.contains(&(process, location)) {
            self.alone.push((process, location));
        }
    }

    fn patterns(&mut self, process: u32, patterns: &[Pattern]) {
        for pattern in patterns {
            match pattern {
                Pattern::Match(value) => self.read(Some(process), value),
                Pattern::Bind(place) => self.write(process, place),
            }
        }
    }

    fn act_and_arrive(&mut self, process: u32, edge: &Edge) {
        for action in &edge.effect {
            match action {
                Action::Assign(place, value) => {
                    self.read(Some(process), value);
                    self.write(process, place);
                }
                Action::Require(condition) | Action::Assert(condition) => {
                    self.read(Some(process), condition);
                }
                Action::Print(_) => {}
                Action::Choose { .. } | Action::Create { .. } | Action::SetPriority { .. } | Action::End => {
                    self.gives_up = true;
                }
            }
        }
        let (start, n_bytes) = self.location_bytes(process);
        self.touched.insert(start, n_bytes);
        self.written.insert(start, n_bytes);
    }

    /// Whoever may accept what was offered.
    fn partners(&mut self, sender: (u32, &Edge), channel: usize) {
        for process in (0..self.state.processes.len() as u32).filter(|&process| process != sender.0) {
            if !self.may_receive(process, channel) {
                continue;
            }
            self.decide_by_location(process);
            let mut locations =
                vec![self.state.location(self.look.layout, self.state.processes[process as usize])];
            locations.extend(self.alone.iter().filter(|alone| alone.0 == process).map(|alone| alone.1));
            for location in locations {
                for edge in self.edges_at(process, location) {
                    self.accept(sender, process, channel, edge);
                }
            }
        }
    }

    /// Whether a process receives from a channel anywhere.
    fn may_receive(&mut self, process: u32, channel: usize) -> bool {
        let template = self.look.model.template(self.template_id(process));
        let mut may_receive = false;
        for edge in &template.edges {
            if let Some(Sync::Receive { channel: own_channel, .. }) = &edge.sync {
                may_receive |= self.channel(process, own_channel) == Some(channel);
            }
        }
        may_receive
    }

    fn accept(&mut self, sender: (u32, &Edge), process: u32, offered_on: usize, edge: &Edge) {
        let Some(Sync::Receive { channel, patterns, .. }) = &edge.sync else { return };
        self.provided(process);
        if let Guard::When(condition) = &edge.guard {
            self.read(Some(process), condition);
        }
        if self.channel(process, channel) == Some(offered_on) {
            self.patterns(process, patterns);
            self.act_and_arrive(process, edge);
            // Whoever goes on may meet the other again.
            if self.goes_on(process, edge) || self.goes_on(sender.0, sender.1) {
                self.add_alone(process, edge.target);
                self.add_alone(sender.0, sender.1.target);
            }
        }
    }

    fn is_hand_shake(&self, channel: usize) -> bool {
        self.look.model.channel_type(self.state.channels[channel].channel_type).is_rendezvous()
    }

    /// The channel that an expression stands for; none when there is no such channel.
    fn channel(&mut self, process: u32, channel: &Expr) -> Option<usize> {
        self.decide_by_channel(Some(process), channel);
        self.look.by(process).channel(self.state, channel).ok()
    }

    /// What is done depends on which channel an expression stands for.
    fn decide_by_channel(&mut self, own: Option<u32>, channel: &Expr) {
        let read = self.read_apart(own, channel);
        // What may be written comes to light in the first walk, and is held against it in the second.
        self.gives_up |= !self.is_first && read.meets(&self.written);
        self.decide_by(read);
    }

    /// What is done depends on where a process is.
    fn decide_by_location(&mut self, process: u32) {
        let mut bytes = ByteSet::default();
        let (start, n_bytes) = self.location_bytes(process);
        bytes.insert(start, n_bytes);
        self.decide_by(bytes);
    }

    /// What is done depends on some bytes.
    fn decide_by(&mut self, mut bytes: ByteSet) {
        bytes.remove(&self.decided);
        if !bytes.is_empty() {
            self.decided.add(&bytes);
            self.layers.push(bytes);
        }
    }

    fn channel_bytes(&self, channel: usize) -> (u32, u32) {
        let record = self.state.channels[channel];
        (record.offset, self.look.layout.channels[record.channel_type.index()].size)
    }

    fn write_channel(&mut self, channel: usize) {
        let (start, n_bytes) = self.channel_bytes(channel);
        self.touched.insert(start, n_bytes);
        self.written.insert(start, n_bytes);
    }

    /// Where the location of a process is.
    fn location_bytes(&self, process: u32) -> (u32, u32) {
        let record = self.state.processes[process as usize];
        let layout = &self.look.layout.processes[record.template.index()];
        (record.offset + layout.location, layout.location_width)
    }

    /// An expression is evaluated, or perhaps only a part of it.
    fn read(&mut self, own: Option<u32>, expr: &Expr) {
        match expr {
            Expr::Const(_)
            | Expr::OwnProcess
            | Expr::ProcessCount
            | Expr::Created
            // Never true before it is known that no portion has a step.
            | Expr::Timeout => {}
            Expr::Load(place) => self.place(own, place, |walk, start, n_bytes| walk.touched.insert(start, n_bytes)),
            Expr::Unary(_, operand) => self.read(own, operand),
            Expr::Binary(_, left, right) => {
                self.read(own, left);
                self.read(own, right);
            }
            Expr::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.read(own, part));
            }
            Expr::Channel(_, channel) => self.read_channel(own, channel),
            Expr::Poll { channel, patterns, .. } => {
                self.read_channel(own, channel);
                for pattern in patterns {
                    if let Pattern::Match(value) = pattern {
                        self.read(own, value);
                    }
                }
            }
            Expr::AtLocation { template, process, .. } => {
                process.iter().for_each(|process| self.read(own, process));
                for process in 0..self.state.processes.len() as u32 {
                    if self.template_id(process) == *template {
                        let (start, n_bytes) = self.location_bytes(process);
                        self.touched.insert(start, n_bytes);
                    }
                }
            }
            Expr::LastProcess
            | Expr::Enabled(_)
            | Expr::LocationOf(_)
            | Expr::Priority(_)
            | Expr::NonProgress
            | Expr::SomeAccepting => self.gives_up = true,
        }
    }

    fn read_channel(&mut self, own: Option<u32>, channel: &Expr) {
        self.decide_by_channel(own, channel);
        let look = own.map_or(self.look, |own| self.look.by(own));
        if let Ok(channel) = look.channel(self.state, channel) {
            let (start, n_bytes) = self.channel_bytes(channel);
            self.touched.insert(start, n_bytes);
        }
    }

    fn write(&mut self, process: u32, place: &Place) {
        self.place(Some(process), place, |walk, start, n_bytes| {
            walk.touched.insert(start, n_bytes);
            walk.written.insert(start, n_bytes);
        });
    }

    /// Calls `f` on the bytes in which a scalar may be, in rows.
    fn place(&mut self, own: Option<u32>, place: &Place, mut f: impl FnMut(&mut Self, u32, u32)) {
        let (mut start, mut n_bytes) = (place.offset, place.ty.size());
        for index in &place.indices {
            match self.value(own, &index.value) {
                Some(value) => match u32::try_from(value) {
                    Ok(value) if value < index.length => start += value * index.stride,
                    // A fault, if it comes to that; and that was decided by what the index reads.
                    _ => return,
                },
                None => n_bytes += index.length.saturating_sub(1) * index.stride,
            }
        }
        let locals =
            |process: u32| self.state.locals(self.look.layout, self.state.processes[process as usize]);
        match &place.base {
            Base::Global => f(self, start, n_bytes),
            Base::Own => {
                if let Some(own) = own {
                    let locals = locals(own);
                    f(self, locals + start, n_bytes);
                }
            }
            Base::Other { template, process } => {
                process.iter().for_each(|process| self.read(own, process));
                for process in 0..self.state.processes.len() as u32 {
                    if self.template_id(process) == *template {
                        let locals =
                            self.state.locals(self.look.layout, self.state.processes[process as usize]);
                        f(self, locals + start, n_bytes);
                    }
                }
            }
            Base::Temporary | Base::Discard => {}
        }
    }

    /// The value of an expression, if it is the one that it has in the state. Then what it reads decides.
    fn value(&mut self, own: Option<u32>, expr: &Expr) -> Option<i64> {
        if let Expr::Const(value) = expr {
            return Some(*value);
        }
        let read = self.read_apart(own, expr);
        if self.is_first || read.meets(&self.written) {
            return None;
        }
        self.decide_by(read);
        let look = own.map_or(self.look, |own| self.look.by(own));
        look.value(self.state, expr).ok()
    }

    /// Reads an expression; gives what was read.
    fn read_apart(&mut self, own: Option<u32>, expr: &Expr) -> ByteSet {
        let touched = std::mem::take(&mut self.touched);
        self.read(own, expr);
        let read = std::mem::replace(&mut self.touched, touched);
        self.touched.add(&read);
        read
    }
}
