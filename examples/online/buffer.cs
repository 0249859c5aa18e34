// A buffer with room for three. Take and Count have answers of their own: Taken and Counted.
namespace Buffer
{
    static class Contract
    {
        static Sequence<int> values = Sequence<int>.EmptySequence;

        static Set<int> Values() { return new Set<int>(1, 2); }

        static bool PutEnabled() { return values.Count < 3; }
        [Action]
        static void Put([Domain("Values")] int x) { values = values.AddLast(x); }

        static bool TakeEnabled() { return values.Count > 0; }
        [Action(Start = "Take()", Finish = "Taken(result)")]
        static int Take()
        {
            int oldest = values.Head;
            values = values.Tail;
            return oldest;
        }

        [Action(Start = "Count()", Finish = "Counted(result)")]
        static int Count() { return values.Count; }

        static bool ClearEnabled() { return values.Count > 0; }
        [Action]
        static void Clear() { values = Sequence<int>.EmptySequence; }

        [AcceptingStateCondition]
        static bool IsEmpty() { return values.Count == 0; }
    }
}
