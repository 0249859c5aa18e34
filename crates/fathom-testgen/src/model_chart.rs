//! The charts of a model: its templates.

use fathom_model::layout::{Layout, RecordKind, read_number};
use fathom_model::visit::{for_each_written_by, visit, visit_edge};
use fathom_model::{
    Action, Base, Edge, Expr, Frame, Guard, Location, Model, Move, Place, Template, TemplateRole,
    VariableRole,
};

use crate::chart::{Chart, ChartEdge, ChartLocation, ChartVariable, Charts, Observe, Taken};

/// Labels that begin with this name requirements: the statement behind them shows it.
const REQUIREMENT: &str = "req_";

/// The charts of a model, one for each template. Claims and event traces have none: their charts are empty.
#[derive(Clone, Debug)]
pub struct ModelCharts {
    charts: Charts,
    layout: Layout,
    /// By template: whether it is a process.
    are_processes: Vec<bool>,
}

impl ModelCharts {
    /// The charts of a model.
    pub fn new(model: &Model) -> ModelCharts {
        let variables = Variables::new(model);
        let is_process = |template: &Template| template.role == TemplateRole::Process;
        let charts =
            model.templates.iter().enumerate().map(|(number, template)| match is_process(template) {
                true => chart(model, number, template, &variables),
                false => Chart { name: template.name.clone(), ..Chart::default() },
            });
        ModelCharts {
            charts: Charts { charts: charts.collect(), variables: variables.list, values: Vec::new() },
            layout: Layout::new(model),
            are_processes: model.templates.iter().map(is_process).collect(),
        }
    }
}

impl Observe<Move> for ModelCharts {
    fn charts(&self) -> &Charts {
        &self.charts
    }

    fn taken(&self, label: &Move, see: &mut dyn FnMut(Taken)) {
        see(Taken { process: label.process, chart: label.template.0, edge: label.edge.0 });
        if let Some(partner) = &label.partner {
            see(Taken { process: partner.process, chart: partner.template.0, edge: partner.edge.0 });
        }
    }

    fn locations(&self, state: &[u8], see: &mut dyn FnMut(u32, u32, u32)) {
        let (mut offset, mut process) = (self.layout.records, 0);
        while (offset as usize) < state.len() {
            let kind = self.layout.record_kind(&state[offset as usize..]);
            if let RecordKind::Process(template) = kind {
                let layout = &self.layout.processes[template.index()];
                let start = (offset + layout.location) as usize;
                if self.are_processes[template.index()] {
                    see(process, template.0, read_number(&state[start..], layout.location_width));
                }
                process += 1;
            }
            offset += self.layout.record_size(kind);
        }
    }
}

fn chart(model: &Model, number: usize, template: &Template, variables: &Variables) -> Chart {
    let locations = template.locations.iter().enumerate().map(|(index, location)| ChartLocation {
        name: location.labels.first().cloned().unwrap_or_else(|| index.to_string()),
        span: location.span,
    });
    let mut edges: Vec<ChartEdge> =
        template.edges.iter().map(|edge| chart_edge(model, number, edge, variables)).collect();
    for (index, location) in template.locations.iter().enumerate() {
        let requirements = location.labels.iter().filter_map(|label| label.strip_prefix(REQUIREMENT));
        for &edge in location.groups.iter().flatten() {
            let edge = &mut edges[edge.index()];
            edge.sources.push(index);
            edge.requirements.extend(requirements.clone().map(str::to_owned));
        }
        add_reads_of_else(model, number, template, location, variables, &mut edges);
    }
    Chart {
        name: template.name.clone(),
        locations: locations.collect(),
        edges,
        initial: template.initial.index(),
    }
}

fn chart_edge(model: &Model, number: usize, edge: &Edge, variables: &Variables) -> ChartEdge {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    visit_edge(edge, &mut |expr| {
        if let Expr::Load(place) = expr {
            reads.extend(variables.find(model, number, place));
        }
    });
    for_each_written_by(edge, &mut |place| writes.extend(variables.find(model, number, place)));
    for list in [&mut reads, &mut writes] {
        list.sort_unstable();
        list.dedup();
    }
    let creates = edge.effect.iter().filter_map(|action| match action {
        Action::Create { template, .. } => Some(template.index()),
        _ => None,
    });
    ChartEdge {
        sources: Vec::new(),
        target: edge.target.index(),
        text: edge.text.clone(),
        span: edge.span,
        reads,
        writes,
        creates: creates.collect(),
        ends: edge.effect.contains(&Action::End),
        requirements: Vec::new(),
    }
}

/// An `else` reads what the conditions beside it read.
fn add_reads_of_else(
    model: &Model,
    number: usize,
    template: &Template,
    location: &Location,
    variables: &Variables,
    edges: &mut [ChartEdge],
) {
    let mut reads = Vec::new();
    for &edge in location.groups.iter().flatten() {
        if let Guard::When(condition) = &template.edge(edge).guard {
            visit(condition, &mut |expr| {
                if let Expr::Load(place) = expr {
                    reads.extend(variables.find(model, number, place));
                }
            });
        }
    }
    for &edge in location.groups.iter().flatten().filter(|&&edge| template.edge(edge).guard == Guard::Else) {
        let own = &mut edges[edge.index()].reads;
        own.extend_from_slice(&reads);
        own.sort_unstable();
        own.dedup();
    }
}

/// The variables of a model, numbered: an array or a record is one. What front ends made for themselves is not among them.
struct Variables {
    list: Vec<ChartVariable>,
    globals: Vec<Option<usize>>,
    locals: Vec<Vec<Option<usize>>>,
}

impl Variables {
    fn new(model: &Model) -> Variables {
        let mut list = Vec::new();
        let mut number = |frame: &Frame, owner: Option<usize>| -> Vec<Option<usize>> {
            let mut one = |variable: &fathom_model::Variable| {
                (variable.role != VariableRole::Internal).then(|| {
                    list.push(ChartVariable { name: variable.name.clone(), owner, is_clock: false });
                    list.len() - 1
                })
            };
            frame.variables.iter().map(&mut one).collect()
        };
        let globals = number(&model.globals, None);
        let locals = model.templates.iter().enumerate();
        let locals = locals.map(|(owner, template)| number(&template.locals, Some(owner))).collect();
        Variables { list, globals, locals }
    }

    /// The variable that a place of a template is in. What other processes have is left out.
    fn find(&self, model: &Model, template: usize, place: &Place) -> Option<usize> {
        let (frame, numbers) = match place.base {
            Base::Global => (&model.globals, &self.globals),
            Base::Own => (&model.templates[template].locals, &self.locals[template]),
            _ => return None,
        };
        let mut at: Option<(u32, usize)> = None;
        for (index, variable) in frame.variables.iter().enumerate() {
            if variable.offset <= place.offset && at.is_none_or(|(offset, _)| offset <= variable.offset) {
                at = Some((variable.offset, index));
            }
        }
        at.and_then(|(_, index)| numbers[index])
    }
}
