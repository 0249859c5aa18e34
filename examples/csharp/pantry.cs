// A pantry: groceries are delivered, dishes are cooked from them, and the menu says what was cooked in which order.
//
// The collections and what can be done with them. They are values: `a.Add(x)` is another set and leaves `a` as it is. The recipes need
// flour twice, so groceries are a bag.
//
// Known, by hand: up to three groceries of four kinds are 1 + 4 + 10 + 20 = 35 bags, up to two dishes of three are 1 + 3 + 9 = 13 menus, and all
// combinations are reached: 455 states. There is a deadlock: a pantry full of eggs, and one dish that gets cold.
using System;
using NModel;
using NModel.Attributes;
using NModel.Execution;
using Groceries = NModel.Bag<string>;

namespace Pantry
{
    static class Kitchen
    {
        const int MostStored = 3;
        const int MostDishes = 2;

        static readonly Map<string, Groceries> recipes = new Map<string, Groceries>(
            "bread", new Groceries("flour", "flour", "salt"),
            "omelette", new Groceries("egg", "salt"),
            "pancake", new Groceries("flour", "egg"));

        static Groceries stored = Groceries.EmptyBag;
        static Sequence<string> menu = Sequence<string>.EmptySequence;
        // How often each dish was cooked.
        static Map<string, int> counts = Map<string, int>.EmptyMap;

        static Set<string> Kinds()
        {
            Set<string> kinds = Set<string>.EmptySet;
            foreach (Pair<string, Groceries> recipe in recipes)
                kinds = kinds + recipe.Second.Keys;
            return kinds.Add("sugar");
        }

        static Set<string> Dishes { get { return recipes.Keys; } }

        // What a dish needs and the pantry has not.
        static Groceries Lacking(string dish) { return recipes[dish] - stored; }

        static Set<string> Possible() { return Dishes.Select(dish => Lacking(dish).IsEmpty); }

        static bool DeliverEnabled() { return stored.Count < MostStored; }
        [Action]
        static void Deliver([Domain("Kinds")] string kind) { stored = stored.Add(kind); }

        static bool CookEnabled() { return menu.Count < MostDishes; }
        [Action]
        static void Cook([Domain("Possible")] string dish)
        {
            stored = stored - recipes[dish];
            menu = menu.AddLast(dish);
            int before;
            if (!counts.TryGetValue(dish, out before)) before = 0;
            counts = counts.Override(dish, before + 1);
        }

        // Whatever is in no recipe.
        static bool ThrowAwayEnabled() { return stored.Contains("sugar"); }
        [Action]
        static void ThrowAway() { stored = stored.RemoveAll("sugar"); }

        static bool ServeEnabled() { return menu.Count == MostDishes; }
        [Action]
        static void Serve()
        {
            while (!menu.IsEmpty)
            {
                string dish = menu.Head;
                int left = counts[dish] - 1;
                counts = left == 0 ? counts.RemoveKey(dish) : counts.Override(dish, left);
                menu = menu.Tail;
            }
        }

        [StateInvariant]
        static bool CountsAreThoseOfTheMenu()
        {
            Bag<string> cooked = new Bag<string>(menu);
            return counts.Keys == cooked.Keys && counts.Keys.Forall(dish => counts[dish] == cooked.CountItem(dish));
        }

        [StateInvariant]
        static bool SetsAddUp()
        {
            Set<string> cooked = counts.Keys, others = Dishes - cooked;
            return cooked + others == Dishes && (cooked * others).IsEmpty && cooked.Intersect(Dishes).Union(others) == Dishes
                && cooked.IsSubsetOf(Dishes) && !Dishes.IsProperSubsetOf(cooked)
                && Dishes.Convert(dish => dish.ToUpper()).Count == Dishes.Count
                && Set<string>.BigUnion(new Set<Set<string>>(cooked, others)) == Dishes;
        }

        [StateInvariant]
        static bool BagsAddUp()
        {
            Groceries twice = stored + stored;
            return twice.Count == 2 * stored.Count && twice - stored == stored && stored * twice == stored
                && stored.CountUnique == stored.Keys.Count && stored.CountUnique <= Kinds().Count;
        }

        [StateInvariant]
        static bool SequencesAddUp()
        {
            Sequence<string> twice = menu + menu.Reverse();
            return twice.Count == 2 * menu.Count && twice == twice.Reverse() && menu.IsPrefixOf(twice)
                && (menu.IsEmpty || (twice.Head == menu[0] && menu.Front.AddLast(menu.Last) == menu
                    && menu.Tail.AddFirst(menu.Head) == menu && menu.IndexOf(menu.Last) <= menu.Count - 1));
        }

        [StateInvariant]
        static bool MapsAddUp()
        {
            // `RestrictKeys` leaves out what is named.
            Map<string, int> others = counts.RestrictKeys(new Set<string>("bread"));
            Map<string, int> bread = counts.Difference(others);
            return !others.ContainsKey("bread") && bread.Intersect(others).IsEmpty && bread.Merge(others) == counts
                && (counts.IsEmpty || counts.Values.Maximum() <= MostDishes)
                && (counts + new Map<string, int>("bread", 0))["bread"] == 0;
        }

        [StateInvariant]
        static bool TuplesAndTexts()
        {
            Func<string, Triple<string, int, bool>> describe =
                dish => new Triple<string, int, bool>(dish, dish.Length, dish.StartsWith("pan"));
            Set<Triple<string, int, bool>> all = Dishes.Convert(dish => describe(dish));
            return all.Count == 3 && all.Contains(new Triple<string, int, bool>("pancake", 7, true))
                && all.Exists(one => !one.Third && one.Second == 5 && one.First == "br" + "ead");
        }

        [AcceptingStateCondition]
        static bool NothingIsCold() { return menu.IsEmpty; }
    }
}
