//! A model under a partition, as a system of composite states.
//!
//! A composite state is an explicit part, laid out like a state with zeros for everything symbolic, and a region, which is a
//! diagram over the bits of the symbolic part. Its steps are exact: the concrete states in them are those that the reference
//! interpreter reaches from the concrete states in it (da Costa, "Um Verificador de Modelos Explícito-Simbólico", 2005, for the idea; there
//! expressions over both sides are future work).
//!
//! Steps to the same explicit part are one step with the union of their regions. When there is no room for diagrams, or no time, a state has no
//! steps; [`Composite::gave_up`] tells, and whoever searches must not believe what it has found out until then to be everything.

use fathom_diagram::{Diagram, Diagrams, NoRoom, Room};
use fathom_model::layout::Layout;
use fathom_model::{Expr, Fault, Model, PropertyId, Question, Steps, System};
use rustc_hash::FxHashMap;

use crate::changed_bits::ChangedBits;
use crate::effect::Faults;
use crate::encoding::{Encoding, KnownBits};
use crate::machine::{Live, Machine, StartBits, View};
use crate::number::Arithmetic;
use crate::order::{OrderedBit, order};
use crate::partition::{AllCells, Partition, bits_for};
use crate::path::{Bits, Path};
use crate::prepared::{PreparedExpansion, PreparedParts};
use crate::region::DiagramRegion;
use crate::shape::{Shape, n_locations};

/// A model some of whose variables are sets of values: see the module header.
#[derive(Debug)]
pub struct Composite<'m> {
    pub(crate) model: &'m Model,
    pub(crate) layout: Layout,
    pub(crate) cells: AllCells,
    pub(crate) encoding: Encoding,
    pub(crate) arithmetic: Arithmetic,
    deadlock: Option<PropertyId>,
    assertion: Option<PropertyId>,
    runtime_error: Option<PropertyId>,
    /// Properties looked at in every state, with what is asked.
    states: Vec<(PropertyId, &'m Expr, Wanted)>,
}

/// Why a state was not expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GaveUp {
    /// There was no room for diagrams.
    NoRoom,
    /// Somebody set the flag that the diagrams heed.
    Stopped,
}

/// What a property about single states asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    Everywhere,
    Somewhere,
}

/// Buffers that one worker reuses.
#[derive(Clone, Default, Debug)]
pub struct CompositeScratch {
    pub(crate) known: KnownBits,
    prepared: PreparedParts,
}

/// What there is to know about a composite state.
#[derive(Debug)]
pub(crate) struct Expansion {
    /// Its steps.
    pub paths: Vec<Path>,
    /// What of it has no step: it cannot move, or its moves come to no state.
    pub at_rest: Diagram,
    /// Evidence, with the values for which there is some.
    pub findings: Vec<(PropertyId, Option<Fault>, Diagram)>,
}

/// What leaves a set of states.
struct AllSteps {
    paths: Vec<Path>,
    faults: Faults,
    /// What cannot move.
    stuck: Diagram,
    /// What has no step, stuck or not: it stays as it is for ever where runs have no end.
    at_rest: Diagram,
}

