//! Heuristics as files that a person can read and edit: `--heuristic-out` writes one, `--heuristic FILE` reads it.
//!
//! The form is described in `docs/formats/heuristic.md`, with one example for each kind; a test reads them. What is
//! wrong with a file is said with its place: malformed text and wrong types by the parser, names that the model does
//! not have by where they are written.

use fathom_core::guide::{
    AbstractPlan, Combine, DatabasePlan, LocalRow, LocalTable, Match, Over, PatternRow, PatternTable,
};
use fathom_core::model::Model;
use fathom_core::source::{Diagnostic, SourceMap, Span};
use fathom_core::{HeuristicChoice, HeuristicData, HeuristicError, HeuristicKind};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::files::read_text;
use crate::output;
use crate::session::Session;

/// The number of the form.
const FORMAT: u32 = 1;

/// A heuristic in a file. Which keys there are depends on the kind.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeuristicFile {
    /// The number of the form.
    format: u32,
    /// `local`, `pattern`, `abstract`, `formula`, `wrong`, `blocked` or `cost`.
    kind: String,
    /// For formula and wrong: the expression to come near to; without it, the properties.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    goal: Option<String>,
    /// For cost: small is near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expression: Option<String>,
    /// For local: how the distances of processes become one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    over: Option<OverForm>,
    /// For local: distances by template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    templates: Vec<TemplateForm>,
    /// For pattern: which of several matching rows counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    matching: Option<MatchForm>,
    /// For pattern: the moves, the first one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rows: Vec<RowForm>,
    /// For abstract: how databases become one estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    combine: Option<CombineForm>,
    /// For abstract: what each database keeps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    databases: Vec<DatabaseForm>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OverForm {
    Moved,
    Min,
    Max,
    Sum,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MatchForm {
    First,
    Closest,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CombineForm {
    Max,
    Sum,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateForm {
    template: String,
    locations: Vec<LocationForm>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LocationForm {
    location: u32,
    /// For people.
    #[serde(default)]
    label: Option<String>,
    distance: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowForm {
    template: String,
    #[serde(default)]
    process: Option<usize>,
    from: u32,
    to: u32,
    #[serde(default)]
    variables: Vec<VariableForm>,
    /// For people.
    #[serde(default)]
    text: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VariableForm {
    name: String,
    value: i64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DatabaseForm {
    keep: Vec<String>,
    #[serde(default)]
    groups: Vec<GroupForm>,
    /// For people: abstract states, and the largest distance.
    #[serde(default)]
    states: Option<usize>,
    #[serde(default)]
    largest: Option<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupForm {
    cells: Vec<String>,
    classes: Vec<Vec<i64>>,
}

/// The text of a file for a heuristic. Expressions are those of the command line.
pub fn to_text(
    model: &Model,
    data: &HeuristicData,
    goal: Option<String>,
    cost: Option<String>,
) -> Result<String, Failure> {
    let empty = HeuristicFile { format: FORMAT, ..HeuristicFile::default() };
    let file = match data {
        HeuristicData::Local(table) => HeuristicFile {
            kind: "local".to_owned(),
            over: Some(over_to_form(table.over)),
            templates: table.rows.iter().map(|row| template_to_form(model, row)).collect(),
            ..empty
        },
        HeuristicData::Pattern(table) => HeuristicFile {
            kind: "pattern".to_owned(),
            matching: Some(match table.matching {
                Match::First => MatchForm::First,
                Match::Closest => MatchForm::Closest,
            }),
            rows: table.rows.iter().map(row_to_form).collect(),
            ..empty
        },
        HeuristicData::Abstract(plan, sizes) => HeuristicFile {
            kind: "abstract".to_owned(),
            combine: Some(match plan.combine {
                Combine::Max => CombineForm::Max,
                Combine::Sum => CombineForm::Sum,
            }),
            databases: plan.databases.iter().zip(sizes).map(database_to_form).collect(),
            ..empty
        },
        HeuristicData::Kind(kind) => HeuristicFile {
            kind: (*kind).to_owned(),
            goal: goal.filter(|_| matches!(*kind, "formula" | "wrong")),
            expression: cost.filter(|_| *kind == "cost"),
            ..empty
        },
        _ => return Err(Failure::new("this heuristic has no file")),
    };
    output::to_json(&file)
}

fn over_to_form(over: Over) -> OverForm {
    match over {
        Over::Moved => OverForm::Moved,
        Over::Min => OverForm::Min,
        Over::Max => OverForm::Max,
        Over::Sum => OverForm::Sum,
    }
}

fn template_to_form(model: &Model, row: &LocalRow) -> TemplateForm {
    let template = model.templates.iter().find(|template| template.name == row.template);
    let label = |location: u32| {
        let location = template?.locations.get(location as usize)?;
        location.labels.first().cloned()
    };
    let locations = row.distances.iter();
    let locations =
        locations.map(|&(location, distance)| LocationForm { location, label: label(location), distance });
    TemplateForm { template: row.template.clone(), locations: locations.collect() }
}

fn row_to_form(row: &PatternRow) -> RowForm {
    let variables =
        row.variables.iter().map(|(name, value)| VariableForm { name: name.clone(), value: *value });
    RowForm {
        template: row.template.clone(),
        process: row.process,
        from: row.from,
        to: row.to,
        variables: variables.collect(),
        text: row.text.clone(),
    }
}

fn database_to_form((plan, size): (&DatabasePlan, &(usize, u32))) -> DatabaseForm {
    let groups = plan.groups.iter();
    let groups = groups.map(|(cells, classes)| GroupForm { cells: cells.clone(), classes: classes.clone() });
    DatabaseForm {
        keep: plan.keep.clone(),
        groups: groups.collect(),
        states: Some(size.0),
        largest: Some(size.1),
    }
}

/// A file that was read, for messages about what is in it.
#[derive(Debug)]
pub struct ReadFile {
    path: String,
    text: String,
}

impl ReadFile {
    /// A message about the place where a name is written, or about the file.
    pub fn complain(&self, name: &str, message: &str) -> Failure {
        let start = self.text.find(&format!("\"{name}\"")).map_or(0, |quote| quote + 1);
        let end = if start == 0 { 0 } else { start + name.len() };
        self.at(start, end, message)
    }

    /// What is wrong with a heuristic that was made of this file.
    pub fn explain(&self, error: &HeuristicError) -> Failure {
        match error {
            HeuristicError::Unknown(unknown) => self.complain(&unknown.name, "the model does not have this"),
            HeuristicError::NoDatabase(fathom_core::guide::NoDatabase::NoCell(name)) => {
                self.complain(name, "this is no cell whose values can be told apart")
            }
            other => self.at(0, 0, &other.to_string()),
        }
    }

    fn at(&self, start: usize, end: usize, message: &str) -> Failure {
        let mut sources = SourceMap::new();
        let file = sources.add(self.path.clone(), self.text.clone());
        let span = Span { file, start: start as u32, end: end.max(start) as u32 };
        let diagnostic = Diagnostic::error("heuristic::file", message).at(span, "here");
        Failure::of_diagnostics(
            format!("{}: this heuristic cannot be used", self.path),
            &sources,
            &[diagnostic],
        )
    }

    /// The offset of a line and a column, both from 1.
    fn offset(&self, line: usize, column: usize) -> usize {
        let before: usize = self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let mut offset = (before + column.saturating_sub(1)).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

/// Reads a heuristic.
pub fn read(path: &str, session: &Session) -> Result<(HeuristicChoice, ReadFile), Failure> {
    let text = read_text(path)?;
    let read = ReadFile { path: path.to_owned(), text };
    let file: HeuristicFile = serde_json::from_str(&read.text).map_err(|error| {
        let offset = read.offset(error.line(), error.column());
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message);
        read.at(offset, offset, message)
    })?;
    if file.format != FORMAT {
        let message = format!("this is form {} of heuristics, this Fathom reads {FORMAT}", file.format);
        return Err(read.complain("format", &message));
    }
    let choice = to_choice(&file, &read, session)?;
    Ok((choice, read))
}

fn to_choice(file: &HeuristicFile, read: &ReadFile, session: &Session) -> Result<HeuristicChoice, Failure> {
    Ok(match file.kind.as_str() {
        "local" if file.templates.is_empty() => HeuristicChoice::Kind(HeuristicKind::Local),
        "local" => HeuristicChoice::LocalTable(to_local_table(file)),
        "pattern" => HeuristicChoice::Pattern(to_pattern_table(file)),
        "abstract" if file.databases.is_empty() => HeuristicChoice::Abstract(None),
        "abstract" => HeuristicChoice::Abstract(Some(to_plan(file))),
        "cost" => match &file.expression {
            Some(expression) => HeuristicChoice::Cost(session.parse_watch(expression)?),
            None => return Err(read.complain("cost", "a cost needs an expression")),
        },
        name => match (HeuristicKind::ALL.into_iter().find(|kind| kind.name() == name), &file.goal) {
            (Some(kind), Some(goal)) => HeuristicChoice::Toward(kind, session.parse_watch(goal)?),
            (Some(kind), None) => HeuristicChoice::Kind(kind),
            (None, _) => return Err(read.complain(name, "there is no such kind of heuristic")),
        },
    })
}

fn to_local_table(file: &HeuristicFile) -> LocalTable {
    let over = match file.over {
        Some(OverForm::Moved) | None => Over::Moved,
        Some(OverForm::Min) => Over::Min,
        Some(OverForm::Max) => Over::Max,
        Some(OverForm::Sum) => Over::Sum,
    };
    let row = |form: &TemplateForm| LocalRow {
        template: form.template.clone(),
        distances: form.locations.iter().map(|form| (form.location, form.distance)).collect(),
    };
    LocalTable { rows: file.templates.iter().map(row).collect(), over }
}

fn to_pattern_table(file: &HeuristicFile) -> PatternTable {
    let row = |form: &RowForm| PatternRow {
        template: form.template.clone(),
        process: form.process,
        from: form.from,
        to: form.to,
        variables: form.variables.iter().map(|form| (form.name.clone(), form.value)).collect(),
        text: form.text.clone(),
    };
    let matching = match file.matching {
        Some(MatchForm::Closest) => Match::Closest,
        Some(MatchForm::First) | None => Match::First,
    };
    PatternTable { rows: file.rows.iter().map(row).collect(), matching }
}

fn to_plan(file: &HeuristicFile) -> AbstractPlan {
    let group = |form: &GroupForm| (form.cells.clone(), form.classes.clone());
    let database = |form: &DatabaseForm| DatabasePlan {
        keep: form.keep.clone(),
        groups: form.groups.iter().map(group).collect(),
    };
    let combine = match file.combine {
        Some(CombineForm::Sum) => Combine::Sum,
        Some(CombineForm::Max) | None => Combine::Max,
    };
    AbstractPlan { databases: file.databases.iter().map(database).collect(), combine }
}
