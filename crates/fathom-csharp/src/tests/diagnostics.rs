//! What is said about programs, and how what they do is shown.

use fathom_model::{NoRegion, Steps, System};
use fathom_program::{Program, ProgramSystem, Symmetry};
use fathom_source::{MemoryLoader, SourceMap};

use super::{explore, program, read_text};
use crate::{Options, load};

fn codes(text: &str, options: &Options) -> Vec<&'static str> {
    read_text(text, options).1.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn an_action_without_values_for_an_argument_is_told() {
    let text = "namespace A { static class B { static int x; [Action] static void C(int y) { x = y; } } }";
    assert_eq!(codes(text, &Options::default()), ["csharp::no-domain"]);
    let explored = explore(&program(text), Symmetry::None, 10);
    assert_eq!((explored.n_states, explored.n_steps), (1, 0));
    // A scenario has values for it.
    let loader = MemoryLoader::new()
        .with("a.cs", text)
        .with("s.txt", "FSM(0, Acc(), Transitions(t(0, C(1), 0), t(0, C(2), 1)))");
    let options = Options { scenarios: vec!["s.txt".to_string()], ..Options::default() };
    let (program, diagnostics) = load("a.cs", &loader, &options, &mut SourceMap::new());
    assert_eq!(diagnostics, []);
    let explored = explore(&program.unwrap(), Symmetry::None, 10);
    assert_eq!((explored.n_states, explored.n_steps), (3, 4));
}

#[test]
fn elements_that_a_program_names_are_not_interchangeable() {
    let text = |condition: &str| {
        format!(
            "namespace A {{ [Abstract] enum E {{ P, Q, R }}
             static class B {{ static Set<E> s = Set<E>.EmptySet;
               static bool CEnabled(E e) {{ return {condition}; }}
               [Action] static void C(E e) {{ s = s.Add(e); }} }} }}"
        )
    };
    let free = text("!s.Contains(e)");
    assert_eq!(codes(&free, &Options::default()), [""; 0]);
    assert_eq!(explore(&program(&free), Symmetry::None, 100).n_states, 8);
    assert_eq!(explore(&program(&free), Symmetry::Canonical, 100).n_states, 4);
    let named = text("!s.Contains(e) && e != E.Q");
    assert_eq!(codes(&named, &Options::default()), ["csharp::named-abstract"]);
    assert_eq!(explore(&program(&named), Symmetry::None, 100).n_states, 4);
    assert_eq!(explore(&program(&named), Symmetry::Canonical, 100).n_states, 3);
}