impl<'m> Composite<'m> {
    /// A system that looks for evidence about these properties of a model. Those that a search of states alone
    /// cannot answer are ignored.
    pub fn new(model: &'m Model, partition: &Partition, asked: &[PropertyId], room: Room) -> Composite<'m> {
        let layout = Layout::new(model);
        let cells = AllCells::new(model, &layout, partition);
        let diagrams = Diagrams::about_bits(cells.n_bits_at_the_start(model), room);
        let arithmetic = Arithmetic::new(&diagrams);
        let encoding = Encoding::new(diagrams);
        let mut composite = Composite {
            model,
            layout,
            cells,
            encoding,
            arithmetic,
            deadlock: None,
            assertion: None,
            runtime_error: None,
            states: Vec::new(),
        };
        for &id in asked {
            match &model.properties[id.index()].question {
                Question::Deadlock => composite.deadlock = Some(id),
                Question::Assertion => composite.assertion = Some(id),
                Question::RuntimeError => composite.runtime_error = Some(id),
                Question::Invariant(expr) => composite.states.push((id, expr, Wanted::Everywhere)),
                Question::Reach(expr) => composite.states.push((id, expr, Wanted::Somewhere)),
                _ => {}
            }
        }
        composite
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Where its diagrams live.
    pub fn diagrams(&self) -> &Diagrams {
        &self.encoding.diagrams
    }

    /// Why some state was not expanded, if one was not: there was no room for diagrams, or a flag that they heed was set.
    pub fn gave_up(&self) -> Option<GaveUp> {
        let diagrams = &self.encoding.diagrams;
        match (diagrams.was_full(), diagrams.was_stopped()) {
            (true, _) => Some(GaveUp::NoRoom),
            (false, true) => Some(GaveUp::Stopped),
            (false, false) => None,
        }
    }

    /// Number of concrete states in a composite state.
    pub fn count(&self, state: &[u8], region: &DiagramRegion) -> f64 {
        let n_bits = Shape::load(&self.layout, &self.cells, state).n_symbolic_bits(&self.cells);
        region.diagram.count(n_bits as u32)
    }

    /// Shows the concrete states in a composite state, until told to stop. Gives whether all were shown.
    pub fn for_each_state(
        &self,
        state: &[u8],
        region: &DiagramRegion,
        show: &mut dyn FnMut(&[u8]) -> bool,
    ) -> bool {
        let bits = Shape::load(&self.layout, &self.cells, state).symbolic_bits(&self.cells);
        let variables: Vec<_> = bits.iter().map(|&bit| self.encoding.variables(bit).now).collect();
        region.diagram.for_each(&variables, &mut |values| show(&with_bits(state, &bits, values)))
    }

    /// A concrete state of a composite state; none when there is none.
    pub(crate) fn pick(&self, state: &[u8], values: &Diagram) -> Option<Vec<u8>> {
        let bits = Shape::load(&self.layout, &self.cells, state).symbolic_bits(&self.cells);
        let variables: Vec<_> = bits.iter().map(|&bit| self.encoding.variables(bit).now).collect();
        Some(with_bits(state, &bits, &values.pick(&variables)?))
    }

    /// A concrete state as an explicit part and the values of the rest.
    pub(crate) fn divide(&self, state: &[u8]) -> Result<(Vec<u8>, Diagram), NoRoom> {
        let bits = Shape::load(&self.layout, &self.cells, state).symbolic_bits(&self.cells);
        let mut explicit = state.to_vec();
        let mut values = Vec::with_capacity(bits.len());
        for bit in bits {
            let byte = &mut explicit[bit as usize / 8];
            values.push((self.encoding.variables(bit).now, *byte >> (bit % 8) & 1 == 1));
            *byte &= !(1 << (bit % 8));
        }
        Ok((explicit, self.encoding.diagrams.cube(&values)?))
    }

    /// A concrete state as a composite state.
    ///
    /// # Errors
    ///
    /// When there is no room.
    pub fn composite_state(&self, state: &[u8]) -> Result<(Vec<u8>, DiagramRegion), NoRoom> {
        let (explicit, diagram) = self.divide(state)?;
        Ok((explicit, DiagramRegion { diagram }))
    }

    pub(crate) fn machine<'a>(
        &'a self,
        known: &'a mut KnownBits,
        start: StartBits,
        region: &Diagram,
    ) -> Machine<'a> {
        Machine {
            model: self.model,
            layout: &self.layout,
            cells: &self.cells,
            encoding: &self.encoding,
            arithmetic: &self.arithmetic,
            known,
            start,
            region: region.clone(),
            at_start: FxHashMap::default(),
            chosen: Vec::new(),
        }
    }

