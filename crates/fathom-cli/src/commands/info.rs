//! `fathom info`: what a model is made of.

use std::fmt::Write;

use clap::Args;
use fathom_core::model::Question;
use fathom_core::model::layout::Layout;
use fathom_core::model::{
    Frame, Model, ScalarKind, ScalarType, Template, TemplateRole, Type, Variable, VariableRole,
};
use fathom_core::symbolic::{Partition, Side};
use fathom_source::render_json;

use crate::arguments::{Format, ModelArguments, OutputArguments};
use crate::failure::{self, Failure};
use crate::output;
use crate::program::from_file;
use crate::session::Session;
use crate::timed;
use crate::wire::{self, InfoReport};

/// The flags of `info`.
#[derive(Debug, Args)]
pub struct InfoArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Print the lowered model instead
    #[arg(long = "model")]
    pub lowered: bool,
    /// Write what --partition auto would choose to FILE, to be edited and given to --partition
    #[arg(long, value_name = "FILE")]
    pub partition_out: Option<String>,
    /// Overwrite the file of --partition-out if it exists
    #[arg(long, requires = "partition_out")]
    pub force: bool,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Runs the command.
pub fn run(arguments: &InfoArguments) -> Result<u8, Failure> {
    let model = arguments.model.validate()?;
    if arguments.partition_out.is_some() && (model.language.is_program() || model.is_timed()) {
        return Err(Failure::new(
            "--partition-out is for models that have partitions: not for programs and timed automata",
        ));
    }
    if model.language.is_program() {
        return from_file::info(&model, arguments.output.quiet);
    }
    if model.is_timed() {
        return timed::info::info(arguments, &model);
    }
    let session = Session::open(model)?;
    if !arguments.output.quiet && arguments.output.format == Format::Text {
        session.show_warnings();
    }
    if let Some(path) = &arguments.partition_out {
        let sides: Vec<_> = Partition::auto(session.model()).sides().iter().map(side_form).collect();
        output::write_file(path, partition_lines(&sides, ""), arguments.force)?;
    }
    match (arguments.lowered, arguments.output.format) {
        (true, Format::Text) => output::print(&fathom_core::model::print::print_model(session.model()))?,
        (true, Format::Json) => {
            return Err(Failure::new("--model prints text only: leave out --format json"));
        }
        (false, Format::Text) => output::print(&to_text(&gather(&session)))?,
        (false, Format::Json) => output::print_json(&gather(&session))?,
    }
    Ok(failure::HOLDS)
}

fn gather(session: &Session) -> InfoReport {
    let model = session.model();
    let layout = Layout::new(model);
    let channels =
        model.channel_types.iter().zip(&layout.channels).map(|(channel, layout)| wire::ChannelTypeForm {
            name: channel.name.clone(),
            capacity: channel.capacity,
            fields: channel.fields.iter().map(|field| scalar_name(model, *field)).collect(),
            bytes: layout.size,
        });
    let participation = |index: usize| fathom_core::estimated_participation(model, index.into());
    let advice = |index: usize| {
        let advice = fathom_core::advice(model, &model.properties[index].question, participation(index)?);
        Some(wire::AdviceForm { command: advice.command.to_owned(), reason: advice.reason.to_owned() })
    };
    let properties = model.properties.iter().enumerate().map(|(index, property)| wire::PropertyForm {
        name: property.name.clone(),
        kind: property.question.kind().to_owned(),
        span: session.place(property.span),
        supported: !matches!(property.question, Question::EventTrace(_)),
        participation: participation(index).map(Into::into),
        advice: advice(index),
    });
    InfoReport {
        fathom: wire::VERSION.to_owned(),
        model: session.summary(),
        state_bytes: session.initial_state().map_or(0, |state| state.len()),
        files: session.sources().files().map(|(_, file)| file.name().to_owned()).collect(),
        processes: (0..model.templates.len()).map(|index| template_form(session, index)).collect(),
        globals: frame_form(session, &model.globals),
        channels: channels.collect(),
        properties: properties.collect(),
        symmetry: fathom_core::symmetry_of(model),
        partition: Partition::auto(model).sides().iter().map(side_form).collect(),
        diagnostics: match render_json(session.sources(), &session.loaded().diagnostics) {
            serde_json::Value::Array(list) => list,
            other => vec![other],
        },
    }
}

fn side_form(side: &Side) -> wire::SideForm {
    wire::SideForm {
        name: side.name.clone(),
        side: if side.symbolic { "symbolic" } else { "explicit" }.to_owned(),
        bits: side.bits,
        reason: side.reason.to_owned(),
    }
}

