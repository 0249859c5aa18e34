//! Trace files: names that overwrite nothing, writing and reading.

use std::path::{Path, PathBuf};

use clap::Args;
use fathom_core::model::{
    Evidence, Fault, Interpreter, Model, NoRegion, PropertyId, Question, Steps, System, Trace,
};
use fathom_core::search;

use crate::failure::Failure;
use crate::files::read_text;
use crate::output;
use crate::session::Session;
use crate::story::{Story, conclusion, fault_of, first_to_wire, steps_to_wire};
use crate::wire::{AskedProperty, TraceFile, TracedEvidence};

/// Where traces go.
#[derive(Clone, Debug, Default, Args)]
pub struct TraceFileArguments {
    /// Write the trace of the first violated property to FILE, those of others to FILE with their names inserted
    #[arg(long, value_name = "FILE")]
    pub trace: Option<String>,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
}

impl TraceFileArguments {
    /// Checks before any work is done that the traces of properties with these names can be written, if they are wanted.
    pub fn claim(&self, names: &[String]) -> Result<Option<TraceNames>, Failure> {
        let claim = |base: &String| TraceNames::claim(base, self.force, names);
        self.trace.as_ref().map(claim).transpose()
    }
}

/// The number of the form of trace files.
pub const FORMAT: u32 = 1;

/// Where the traces of a run go.
#[derive(Clone, Debug)]
pub struct TraceNames {
    base: PathBuf,
    overwrite: bool,
}

impl TraceNames {
    /// Checks before any work is done that no file would be lost and that the folder exists.
    pub fn claim(base: &str, overwrite: bool, properties: &[String]) -> Result<TraceNames, Failure> {
        let names = TraceNames { base: PathBuf::from(base), overwrite };
        let folder = names.base.parent().filter(|folder| !folder.as_os_str().is_empty());
        if names.base.file_name().is_none() || names.base.is_dir() {
            return Err(Failure::new(format!("--trace {base}: not the name of a file")));
        }
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(Failure::new(format!("--trace {base}: the folder does not exist")));
        }
        let mut candidates = vec![names.base.clone()];
        if properties.len() > 1 {
            candidates.extend(properties.iter().map(|property| names.for_property(property)));
        }
        match candidates.iter().find(|path| !overwrite && path.exists()) {
            None => Ok(names),
            Some(path) => Err(Failure::new(format!(
                "{} exists; choose another name for --trace, or say --force to overwrite it",
                path.display()
            ))),
        }
    }

    /// The file of the first trace.
    pub fn first(&self) -> PathBuf {
        self.base.clone()
    }

    /// The file of the trace of another property: its name comes before the extension.
    pub fn for_property(&self, property: &str) -> PathBuf {
        let plain = |character: char| {
            if character.is_ascii_alphanumeric() || "-_".contains(character) { character } else { '_' }
        };
        let property: String = property.chars().map(plain).collect();
        let stem = self.base.file_stem().unwrap_or_default().to_string_lossy();
        let extension = self
            .base
            .extension()
            .map_or(String::new(), |extension| format!(".{}", extension.to_string_lossy()));
        self.base.with_file_name(format!("{stem}-{property}{extension}"))
    }

    /// Writes a trace.
    pub fn write(&self, path: &Path, trace: &TraceFile) -> Result<(), Failure> {
        output::write_file(path, &output::to_json(trace)?, self.overwrite)
    }
}

/// Longer traces are not told in their file: `replay` does it.
const MAX_TOLD_STEPS: usize = 100_000;

/// The file for a trace.
pub fn to_file(
    session: &Session,
    interpreter: &Interpreter<'_>,
    asked: &[AskedProperty],
    property: PropertyId,
    verdict: &str,
    trace: &Trace,
    story: &Story,
) -> TraceFile {
    let property = &session.model().properties[property.index()];
    let told = (story.n_steps() <= MAX_TOLD_STEPS).then(|| steps_to_wire(session, interpreter, story));
    TraceFile {
        fathom: crate::wire::VERSION.to_owned(),
        format: FORMAT,
        model: session.traced_model(),
        asked: asked.to_vec(),
        property: property.name.clone(),
        kind: property.question.kind().to_owned(),
        verdict: verdict.to_owned(),
        evidence: evidence_to_wire(&property.question, trace),
        initial: trace.initial,
        choices: trace.choices.clone(),
        loop_at: trace.loop_at,
        first: first_to_wire(session, interpreter, story),
        steps: told.and_then(Result::ok).unwrap_or_default(),
        timed: None,
        program: None,
    }
}