    /// A composite state as the start of paths, and what is symbolic in it.
    pub(crate) fn start(&self, state: &[u8], values: &Diagram) -> (Path, StartBits) {
        let shape = Shape::load(&self.layout, &self.cells, state);
        let start = StartBits { directory: shape.directory(), bits: shape.symbolic_bits(&self.cells) };
        let assertion = self.arithmetic.no.clone();
        (Path::new(values.clone(), shape, Bits::default(), assertion), start)
    }

    /// Expands a composite state.
    pub(crate) fn expand(
        &self,
        known: &mut KnownBits,
        state: &[u8],
        values: &Diagram,
    ) -> Result<Expansion, NoRoom> {
        let (path, start) = self.start(state, values);
        let mut machine = self.machine(known, start, values);
        let mut findings = Vec::new();
        for (property, expr, wanted) in &self.states {
            let mut live = Live::new(&path.condition);
            let holds = machine.holds(&View::NOBODY, &path, expr, &mut live)?;
            match wanted {
                Wanted::Somewhere => findings.push((*property, None, holds)),
                Wanted::Everywhere => {
                    findings.push((*property, None, live.condition.minus(&holds)?));
                    // What cannot be evaluated is not true.
                    let faults = live.faults.into_iter();
                    findings.extend(faults.map(|(fault, values)| (*property, Some(fault), values)));
                }
            }
        }
        let AllSteps { paths, faults, stuck, at_rest } = self.all_steps(&mut machine, &path)?;
        self.report(faults, &mut findings);
        if let Some(deadlock) = self.deadlock {
            let at_end = self.end(&mut machine, &path)?;
            findings.push((deadlock, None, stuck.minus(&at_end)?));
        }
        findings.retain(|(_, _, values)| !values.is_false());
        Ok(Expansion { paths, at_rest, findings })
    }

    /// The steps from a set of states.
    fn all_steps(&self, machine: &mut Machine<'_>, path: &Path) -> Result<AllSteps, NoRoom> {
        let expanded = machine.expand(path, false)?;
        let mut stuck = path.condition.minus(&expanded.moved)?;
        let (mut paths, mut faults) = (expanded.paths, expanded.faults);
        let mut may_come_to_nothing = expanded.may_come_to_nothing;
        if self.model.uses_timeout
            && let Some(waiting) = path.under(&stuck)?
        {
            let mut late = machine.expand(&waiting, true)?;
            paths.append(&mut late.paths);
            faults.append(&mut late.faults);
            stuck = stuck.minus(&late.moved)?;
            may_come_to_nothing |= late.may_come_to_nothing;
        }
        let mut at_rest = if may_come_to_nothing { path.condition.clone() } else { stuck.clone() };
        if may_come_to_nothing {
            for path in &paths {
                let choices = self.diagrams().variables(&path.choices)?;
                at_rest = at_rest.minus(&path.condition.exists(&choices)?)?;
            }
        }
        Ok(AllSteps { paths, faults, stuck, at_rest })
    }

    fn report(&self, faults: Faults, findings: &mut Vec<(PropertyId, Option<Fault>, Diagram)>) {
        for (fault, values) in faults {
            let property = if fault == Fault::Assertion { self.assertion } else { self.runtime_error };
            findings.extend(property.map(|property| (property, Some(fault), values)));
        }
    }

    /// For which values every process may rest where it is.
    fn end(&self, machine: &mut Machine<'_>, path: &Path) -> Result<Diagram, NoRoom> {
        let mut all = path.condition.clone();
        for process in 0..path.shape.processes.len() as u32 {
            let template = self.model.template(path.shape.processes[process as usize].template);
            let mut here = self.arithmetic.no.clone();
            for (values, location) in machine.locations(path, process)? {
                if template.location(location).end {
                    here = here.or(&values)?;
                }
            }
            all = all.and(&here)?;
        }
        Ok(all)
    }

    /// The steps that leave a composite state as functions, and what of it has none.
    pub(crate) fn steps_of(
        &self,
        known: &mut KnownBits,
        state: &[u8],
        values: &Diagram,
    ) -> Result<(Vec<Path>, Diagram), NoRoom> {
        let (path, start) = self.start(state, values);
        let mut machine = self.machine(known, start, values);
        let AllSteps { paths, at_rest, .. } = self.all_steps(&mut machine, &path)?;
        Ok((paths, at_rest))
    }

