//! Tokens, the names in them, and the words that Promela keeps for itself.
//!
//! A token is small and `Copy`: names and strings are numbers into an [`Interner`]. The reserved words are
//! interned first, so that whether a name is reserved is one comparison. Words stay names until the parser
//! looks at them, because the preprocessor may have macros of any name.

use fathom_source::Span;
use std::collections::HashMap;

/// A name or a string, as a number into an [`Interner`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Symbol(u32);

impl Symbol {
    /// Whether it is a reserved word, which cannot name anything.
    pub(crate) fn is_reserved(self) -> bool {
        self.0 < word::N_RESERVED
    }

    /// The position in the interner.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

macro_rules! words {
    (reserved { $($name:ident = $text:literal,)* } known { $($other:ident = $other_text:literal,)* }) => {
        /// The words that the parser knows. `in` is reserved in the head of a `for` only.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        pub(crate) mod word {
            use super::Symbol;
            enum Order { $($name,)* COUNT, }
            enum OtherOrder { $($other,)* }
            pub(super) const N_RESERVED: u32 = Order::COUNT as u32;
            $(pub(crate) const $name: Symbol = Symbol(Order::$name as u32);)*
            $(pub(crate) const $other: Symbol = Symbol(N_RESERVED + OtherOrder::$other as u32);)*
            pub(super) const TEXTS: &[&str] = &[$($text,)* $($other_text,)*];
        }
    };
}

words! {
    reserved {
        ACTIVE = "active", ASSERT = "assert", ATOMIC = "atomic", BIT = "bit", BOOL = "bool",
        BREAK = "break", BYTE = "byte", C_CODE = "c_code", C_DECL = "c_decl", C_EXPR = "c_expr",
        C_STATE = "c_state", C_TRACK = "c_track", CHAN = "chan", D_PROCTYPE = "D_proctype",
        D_STEP = "d_step", DO = "do", ELSE = "else", EMPTY = "empty", ENABLED = "enabled",
        EVAL = "eval", FALSE = "false", FI = "fi", FOR = "for", FULL = "full",
        GET_PRIORITY = "get_priority", GOTO = "goto", HIDDEN = "hidden", IF = "if", INIT = "init",
        INLINE = "inline", INT = "int", LEN = "len", LOCAL = "local", LTL = "ltl", MTYPE = "mtype",
        NEMPTY = "nempty", NEVER = "never", NFULL = "nfull", NOTRACE = "notrace", NP = "np_",
        OD = "od", OF = "of", PC_VALUE = "pc_value", PID = "pid", PRINTF = "printf",
        PRINTM = "printm", PRIORITY = "priority", PROCTYPE = "proctype", PROVIDED = "provided",
        RETURN = "return", RUN = "run", SELECT = "select", SET_PRIORITY = "set_priority",
        SHORT = "short", SHOW = "show", SKIP = "skip", TIMEOUT = "timeout", TRACE = "trace",
        TRUE = "true", TYPEDEF = "typedef", UNLESS = "unless", UNSIGNED = "unsigned", XR = "xr",
        XS = "xs",
    }
    known {
        IN = "in", STDIN = "STDIN",
        U = "U", V = "V", W = "W", X = "X", ALWAYS = "always", EVENTUALLY = "eventually",
        UNTIL = "until", STRONGUNTIL = "stronguntil", WEAKUNTIL = "weakuntil", RELEASE = "release",
        NEXT = "next", IMPLIES = "implies", EQUIVALENT = "equivalent",
        DEFINE = "define", UNDEF = "undef", INCLUDE = "include", IFDEF = "ifdef", IFNDEF = "ifndef",
        ELIF = "elif", ENDIF = "endif", ERROR = "error", WARNING = "warning", LINE = "line",
        PRAGMA = "pragma", IDENT = "ident", DEFINED = "defined", VA_ARGS = "__VA_ARGS__",
    }
}