#[test]
fn a_program_is_chosen_by_factory_namespace_or_features() {
    let text = "namespace A { static class B { static int x; [Action] static void C() { x = 1; } }
        [Feature] static class D { [Action] static void E() { } }
        static class F { static ModelProgram One() { return new LibraryModelProgram(typeof(B).Assembly, \"A\", new Set<string>()); }
                         static ModelProgram Two() { return LibraryModelProgram.Create(typeof(B), \"D\"); } } }
        namespace G { static class H { static bool y; [Action] static void I(bool z) { y = z; } } }";
    let actions = |programs: &[&str], features: Option<&[&str]>| {
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect::<Vec<_>>();
        let options =
            Options { programs: texts(programs), features: features.map(texts), ..Options::default() };
        let (program, ..) = read_text(text, &options);
        program.map(|program| program.action_names().map(str::to_string).collect::<Vec<_>>())
    };
    assert_eq!(actions(&[], None).unwrap(), ["C"]);
    assert_eq!(actions(&["Two"], None).unwrap(), ["C", "E"]);
    assert_eq!(actions(&["A.F.One"], Some(&["D"])).unwrap(), ["C", "E"]);
    assert_eq!(actions(&["A"], None).unwrap(), ["C", "E"]);
    assert_eq!(actions(&["G", "One"], None).unwrap(), ["I", "C"]);
    assert_eq!(actions(&["Three"], None), None);
    assert_eq!(codes(text, &Options::default()), ["csharp::several-programs"]);
}

#[test]
fn factories_may_have_names_for_features() {
    let text = "namespace A { static class B { static int x; [Action] static void C() { x = 1; } }
        [Feature] static class D { [Action] static void E() { } }
        [Feature] static class F { [Action] static void G() { } }
        static class Names { public const string First = \"D\"; public static readonly string Second = Inner.Other;
            public static readonly Set<string> All = new Set<string>(First, A.Names.Second);
            public static Set<string> changes = new Set<string>(First);
            static class Inner { public const string Other = \"F\"; } }
        static class Make {
            static readonly Set<string> none = Set<string>.EmptySet;
            static void Change() { Names.changes = none; }
            static ModelProgram One() { return LibraryModelProgram.Create(typeof(B), Names.First); }
            static ModelProgram Two() { return new LibraryModelProgram(typeof(B).Assembly, \"A\", Names.All); }
            static ModelProgram Three() { return new LibraryModelProgram(typeof(B).Assembly, \"A\", none); }
            static ModelProgram Four() { Set<string> some = new Set<string>(Names.Second);
                return new LibraryModelProgram(typeof(B).Assembly, \"A\", some); }
            static ModelProgram Five() { return LibraryModelProgram.Create(typeof(B), Z.Round.There); }
            static ModelProgram Six() { return new LibraryModelProgram(typeof(B).Assembly, \"A\", Names.changes); }
            static ModelProgram Seven() { return LibraryModelProgram.Create(typeof(B), Names.Missing); } } }
        namespace Z { static class Round { public const string There = Back; const string Back = There; } }";
    let actions = |factory: &str| {
        let options = Options { programs: vec![factory.to_string()], ..Options::default() };
        let (program, diagnostics, _) = read_text(text, &options);
        let names = |program: crate::CSharpProgram| program.action_names().collect::<Vec<_>>().join(" ");
        program.map(names).ok_or_else(|| diagnostics[0].code)
    };
    assert_eq!(actions("One").unwrap(), "C E");
    assert_eq!(actions("Two").unwrap(), "C E G");
    assert_eq!(actions("Three").unwrap(), "C");
    assert_eq!(actions("Four").unwrap(), "C G");
    // No value, one that may change, and no such name.
    for factory in ["Five", "Six", "Seven"] {
        assert_eq!(actions(factory), Err("csharp::unsupported"), "{factory}");
    }
}

#[test]
fn steps_and_states_are_shown_as_people_write_them() {
    let program = program(
        "namespace A { enum E { P, Q } class N : LabeledInstance<N> { public string name = \"x\"; }
         static class B { static Set<N> all = Set<N>.EmptySet; static Pair<E, double> p = new Pair<E, double>(E.P, 1.5);
         static Bag<E> bag = new Bag<E>(E.Q, E.Q);
         [Requirement(\"R1\", \"grows\")] static bool GrowEnabled() { return all.Count < 1; }
         [Action] static void Grow([New] N n, bool b) { all = all.Add(n); p = new Pair<E, double>(E.Q, 2); bag = bag.Add(E.P); } } }",
    );
    let system = &ProgramSystem::new(&program, Symmetry::None);
    let (mut scratch, mut steps) = (system.scratch(), Steps::recording());
    system.initial(&mut scratch, &mut steps);
    let first = steps.state(0).to_vec();
    steps.clear();
    system.successors(&first, &NoRegion, &mut scratch, &mut steps);
    assert_eq!(&*steps.labels(1)[0], "Grow(N#0, true)");
    let shown = program.variables(&system.state(steps.state(1)));
    let shown: Vec<String> = shown.into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
    assert_eq!(shown, ["N.name = {N#0 -> \"x\"}", "B.all = {N#0}", "B.p = (Q, 2)", "B.bag = {P x 1, Q x 2}"]);
    assert_eq!(program.requirements().collect::<Vec<_>>(), [("GrowEnabled", "R1: grows")]);
    assert!(program.may_have_objects());
    let facts = program.facts();
    let grow = &facts.actions[0];
    assert_eq!((grow.name.as_str(), &grow.requirements[..]), ("Grow", &["R1: grows".to_string()][..]));
    assert_eq!(grow.reads, ["B.all", "B.bag"]);
    assert_eq!(grow.writes, ["B.all", "B.p", "B.bag"]);
}

#[test]
fn a_method_with_an_end_reads_and_writes_at_its_end() {
    let program = program(
        "namespace A { static class B { static bool open = true; static int n; static Sequence<int> all = Sequence<int>.EmptySequence;
         static bool TakeEnabled() { return open; }
         static void Note() { all = all.AddLast(n); }
         [Action(Start = \"Take()\", Finish = \"Taken(result)\")] static int Take() { n++; Note(); return n; }
         [Action] static void Close() { open = false; } } }",
    );
    let facts = program.facts();
    assert_eq!(facts.few_values, [("B.open".to_string(), vec!["false".to_string(), "true".to_string()])]);
    let of = |name: &str| facts.actions.iter().find(|facts| facts.name == name).unwrap();
    assert_eq!((&of("Take").reads[..], of("Take").writes.len()), (&["B.open".to_string()][..], 0));
    assert_eq!(of("Taken").writes, ["B.n", "B.all"]);
    assert_eq!(of("Close").writes, ["B.open"]);
}

#[test]
fn a_machine_may_be_in_several_states_at_once() {
    let text =
        "FSM(0, Acc(2), Transitions(t(0, a(), 0), t(0, b(), 0), t(0, a(), 1), t(1, a(), 2), t(1, b(), 2)))";
    let loader = MemoryLoader::new().with("nfa.txt", text);
    let (program, diagnostics) = load("nfa.txt", &loader, &Options::default(), &mut SourceMap::new());
    assert_eq!(diagnostics, []);
    let explored = explore(&program.unwrap(), Symmetry::None, 10);
    // The subset construction: {0}, {0, 1}, {0, 1, 2}, {0, 2}.
    assert_eq!((explored.n_states, explored.n_steps), (4, 8));
}

/// What there is in a state machine by itself: its states and steps, and in how many states it is stuck.
fn machine(text: &str) -> (usize, usize, usize) {
    let loader = MemoryLoader::new().with("m.txt", text);
    let (program, diagnostics) = load("m.txt", &loader, &Options::default(), &mut SourceMap::new());
    assert_eq!(diagnostics, []);
    let explored = explore(&program.unwrap(), Symmetry::None, 100);
    let n_stuck = explored.findings.get("no deadlock").copied().unwrap_or_default();
    (explored.n_states, explored.n_steps, n_stuck)
}

#[test]
fn values_and_anything_at_one_place_of_a_machine_are_told_apart() {
    // 1 and 2: both states. 1 and another: the state that is stuck. Another and 2: back. No step for two others.
    let text = "FSM(0, AcceptingStates(0), Transitions(t(0, A(1, _), 1), t(0, A(_, 2), 0)))";
    assert_eq!(machine(text), (3, 6, 1));
    // 1 leads to both states.
    assert_eq!(machine("FSM(0, Acc(0), Transitions(t(0, A(1), 1), t(0, A(_), 0)))"), (2, 4, 0));
    assert_eq!(machine("FSM(0, Acc(0), Transitions(t(0, A(1), 0), t(0, A(_), 1)))"), (3, 4, 1));
    // Arguments that are not written may be anything.
    assert_eq!(machine("FSM(0, Acc(0), Transitions(t(0, A(1), 1), t(0, A(), 0)))"), (2, 4, 0));
    // All truth values have names: there is no other.
    assert_eq!(
        machine("FSM(0, Acc(), Transitions(t(0, A(true), 0), t(0, A(false), 0), t(0, A(_), 1)))"),
        (2, 4, 0)
    );
    assert_eq!(machine("FSM(0, Acc(), Transitions(t(0, A(_), 0)))"), (1, 1, 0));
}

#[test]
fn machines_that_name_values_at_different_places_meet() {
    let loader = MemoryLoader::new()
        .with("one.txt", "FSM(0, Acc(), Transitions(t(0, A(1), 1), t(0, A(_), 0)))")
        .with("two.txt", "FSM(0, Acc(), Transitions(t(0, A(2), 1), t(0, A(_), 0)))");
    let options = Options { scenarios: vec!["two.txt".to_string()], ..Options::default() };
    let (program, diagnostics) = load("one.txt", &loader, &options, &mut SourceMap::new());
    assert_eq!(diagnostics, []);
    let explored = explore(&program.unwrap(), Symmetry::None, 10);
    // 1 takes one machine to both states, 2 the other, and others none: no value takes both.
    assert_eq!((explored.n_states, explored.n_steps), (3, 9));
}

#[test]
fn values_that_a_machine_names_are_tried_where_a_program_has_no_domain() {
    let text = "namespace A { static class B { static int n; static bool GoEnabled(int x) { return x > n; }
        [Action] static void Go(int x) { n = x; } } }";
    let loader = MemoryLoader::new()
        .with("a.cs", text)
        .with("some.txt", "FSM(0, Acc(), Transitions(t(0, Go(1), 1), t(0, Go(_), 2)))")
        .with("none.txt", "FSM(0, Acc(), Transitions(t(0, Go(_), 2)))")
        .with("never.txt", "FSM(0, Acc(), Transitions(t(0, Stop(), 2)), Voc(\"Go\"))");
    let found = |scenarios: &[&str]| {
        let scenarios = scenarios.iter().map(|name| (*name).to_string()).collect();
        let options = Options { scenarios, ..Options::default() };
        let (program, diagnostics) = load("a.cs", &loader, &options, &mut SourceMap::new());
        let explored = explore(&program.unwrap(), Symmetry::None, 10);
        let said: Vec<String> = diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect();
        (explored.n_states, explored.n_steps, said)
    };
    // 1 leads to both states of the machine at once, and others are not known.
    let others = "nothing says which values other than those that machines name argument 1 of `Go` has: it never happens with others";
    assert_eq!(found(&["some.txt"]), (2, 1, vec![others.to_string()]));
    let never = "nothing says which values argument 1 of `Go` has: it never happens";
    assert_eq!(found(&["none.txt"]), (1, 0, vec![never.to_string()]));
    // What a machine forbids needs no values.
    assert!(!found(&["never.txt"]).2.iter().any(|said| said.contains("argument")));
}

#[test]
fn an_instance_can_be_the_one_that_acts() {
    let program = program(
        "namespace A { [Domain(\"all\")] class N : LabeledInstance<N> {
           static Set<N> all = Set<N>.EmptySet; int pay;
           static bool MakeEnabled() { return all.Count < 2; }
           [Action] static void Make([Domain(\"new\")] N n) { all = all.Add(n); }
           bool RaiseEnabled() { return pay < 1; }
           [Action] void Raise() { pay++; }
           [Action] void Leave() { all = all.Remove(this); } } }",
    );
    // Each of two is away, or there with or without a raise.
    assert_eq!(explore(&program, Symmetry::None, 100).n_states, 9);
    assert_eq!(explore(&program, Symmetry::Canonical, 100).n_states, 6);
}

#[test]
fn two_new_objects_are_two() {
    let program = program(
        "namespace A { class N : LabeledInstance<N> { public N other; }
         static class B { static Set<N> all = Set<N>.EmptySet;
           static bool PairEnabled() { return all.IsEmpty; }
           [Action] static void Pair([New] N a, [New] N b) { a.other = b; b.other = a; all = all.Add(a).Add(b); }
           [StateInvariant] static bool NoneIsAlone() { return all.Forall(n => n.other != n && n.other.other == n); } } }",
    );
    let explored = explore(&program, Symmetry::Canonical, 10);
    assert_eq!((explored.n_states, explored.n_steps), (2, 1));
    assert_eq!(explored.findings, std::collections::BTreeMap::new());
}

/// What an action that leaves 1 behind says about an expression, or a few statements before it.
fn holds_after(before: &str, condition: &str) -> bool {
    let text = format!(
        "namespace A {{ static class B {{ static readonly int[] primes = {{ 2, 3, 5 }};
           static readonly Func<int, int> next = x => x + 1;
           static int early = late + 1; static int late = 5; static int done;
           static bool CEnabled() {{ return done == 0; }}
           [Action] static void C() {{ {before} done = ({condition}) ? 1 : 2; }}
           [StateInvariant] static bool Right() {{ return done != 2; }} }} }}"
    );
    let explored = explore(&program(&text), Symmetry::None, 10);
    assert_eq!((explored.n_states, &explored.faults), (2, &Default::default()), "{before} {condition}");
    !explored.findings.keys().any(|name| name.ends_with("Right"))
}

#[test]
fn constants_may_be_arrays_and_functions() {
    assert!(holds_after("", "primes[2] == 5 && primes.Length == 3 && next(primes[0]) == 3"));
    assert!(holds_after("int[] own = new int[2]; own[1] = primes[1];", "own[0] == 0 && own[1] == 3"));
    assert!(!holds_after("", "next(1) == 3"));
    let text = "namespace A { static class B { static readonly int[] primes = { 2, 3 }; static int n;
        [Action] static void C([Domain(\"primes\")] int k) { n = k; } [Action] static void D() { primes[0] = 7; } } }";
    let explored = explore(&program(text), Symmetry::None, 10);
    assert_eq!(explored.n_states, 3);
    assert!(explored.faults.iter().any(|fault| fault.contains("cannot be changed")), "{:?}", explored.faults);
}

#[test]
fn what_is_assigned_to_is_found_before_the_value() {
    assert!(holds_after("int[] a = new int[2]; int i = 0; a[i++] = i;", "a[0] == 1 && i == 1"));
    assert!(holds_after("int[] a = new int[2]; int i = 0; a[i++] += 3;", "a[0] == 3 && a[1] == 0 && i == 1"));
    assert!(holds_after("char c = 'a'; c++;", "c == 'b'"));
    assert!(holds_after("", "early == 1 && late == 5"), "a field is 0 before it has a value");
}

#[test]
fn constants_are_there_before_fields_wherever_they_are_written() {
    let text = "namespace A { static class B { static int n = Start; const int Start = Other.Five; static int m = Other.late;
          static string s = \"x\" + Two; const int Two = 2 * One; const int One = 1; static readonly int three = One + Two;
          [Action] static void C() { n = n + 0; s = s + \"\"; m = m + 0; }
          [StateInvariant] static bool Right() { return n == 5 && s == \"x2\" && three == 3 && m == 6; } }
        static class Other { public const int Five = B2.Four + 1; public static int late = Six; const int Six = Five + 1; }
        static class B2 { static int zero = Four - Other.late; public const int Four = 4; } }";
    let explored = explore(&program(text), Symmetry::None, 10);
    assert_eq!((explored.n_states, explored.findings.len()), (1, 0), "{explored:?}");
    let circle = "namespace A { static class B { const int X = Y + 1; const int Y = Z; const int Z = 2 * X; [Action] static void C() { } } }";
    let (_, diagnostics, sources) = read_text(circle, &Options::default());
    let span = diagnostics[0].primary.as_ref().unwrap().span;
    assert_eq!(diagnostics[0].message, "the program does not start: the constant `X` is made of itself");
    assert_eq!(&sources.file(span.file).text()[span.start as usize..span.end as usize], "X");
    // Each is made of the next: no recursion without end.
    let chain: String = (0..5000).map(|i| format!("const int X{i} = X{};", i + 1)).collect();
    let chain = format!(
        "namespace A {{ static class B {{ {chain} const int X5000 = 1; [Action] static void C() {{ }} }} }}"
    );
    assert_eq!(codes(&chain, &Options::default()), [""; 0]);
}

#[test]
fn what_is_read_only_is_for_constructors() {
    let text = |class: &str, object: &str, before: &str, body: &str| {
        format!(
            "namespace A {{ class N : LabeledInstance<N> {{ public readonly int x = 1; public int Y {{ get; }}
                public static Set<N> all = Set<N>.EmptySet; N() {{ x = 2; this.Y = x; {object} }} }}
             class Other {{ public static readonly int z = 4; }}
             static class B {{ static readonly int a = 1; static int b; static int C {{ get; }} {before}
               static B() {{ a = 2; C = 3; {class} }} static void Change(ref int n) {{ n = 5; }}
               [Action] static void D([Domain(\"new\")] N n) {{ b = a; {body} }} }} }}"
        )
    };
    let found = |text: String| {
        let (program, diagnostics, sources) = read_text(&text, &Options::default());
        let said = diagnostics.iter().map(|one| {
            let span = one.primary.as_ref().unwrap().span;
            format!(
                "{} {}",
                one.code,
                &sources.file(span.file).text()[span.start as usize..span.end as usize]
            )
        });
        (program.is_some(), said.collect::<Vec<_>>().join(", "))
    };
    assert_eq!(found(text("", "", "", "")), (true, String::new()));
    for (class, object, before, body, what) in [
        ("", "", "", "a = 5;", "a"),
        ("", "", "", "B.a++;", "B.a"),
        ("", "", "", "Change(ref a);", "a"),
        ("", "", "", "C = 1;", "C"),
        ("", "", "", "n.x = 3;", "n.x"),
        ("", "", "", "Other.z = 3;", "Other.z"),
        ("Other.z = 3;", "", "", "", "Other.z"),
        ("", "foreach (N n in all) n.x = 3;", "", "", "n.x"),
        ("", "", "static void F() { a += 2; }", "", "a"),
    ] {
        let said = format!("csharp::assigned-constant {what}");
        assert_eq!(found(text(class, object, before, body)), (false, said));
    }
}

#[test]
fn a_compound_value_with_an_array_is_no_part_of_a_state() {
    let text = "namespace A { class C : CompoundValue { public readonly int[] a; public C(int k) { a = new int[k]; } }
        static class B { static C c; [Action] static void X() { c = new C(1); } } }";
    assert!(codes(text, &Options::default()).contains(&"csharp::no-state-type"));
}

#[test]
fn an_invariant_that_runs_into_an_error_is_one() {
    let text = "namespace A { static class B { static int n; static Set<int> e = Set<int>.EmptySet;
        static bool StepEnabled() { return n < 1; } [Action] static void Step() { n = 1; }
        [StateInvariant] static bool Small() { return n == 0 || e.Choose() < 2; } } }";
    let explored = explore(&program(text), Symmetry::None, 10);
    assert_eq!(explored.faults.len(), 1, "{explored:?}");
    assert!(explored.findings.contains_key("no run-time error"), "{explored:?}");
}

#[test]
fn too_many_lists_of_arguments_are_an_error_and_not_tried() {
    let text = "namespace A { static class B { static int n;
        static Set<int> Many() { Set<int> all = Set<int>.EmptySet; for (int i = 0; i < 200; i++) all = all.Add(i); return all; }
        [Action] static void X([Domain(\"Many\")] int a, [Domain(\"Many\")] int b, [Domain(\"Many\")] int c) { n = a + b + c; } } }";
    let explored = explore(&program(text), Symmetry::None, 10);
    assert!(
        explored.faults.iter().any(|fault| fault.contains("lists of arguments")),
        "{:?}",
        explored.faults
    );
}

#[test]
fn a_library_in_which_nothing_happens_is_warned_of() {
    let text = "namespace A { static class Factory { public static ModelProgram Create() {
        return new LibraryModelProgram(typeof(Factory).Assembly, \"A\"); } } }";
    assert_eq!(codes(text, &Options::default()), ["csharp::no-actions"]);
    let with_action =
        text.replace("namespace A {", "namespace A { static class C { [Action] static void Go() { } }");
    assert_eq!(codes(&with_action, &Options::default()), Vec::<&str>::new());
}

#[test]
fn machines_may_write_the_types_of_values() {
    let text = "namespace A { static class B { static double d; static char c;
        [Action] static void Go(double x, char y) { d = x; c = y; } } }";
    let found = |arguments: &str| {
        let machine = format!("FSM(0, Acc(), Transitions(t(0, Go({arguments}), 0)))");
        let loader = MemoryLoader::new().with("a.cs", text).with("m.txt", machine);
        let options = Options { scenarios: vec!["m.txt".to_string()], ..Options::default() };
        let (program, diagnostics) = load("a.cs", &loader, &options, &mut SourceMap::new());
        let n_states = program.map(|program| explore(&program, Symmetry::None, 10).n_states);
        n_states.ok_or_else(|| diagnostics[0].message.clone())
    };
    assert_eq!(found("double(\"99.9\"), char(\"a\")"), Ok(2));
    assert_eq!(found("int(\"99\"), \"a\""), Ok(2));
    let wrong = "`double(\"many\")` is no value that a machine can name";
    assert_eq!(found("double(\"many\"), \"a\""), Err(wrong.to_string()));
}
