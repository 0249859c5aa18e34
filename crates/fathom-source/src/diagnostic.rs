//! One type for everything that is said about the user's text.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used, but probably does not mean what its author thinks.
    Warning,
}

/// A place with a few words about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there, lower case, no full stop; may be empty.
    pub text: String,
}

/// Something to tell the author of a model or of a property.
///
/// The message is terse, in lower case and without a full stop. It says what was found and what was
/// expected. The code is stable: scripts may rely on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Stable code, `language::what`, for example `promela::undeclared-name`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One line that says what is wrong.
    pub message: String,
    /// The place it is about, when there is one.
    pub primary: Option<Label>,
    /// Other places that explain it, for example an earlier declaration.
    pub secondary: Vec<Label>,
    /// Further sentences.
    pub notes: Vec<String>,
    /// What to write instead, when that is known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a place yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Error, message)
    }

    /// A warning without a place yet.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Warning, message)
    }

    fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Sets the place it is about, with a few words (may be empty).
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Adds a place that explains it.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a sentence.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Says what to write instead.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Whether the model cannot be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Whether any of these is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}