/// Every name and string of a program, each once.
#[derive(Clone, Debug)]
pub(crate) struct Interner {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Default for Interner {
    fn default() -> Interner {
        Interner::new()
    }
}

impl Interner {
    /// An interner that holds the known words.
    pub(crate) fn new() -> Interner {
        let mut interner = Interner { texts: Vec::new(), numbers: HashMap::new() };
        for text in word::TEXTS {
            interner.intern(text);
        }
        interner
    }

    /// The symbol of a text.
    pub(crate) fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&number) = self.numbers.get(text) {
            return Symbol(number);
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        Symbol(number)
    }

    /// The text of a symbol that this interner gave out.
    pub(crate) fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.index()]
    }
}

macro_rules! puncts {
    ($($name:ident = $text:literal,)*) => {
        /// A token that is neither name, number nor string.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs)]
        pub(crate) enum Punct { $($name,)* }

        impl Punct {
            /// All of them with their text; a longer one stands before those it starts with.
            pub(crate) const ALL: &[(Punct, &str)] = &[$((Punct::$name, $text),)*];

            /// How it is written.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Punct::$name => $text,)* }
            }
        }
    };
}

puncts! {
    Ellipsis = "...",
    Arrow = "->", Decrement = "--", Increment = "++", Options = "::", DotDot = "..",
    ShiftLeft = "<<", ShiftRight = ">>", LessEqual = "<=", GreaterEqual = ">=", Equal = "==",
    NotEqual = "!=", SortedSend = "!!", RandomReceive = "??", And = "&&", Or = "||", Paste = "##",
    LeftParen = "(", RightParen = ")", LeftBracket = "[", RightBracket = "]", LeftBrace = "{",
    RightBrace = "}", Semicolon = ";", Comma = ",", Colon = ":", Dot = ".", Assign = "=", Less = "<",
    Greater = ">", Plus = "+", Minus = "-", Star = "*", Slash = "/", Percent = "%", Ampersand = "&",
    Pipe = "|", Caret = "^", Tilde = "~", Bang = "!", Question = "?", At = "@", Hash = "#",
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name or a word.
    Name(Symbol),
    /// Decimal digits; the value is wrapped to 32 bits as Spin does.
    Number(i32),
    /// A character in quotes.
    Character(u32),
    /// A string with its escapes resolved.
    Text(Symbol),
    /// Any other sign of the language.
    Punct(Punct),
    /// A character that no token starts with. It is an error only where the parser meets it.
    Unknown(char),
    /// A string without its closing quote, likewise.
    OpenText,
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Where the author wrote it, or the use of the macro that it comes from.
    pub(crate) span: Span,
    /// Whether a line ended between the token before it and this one; Spin lets a line end a statement.
    pub(crate) newline_before: bool,
    /// Whether white space or a comment stands in front of it.
    pub(crate) space_before: bool,
    /// Whether it names a macro inside its own expansion, and so stays as it is for good.
    pub(crate) final_name: bool,
}

impl Token {
    /// The name, when it is one (reserved or not).
    pub(crate) fn name(self) -> Option<Symbol> {
        match self.kind {
            TokenKind::Name(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Whether it is this sign.
    pub(crate) fn is(self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }

    /// How a message calls it.
    pub(crate) fn describe(self, interner: &Interner) -> String {
        match self.kind {
            TokenKind::Name(symbol) => format!("`{}`", interner.text(symbol)),
            TokenKind::Number(value) => format!("number {value}"),
            TokenKind::Character(code) => format!("character {:?}", char::from_u32(code).unwrap_or(' ')),
            TokenKind::Text(_) => "a string".to_owned(),
            TokenKind::Punct(punct) => format!("`{}`", punct.text()),
            TokenKind::Unknown(character) => format!("unknown character {character:?}"),
            TokenKind::OpenText => "a string without closing quote".to_owned(),
            TokenKind::End => "the end of the text".to_owned(),
        }
    }
}
