//! Programs as text.

use super::expr::{write_expression, write_parenthesized};
use super::stmt::Writer;
use crate::syntax::*;

/// A whole program: reading the text again gives the same tree, except for places and names of inlines.
pub fn program(program: &Program) -> String {
    let mut writer = Writer { text: String::new(), indentation: Some(0) };
    for unit in &program.units {
        write_unit(&mut writer, unit);
        writer.text.push('\n');
    }
    writer.text
}

fn write_unit(writer: &mut Writer, unit: &Unit) {
    match unit {
        Unit::Process(process) => write_process(writer, process),
        Unit::Monitor(monitor) => {
            writer.text.push_str(match monitor.kind {
                MonitorKind::Never => "never ",
                MonitorKind::Trace => "trace ",
                MonitorKind::NoTrace => "notrace ",
            });
            if let Some(name) = &monitor.name {
                writer.text.push_str(&name.name);
                writer.text.push(' ');
            }
            writer.block(&monitor.body);
        }
        Unit::Ltl(ltl) => {
            let out = &mut writer.text;
            out.push_str("ltl ");
            if let Some(name) = &ltl.name {
                out.push_str(&name.name);
                out.push(' ');
            }
            out.push_str("{ ");
            write_expression(out, &ltl.formula, 0);
            out.push_str(" }");
        }
        Unit::Typedef(typedef) => {
            let out = &mut writer.text;
            out.push_str("typedef ");
            out.push_str(&typedef.name.name);
            out.push_str(" {");
            for field in &typedef.fields {
                out.push_str("\n    ");
                write_declaration(out, field);
                out.push(';');
            }
            out.push_str("\n}");
        }
        Unit::Mtype(mtype) => {
            let out = &mut writer.text;
            write_type(out, &TypeName::Mtype(mtype.subtype.clone()));
            let members: Vec<&str> = mtype.members.iter().map(|member| member.name.as_str()).collect();
            out.push_str(&format!(" = {{ {} }};", members.join(", ")));
        }
        Unit::Declaration(declaration) => {
            write_declaration(&mut writer.text, declaration);
            writer.text.push(';');
        }
    }
}

fn write_process(writer: &mut Writer, process: &Process) {
    let out = &mut writer.text;
    if process.name.name == ":init:" {
        out.push_str("init ");
    } else {
        if let Some(active) = &process.active {
            out.push_str("active [");
            write_expression(out, active, 0);
            out.push_str("] ");
        }
        out.push_str(if process.deterministic { "D_proctype " } else { "proctype " });
        out.push_str(&process.name.name);
        out.push('(');
        for (number, parameter) in process.parameters.iter().enumerate() {
            if number > 0 {
                out.push_str("; ");
            }
            write_declaration(out, parameter);
        }
        out.push_str(") ");
    }
    if let Some(priority) = &process.priority {
        out.push_str("priority ");
        write_expression(out, priority, 0);
        out.push(' ');
    }
    if let Some(provided) = &process.provided {
        out.push_str("provided ");
        write_parenthesized(out, provided);
        out.push(' ');
    }
    writer.block(&process.body);
}

/// A declaration of variables, without separator.
pub(super) fn write_declaration(out: &mut String, declaration: &Declaration) {
    out.push_str(match declaration.visibility {
        Some(Visibility::Hidden) => "hidden ",
        Some(Visibility::Show) => "show ",
        Some(Visibility::Local) => "local ",
        None => "",
    });
    write_type(out, &declaration.ty);
    for (number, declarator) in declaration.declarators.iter().enumerate() {
        out.push_str(if number > 0 { ", " } else { " " });
        write_declarator(out, declarator);
    }
}

fn write_declarator(out: &mut String, declarator: &Declarator) {
    out.push_str(&declarator.name.name);
    if let Some(width) = &declarator.width {
        out.push_str(" : ");
        write_expression(out, width, 20);
    }
    if let Some(length) = &declarator.length {
        out.push('[');
        write_expression(out, length, 0);
        out.push(']');
    }
    match &declarator.initializer {
        None => {}
        Some(Initializer::Value(value)) => {
            out.push_str(" = ");
            write_expression(out, value, 0);
        }
        Some(Initializer::List(values)) => {
            out.push_str(" = { ");
            super::expr::write_list(out, values);
            out.push_str(" }");
        }
        Some(Initializer::Channel { capacity, fields, .. }) => {
            out.push_str(" = [");
            write_expression(out, capacity, 0);
            out.push_str("] of { ");
            for (number, field) in fields.iter().enumerate() {
                out.push_str(if number > 0 { ", " } else { "" });
                write_type(out, field);
            }
            out.push_str(" }");
        }
    }
}

fn write_type(out: &mut String, ty: &TypeName) {
    out.push_str(match ty {
        TypeName::Bit => "bit",
        TypeName::Bool => "bool",
        TypeName::Byte => "byte",
        TypeName::Pid => "pid",
        TypeName::Short => "short",
        TypeName::Int => "int",
        TypeName::Unsigned => "unsigned",
        TypeName::Chan => "chan",
        TypeName::Mtype(_) => "mtype",
        TypeName::User(name) => &name.name,
    });
    if let TypeName::Mtype(Some(name)) = ty {
        out.push(':');
        out.push_str(&name.name);
    }
}