    /// All values of the symbolic part, but for locations and lengths that there are not.
    pub(crate) fn all_values(&self, state: &[u8]) -> Result<Diagram, NoRoom> {
        let shape = Shape::load(&self.layout, &self.cells, state);
        let mut all = self.diagrams().constant(true);
        for record in &shape.processes {
            let address = record.offset + self.layout.processes[record.template.index()].location;
            let n_values = n_locations(self.model, record.template);
            all = all.and(&self.below(&shape, address, n_values)?)?;
        }
        for record in &shape.channels {
            let layout = &self.layout.channels[record.channel_type.index()];
            let n_values = self.model.channel_type(record.channel_type).capacity as usize + 1;
            if layout.length_width > 0 {
                all = all.and(&self.below(&shape, record.offset + layout.length, n_values)?)?;
            }
        }
        Ok(all)
    }

    /// The values of a number that are below a bound; all of them when it is explicit.
    fn below(&self, shape: &Shape, address: u32, n_values: usize) -> Result<Diagram, NoRoom> {
        let diagrams = self.diagrams();
        let n_bits = bits_for(n_values);
        if !shape.symbolic[address as usize] || n_values >= 1 << n_bits {
            return Ok(diagrams.constant(true));
        }
        let mut any = diagrams.constant(false);
        for value in 0..n_values {
            let bit =
                |place: u32| (self.encoding.variables(address * 8 + place).now, value >> place & 1 == 1);
            any = any.or(&diagrams.cube(&(0..n_bits).map(bit).collect::<Vec<_>>())?)?;
        }
        Ok(any)
    }

    /// The initial composite states and what is found before the first step.
    #[allow(clippy::type_complexity)]
    pub(crate) fn build_initial(
        &self,
        known: &mut KnownBits,
    ) -> Result<(Vec<(Vec<u8>, DiagramRegion)>, Vec<(PropertyId, Option<Fault>, Diagram)>), NoRoom> {
        let shape = Shape::empty(&self.layout, &self.cells);
        let mut machine = self.machine(known, StartBits::default(), &self.arithmetic.yes);
        let bits: ChangedBits =
            self.cells.globals.bits.iter().map(|&bit| (bit, self.arithmetic.no.clone())).collect();
        let (condition, assertion) = (self.arithmetic.yes.clone(), self.arithmetic.no.clone());
        let mut faults = Faults::new();
        let path = Path::new(condition, shape, bits.into(), assertion);
        let mut paths =
            machine.initialize(&View::NOBODY, vec![path], &self.model.globals.initializers, &mut faults)?;
        for start in &self.model.start {
            let mut next = Vec::with_capacity(paths.len());
            for path in paths {
                let created = machine.create(
                    &View::NOBODY,
                    path,
                    start.template,
                    &start.arguments,
                    start.priority,
                    &mut faults,
                )?;
                next.extend(created);
            }
            paths = next;
        }
        for path in &paths {
            // Bits get their variables here: in good order, and before anyone else meets them.
            for bit in order(self.model, &self.layout, &self.cells, &path.shape) {
                match bit {
                    OrderedBit::State(bit) => self.encoding.variables(bit),
                    OrderedBit::Temporary(bit) => self.encoding.temporary(bit),
                };
            }
        }
        let mut chosen = Vec::with_capacity(paths.len());
        for path in paths {
            for path in machine.act_alone(path, &self.model.initial_effect, &mut faults)? {
                let failed = path.condition.and(&path.assertion)?;
                faults.extend((!failed.is_false()).then_some((Fault::Assertion, failed)));
                chosen.push(path);
            }
        }
        let mut states: Vec<(Vec<u8>, DiagramRegion)> = Vec::with_capacity(chosen.len());
        let mut places: FxHashMap<&[u8], usize> = FxHashMap::default();
        let mut last = None;
        for path in &chosen {
            let diagram = machine.post_again(path, &mut last)?;
            match places.get(&path.shape.bytes[..]) {
                Some(&place) => states[place].1.diagram = states[place].1.diagram.or(&diagram)?,
                None => {
                    places.insert(&path.shape.bytes, states.len());
                    states.push((path.shape.bytes.clone(), DiagramRegion { diagram }));
                }
            }
        }
        let faults = machine.settle_all(faults, &[])?;
        let mut findings = Vec::new();
        self.report(faults, &mut findings);
        Ok((states, findings))
    }

