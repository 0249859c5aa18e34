//! What expressions and statements mean, and which are refused.

use fathom_program::Symmetry;
use fathom_source::{MemoryLoader, SourceMap};

use super::{explore, program, read_text};
use crate::{Options, load};

/// A program with one action that leaves 1 behind if a condition holds after some statements, else 2.
fn asking(before: &str, condition: &str) -> String {
    format!(
        "using System;
         namespace A {{ enum E {{ P, Q = 4, R }} [Abstract] enum F {{ X, Y }}
         class C : CompoundValue {{ public readonly int x; public readonly string s; public C(int x, string s) {{ this.x = x; this.s = s; }} }}
         class D : CompoundValue {{ public readonly int x; public D(int x) {{ this.x = x; }} public override string ToString() {{ return \"<\" + x + \">\"; }} }}
         class N : LabeledInstance<N> {{ }}
         static class B {{ static int done;
           static int[] Copied() {{ int[] a = new int[3]; new Set<int>(7, 5).CopyTo(a, 1); return a; }}
           static bool CEnabled() {{ return done == 0; }}
           [Action] static void C() {{ {before} done = ({condition}) ? 1 : 2; }}
           [StateInvariant] static bool Right() {{ return done != 2; }} }} }}"
    )
}

#[track_caller]
fn holds_after(before: &str, condition: &str) {
    let explored = explore(&program(&asking(before, condition)), Symmetry::None, 10);
    assert!(
        explored.faults.is_empty() && explored.n_states == 2,
        "{before} {condition}: {:?}",
        explored.faults
    );
    assert!(!explored.findings.keys().any(|name| name.ends_with("Right")), "{before} {condition}");
}

#[track_caller]
fn holds(condition: &str) {
    holds_after("", condition);
}

/// The code of the diagnostic about statements, and the text that it points at.
#[track_caller]
fn refused(before: &str) -> (&'static str, String) {
    let text = asking(before, "true");
    let (program, diagnostics, sources) = read_text(&text, &Options::default());
    assert!(program.is_none(), "{before}");
    let first = diagnostics.iter().find(|diagnostic| diagnostic.is_error()).unwrap();
    let span = first.primary.as_ref().unwrap().span;
    (first.code, sources.file(span.file).text()[span.start as usize..span.end as usize].to_string())
}

#[track_caller]
fn raised(before: &str, message: &str) {
    let explored = explore(&program(&asking(before, "true")), Symmetry::None, 10);
    assert!(explored.faults.iter().any(|fault| fault.contains(message)), "{before}: {:?}", explored.faults);
}

#[test]
fn collections_are_texts_as_in_nmodel() {
    holds(r#"new Set<int>(2, 1).ToString() == "Set(1, 2)" && "" + Set<int>.EmptySet == "Set()""#);
    holds(r#"new Sequence<string>("b", "a").ToString() == "Sequence(\"b\", \"a\")""#);
    holds(r#"new Map<int, bool>(1, true, 2, false).ToString() == "Map(1 -> True, 2 -> False)""#);
    holds(r#"new Bag<char>('a', 'b', 'a').ToString() == "Bag(a (2), b)""#);
    holds(r#"new Pair<int, string>(1, null).ToString() == "Pair(1, null)""#);
    holds(r#"new Triple<int, E, double>(1, E.Q, 1.5).ToString() == "Triple(1, Q, 1.5)""#);
    holds(
        r#"new C(3, "x").ToString() == "C(3, \"x\")" && $"{new Set<C>(new C(1, null))}" == "Set(C(1, null))""#,
    );
    holds(r#""" + new D(1) + $"{new D(2)}" == "<1><2>" && string.Format("{0}", new D(3)) == "<3>""#);
    holds_after(
        r#"int? n = null; string t = null;"#,
        r#"n.ToString() == "" && "a" + t == "a" && "" + n == """#,
    );
    raised("string t = null; t = t.ToString();", "null has no members");
}

#[test]
fn errors_have_messages_and_are_thrown_again() {
    holds_after(
        r#"string m = ""; try { throw new InvalidOperationException("x"); } catch (Exception e) { m = e.Message; }"#,
        r#"m == "x""#,
    );
    holds_after(
        r#"string m = ""; try { throw new Exception("x"); } catch (Exception e) { m = "" + e + e.ToString(); }"#,
        r#"m == "Exception: xException: x""#,
    );
    holds_after(
        r#"string m = ""; try { try { throw new Exception("a"); } catch { m += "b"; throw; } } catch (Exception e) { m += e.Message; }"#,
        r#"m == "ba""#,
    );
    holds_after(
        r#"string m = ""; try { Exception e = new Exception("a"); throw e; } catch (Exception e2) { m = e2.Message; }"#,
        r#"m == "a""#,
    );
    raised(r#"throw new ArgumentException("on purpose");"#, "ArgumentException: on purpose at ");
    assert_eq!(refused("throw;"), ("csharp::no-error", "throw;".to_string()));
    assert_eq!(refused("throw 1;"), ("csharp::type-mismatch", "1".to_string()));
}

#[test]
fn sets_have_subsets_and_are_put_together() {
    let sets = "Set<Set<int>> all = new Set<Set<int>>(new Set<int>(1, 2), new Set<int>(2, 3));";
    holds_after(sets, "Set<int>.BigIntersect(all) == new Set<int>(2) && Set<int>.BigUnion(all).Count == 3");
    holds("Set<int>.BigIntersect(Set<Set<int>>.EmptySet).IsEmpty");
    holds(
        "new Set<int>(5, 6).CountSubsets == 4 && new Set<int>(5, 6, 7).ChooseSubset(5) == new Set<int>(5, 7)",
    );
    holds(
        "new Set<int>(5, 6).ChooseNonemptySubset(0) == new Set<int>(5) && new Set<int>(5).ChooseSubset().IsEmpty",
    );
    holds("new Set<int>(5, 6).ChooseNonemptySubset() == new Set<int>(5)");
    holds_after(
        "int n = 0; foreach (Set<int> s in new Set<int>(1, 2, 4).AllSubsets()) n += s.Reduce((i, sum) => i + sum, 0);",
        "n == 28",
    );
    raised("Set<int> s = Set<int>.EmptySet.ChooseNonemptySubset(3);", "nothing to choose from");
    raised("int n = new Set<int>(1, 2).Choose(2);", "choice 2 of 2");
    raised("foreach (int i in new Set<int>(1)) { if (i == 1) throw new Exception(\"a\"); }", "Exception: a");
}

#[test]
fn collections_are_reduced_counted_and_copied() {
    holds("new Set<int>(1, 2, 3).ExistsOne(x => x > 2) && !new Set<int>(1, 2, 3).ExistsOne(x => x > 1)");
    holds("new Sequence<int>(1, 2).Reduce(delegate(int i, double sum) { return i + sum / 2; }, 0) == 2.5");
    holds(r#"new Set<int>(1, 2).Reduce((i, text) => text + i, "") == "12""#);
    holds_after("int[] a = new Bag<int>(3, 1, 3).AsArray();", "a.Length == 3 && a[0] == 1 && a[2] == 3");
    holds_after("int[] a = Copied();", "a[0] == 0 && a[1] == 5 && a[2] == 7");
    raised("int[] a = new int[1]; new Set<int>(1, 2).CopyTo(a, 0);", "index 1 of an array of 1");
}

#[test]
fn sequences_are_zipped_joined_and_reordered() {
    holds_after(
        "Sequence<Pair<int, bool>> z = Sequence<int>.Zip(new Sequence<int>(1, 2, 3), new Sequence<bool>(true, false));
         Pair<Sequence<int>, Sequence<bool>> u = Sequence<int>.Unzip(z);",
        "z.Count == 2 && z[1].First == 2 && !z.Last.Second && u.First == new Sequence<int>(1, 2) && u.Second.Head",
    );
    holds_after(
        "Sequence<Sequence<int>> q = new Sequence<Sequence<int>>(new Sequence<int>(1), new Sequence<int>(2, 1));",
        "Sequence<int>.BigConcatenate(q) == new Sequence<int>(1, 2, 1)",
    );
    holds_after(
        "Set<Sequence<int>> all = Set<Sequence<int>>.EmptySet; Sequence<int> q = new Sequence<int>(1, 2, 3);
         for (int i = 0; i < 6; i++) all = all.Add(q.ChoosePermutation(i));",
        "all.Count == 6 && all.Forall(o => o.Count == 3) && q.ChoosePermutation(6) == q.ChoosePermutation(0)",
    );
}

#[test]
fn maps_and_bags_have_the_rest_of_their_members() {
    let maps =
        "Map<int, string> m = new Map<int, string>(1, \"a\", 2, \"b\"), n = new Map<int, string>(2, \"b\");";
    holds_after(maps, "n.IsSubmapOf(m) && !m.IsSubmapOf(n) && Map<int, string>.EmptyMap.IsSubmapOf(n)");
    holds_after(maps, "m.Convert(p => new Pair<string, int>(p.Second, p.First))[\"b\"] == 2");
    holds_after(maps, "Map<int, string>.BigMerge(new Set<Map<int, string>>(m, n)) == m");
    holds_after(
        maps,
        "Map<int, string>.BigOverride(new Sequence<Map<int, string>>(m, m.Override(1, \"c\")))[1] == \"c\"",
    );
    holds("new Map<int, int>(1, 2, 1, 3)[1] == 3");
    raised(
        "Map<int, int> m = new Map<int, int>(1, 2, 2, 3).Convert(p => new Pair<int, int>(0, p.Second));",
        "two values for the key 0",
    );
    holds(
        "new Bag<int>(1).AddMultiple(1, 3).CountItem(1) == 4 && new Bag<int>(1).AddMultiple(1, -3).IsEmpty",
    );
    holds("new Bag<int>(new Pair<int, int>(7, 2), new Pair<int, int>(8, 0)) == new Bag<int>(7, 7)");
    holds("new Bag<Pair<int, int>>(new Pair<int, int>(7, 2)).Count == 1");
}

#[test]
fn values_have_an_order() {
    holds(
        "3.CompareTo(4) == -1 && 'c'.CompareTo('a') == 2 && true.CompareTo(true) == 0 && E.R.CompareTo(E.Q) == 1",
    );
    holds("new Set<int>(9).CompareTo(new Set<int>(1, 2)) == -1 && new Set<int>(1, 3) > new Set<int>(1, 2)");
    holds("new Pair<int, int>(1, 2) < new Pair<int, int>(1, 3) && new C(1, \"b\") > new C(1, null)");
    holds("new Set<Set<int>>(new Set<int>(9), new Set<int>(1, 2)).Minimum() == new Set<int>(9)");
    holds("5.GetHashCode() == 5 && true.GetHashCode() == 1 && string.CompareOrdinal(\"a\", \"b\") < 0");
    assert_eq!(refused("int h = \"x\".GetHashCode();"), ("csharp::unsupported", "GetHashCode".to_string()));
    assert_eq!(refused("int h = \"x\".CompareTo(\"y\");"), ("csharp::unsupported", "CompareTo".to_string()));
    assert_eq!(
        refused("N n = null; int h = n.CompareTo(n);"),
        ("csharp::unsupported", "CompareTo".to_string())
    );
}

#[test]
fn assignments_with_operators_are_those_of_csharp() {
    holds_after("int n = 5; n <<= 2; n >>= 1; long l = 1; l <<= 40;", "n == 10 && l == 1099511627776");
    holds_after(
        "string s = null; s ??= \"a\"; s ??= \"b\"; int? n = null; int m = n ??= 3;",
        "s == \"a\" && m == 3 && n == 3",
    );
    holds_after(
        "int[] a = new int[2]; string[] t = new string[2]; int i = 0; t[i++] ??= \"x\";",
        "t[0] == \"x\" && i == 1",
    );
    holds_after("char c = 'a'; c += 'b'; c = 'a'; c += (char)2; c++;", "c == 'd'");
    assert_eq!(refused("int m = new Map<int, int>(1, 2).Convert(p => 3).Count;").0, "csharp::type-mismatch");
    assert_eq!(refused("int n = 1; n ??= 2;"), ("csharp::type-mismatch", "n ??= 2".to_string()));
}

#[test]
fn operators_on_values_that_may_be_null_give_nothing_for_nothing() {
    let values = "int? a = 3, none = null; double? d = a; long? l = a;";
    holds_after(
        values,
        "a + 1 == 4 && (none + 1) == null && -a == -3 && (-none) == null && d == 3.0 && l == 3",
    );
    holds_after(values, "a < 4 && !(none < 4) && !(none >= 4) && a * none == null && (a - 1).Value == 2");
    holds_after(
        values,
        "a.GetValueOrDefault() == 3 && none.GetValueOrDefault() == 0 && none.GetValueOrDefault(7) == 7",
    );
    holds_after(
        "int? n = 1; n++; n += 2; int? m = null; m++; E? e = E.P; e += 4;",
        "n == 4 && m == null && e == E.Q",
    );
    holds_after(values, "(int)a == 3 && (double)a / 2 == 1.5 && (none ?? 5) == 5 && (int?)2.9 == 2");
    raised("int? none = null; int n = (int)none;", "null has no members");
}

#[test]
fn elements_have_numbers_and_characters_too() {
    holds("E.P + 4 == E.Q && E.R - 1 == E.Q && E.R - E.P == 5 && (E.Q | E.P) == E.Q && (E.R & E.Q) != 0");
    holds_after("E e = E.Q; e++; E other = E.R; other -= 5;", "e == E.R && other == E.P && other == 0");
    holds("(char)('a' + 1) == 'b' && (char)65 == 'A' && (int)'a' == 97 && +'a' == 97");
    raised("E e = E.P; e++;", "no element of `E` has the number 1");
    raised("char c = (char)0xD800;", "half of a character");
}

#[test]
fn texts_have_their_members() {
    holds(
        r#""banana".IndexOf('n') == 2 && "banana".IndexOf("n", 3) == 4 && "banana".LastIndexOf("an") == 3 && "a".IndexOf('z') == -1"#,
    );
    holds(
        r#""banana".Replace("an", "") == "ba" && "banana".Replace('a', 'o') == "bonono" && "x".Insert(1, "y") == "xy""#,
    );
    holds_after(
        r#"string[] p = "a,b;c".Split(',', ';'); string[] q = "a, b".Split(", ");"#,
        r#"p.Length == 3 && p[2] == "c" && q[1] == "b""#,
    );
    holds(r#"string.Format("{0}+{1}={{{0}}}", 1, "x") == "1+x={1}" && string.Concat("a", 1, null) == "a1""#);
    holds(r#"string.Join("-", new Sequence<int>(1, 2)) == "1-2" && string.Join(",", "a", "b") == "a,b""#);
    holds(
        r#""abc".Contains("bc") && "abc".Contains('b') && "abc".StartsWith("ab") && "abc".EndsWith("c") && "abc".Substring(1) == "bc""#,
    );
    holds(
        r#""aB".ToUpper() == "AB" && "aB".ToLowerInvariant() == "ab" && " a ".TrimEnd() == " a" && "7".PadLeft(3, '0') == "007" && "abc".Remove(1, 1) == "ac""#,
    );
    holds(
        r#"char.IsDigit('7') && !char.IsLetter('7') && char.ToUpper('q') == 'Q' && "abc".ToCharArray()[1] == 'b' && string.IsNullOrWhiteSpace(" ")"#,
    );
    raised(r#"string s = string.Format("{1}", 1);"#, "the format has no value 1");
    raised(r#"string s = "abc".Substring(2, 5);"#, "an index outside the text");
}

#[test]
fn what_is_equal_and_what_is_the_same() {
    holds(
        "object.Equals(1, 1) && Equals(new Set<int>(1), new Set<int>(1)) && !Object.Equals(null, \"a\") && string.Equals(\"a\", \"a\")",
    );
    holds_after("N n = null;", "ReferenceEquals(n, null) && object.ReferenceEquals(n, n)");
    let (code, _) = refused("bool b = ReferenceEquals(new Set<int>(1), new Set<int>(1));");
    assert_eq!(code, "csharp::unsupported");
}

#[test]
fn equality_of_ones_own_is_told() {
    let text = "namespace A { class C : CompoundValue { public readonly int x; public override bool Equals(object other) { return true; } }
        static class B { static C c; [Action] static void X() { c = new C(); } } }";
    let (program, diagnostics, _) = read_text(text, &Options::default());
    assert!(program.is_some());
    assert_eq!(
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(),
        ["csharp::own-equality"]
    );
}

#[test]
fn control_that_goes_astray_is_refused() {
    assert_eq!(refused("break;"), ("csharp::no-loop", "break;".to_string()));
    assert_eq!(refused("switch (1) { case 1: continue; }"), ("csharp::no-loop", "continue;".to_string()));
    assert_eq!(refused("Predicate<int> p = delegate(int x) { break; };").0, "csharp::no-loop");
    assert_eq!(
        refused("Predicate<int> p = delegate(int x) { if (x > 0) return true; };").0,
        "csharp::no-return"
    );
    assert_eq!(
        refused("switch (1) { case 1: done = 3; case 2: break; }"),
        ("csharp::fall-through", "done = 3;".to_string())
    );
    holds_after(
        "int n = 0; while (true) { n++; if (n < 3) continue; switch (n) { case 3: break; default: n = 9; break; } break; }",
        "n == 3",
    );
}

#[test]
fn a_method_gives_a_value_on_every_way() {
    let text = |body: &str| {
        format!(
            "namespace A {{ static class B {{ const bool always = true; static int x; static int M(int n) {{ {body} }} [Action] static void C() {{ x = M(0); }} }} }}"
        )
    };
    let codes = |body: &str| -> Vec<&str> {
        read_text(&text(body), &Options::default()).1.iter().map(|diagnostic| diagnostic.code).collect()
    };
    for missing in [
        "",
        "if (n > 0) return 1;",
        "while (n > 0) { return 1; }",
        "while (true) { break; }",
        "foreach (int i in new Set<int>(n)) return i;",
        "switch (n) { case 1: return 2; }",
        "try { return 1; } catch { }",
        "do { continue; } while (n > 0);",
    ] {
        assert_eq!(codes(missing), ["csharp::no-return"], "{missing}");
    }
    for whole in [
        "return 1;",
        "if (n > 0) return 1; else return 2;",
        "while (true) { n++; if (n > 5) return n; }",
        "for (;;) { return 1; }",
        "switch (n) { case 1: return 2; default: throw new System.Exception(); }",
        "try { return 1; } catch { throw; }",
        "while (always) { }",
        "do { return 1; } while (n > 0);",
        "try { n++; } finally { n--; } return n;",
    ] {
        assert_eq!(codes(whole), [""; 0], "{whole}");
    }
}

#[test]
fn asynchronous_methods_are_refused() {
    for (text, place) in [
        ("namespace A { static class B { [Action] static async void C() { } } }", "async"),
        (
            "namespace A { static class B { static int x; [Action] static void C() { Func<int, int> f = async y => y; } } }",
            "async y => y",
        ),
    ] {
        let (program, diagnostics, sources) = read_text(text, &Options::default());
        assert!(program.is_none());
        let span = diagnostics[0].primary.as_ref().unwrap().span;
        assert_eq!(diagnostics[0].code, "csharp::unsupported");
        assert_eq!(&sources.file(span.file).text()[span.start as usize..span.end as usize], place);
    }
}

/// What there is to say about a program with a machine: codes with the texts they point at.
fn said_with_machine(machine: &str) -> Vec<(&'static str, String)> {
    let text = "namespace A { enum E { P, Q } static class B { static double d; static int n; static Set<int> s = Set<int>.EmptySet;
        [Action] static void Put(int x, E e) { n = x; } [Action] static void Mean(double x) { d = x; } [Action] static void All(Set<int> x) { s = x; }
        [Action(Start = \"Ask()\", Finish = \"Told(result)\")] static string Ask() { return \"yes\"; } } }";
    let loader = MemoryLoader::new().with("a.cs", text).with("m.txt", machine);
    let options = Options { scenarios: vec!["m.txt".to_string()], ..Options::default() };
    let mut sources = SourceMap::new();
    let (_, diagnostics) = load("a.cs", &loader, &options, &mut sources);
    let place = |diagnostic: &fathom_source::Diagnostic| {
        let span = diagnostic.primary.as_ref().unwrap().span;
        sources.file(span.file).text()[span.start as usize..span.end as usize].to_string()
    };
    let others = diagnostics.iter().filter(|diagnostic| diagnostic.code != "csharp::no-domain");
    others.map(|diagnostic| (diagnostic.code, place(diagnostic))).collect()
}

#[test]
fn steps_of_machines_fit_the_actions_of_programs() {
    let machine = |steps: &str| format!("FSM(0, AcceptingStates(), Transitions({steps}))");
    let said = |steps: &str| said_with_machine(&machine(steps));
    let wrong = |place: &str| vec![("csharp::machine-arguments", place.to_string())];
    assert_eq!(said("t(0, Put(1, E(\"Q\")), 1), t(0, Put(_, _), 1), t(1, Put(), 0), t(0, Ask(), 0)"), []);
    assert_eq!(said("t(0, Mean(1), 0), t(0, All(Set(1, 2)), 0), t(0, Told(\"yes\"), 0)"), []);
    assert_eq!(said("t(0, Put(1, _, 3), 1)"), wrong("Put(1, _, 3)"));
    assert_eq!(said("t(0, Put(\"a\", _), 1)"), wrong("\"a\""));
    assert_eq!(said("t(0, Put(1, 2), 1)"), wrong("2"));
    assert_eq!(said("t(0, All(Set(1, \"b\")), 1)"), wrong("Set(1, \"b\")"));
    assert_eq!(said("t(0, Told(1), 1)"), wrong("1"));
    // Some arguments without others are odd, and so is an action that no program has.
    assert_eq!(said("t(0, Put(1), 1)"), wrong("Put(1)"));
    assert_eq!(said("t(0, Pot(1), 1), t(1, Pot(2), 1)"), [("csharp::machine-action", "Pot(1)".to_string())]);
    assert_eq!(said("t(0, Put(Nope(1), _), 1)"), [("csharp::fsm", "Nope(1)".to_string())]);
}

#[test]
fn a_machine_may_name_objects_and_then_there_is_no_symmetry() {
    use fathom_program::Program;
    let text = "namespace A { class N : LabeledInstance<N> { public int pay; } static class B { static Set<N> all = Set<N>.EmptySet;
        [Action] static void Make([New] N n) { all = all.Add(n); } [Action] static void Pay([Domain(\"all\")] N n) { n.pay = 1; } } }";
    let machine = "FSM(0, AcceptingStates(3), Transitions(t(0, Make(N(1)), 1), t(1, Make(N(2)), 2), t(2, Pay(N(2)), 3)))";
    let loader = MemoryLoader::new().with("a.cs", text).with("m.txt", machine);
    let options = Options { scenarios: vec!["m.txt".to_string()], ..Options::default() };
    let (made, diagnostics) = load("a.cs", &loader, &options, &mut SourceMap::new());
    assert_eq!(diagnostics, []);
    let made = made.unwrap();
    assert!(program(text).may_have_objects() && !made.may_have_objects());
    assert_eq!(explore(&made, Symmetry::None, 10).n_states, 4);
}

#[test]
fn conditions_and_features_have_to_be_there() {
    let text = "namespace A { static class B { static int x; [Requires(\"Nope\")] [Action] static void C() { x = 1; } } [Feature] static class G { } }";
    let (program, diagnostics, sources) = read_text(text, &Options::default());
    assert!(program.is_none());
    let span = diagnostics[0].primary.as_ref().unwrap().span;
    assert_eq!(
        (diagnostics[0].code, &sources.file(span.file).text()[span.start as usize..span.end as usize]),
        ("csharp::condition", "\"Nope\"")
    );
    let text = text.replace("[Requires(\"Nope\")]", "");
    let with = |feature: &str| {
        let options = Options { features: Some(vec![feature.to_string()]), ..Options::default() };
        let (program, diagnostics, _) = read_text(&text, &options);
        (program.is_some(), diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>())
    };
    assert_eq!(with("G"), (true, vec![]));
    assert_eq!(with("H"), (false, vec!["csharp::unknown-feature"]));
}

#[test]
fn factories_make_products_and_lists_of_features() {
    let text = "namespace A { static class B { static int x; [Action] static void C() { x = 1; } }
        [Feature] static class D { [Action] static void E() { } } [Feature] static class F { [Action] static void G() { } }
        static class Make { static readonly Set<string> some = new Set<string>(\"D\");
            static ModelProgram One() { return LibraryModelProgram.Create(typeof(B)); }
            static ModelProgram Two() { return new ProductModelProgram(One(), new FsmModelProgram(FSM.Create(\"t(0, C(), 1)\", \"t(1, Z(), 1)\"), \"m\")); }
            static ModelProgram Three() { ModelProgram m = Make.Two(); ModelProgram n = new LibraryModelProgram(typeof(H.I).Assembly, \"H\"); return new ProductModelProgram(m, n); }
            static ModelProgram Four() { return new LibraryModelProgram(typeof(B).Assembly, \"A\", new Set<string>(some)); }
            static ModelProgram Five() { return new LibraryModelProgram(typeof(B).Assembly, \"A\", some + new Set<string>(\"F\")); }
            static ModelProgram Six() { return new LibraryModelProgram(typeof(B).Assembly, \"A\", some.Add(\"F\")); }
            static ModelProgram Round() { return new ProductModelProgram(Round(), One()); }
            static ModelProgram Odd() { return LibraryModelProgram.Create(typeof(B), \"Nope\"); } } }
        namespace H { static class I { static int y; [Action] static void J() { y = 1; } } }";
    let made = |factory: &str| {
        let options = Options { programs: vec![factory.to_string()], ..Options::default() };
        let (program, diagnostics, _) = read_text(text, &options);
        let codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        (program.map(|program| program.action_names().collect::<Vec<_>>().join(" ")), codes)
    };
    assert_eq!(made("One"), (Some("C".to_string()), vec![]));
    assert_eq!(made("Two"), (Some("C Z".to_string()), vec!["csharp::machine-action"]));
    assert_eq!(made("Three").0.as_deref(), Some("C J Z"));
    assert_eq!(made("Four").0.as_deref(), Some("C E"));
    assert_eq!(made("Five").0.as_deref(), Some("C E G"));
    assert_eq!(made("Six").0.as_deref(), Some("C E G"));
    assert_eq!(made("Round"), (None, vec!["csharp::unsupported"]));
    assert_eq!(made("Odd"), (Some("C".to_string()), vec!["csharp::unknown-feature"]));
}

#[test]
fn what_is_under_way_is_shown_as_an_action() {
    use fathom_program::Program;
    let program = program(
        "namespace A { static class B { static int n; static Set<int> Few() { return new Set<int>(3); }
         [Action] static int Take([Domain(\"Few\")] int k) { n = k; return k; } } }",
    );
    let state = program.initial().remove(0);
    let shown = |state: &crate::State| program.variables(state).pop().unwrap().1;
    assert_eq!(shown(&state), "nothing");
    let mut actions = Vec::new();
    program.actions(&state, &mut actions);
    let mut next = state.clone();
    program.apply(&actions[0], &mut next);
    assert_eq!(shown(&next), "Take_Start(3)");
}

#[test]
fn a_name_in_parentheses_before_an_operator_is_no_cast() {
    let before = "int a = 3, n = 1; bool t = true; Set<int> s = new Set<int>(1, 2); int[] numbers = { 4, 6 };
        E e = E.Q; Set<E> es = new Set<E>(E.P, E.Q);";
    for condition in [
        "(t) && (a == 3)",
        "(a) - n * 2 == 1",
        "(a) - (n) == 2",
        "(int)(a) - 1 == 2",
        "(s) * (s) == s && (s) - s == Set<int>.EmptySet",
        "(Set<int>.EmptySet) - s == (s) - s && (new Sequence<int>(5)[0]) - a == 2",
        "(numbers[1]) - (numbers[n - 1]) == 2 && (numbers[n]) * 2 == 12",
        "(a) + \"x\" == \"3x\"",
        "((a) & 1) == 1 && 1 + (a)-1 == 3",
        "new Set<E>(e) + es == es && (new Set<E>(E.R) * es).IsEmpty && new Set<E>(es) - es == new Set<E>()",
        "new Set<E>(Sequence<E>.EmptySequence) + es == es && (new Bag<E>(e) + new Bag<E>(e)).Count == 2",
        "(int) - 1.5 == -1 && (E) 4 == E.Q",
        "Math.Abs(a) - 1 == 2 && s.Contains(a) == false",
    ] {
        holds_after(before, condition);
    }
}

#[test]
fn loops_go_through_members_of_any_type() {
    // The grammar takes a type with one argument for comparisons.
    holds_after(
        "int n = 0; Set<E> some = new Set<E>(E.P, E.R); Set<Set<E>> all = new Set<Set<E>>(some, new Set<E>(E.Q));
         foreach (Set<E> s in all) n += s.Count;
         foreach (Set<A.E> s in all) { foreach (E e in s) n += 10; }
         foreach (Set<Set<E>> s in new Set<Set<Set<E>>>(all)) n += 100 * s.Count;
         foreach (Sequence<C> q in new Sequence<Sequence<C>>(new Sequence<C>())) n += 1000;
         foreach (Pair<E, int> p in new Sequence<Pair<E, int>>(new Pair<E, int>(E.P, 3))) n += 10000 * p.Second;
         foreach (E? e in new Sequence<E?>(E.P)) n += 100000;",
        "n == 131233",
    );
    let wrong = refused("foreach (Set<E> s in new Set<Set<int>>()) done = 1;");
    assert_eq!(wrong, ("csharp::type-mismatch", "Set<E>".to_string()));
    let unknown = refused("foreach (Set<Missing> s in new Set<Set<int>>()) done = 1;");
    assert_eq!(unknown, ("csharp::unknown-type", "Missing".to_string()));
    assert_eq!(refused("foreach (a < b in new Set<int>(1)) done = 1;").0, "csharp::unsupported");
    assert_eq!(refused("foreach (var (a, b) in new Set<int>(1)) done = 1;").0, "csharp::unsupported");
    assert_eq!(refused("foreach ((int a, int b) in new Set<int>(1)) done = 1;").0, "csharp::unsupported");
}

#[test]
fn an_instance_is_a_value_before_any_operator() {
    let text = "namespace A { class N : LabeledInstance<N> {
        static Set<N> all = Set<N>.EmptySet; public int c;
        static bool MakeEnabled() { return all.IsEmpty; }
        [Action] static void Make([New] N n) { all = all.Add(n); }
        static bool Is(N n) { return n.c < 2; } static int Of(N n) { return n.c; }
        bool TurnEnabled() { return all.Contains(this) && c < 2 && Is(this) & Of(this) + Of(this) - (this.c) * Of(this) < 3; }
        [Action] void Turn([Domain(\"Ones\")] int i) { c++; } static Set<int> Ones() { return new Set<int>(1); } } }";
    let text = text.replace("class N :", "[Domain(\"all\")] class N :");
    assert_eq!(explore(&program(&text), Symmetry::None, 10).n_states, 4);
}

#[test]
fn methods_are_values_where_functions_are_wanted() {
    let methods = |calls: &str, condition: &str| {
        let text = asking(calls, condition).replace(
            "static int done;",
            "static int done; static bool IsSmall(int i) { return i < 3; } static bool IsSmall(string s) { return s.Length < 3; }
             static int Sum(int i, int sum) { return i + sum; } static string Shown(int i) { return \"<\" + i + \">\"; }
             static readonly Func<int, string> show = Shown; static bool Both(Predicate<int> p, int i) { return p(i) && p(i + 1); }",
        );
        let text = text.replace("class N : LabeledInstance<N> { }", "class N : LabeledInstance<N> { public int k = 2;
             bool Is(int i) { return i == k; } public bool Has(Set<int> some) { return some.Exists(Is) && some.Exists(this.Is); }
             public override void Initialize() { base.Initialize(); k++; } }");
        let explored = explore(&program(&text), Symmetry::None, 10);
        assert!(explored.faults.is_empty() && explored.n_states == 2, "{explored:?}");
        assert!(!explored.findings.keys().any(|name| name.ends_with("Right")), "{calls} {condition}");
    };
    methods("", "new Set<int>(1, 2).Forall(IsSmall) && !new Set<int>(1, 4).Forall(B.IsSmall)");
    methods(
        "",
        "new Sequence<string>(\"a\", \"abc\").Exists(IsSmall) && Both(IsSmall, 1) && !Both(IsSmall, 2)",
    );
    methods(
        "",
        "new Set<int>(1, 2).Convert(Shown) == new Set<string>(\"<1>\", \"<2>\") && show(3) == \"<3>\"",
    );
    methods("Predicate<int> p = IsSmall;", "p(2) && !p(3) && new Set<int>(1, 2).Reduce(Sum, 0) == 3");
    methods("N n = N.Create();", "n.Has(new Set<int>(3, 4)) && !n.Has(new Set<int>(2)) && n.k == 3");
    let wrong = refused("bool b = new Set<E>(E.P).Forall(Copied);");
    assert_eq!(wrong, ("csharp::type-mismatch", "Copied".to_string()));
    assert_eq!(refused("done = Copied;"), ("csharp::no-value", "Copied".to_string()));
    assert_eq!(refused("done = B.Copied;"), ("csharp::no-value", "B.Copied".to_string()));
    let library = refused("bool b = new Set<Set<E>>().Forall(new Set<Set<E>>().Contains);");
    assert_eq!(library, ("csharp::no-value", "new Set<Set<E>>().Contains".to_string()));
}

#[test]
fn what_is_left_out_of_a_call_is_found_out() {
    let map = "Map<string, int> m = new Map<string, int>(\"a\", 4);";
    holds_after(
        map,
        "m.TryGetValue(\"a\", out var x) && x + 1 == 5 && !m.TryGetValue(\"b\", out int y) && y == 0",
    );
    holds_after(map, "m.TryGetValue(\"a\", out _) && !m.TryGetValue(\"b\", out _)");
    let own = |before: &str, condition: &str| {
        let text = asking(before, condition).replace(
            "static int done;",
            "static int done; static bool Get(int i, out double d) { d = i / 2.0; return i > 1; }",
        );
        let explored = explore(&program(&text), Symmetry::None, 10);
        assert!(!explored.findings.keys().any(|name| name.ends_with("Right")), "{before} {condition}");
    };
    own("", "Get(3, out var d) && d == 1.5 && !Get(1, out _)");
    own("if (Get(3, out double d)) d++;", "d == 2.5");
    assert_eq!(refused("done = _;"), ("csharp::unknown-name", "_".to_string()));
}

#[test]
fn names_that_are_unknown_are_told() {
    let said = |before: &str| {
        let (_, diagnostics, _) = read_text(&asking(before, "true"), &Options::default());
        diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(said("undefined = 1;"), "there is no `undefined` here");
    assert_eq!(said("done = Some.Where.other;"), "there is no `Some.Where.other` here");
    assert_eq!(said("done = done.Foo;"), "`int` has no `Foo` that is supported");
    assert_eq!(said("string s = E;"), "a type is not a value");
    assert_eq!(said("done = Set<int>.Foo;"), "`Set<int>` has no `Foo` that is supported");
    assert_eq!(said("done = new C(1, null).Foo;"), "`C` has no `Foo` that is supported");
}

#[test]
fn conditional_compilation_is_refused_where_it_is() {
    let conditional = "conditional compilation with `#if` is not supported";
    for (before, line) in [
        ("\n#if DEBUG\n done = 3;\n#else\n done = 1;\n#endif\n", "#if DEBUG"),
        ("done = 1\n  #if (DEBUG) && TRACE\n + 1\n#endif\n;", "#if (DEBUG) && TRACE"),
        ("\n# if !X\n if (done == 0) {\n#endif\n }", "# if !X"),
    ] {
        let text = asking(before, "true");
        let (program, diagnostics, sources) = read_text(&text, &Options::default());
        assert!(program.is_none());
        let span = diagnostics[0].primary.as_ref().unwrap().span;
        let found = &sources.file(span.file).text()[span.start as usize..span.end as usize];
        assert_eq!((diagnostics[0].message.as_str(), found), (conditional, line));
    }
    let elements = "namespace A { enum E { P,\n#if X\n Q,\n#endif\n R } static class B { [Action] static void C(E e) { } } }";
    assert_eq!(read_text(elements, &Options::default()).1[0].message, conditional);
    holds_after("/*\n#if X\n*/\n#region R\n string s = @\"a\n#if X\nb\";\n#endregion\n", "s.Length == 9");
}

#[test]
fn variables_are_read_when_they_have_a_value() {
    let map = "Map<string, int> m = new Map<string, int>(\"a\", 4); int n = 1;";
    for (before, condition) in [
        ("int x; if (n == 1) x = 2; else x = 3;", "x == 2"),
        ("int x; if (n == 1) x = 2; else throw new Exception(\"x\");", "x == 2"),
        ("int x; while (true) { x = n; if (x == 1) break; }", "x == 1"),
        ("int x; do { x = n; if (n == 2) continue; } while (x > 1);", "x == 1"),
        ("int x; for (x = 0; x < 3; x++) { }", "x == 3"),
        ("int i; for (;;) { i = 7; break; }", "i == 7"),
        ("int x, y; x = y = 4;", "x == y"),
        ("int x; switch (n) { case 1: x = 5; break; default: x = 6; break; }", "x == 5"),
        ("int x; try { x = 1; } finally { n = 2; }", "x == 1"),
        ("int x; try { n = 3; } finally { x = 1; }", "x == 1"),
        ("int x; bool b = n == 1 ? m.TryGetValue(\"a\", out x) && x == 4 : false;", "b"),
        ("int x; bool b = !(m.TryGetValue(\"a\", out x) && x == 4) || x == 4;", "b"),
        ("int x; if (n == 1 && (x = 3) == 3) n = x;", "n == 3"),
        ("int x; if (!(n == 1 && (x = 3) == 3)) n = 2; else n = x;", "n == 3"),
        ("int x; foreach (int i in new Set<int>(1)) { int y; y = i; n += y; } x = n;", "x == 2"),
        ("Func<int, int> f = k => { int y; if (k > 1) y = 1; else y = 2; return y; };", "f(2) + f(1) == 3"),
        ("int x; if (false) n = x;", "n == 1"),
        ("int? x; x = null; x ??= 3;", "x == 3"),
    ] {
        holds_after(&format!("{map} {before}"), condition);
    }
    for (before, name) in [
        ("int x; n = x;", "x"),
        ("int x; x++;", "x"),
        ("int x; x += 1;", "x"),
        ("int x; x = x + 1;", "x"),
        ("int x; if (n == 1) x = 2; n = x;", "x"),
        ("int x; while (n < 1) { x = n; } n = x;", "x"),
        ("int x; while (true) { if (n == 1) break; x = n; } n = x;", "x"),
        ("int x; foreach (int i in new Set<int>(1)) x = i; n = x;", "x"),
        ("int x; switch (n) { case 1: x = 5; break; } n = x;", "x"),
        ("int x; try { x = 1; } catch { } n = x;", "x"),
        ("if (n == 2 && m.TryGetValue(\"a\", out int x)) n = 1; else n = x;", "x"),
        ("int x; bool b = n == 1 || m.TryGetValue(\"a\", out x); n = x;", "x"),
        ("int x; Func<int, int> f = k => k + x; x = 1;", "x"),
        ("Func<int, int> f = k => { int y; if (k > 1) y = 1; return y; };", "y"),
        ("int? x; x ??= 3;", "x"),
        ("Set<int> x; n = x.Count;", "x"),
    ] {
        let wanted = ("csharp::no-value-yet", name.to_string());
        assert_eq!(refused(&format!("{map} {before}")), wanted, "{before}");
    }
    let own = |body: &str| {
        let text = asking("", "true").replace(
            "static int done;",
            &format!("static int done; static bool Get(int i, out int d) {{ {body} }}"),
        );
        read_text(&text, &Options::default()).1.iter().map(|one| one.message.clone()).collect::<String>()
    };
    assert_eq!(own("d = 1; return d > 1;"), "");
    assert_eq!(own("if (i > 1) throw new Exception(\"e\"); d = 1; return true;"), "");
    assert_eq!(own("if (i > 1) d = 1; return true;"), "`d` may be left without a value");
    assert_eq!(own("d++; return true;"), "`d` may be read before it has a value");
}

#[test]
fn variables_of_any_type_are_declared_anywhere() {
    let own = |before: &str, condition: &str| {
        let text = asking(before, condition).replace(
            "static int done;",
            "static int done; static bool Get(int i, out Set<E> d) { d = new Set<E>(E.P); return i > 1; }",
        );
        let explored = explore(&program(&text), Symmetry::None, 10);
        assert!(explored.faults.is_empty() && explored.n_states == 2, "{before}: {explored:?}");
        assert!(!explored.findings.keys().any(|name| name.ends_with("Right")), "{before} {condition}");
    };
    own("Set<E> s; s = new Set<E>(E.Q);", "s.Count == 1");
    own("Set<A.E> s, t; s = t = new Set<E>(E.Q);", "s == t");
    own("bool b = Get(2, out Set<E> s);", "s.Count == 1 && b");
    own("bool b = Get(2, out Set<A.E> s);", "s.Count == 1 && b");
    own(
        "int n = 0; for (Set<E> s = new Set<E>(E.P, E.Q); !s.IsEmpty; s = s.Remove(s.Choose())) n++;",
        "n == 2",
    );
    own("Predicate<Set<E>> p = (Set<E> s) => s.IsEmpty;", "p(Set<E>.EmptySet)");
    own("Predicate<Set<E>> p = delegate(Set<E> s) { return s.IsEmpty; };", "p((Set<E>) Set<E>.EmptySet)");
    own(
        "Set<E>[] all = new Set<E>[1]; all[0] = new Set<E>(E.P); int n = 0; foreach (Set<E> s in all) n++;",
        "n == 1",
    );
    own("Set<E>? s = null; Set<E> t = new Set<E>();", "t.IsEmpty");
}

#[test]
fn parameters_of_a_class_are_refused() {
    let text = asking("", "true").replace("class N :", "class N(int k) :");
    let (_, diagnostics, _) = read_text(&text, &Options::default());
    assert_eq!(diagnostics[0].message, "a class with parameters is not supported");
}
