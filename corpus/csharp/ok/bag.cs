// Features add conditions, domains and effects to actions of the same name.
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace Basket
{
    static class Contract
    {
        internal static Bag<string> content = Bag<string>.EmptyBag;

        [Action]
        static void Put(string thing) { content = content.Add(thing); }

        [Action]
        static void Take(string thing) { content = content.Remove(thing); }
        static bool TakeEnabled(string thing) { return content.Contains(thing); }

        [Action]
        static int Weigh() { return 2 * content.Count; }
    }

    [Feature]
    static class Fruit
    {
        static Set<string> Kinds() { return new Set<string>("apple", "pear"); }

        [Action]
        static void Put([Domain("Kinds")] string thing) { }
        static bool PutEnabled() { return Contract.content.Count < 3; }

        [Action]
        static void Take([Domain("Kinds")] string thing) { }

        [AcceptingStateCondition]
        static bool IsEmpty() { return Contract.content.IsEmpty; }
    }

    [Feature("Ledger")]
    static class Counting
    {
        static int n_put = 0;

        [Action("Put(_)")]
        static void Put() { n_put += 1; }
        static bool PutEnabled1() { return n_put < 4; }
        static bool PutEnabled2() { return n_put < 2; }

        [StateFilter]
        static bool IsSmall() { return Contract.content.CountItem("pear") < 2; }
    }

    public static class Factory
    {
        public static ModelProgram Plain()
        {
            return new LibraryModelProgram(typeof(Factory).Assembly, "Basket", new Set<string>("Fruit"));
        }

        public static ModelProgram Counted()
        {
            return new LibraryModelProgram(typeof(Factory).Assembly, "Basket", new Set<string>("Fruit", "Ledger"));
        }

        public static ModelProgram PutTwiceThenTake()
        {
            FSM fsm = FSM.Create("t(0, Put(), 1)", "t(1, Put(), 2)", "t(2, Take(), 2)").Accept("2");
            fsm = fsm.Expand("Weigh_Start");
            return new FsmModelProgram(fsm, "PutTwiceThenTake");
        }
    }
}
