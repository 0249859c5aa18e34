// Every invariant is a rule of the language or of the library: all of them hold.
using System;
using System.Collections.Generic;
using NModel;
using NModel.Attributes;

namespace Rules
{
    enum Weight { Light = 2, Heavy = 10, Heavier }

    class Point : CompoundValue
    {
        public readonly int x;
        public readonly int y;
        public Point(int x, int y) { this.x = x; this.y = y; }
        public Point(int both) : this(both, both) { }
        public int Sum { get { return x + y; } }
        public Point Moved(int dx) { return new Point(x + dx, y); }
    }

    static class Checks
    {
        static int n_steps = 0;
        static Map<string, int> ages = new Map<string, int>("ann", 3, "bob", 4);

        [Action]
        static void Step() { n_steps = (n_steps + 1) % 3; }

        [StateInvariant] static bool Integers() { return 7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1 && 1 << 3 == 8; }
        [StateInvariant] static bool Wraps() { int big = int.MaxValue; big++; return big == int.MinValue; }
        [StateInvariant] static bool Longs() { long big = int.MaxValue; return big + 1 == 2147483648L; }
        [StateInvariant] static bool Doubles() { double half = 1; half /= 2; return half == 0.5 && 7 / 2.0 == 3.5 && (int)3.9 == 3; }
        [StateInvariant] static bool Texts()
        {
            string word = "mod" + "el" + 1;
            return word == "model1" && word.Length == 6 && word.StartsWith("mo") && word.Substring(3, 2) == "el"
                && word.IndexOf("del") == 2 && word[0] == 'm' && !string.IsNullOrEmpty(word) && $"<{word}>" == "<model1>";
        }
        [StateInvariant] static bool Parsing() { return double.Parse("2.5") == 2.5 && int.Parse("-3") == -3; }
        [StateInvariant] static bool Catching()
        {
            int found = 0;
            try { found = int.Parse("x"); } catch (Exception e) { found = e.Message.Length > 0 ? 1 : 2; } finally { found += 10; }
            return found == 11;
        }
        [StateInvariant] static bool Throwing()
        {
            try { throw new ArgumentException("no"); } catch { return true; }
        }
        [StateInvariant] static bool Enums() { return (int)Weight.Heavier == 11 && (Weight)2 == Weight.Light && Weight.Light < Weight.Heavy; }
        [StateInvariant] static bool AllElements()
        {
            int total = 0;
            foreach (Weight w in Enum.GetValues(typeof(Weight))) total += (int)w;
            return total == 23 && default(Weight) == Weight.Light;
        }
        [StateInvariant] static bool Compounds()
        {
            Point p = new Point(2);
            return p.Equals(new Point(2, 2)) && p.Moved(1) == new Point(3, 2) && p.Sum == 4 && p != null;
        }
        [StateInvariant] static bool Sets()
        {
            Set<int> s = new Set<int>(3, 1, 2, 1);
            return s.Count == 3 && s.Add(4) > s && s.Remove(1) < s && s - new Set<int>(1) == new Set<int>(2, 3)
                && s * new Set<int>(1, 9) == new Set<int>(1) && (s + new Set<int>(5)).Maximum() == 5 && s.Minimum() == 1
                && s.IsSubsetOf(s) && !s.IsProperSubsetOf(s) && s.Contains(2) && s.Choose() == 1
                && s.Select(x => x > 1).Count == 2 && s.Exists(x => x == 3) && s.Forall(delegate(int x) { return x < 4; })
                && s.Convert(x => x * 2).Contains(6) && Set<int>.EmptySet.IsEmpty;
        }
        [StateInvariant] static bool SetsOfSets()
        {
            Set<Set<int>> all = new Set<Set<int>>(new Set<int>(1), new Set<int>(2, 1));
            return all.Count == 2 && Set<int>.BigUnion(all).Count == 2 && all.Contains(new Set<int>(1, 2));
        }
        [StateInvariant] static bool Maps()
        {
            Map<string, int> more = ages.Override("ann", 5).Add("cid", 6);
            int found;
            bool has = more.TryGetValue("cid", out found), hasNot = more.TryGetValue("dan", out int other);
            return has && !hasNot && found == 6 && other == 0 && more["ann"] == 5 && more.Keys.Count == 3 && ages.Values.Contains(4)
                && !more.RemoveKey("cid").ContainsKey("cid") && ages.Count == 2 && (ages + more)["ann"] == 5
                && more.Override("ann", x => x + 1)["ann"] == 6 && more.RestrictKeys(ages.Keys).Count == 1
                && ages.Merge(new Map<string, int>("dan", 1)).Count == 3;
        }
        [StateInvariant] static bool Bags()
        {
            Bag<string> b = new Bag<string>("a", "b", "a");
            int n = 0;
            foreach (string s in b) n++;
            return n == 3 && b.Count == 3 && b.CountItem("a") == 2 && b.CountUnique == 2 && b.Remove("a").CountItem("a") == 1
                && b.Keys == new Set<string>("a", "b") && !b.Remove("b").Contains("b") && (b + b).Count == 6;
        }
        [StateInvariant] static bool Sequences()
        {
            Sequence<int> q = new Sequence<int>(1, 2, 3);
            return q.Head == 1 && q.Last == 3 && q.Tail.Count == 2 && q.Front.Last == 2 && q[1] == 2
                && q.AddFirst(0) + q.AddLast(4) == new Sequence<int>(0, 1, 2, 3, 1, 2, 3, 4)
                && q.Reverse().Head == 3 && q.IndexOf(3) == 2 && new Sequence<int>(1).IsPrefixOf(q)
                && new Set<int>(q).Count == 3 && q.Remove(2).Count == 2;
        }
        [StateInvariant] static bool Tuples()
        {
            Pair<int, string> p = new Pair<int, string>(1, "one");
            Triple<int, int, bool> t = new Triple<int, int, bool>(1, 2, true);
            return p.First == 1 && p.Second == "one" && t.Third && p == new Pair<int, string>(1, "one");
        }
        [StateInvariant] static bool Arrays()
        {
            int[] squares = new int[4];
            for (int i = 0, j = 3; i < squares.Length; i++, j--) squares[i] = i * i;
            int sum = 0, k = 0;
            do { sum += squares[k]; k++; } while (k < 4);
            return sum == 14 && Sum(1, 2, 3) == 6 && Sum() == 0 && Sum(squares) == 14;
        }
        static int Sum(params int[] numbers)
        {
            int sum = 0;
            foreach (var number in numbers) sum += number;
            return sum;
        }
        [StateInvariant] static bool Passing()
        {
            int a = 1, b;
            Swap(ref a, out b);
            return a == 2 && b == 1;
        }
        static void Swap(ref int a, out int b) { b = a; a = 2; }
        [StateInvariant] static bool Functions()
        {
            int factor = 3;
            Func<int, int> times = x => x * factor;
            Predicate<int> isEven = delegate(int x) { return x % 2 == 0; };
            return times(2) == 6 && isEven(4) && !isEven(times(1));
        }
        [StateInvariant] static bool Overloads() { return Kind(1) == "int" && Kind(1.0) == "double" && Kind("") == "string"; }
        static string Kind(int x) { return "int"; }
        static string Kind(double x) { return "double"; }
        static string Kind(string x) => "string";
        [StateInvariant] static bool Nullables()
        {
            int? none = null, some = 3;
            return !none.HasValue && some.Value == 3 && (none ?? 7) == 7 && some == 3;
        }
        [StateInvariant] static bool Conditions()
        {
            bool t = true, f = false;
            return (t || 1 / n_zero == 0) && !(f && 1 / n_zero == 0) && (t ^ f) && (t & t) && (f | t) && (t ? 1 : 2) == 1;
        }
        static readonly int n_zero = 0;
        [StateInvariant] static bool Numbers() { return Math.Max(1, 2.5) == 2.5 && Math.Min(-1, 3) == -1 && Math.Abs(-4) == 4; }
    }
}