    /// The steps of an expansion: those to one explicit part are one.
    pub(crate) fn images(
        &self,
        known: &mut KnownBits,
        start: StartBits,
        region: &Diagram,
        paths: &[Path],
    ) -> Result<Vec<(Vec<u8>, Diagram)>, NoRoom> {
        let mut machine = self.machine(known, start, region);
        let mut places: FxHashMap<&[u8], usize> = FxHashMap::default();
        let mut images: Vec<(Vec<u8>, Diagram)> = Vec::new();
        for path in paths {
            let image = machine.post(path)?;
            let bytes = &path.shape.bytes[..];
            match places.get(bytes) {
                Some(&place) => images[place].1 = images[place].1.or(&image)?,
                None => {
                    places.insert(bytes, images.len());
                    images.push((bytes.to_vec(), image));
                }
            }
        }
        Ok(images)
    }

    fn try_successors(
        &self,
        state: &[u8],
        region: &DiagramRegion,
        scratch: &mut CompositeScratch,
        out: &mut Steps<DiagramRegion, ()>,
    ) -> Result<(), NoRoom> {
        let CompositeScratch { known, prepared } = scratch;
        let made = prepared.expand(self, known, state, &region.diagram)?;
        let (mut images, findings) = match made {
            Some(PreparedExpansion { images, findings }) => (images, findings),
            None => {
                let n_nodes = self.diagrams().about_n_nodes();
                let expansion = self.expand(known, state, &region.diagram)?;
                let (_, start) = self.start(state, &region.diagram);
                let images = self.images(known, start, &region.diagram, &expansion.paths)?;
                prepared.spend(state, self.diagrams().about_n_nodes().saturating_sub(n_nodes));
                let findings = expansion.findings.into_iter().map(|(property, fault, _)| (property, fault));
                (images, findings.collect())
            }
        };
        for (property, fault) in findings {
            out.find(property, fault, &[]);
        }
        // However they were made: steps are known by their numbers.
        images.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (bytes, diagram) in images {
            out.push(&bytes, DiagramRegion { diagram }, &[]);
        }
        Ok(())
    }
}

/// A state with values in the place of its symbolic bits.
pub(crate) fn with_bits(state: &[u8], bits: &[u32], values: &[bool]) -> Vec<u8> {
    let mut whole = state.to_vec();
    for (&bit, &value) in bits.iter().zip(values) {
        whole[bit as usize / 8] |= u8::from(value) << (bit % 8);
    }
    whole
}

impl System for Composite<'_> {
    type Region = DiagramRegion;
    type Label = ();
    type Scratch = CompositeScratch;

    fn scratch(&self) -> CompositeScratch {
        CompositeScratch::default()
    }

    fn initial(&self, scratch: &mut CompositeScratch, out: &mut Steps<DiagramRegion, ()>) {
        if let Ok((states, findings)) = self.build_initial(&mut scratch.known) {
            for (property, fault, _) in findings {
                out.find(property, fault, &[]);
            }
            for (bytes, region) in states {
                out.push(&bytes, region, &[]);
            }
        }
    }

    fn successors(
        &self,
        state: &[u8],
        region: &DiagramRegion,
        scratch: &mut CompositeScratch,
        out: &mut Steps<DiagramRegion, ()>,
    ) {
        let height = out.height();
        if self.try_successors(state, region, scratch, out).is_err() {
            out.truncate(height);
        }
    }
}
