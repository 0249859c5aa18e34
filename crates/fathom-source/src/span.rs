//! Files and places in them.
//!
//! A [`SourceMap`] owns the text of every file that a model is made of; a [`Span`] is a byte range in one
//! of them. Spans are small and `Copy`, so that syntax trees, models and traces can carry them to the
//! very end without knowing what a file is.

use std::ops::Range;

/// What some editors write before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Names one file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(u32);

impl FileId {
    /// The position of the file in its map.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A range of bytes in a file: `start` is included, `end` is not, both on character boundaries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both; the first one wins when the files differ.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One file: its name as the user knows it, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    /// Byte offset of the first character of every line; the first entry is 0.
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// The name as given by the user or by the include directive, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset, both counted from one, columns in characters.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line_of(offset) as usize - 1;
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).min(self.text.len()).max(start);
        let column = self.text.get(start..end).map_or(0, |text| text.chars().count());
        (line as u32 + 1, column as u32 + 1)
    }

    /// The line of a byte offset, counted from one.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset).max(1) as u32
    }

    /// How many lines there are; an empty file has one.
    pub fn n_lines(&self) -> u32 {
        self.line_starts.len() as u32
    }

    /// The bytes of a line counted from one, with its line end.
    pub fn line_range(&self, line: u32) -> Option<Range<usize>> {
        let index = line.max(1) as usize - 1;
        let start = *self.line_starts.get(index)? as usize;
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&end| end as usize);
        Some(start..end)
    }

    /// The text of a line counted from one, without its line end.
    pub fn line(&self, line: u32) -> &str {
        self.line_range(line).map_or("", |range| self.text[range].trim_end_matches(['\n', '\r']))
    }
}

/// Every file that a model is made of.
#[derive(Clone, Default, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// The size of all texts together.
    total_bytes: usize,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Takes a file in and gives it an identity. A byte order mark at its beginning is no part of its text.
    ///
    /// # Panics
    ///
    /// When the text is 4 GiB or longer; loaders refuse such files first.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let mut text = text.into();
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len_utf8());
        }
        assert!(u32::try_from(text.len()).is_ok(), "source text longer than 4 GiB");
        let mut line_starts = vec![0];
        line_starts
            .extend(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1));
        self.total_bytes += text.len();
        self.files.push(SourceFile { name: name.into(), text, line_starts });
        FileId(self.files.len() as u32 - 1)
    }

    /// The file of an identity that this map gave out.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.index()]
    }

    /// The size of all files together.
    pub fn total_bytes(&self) -> usize {
        self.total_bytes
    }

    /// How many files there are.
    pub fn n_files(&self) -> usize {
        self.files.len()
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(index, file)| (FileId(index as u32), file))
    }

    /// The text that a span covers.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text().get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// `file:line:column` of the start of a span: the form of every report.
    pub fn locate(&self, span: Span) -> String {
        let file = self.file(span.file);
        let (line, column) = file.line_column(span.start);
        format!("{}:{line}:{column}", file.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let mut map = SourceMap::new();
        let file = map.add("m", "\u{feff}a\u{feff}");
        assert_eq!((map.file(file).text(), map.total_bytes()), ("a\u{feff}", 4));
    }

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let mut map = SourceMap::new();
        let file = map.add("a.pml", "ab\néx = 1\n");
        assert_eq!(map.file(file).line_column(0), (1, 1));
        assert_eq!(map.file(file).line_column(3), (2, 1));
        assert_eq!(map.file(file).line_column(5), (2, 2));
        assert_eq!(map.file(file).line(2), "éx = 1");
        assert_eq!(map.locate(Span { file, start: 5, end: 6 }), "a.pml:2:2");
    }
}
