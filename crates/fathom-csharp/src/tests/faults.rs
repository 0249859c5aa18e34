//! What variables, iterators and references mean where a simpler reading would go wrong.

use fathom_program::Symmetry;

use super::{explore, program, read_text};
use crate::Options;

/// A program whose one action leaves 1 behind if a condition holds after some statements, else 2.
fn asking(members: &str, before: &str, condition: &str) -> String {
    format!(
        "using System;
         namespace A {{ enum E {{ P = 1, Q = 1, R = 3 }}
         class C : CompoundValue {{ public readonly int x; public C(int x) {{ this.x = x; }} public override string ToString() {{ return \"<\" + x + \">\"; }} }}
         class O : LabeledInstance<O> {{ public int v; }}
         static class B {{ static int done; static int g; static int h; {members}
           static bool GoEnabled() {{ return done == 0; }}
           [Action] static void Go() {{ {before} done = ({condition}) ? 1 : 2; g = 0; h = 0; }}
           [StateInvariant] static bool Right() {{ return done != 2; }} }} }}"
    )
}

#[track_caller]
fn holds(members: &str, before: &str, condition: &str) {
    let explored = explore(&program(&asking(members, before, condition)), Symmetry::None, 10);
    assert!(
        explored.faults.is_empty() && explored.n_states == 2,
        "{before} {condition}: {:?}",
        explored.faults
    );
    assert!(!explored.findings.keys().any(|name| name.ends_with("Right")), "{before} {condition}");
}

/// The code of the first error, and the text that it points at.
#[track_caller]
fn refused(members: &str, before: &str) -> (&'static str, String) {
    let text = asking(members, before, "true");
    let (program, diagnostics, sources) = read_text(&text, &Options::default());
    assert!(program.is_none(), "{members} {before}");
    let first = diagnostics.iter().find(|diagnostic| diagnostic.is_error()).unwrap();
    let span = first.primary.as_ref().unwrap().span;
    (first.code, sources.file(span.file).text()[span.start as usize..span.end as usize].to_string())
}

#[track_caller]
fn unsupported(members: &str, before: &str, at: &str) {
    assert_eq!(refused(members, before), ("csharp::unsupported", at.to_string()));
}

#[test]
fn functions_share_variables_with_what_is_around_them() {
    holds("", "int k = 1; Func<int> f = () => k; k = 2;", "f() == 2");
    holds("", "int k = 1; Func<int> f = () => k; k += 2; k++;", "f() == 4 && k == 4");
    // One variable for all rounds, one for each, and one of a `for`.
    holds(
        "",
        "Func<int> f = null; int k = 0; while (k < 3) { int own = k; own = own * 10; if (k == 1) f = () => own + k; k++; }",
        "f() == 13",
    );
    holds("", "Func<int> f = null; for (int i = 0; i < 3; i++) { if (i == 0) f = () => i; }", "f() == 3");
    holds(
        "",
        "Func<int> f = null; foreach (int i in new Set<int>(1, 2, 3)) { if (i == 2) f = () => i; }",
        "f() == 2",
    );
    // A function that calls itself, one in another, and parameters.
    holds("", "Func<int, int> f = null; f = n => n < 2 ? 1 : n * f(n - 1);", "f(5) == 120");
    holds(
        "static Func<int> Make(int k) { Func<int> f = () => k; k = k + 1; return f; }",
        "Func<int, Func<int>> outer = n => { Func<int> inner = () => n; n = n + 1; return inner; };",
        "outer(1)() == 2 && Make(5)() == 6",
    );
    holds(
        "",
        "Map<int, int> m = new Map<int, int>(1, 2); int k; Func<int> f = null; if (m.TryGetValue(1, out k)) { f = () => k; } k = 7;",
        "f() == 7",
    );
    // The value of a method is of the instance that there was.
    holds(
        "class N : CompoundValue { public readonly int x; public N(int x) { this.x = x; } public int Get() { return x; } }",
        "N c = new N(1); Func<int> f = c.Get; c = new N(2);",
        "f() == 1",
    );
    // What a call declares does not change afterwards.
    holds(
        "",
        "Map<int, int> m = new Map<int, int>(1, 2); bool b = m.TryGetValue(1, out var k) && new Set<int>(2).Exists(x => x == k);",
        "b",
    );
    unsupported(
        "",
        "Map<int, int> m = new Map<int, int>(1, 2); m.TryGetValue(1, out var k); Func<int> f = () => k; k = 5;",
        "k",
    );
}

#[test]
fn a_loop_goes_through_an_iterator_while_it_runs() {
    let two = "static IEnumerable<int> Two() { yield return g; g = 5; yield return g; }";
    holds(two, "g = 0; foreach (int i in Two()) { g = g + 1; h = h * 10 + i; }", "g == 6 && h == 5");
    let all = "static IEnumerable<int> All() { int i = 0; while (true) yield return i++; }";
    holds(all, "foreach (int i in All()) if (i * i > 10) { g = i; break; }", "g == 4");
    let last =
        "static IEnumerable<int> Last() { try { yield return 1; yield return 2; } finally { h = h + 1; } }
        static int First() { foreach (int i in Last()) return i; return 0; }
        static void Fail() { foreach (int i in Last()) throw new Exception(\"a\"); }";
    holds(last, "int r = First(); try { Fail(); } catch { g = 1; }", "r == 1 && g == 1 && h == 2");
    holds(last, "foreach (int i in Last()) { if (i == 1) continue; g += i; }", "g == 2 && h == 1");
    let tree = "static IEnumerable<int> Down(int n) { yield return n; if (n > 0) foreach (int i in Down(n - 1)) yield return i; }";
    holds(
        tree,
        "int sum = 0; foreach (int i in Down(4)) foreach (int j in Down(1)) { sum += i * j; if (i == 1) break; }",
        "sum == 10 && new Sequence<int>(Down(2)).Count == 3",
    );
    // The order of what happens may be seen.
    unsupported(two, "IEnumerable<int> e = Two(); foreach (int i in e) g = i;", "Two()");
    unsupported(all, "IEnumerable<int> e = All(); foreach (int i in e) break;", "All()");
    holds(tree, "IEnumerable<int> e = Down(2); int sum = 0; foreach (int i in e) sum += i;", "sum == 3");
    holds(two, "g = 1; Sequence<int> q = new Sequence<int>(Two());", "q == new Sequence<int>(1, 5)");
    let wrong = "static IEnumerable<int> W() { try { yield return 1; } catch { } }";
    assert_eq!(refused(wrong, ""), ("csharp::yield", "yield return 1;".to_string()));
}

#[test]
fn pairs_and_triples_are_structures() {
    holds(
        "static Pair<int, int> p; static Triple<int, bool, string> t; static Map<int, Pair<int, int>> m = Map<int, Pair<int, int>>.EmptyMap;",
        "Pair<int, int> q; bool b = m.TryGetValue(1, out q); Pair<int, bool>[] a = new Pair<int, bool>[1];",
        "p.First == 0 && t.First == 0 && !t.Second && t.Third == null && !b && q == p && q == default(Pair<int, int>) && !a[0].Second && q == new Pair<int, int>()",
    );
    assert_eq!(refused("static Pair<int, int> p;", "p = null;").0, "csharp::type-mismatch");
    assert_eq!(refused("static Pair<int, int> p;", "bool b = p == null;").0, "csharp::type-mismatch");
}

#[test]
fn names_of_one_number_are_one_element() {
    holds("static E e = E.Q; ", "", "E.P == E.Q && e == E.P && \"\" + E.Q == \"P\" && (int)E.R == 3");
    holds("static int n; static void Both(E e) { n++; }", "Both(E.Q);", "n == 1");
    assert_eq!(refused("", "E e = (E)7;"), ("csharp::no-element", "(E)7".to_string()));
    unsupported("[Flags] enum F { X = 1, Y = 2 }", "", "Flags");
}

#[test]
fn a_loop_reads_elements_of_an_array_when_it_is_their_turn() {
    holds("", "int[] a = { 1, 2, 3 }; int n = 0; foreach (int x in a) { a[2] = 10; n += x; }", "n == 13");
}

#[test]
fn references_are_refused_where_a_copy_would_be_seen() {
    let both = "static void Both(ref int a) { a = 5; g = g + 1; } static void Deep(out int a) { a = 1; Both(ref h); }";
    unsupported(both, "Both(ref g);", "Both(ref g)");
    unsupported(both, "Deep(out g);", "Deep(out g)");
    holds(both, "int k = 1; Both(ref k); Both(ref h);", "k == 5 && g == 2 && h == 5");
    let two = "static void Two(ref int a, ref int b) { a = a + 1; b = b + a; } static void Fill(int[] of, ref int a) { a = of[0]; }";
    unsupported(two, "Two(ref g, ref g);", "Two(ref g, ref g)");
    unsupported(two, "int k = 1; Two(ref k, ref k);", "Two(ref k, ref k)");
    holds(two, "g = 1; Two(ref g, ref h);", "g == 2 && h == 2");
    holds(two, "int[] a = { 1, 2, 3 }; Two(ref a[0], ref a[2]);", "a[0] == 2 && a[2] == 5");
    unsupported(two, "int[] a = { 1, 2 }; int i = 1; Two(ref a[i], ref a[1]);", "Two(ref a[i], ref a[1])");
    unsupported(two, "int[] a = { 1, 2 }; Fill(a, ref a[1]);", "Fill(a, ref a[1])");
    holds(
        "static void One(ref int a) { a = a + 1; }",
        "int[] a = { 1, 2 }; int i = 0; One(ref a[i++]);",
        "a[0] == 2 && a[1] == 2 && i == 1",
    );
    // A method that ends by an error has changed what it was given.
    let boom = "static void Boom(ref int a) { a = 3; throw new Exception(\"x\"); } static void Out(out int a) { throw new Exception(\"x\"); }";
    holds(
        boom,
        "g = 1; try { Boom(ref g); } catch { } h = 4; try { Out(out h); } catch { }",
        "g == 3 && h == 4",
    );
}

#[test]
fn own_texts_are_used_inside_of_values_and_numbers_are_written_as_in_net() {
    let members = "class P : LabeledInstance<P> { public override string ToString() { return \"p\"; } }
        class Q : CompoundValue { public readonly C c; public Q(C c) { this.c = c; } }
        class R : CompoundValue { public readonly R next; public R(R next) { this.next = next; } public override string ToString() { return next == null ? \".\" : \"r\" + next; } }";
    holds(
        members,
        "",
        r#""" + new Set<C>(new C(1)) == "Set(<1>)" && "" + new Pair<C, int>(new C(1), 2) == "Pair(<1>, 2)""#,
    );
    holds(members, "", r#""" + new Q(new C(1)) == "Q(<1>)" && "" + new Q(null) == "Q(null)""#);
    holds(
        members,
        "C none = null;",
        r#""" + none == "" && $"{new R(new R(null))}" == "r." && "" + new C(7) == "<7>""#,
    );
    holds(
        members,
        "O o = O.Create(); P p = P.Create();",
        r#""" + o == "O(1)" && "" + new Pair<P, O>(p, o) == "Pair(p, O(1))""#,
    );
    holds(
        "",
        "double inf = double.MaxValue * 10; double most = double.MaxValue;",
        r#""" + 1e20 == "1E+20" && "" + 0.00001 == "1E-05" && "" + inf == "Infinity" && "" + most == "1.7976931348623157E+308""#,
    );
    holds(
        "",
        "",
        r#""" + 0.0001 == "0.0001" && "" + 1e15 == "1E+15" && "" + 1e14 == "100000000000000" && "" + -1.25e-7 == "-1.25E-07" && "" + 1234567890123456.0 == "1234567890123456""#,
    );
    holds("", "", r#""ß".ToUpper() == "ß" && "ä".ToUpper() == "Ä" && "ÀB".ToLower() == "àb""#);
}

#[test]
fn a_quotient_that_is_too_large_is_an_error() {
    let before = "int least = int.MinValue; int r = 0; try { r = least / (g - 1); } catch { r = 5; } try { r = r + least % (g - 1); } catch { r++; }";
    holds("", before, "r == 6");
}

#[test]
fn calls_nest_as_deep_as_in_net() {
    let members = "class N : CompoundValue { public readonly N next; public N(N next) { this.next = next; } }
        static int Sum(int k) { return k == 0 ? 0 : k + Sum(k - 1); }
        static int Other(int k) { if (k > 0) { foreach (int i in new Set<int>(1)) { try { return k + Other(k - i); } finally { g++; } } } return 0; }
        static N Build(int k) { return k == 0 ? null : new N(Build(k - 1)); }
        static int For(int k) { return For(k + 1); }";
    holds(members, "", "Sum(5000) == 12502500 && Other(5000) == 12502500");
    holds(members, "N a = Build(5000); N b = Build(5000);", "a == b && a.ToString().Length > 5000");
    let text = asking(members, "int k = For(0);", "true");
    let explored = explore(&program(&text), Symmetry::None, 10);
    assert!(explored.faults.iter().any(|fault| fault.contains("a limit of Fathom")), "{:?}", explored.faults);
}
