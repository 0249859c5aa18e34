//! Programs for tests: handwritten ones that use every construct, and those of the public corpus.

use crate::parse_program;
use crate::syntax::Program;
use fathom_source::{Diagnostic, LoadError, LoadedFile, SourceMap};
use std::path::Path;

/// Correct programs that together use the whole language.
pub(crate) const PROGRAMS: &[&str] = &[
    "mtype = { request, reply };
mtype:color = { red green, blue }
#define N 3
#define both(a, b) ((a) && (b))
typedef Point { byte x; short y[2]
    bool set }
unsigned small : 5 = 3;
hidden int total = 0, values[N] = { 1, 2, 3 };
show byte shown; local bit tiny;
chan queue = [2] of { mtype, byte, chan, Point };
chan many[N] = [0] of { mtype:color, pid };
Point points[2];
mtype:color paint = red;
inline move(p, d) {
    int k = d;
    p.x = p.x + k
    if :: p.set -> p.y[0]++ :: else fi
}
inline twice(q) { move(q, 1); move(q, 1) }
inline sum(a, b) { return a + b }
active [N] proctype worker() priority 2 provided (total < 10 || small) {
    xr queue; xs many[0];
    byte b; chan c;
start:
    do
    :: queue?request(b, c) -> c!reply, b
    :: queue??reply, eval(b + 1), _ ; skip
    :: queue?<request, b>  -> total--
    :: queue??<reply, -1>
    :: queue?[request, b] && nempty(queue) -> break
    :: both(b, len(queue) > 0) -> goto start
    :: else timeout
    od
    atomic { twice(points[0]); b = sum(b, 3)
    }
    d_step { b = (b > 3 -> b - 1 : -b) ; assert(b != 'x') }
    for (b : 1 .. N) { printf(\"%d\\n\", b) }
    for (b in values) { skip }
    select (b : 0 .. 3);
    { b = 1; b++ } unless { many[1]?red, _ };
    total = b & 3 | 4 ^ ~2 << 1 % 5
    set_priority(_pid, 3); printm(request);
end: progress: (get_priority(_pid) == 3 || enabled(0) || pc_value(0) == 1);
accept:
}
D_proctype other(byte a, b; chan c) { run worker() priority 4; c!!a, !b; last: }
init priority 3 { atomic { run other(1, 2, many[0]); run other(2, 3, queue) } }
never checks { do :: !np_ :: worker[1]@start && other:a == 3 -> break od; accept_all: _last == 1 }
trace { do :: queue!request, _ od }
ltl safe { [] (!worker@end -> <> (total == 3)) && X (paint == red) }
ltl { (total < 3 U total >= 3) || (total W small) <-> (total V small) }
",
    "#ifdef A
byte wrong
#elif defined(B) || 2 * 3 == 7
byte wrong
#else
byte right
#endif
proctype P(int a) {
    a == 1
    -a == 2
    if
    :: a > 0 -> a = 1
    :: atomic { a < 0 -> a = -a }
    fi
    {
        a = a
    } unless {
        a == 3
    }
    L1: L2: goto L1; ; ;
    a--
}
notrace { skip }
never { T0: if :: P[0]:a == 1 -> goto T0 :: true fi; accept: 0 }
init { run P(-3) }
",
];

/// The text of a file; bytes that are not text are replaced.
fn read(path: &Path) -> Result<LoadedFile, LoadError> {
    let bytes = std::fs::read(path).map_err(|_| LoadError::NotFound)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(LoadedFile { name: path.display().to_string(), text })
}

fn load(path: &str, from: Option<&str>) -> Result<LoadedFile, LoadError> {
    let folder = from.and_then(|name| Path::new(name).parent()).unwrap_or(Path::new("."));
    read(&folder.join(path))
}

/// A model of the corpus and what the parser made of it.
pub(crate) struct CorpusModel {
    pub(crate) name: String,
    pub(crate) accepted_by_spin: bool,
    pub(crate) sources: SourceMap,
    pub(crate) program: Program,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Runs over the models of the corpus that `FATHOM_CORPUS` names, if it is set.
#[allow(clippy::print_stderr)]
pub(crate) fn for_each_corpus_model(mut check: impl FnMut(CorpusModel)) {
    let Some(folder) = std::env::var_os("FATHOM_CORPUS") else {
        eprintln!("skipped: FATHOM_CORPUS is not set");
        return;
    };
    let folder = Path::new(&folder).join("promela");
    let list = std::fs::read_to_string(folder.join("expected.json")).expect("the list of models");
    let list: serde_json::Value = serde_json::from_str(&list).expect("a list in JSON");
    for model in list["models"].as_array().expect("models") {
        let name = model["file"].as_str().expect("a file name").to_owned();
        let mut sources = SourceMap::new();
        let main = read(&folder.join(&name)).expect("a model of the list");
        let main = sources.add_loaded(main).expect("a model of sensible size");
        let (program, diagnostics) = parse_program(main, &mut sources, &load, &[]);
        let accepted_by_spin = model["spin"]["parse"] == "ok";
        check(CorpusModel { name, accepted_by_spin, sources, program, diagnostics });
    }
}
