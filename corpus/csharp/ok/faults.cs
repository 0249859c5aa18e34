// An action that runs into an error ends the run, with a finding at the place.
using NModel;
using NModel.Attributes;

namespace Faults
{
    class Thing : LabeledInstance<Thing>
    {
        public int weight;
        public Thing next;
    }

    static class Program
    {
        static int zero = 0;
        static Set<int> nothing = Set<int>.EmptySet;
        static Map<int, int> map = Map<int, int>.EmptyMap;
        static Sequence<int> queue = Sequence<int>.EmptySequence;

        [Action] static void Fine() { zero = 0; nothing = nothing.Remove(1); map = map.RemoveKey(1); queue = queue.Remove(1); }
        [Action] static void Divide() { zero = 1 / zero; }
        [Action] static void Choose() { zero = nothing.Choose(); }
        [Action] static void Find() { zero = map[3]; }
        [Action] static void Head() { zero = queue.Head; }
        [Action] static void AddTwice() { map = map.Add(1, 2).Add(1, 3); }
        [Action] static void Nothing() { zero = Thing.Create().next.weight; }
        [Action] static void Outside() { int[] a = new int[2]; a[2] = 1; }
        [Action] static void Forever() { while (true) { zero++; } }
        [Action] static void Deep() { zero = Down(1); }
        static int Down(int n) { return Down(n + 1) + 1; }
        [Action] static void Asked() { }
        static bool AskedEnabled() { return queue[7] == 1; }
        [Action] static void Thrown() { throw new System.InvalidOperationException("on purpose"); }
    }
}