/// Where a trace was written, and how to see it again with a command.
pub fn written_text(command: &str, file: &str) -> String {
    format!("trace written to {file}; show it again with: {command} replay {}", output::quoted(file))
}

/// What a trace shows, for its file and for reports.
pub fn evidence_to_wire(question: &Question, trace: &Trace) -> TracedEvidence {
    let fault = fault_of(trace);
    let kind = if matches!(trace.evidence, Evidence::State) { "state" } else { "finding" };
    TracedEvidence {
        kind: kind.to_owned(),
        fault: fault.map(ToString::to_string),
        text: conclusion(question, fault, trace.loop_at),
    }
}

/// Reads a trace file.
pub fn read(path: &str) -> Result<TraceFile, Failure> {
    let text = read_text(path)?;
    // Look at the number first: another form is no broken trace.
    let value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("{path} is not a trace file: {error}")))?;
    match value.get("format").and_then(serde_json::Value::as_u64) {
        Some(format) if format == u64::from(FORMAT) => {}
        Some(format) => {
            return Err(Failure::new(format!(
                "{path} has trace format {format}, this Fathom reads {FORMAT}"
            )));
        }
        None => return Err(Failure::new(format!("{path} is not a trace file: it has no format number"))),
    }
    serde_json::from_value(value)
        .map_err(|error| Failure::new(format!("{path} is not a trace file: {error}")))
}

/// The trace in a file, about a property of a model that was loaded again.
///
/// Faults are written in words; the one that is meant is found by following the trace to its end.
pub fn to_trace(model: &Model, property: PropertyId, file: &TraceFile) -> Result<Trace, String> {
    let mut trace = Trace {
        initial: file.initial,
        choices: file.choices.clone(),
        evidence: Evidence::State,
        loop_at: file.loop_at,
    };
    if file.evidence.kind == "finding" {
        let words = file.evidence.fault.as_deref();
        let of_formula =
            fathom_core::proposition_faults(model, property, &trace).map_err(|error| error.to_string())?;
        let fault = match of_formula {
            // Without a fault, the formula itself is evaluated when the trace is told.
            Some(faults) => faults.into_iter().find(|fault| Some(fault.to_string().as_str()) == words),
            None => find_fault(&Interpreter::new(model, &[property]), &trace, property, words)?,
        };
        trace.evidence = Evidence::Finding { property, fault };
    }
    Ok(trace)
}

/// The fault at the end of a trace that has these words.
///
/// # Errors
///
/// When there is none.
pub fn find_fault<S: System<Region = NoRegion>>(
    system: &S,
    trace: &Trace,
    property: PropertyId,
    words: Option<&str>,
) -> Result<Option<Fault>, String> {
    let mut scratch = system.scratch();
    let mut steps: Steps<NoRegion, S::Label> = Steps::new();
    system.initial(&mut scratch, &mut steps);
    if !steps.is_empty() {
        let replay = search::replay(system, trace).map_err(|error| error.to_string())?;
        if let Some(last) = replay.visits.last() {
            steps.clear();
            system.successors(&last.state, &NoRegion, &mut scratch, &mut steps);
        }
    }
    let found = steps.findings().iter().find(|finding| {
        finding.property == property && finding.fault.as_ref().map(ToString::to_string).as_deref() == words
    });
    match (found, words) {
        (Some(finding), _) => Ok(finding.fault.clone()),
        (None, Some(words)) => Err(format!("the end does not show \"{words}\"")),
        (None, None) => Err("the end shows nothing about the property".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_property_goes_before_the_extension() {
        let names = |base: &str| TraceNames { base: PathBuf::from(base), overwrite: false };
        assert_eq!(names("a/t.json").for_property("deadlock"), Path::new("a/t-deadlock.json"));
        assert_eq!(names("t").for_property("p/q r"), Path::new("t-p_q_r"));
    }
}