fn template_form(session: &Session, index: usize) -> wire::TemplateForm {
    let template: &Template = &session.model().templates[index];
    let role = match template.role {
        TemplateRole::Process => "process",
        TemplateRole::Claim => "claim",
        TemplateRole::EventTrace { negated: false } => "trace",
        TemplateRole::EventTrace { negated: true } => "notrace",
    };
    wire::TemplateForm {
        name: template.name.clone(),
        role: role.to_owned(),
        instances: session.model().start.iter().filter(|start| start.template.index() == index).count(),
        locations: template.locations.len(),
        edges: template.edges.len(),
        locals: frame_form(session, &template.locals),
        span: session.place(template.span),
    }
}

fn frame_form(session: &Session, frame: &Frame) -> Vec<wire::VariableForm> {
    let shown = frame.variables.iter().filter(|variable| variable.role != VariableRole::Internal);
    let form = |variable: &Variable| wire::VariableForm {
        name: variable.name.clone(),
        ty: type_name(session.model(), &variable.ty),
        bytes: variable.ty.size(session.model()),
        parameter: variable.role == VariableRole::Parameter,
        span: session.place(variable.span),
    };
    shown.map(form).collect()
}

fn type_name(model: &Model, ty: &Type) -> String {
    match ty {
        Type::Scalar(scalar) => scalar_name(model, *scalar),
        Type::Array { element, length, .. } => format!("{}[{length}]", type_name(model, element)),
        Type::Record(record) => model.records[record.index()].name.clone(),
    }
}

fn scalar_name(model: &Model, ty: ScalarType) -> String {
    let name = match (ty.kind, ty.bits, ty.signed) {
        (ScalarKind::Boolean, ..) => "bool",
        (ScalarKind::Channel, ..) => "chan",
        (ScalarKind::Process, ..) => "pid",
        (ScalarKind::Enumeration(id), ..) => &model.enumerations[id.index()].name,
        (ScalarKind::Integer, 1, false) => "bit",
        (ScalarKind::Integer, 8, false) => "byte",
        (ScalarKind::Integer, 16, true) => "short",
        (ScalarKind::Integer, 32, true) => "int",
        (ScalarKind::Integer, bits, false) => return format!("unsigned:{bits}"),
        (ScalarKind::Integer, bits, true) => return format!("signed:{bits}"),
    };
    name.to_owned()
}

fn to_text(info: &InfoReport) -> String {
    let place = |span: &Option<String>| span.as_ref().map_or(String::new(), |span| format!("  {span}"));
    let variable = |text: &mut String, variable: &wire::VariableForm| {
        let parameter = if variable.parameter { " (parameter)" } else { "" };
        let bytes = variable.bytes;
        let _ = writeln!(
            text,
            "    {} {}{parameter}, {bytes} bytes{}",
            variable.ty,
            variable.name,
            place(&variable.span)
        );
    };
    let mut text = format!(
        "{}: {}, {} processes at the start, {} bytes ({} bits) a state\n",
        info.model.file, info.model.language, info.model.processes, info.state_bytes, info.model.state_bits
    );
    if info.files.len() > 1 {
        let _ = writeln!(text, "files: {}", info.files.join(", "));
    }
    text += "processes:\n";
    for template in &info.processes {
        let _ = writeln!(
            text,
            "  {} ({}): {} at the start, {} locations, {} edges{}",
            template.name,
            template.role,
            template.instances,
            template.locations,
            template.edges,
            place(&template.span)
        );
        template.locals.iter().for_each(|local| variable(&mut text, local));
    }
    if !info.globals.is_empty() {
        text += "globals:\n";
        info.globals.iter().for_each(|global| variable(&mut text, global));
    }
    if !info.channels.is_empty() {
        text += "channels:\n";
    }
    for channel in &info.channels {
        let fields = channel.fields.join(", ");
        let _ = writeln!(
            text,
            "    {} = [{}] of {{ {fields} }}, {} bytes",
            channel.name, channel.capacity, channel.bytes
        );
    }
    text += "properties:\n";
    for property in &info.properties {
        let note = if property.supported { "" } else { ", not yet checked" };
        let _ = writeln!(text, "    {} ({}{note}){}", property.name, property.kind, place(&property.span));
        if let (Some(participation), Some(advice)) = (&property.participation, &property.advice) {
            let _ = writeln!(text, "        probably {participation}");
            let _ = writeln!(
                text,
                "        if `check` takes too long: fathom {} ({})",
                advice.command, advice.reason
            );
        }
    }
    if !info.symmetry.is_empty() {
        text += "may be exchanged (--symmetry canonical takes states for one that differ in this only):\n";
        for line in &info.symmetry {
            let _ = writeln!(text, "    {line}");
        }
    }
    text += "with --partition auto (lines of a partition file):\n";
    text + &partition_lines(&info.partition, "    ")
}

/// Lines of a partition file.
fn partition_lines(sides: &[wire::SideForm], indent: &str) -> String {
    let line = |side: &wire::SideForm| {
        format!("{indent}{} {}  # {} bits, {}\n", side.side, side.name, side.bits, side.reason)
    };
    sides.iter().map(line).collect()
}
