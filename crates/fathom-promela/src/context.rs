//! What lowering knows while it goes through a program.

use std::collections::HashMap;

use fathom_model::{
    Action, ChannelTypeId, EnumerationId, Expr, Frame, Model, RecordId, ScalarType, TemplateId,
};
use fathom_source::{Diagnostic, Span};

use crate::scope::Scopes;
use crate::syntax;

/// Shared by all parts of the lowering.
pub(crate) struct Context {
    /// The model under construction.
    pub model: Model,
    /// The names visible at the current point.
    pub scopes: Scopes,
    /// Process templates by name.
    pub processes: HashMap<String, TemplateId>,
    /// Flattened parameter types, by template.
    pub parameters: Vec<Vec<ScalarType>>,
    /// Record types by name.
    pub user_types: HashMap<String, RecordId>,
    /// First values of the fields of records, by record and field.
    pub field_initializers: Vec<Vec<Option<FieldInitializer>>>,
    /// Enumerations by name; the unnamed one is the empty string.
    pub enumerations: HashMap<String, EnumerationId>,
    /// References into other processes, resolved when all are known.
    pub remote: Vec<Remote>,
    /// The locals of the process being lowered.
    pub locals: Frame,
    /// Where `run` may put what it does; nothing where `run` is not allowed.
    pub creations: Option<Vec<Action>>,
    /// Everything to tell the author.
    pub diagnostics: Vec<Diagnostic>,
}

/// The first value of a field of a record.
#[derive(Clone, Debug)]
pub(crate) enum FieldInitializer {
    /// For the elements of an array, the last one again and again; for a scalar, the first.
    Values(Vec<Expr>),
    Channel(ChannelTypeId),
}

/// A reference into another process.
///
/// Until every process is lowered, the reference is an index into [`Context::remote`] in place of the
/// location or of the offset.
#[derive(Clone, Debug)]
pub(crate) enum Remote {
    Label { template: TemplateId, label: syntax::Ident },
    Variable { template: TemplateId, parts: Vec<(syntax::Ident, Option<Expr>)>, span: Span },
}

/// Set in an offset that is an index into [`Context::remote`].
pub(crate) const REMOTE_MARK: u32 = 1 << 31;

impl Context {
    /// For a model with nothing in it.
    pub fn new(model: Model) -> Context {
        Context {
            scopes: Scopes::of_model(&model),
            processes: HashMap::new(),
            parameters: Vec::new(),
            user_types: HashMap::new(),
            field_initializers: Vec::new(),
            enumerations: HashMap::new(),
            remote: Vec::new(),
            locals: Frame::default(),
            creations: None,
            diagnostics: Vec::new(),
            model,
        }
    }

    /// For properties of a finished model.
    pub fn of_model(model: &Model) -> Context {
        let mut context = Context::new(model.clone());
        for (index, template) in model.templates.iter().enumerate() {
            context.processes.insert(template.name.clone(), TemplateId::from(index));
        }
        context
    }

    /// Reports an error.
    pub fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, label));
    }

    /// Reports a warning.
    pub fn warning(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) {
        self.diagnostics.push(Diagnostic::warning(code, message).at(span, label));
    }
}
