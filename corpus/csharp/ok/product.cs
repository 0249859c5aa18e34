// A factory composes programs and a machine; an error is thrown again, and what is under way is shown.
using System;
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace Shop
{
    static class Till
    {
        static int paid = 0;
        static bool PayEnabled(int coin) { return paid + coin <= 3; }
        static Set<int> Coins() { return new Set<int>(1, 2); }

        [Action]
        static void Pay([Domain("Coins")] int coin) { paid += coin; }

        static bool BuyEnabled() { return paid > 0; }

        [Action(Start = "Buy()", Finish = "Bought(result)")]
        static int Buy() { int all = paid; paid = 0; return all; }
    }

    [Feature]
    static class Tired
    {
        static int nBought = 0;

        [Action("Bought(_)")]
        static void Bought() { nBought = Math.Min(nBought + 1, 2); }
    }
}

namespace Order
{
    static class Make
    {
        static readonly Set<string> None = Set<string>.EmptySet;
        static readonly Set<string> All = None + new Set<string>("Tired");

        static ModelProgram Alone() { return new LibraryModelProgram(typeof(Shop.Till).Assembly, "Shop", new Set<string>(None)); }
        static ModelProgram Taken()
        {
            ModelProgram shop = new LibraryModelProgram(typeof(Shop.Till).Assembly, "Shop", None);
            FSM order = FSM.Create("t(0, Pay(1), 1)", "t(1, Pay(_), 1)", "t(1, Buy(), 2)", "t(2, Bought(_), 0)").Accept("0");
            return new ProductModelProgram(shop, new FsmModelProgram(order, "order"));
        }
    }
}
