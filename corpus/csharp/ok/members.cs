// Every invariant is a member of the library, an operator or a text: all of them hold.
using System;
using System.Collections.Generic;
using NModel;
using NModel.Attributes;

namespace Members
{
    enum Level { Low, Middle = 3, High }

    class Point : CompoundValue
    {
        public readonly int x;
        public readonly string name;
        public Point(int x, string name) { this.x = x; this.name = name; }
    }

    static class Checks
    {
        static int n_steps = 0;

        [Action]
        static void Step() { n_steps = (n_steps + 1) % 3; }

        [StateInvariant] static bool Subsets()
        {
            Set<int> s = new Set<int>(1, 2, 4);
            int total = 0;
            foreach (Set<int> part in s.AllSubsets()) total += part.Reduce((i, sum) => i + sum, 0);
            return total == 28 && s.CountSubsets == 8 && s.ChooseSubset(5) == new Set<int>(1, 4) && !s.ChooseNonemptySubset(0).IsEmpty;
        }
        [StateInvariant] static bool Many()
        {
            Set<Set<int>> sets = new Set<Set<int>>(new Set<int>(1, 2), new Set<int>(2, 3));
            Sequence<Map<int, int>> maps = new Sequence<Map<int, int>>(new Map<int, int>(1, 2), new Map<int, int>(1, 2, 3, 4));
            return Set<int>.BigIntersect(sets) == new Set<int>(2) && Map<int, int>.BigMerge(maps) == maps.Last
                && Map<int, int>.BigOverride(maps.AddLast(new Map<int, int>(1, 5)))[1] == 5 && maps.Head.IsSubmapOf(maps.Last)
                && Sequence<int>.BigConcatenate(new Sequence<Sequence<int>>(new Sequence<int>(1), new Sequence<int>(2))) == new Sequence<int>(1, 2);
        }
        [StateInvariant] static bool Zipped()
        {
            Sequence<Pair<int, string>> pairs = Sequence<int>.Zip(new Sequence<int>(1, 2), new Sequence<string>("a", "b", "c"));
            return pairs.Count == 2 && Sequence<int>.Unzip(pairs).Second.Last == "b" && pairs.ChoosePermutation(0) == pairs.Reverse();
        }
        [StateInvariant] static bool Reduced()
        {
            Map<int, string> names = new Map<int, string>(1, "one", 2, "two");
            Map<string, int> numbers = names.Convert(pair => new Pair<string, int>(pair.Second, pair.First));
            int[] keys = names.Keys.AsArray(), copy = new int[3];
            names.Keys.CopyTo(copy, 1);
            return numbers["two"] == 2 && keys[1] == 2 && copy[2] == 2 && names.Keys.ExistsOne(key => key > 1)
                && new Bag<int>(new Pair<int, int>(7, 2)).AddMultiple(7, 3).CountItem(7) == 5;
        }
        [StateInvariant] static bool Ordered()
        {
            return new Set<int>(9).CompareTo(new Set<int>(1, 2)) < 0 && new Pair<int, int>(1, 2) < new Pair<int, int>(1, 3)
                && 3.CompareTo(3) == 0 && Level.High.CompareTo(Level.Low) > 0;
        }
        [StateInvariant] static bool Shown()
        {
            return "" + new Set<int>(2, 1) == "Set(1, 2)" && new Map<string, bool>("a", true).ToString() == "Map(\"a\" -> True)"
                && new Bag<string>("a", "a", "b").ToString() == "Bag(\"a\" (2), \"b\")" && $"{new Pair<int, string>(1, null)}" == "Pair(1, null)"
                && new Point(1, "p").ToString() == "Point(1, \"p\")" && new Sequence<Level>(Level.High).ToString() == "Sequence(High)";
        }
        [StateInvariant] static bool Thrown()
        {
            string found = "";
            try
            {
                try { throw new InvalidOperationException("x"); }
                catch (Exception e) { found = e.Message; throw; }
            }
            catch (Exception e) { found += e.Message + e; }
            return found == "xxInvalidOperationException: x";
        }
        [StateInvariant] static bool Nothing()
        {
            int? some = 3, none = null;
            int? counted = some;
            counted++;
            none ??= counted + 1;
            int? lost = null;
            return none == 5 && lost + 1 == null && !(lost < 1) && -some == -3 && lost.GetValueOrDefault(7) == 7;
        }
        [StateInvariant] static bool Numbers()
        {
            int bits = 1;
            bits <<= 4;
            bits >>= 1;
            return bits == 8 && Level.Low + 3 == Level.Middle && Level.High - Level.Low == 4 && (char)('a' + 1) == 'b' && (Level.Middle & Level.Low) == 0;
        }
        [StateInvariant] static bool Texts()
        {
            string[] words = "one two".Split(' ');
            return words[1] == "two" && "banana".Replace("an", "o") == "booa" && "banana".IndexOf('n', 3) == 4
                && string.Format("{0}/{1}", 1, "b") == "1/b" && string.Join("-", new Set<int>(1, 2)) == "1-2" && "7".PadLeft(3, '0') == "007"
                && object.Equals("a", "a") && !Equals(1, null) && char.IsDigit('7') && string.CompareOrdinal("a", "b") < 0;
        }
    }
}
