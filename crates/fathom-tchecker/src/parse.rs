//! Text to declarations.
//!
//! A declaration is a keyword and fields, separated by colons, up to the end of the line or an opening brace. Attributes
//! in braces may go over several lines; colons separate keys and values there, too, as no expression of the format has a
//! colon. A `#` starts a comment that goes to the end of the line.

use fathom_source::{Diagnostic, FileId, SourceMap, Span};

use crate::syntax::{Attribute, Declaration, Declarations, Text};

/// Declarations after which nobody wants to read on.
const MOST_DECLARATIONS: usize = 1_000_000;

/// Reads the declarations of a file.
pub fn parse(file: FileId, sources: &SourceMap) -> (Declarations, Vec<Diagnostic>) {
    let text = sources.file(file).text();
    let mut parser = Parser { file, text, position: 0, diagnostics: Vec::new() };
    let mut list = Vec::new();
    while parser.skip_blank() {
        if list.len() >= MOST_DECLARATIONS {
            let message = format!("more than {MOST_DECLARATIONS} declarations");
            parser.complain("tchecker::too-large", message, parser.span(parser.position, parser.position));
            break;
        }
        if let Some(declaration) = parser.declaration() {
            list.push(declaration);
        }
    }
    let end = parser.span(text.len(), text.len());
    (Declarations { list, end: Some(end) }, parser.diagnostics)
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    position: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }

    fn complain(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    /// Goes to the next declaration; false at the end of the text.
    fn skip_blank(&mut self) -> bool {
        loop {
            match self.peek() {
                None => return false,
                Some(b'#') => self.skip_comment(),
                Some(byte) if byte.is_ascii_whitespace() => self.position += 1,
                Some(_) => return true,
            }
        }
    }

    fn skip_comment(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.position += 1;
        }
    }

    /// A piece of the text, without space around it.
    fn piece(&self, start: usize, end: usize) -> Text {
        let raw = &self.text[start..end];
        let text = raw.trim();
        let start = start + (raw.len() - raw.trim_start().len());
        let span = self.span(start.min(end), start.min(end) + text.len());
        Text { text: text.to_owned(), span }
    }

    fn declaration(&mut self) -> Option<Declaration> {
        let mut fields = Vec::new();
        let mut start = self.position;
        let mut attributes = Vec::new();
        loop {
            match self.peek() {
                Some(b':') => {
                    fields.push(self.piece(start, self.position));
                    self.position += 1;
                    start = self.position;
                }
                Some(b'{') => {
                    fields.push(self.piece(start, self.position));
                    attributes = self.attributes();
                    self.finish_line();
                    break;
                }
                None | Some(b'\n' | b'#') => {
                    fields.push(self.piece(start, self.position));
                    break;
                }
                Some(b'}') => {
                    let span = self.span(self.position, self.position + 1);
                    self.complain("tchecker::syntax", "'}' without '{'", span);
                    self.skip_comment();
                    return None;
                }
                Some(_) => self.position += 1,
            }
        }
        if let Some(last) = fields.last()
            && fields.len() > 1
            && last.text.is_empty()
        {
            self.complain("tchecker::syntax", "expected a name or number after ':'", last.span);
            return None;
        }
        let keyword = fields.remove(0);
        Some(Declaration { keyword, fields, attributes })
    }

    /// Nothing but space and comments follows the attributes of a declaration.
    fn finish_line(&mut self) {
        let start = self.position;
        while self.peek().is_some_and(|byte| byte != b'\n' && byte != b'#') {
            self.position += 1;
        }
        let rest = self.piece(start, self.position);
        if !rest.text.is_empty() {
            self.complain("tchecker::syntax", "expected the end of the line after '}'", rest.span);
        }
    }

    /// The attributes in braces; the position is at the opening one.
    fn attributes(&mut self) -> Vec<Attribute> {
        let open = self.position;
        self.position += 1;
        let mut pieces = Vec::new();
        let mut start = self.position;
        loop {
            match self.peek() {
                Some(b':') => {
                    pieces.push(self.piece(start, self.position));
                    self.position += 1;
                    start = self.position;
                }
                Some(b'}') => {
                    pieces.push(self.piece(start, self.position));
                    self.position += 1;
                    break;
                }
                Some(b'#') => self.skip_comment(),
                None | Some(b'{') => {
                    let span = self.span(open, open + 1);
                    self.complain("tchecker::syntax", "'{' without '}'", span);
                    self.skip_comment();
                    return Vec::new();
                }
                Some(_) => self.position += 1,
            }
        }
        self.pair(pieces)
    }

    /// Keys and values alternate.
    fn pair(&mut self, pieces: Vec<Text>) -> Vec<Attribute> {
        if pieces.len() == 1 {
            if !pieces[0].text.is_empty() {
                self.complain("tchecker::syntax", "expected ':' and a value after the key", pieces[0].span);
            }
            return Vec::new();
        }
        let mut attributes = Vec::new();
        let mut pieces = pieces.into_iter();
        while let Some(key) = pieces.next() {
            let Some(value) = pieces.next() else {
                if !key.text.is_empty() {
                    self.complain("tchecker::syntax", "expected ':' and a value after the key", key.span);
                }
                break;
            };
            if key.text.is_empty() {
                self.complain("tchecker::syntax", "expected a key before ':'", key.span);
                continue;
            }
            attributes.push(Attribute { key, value });
        }
        attributes
    }
}
