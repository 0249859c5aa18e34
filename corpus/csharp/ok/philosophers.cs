// Objects in a ring: states that differ in the names of philosophers and forks are one.
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace Ring
{
    public enum Stage { Thinks, HoldsLeft, Eats, HoldsRight }

    public class Thinker : LabeledInstance<Thinker>
    {
        public Stage stage;
        public Stick left, right;

        public override void Initialize() { stage = Stage.Thinks; }

        public bool CanTake(Stick stick) { return stick.user == null; }
    }

    public class Stick : LabeledInstance<Stick>
    {
        public Thinker user = null;
    }

    static class Table
    {
        const int Count = 3;
        static Set<Thinker> thinkers = Set<Thinker>.EmptySet;

        static bool LayEnabled() { return thinkers.IsEmpty; }

        [Action]
        static void Lay()
        {
            Stick[] sticks = new Stick[Count];
            for (int i = 0; i < sticks.Length; i++) sticks[i] = Stick.Create();
            for (int i = 0; i < Count; i++)
            {
                Thinker thinker = Thinker.Create();
                thinker.left = sticks[i];
                thinker.right = sticks[(i + 1) % Count];
                thinkers = thinkers.Add(thinker);
            }
        }

        static bool TakeLeftEnabled(Thinker t) { return t.stage == Stage.Thinks && t.CanTake(t.left); }
        [Action]
        static void TakeLeft([Domain("thinkers")] Thinker t)
        {
            t.left.user = t;
            t.stage = Stage.HoldsLeft;
        }

        static bool TakeRightEnabled(Thinker t) { return t.stage == Stage.HoldsLeft && t.CanTake(t.right); }
        [Action]
        static void TakeRight([Domain("thinkers")] Thinker t)
        {
            t.right.user = t;
            t.stage = Stage.Eats;
        }

        static bool PutLeftEnabled(Thinker t) { return t.stage == Stage.Eats; }
        [Action]
        static void PutLeft([Domain("thinkers")] Thinker t)
        {
            t.left.user = null;
            t.stage = Stage.HoldsRight;
        }

        static bool PutRightEnabled(Thinker t) { return t.stage == Stage.HoldsRight; }
        [Action]
        static void PutRight([Domain("thinkers")] Thinker t)
        {
            t.right.user = null;
            t.stage = Stage.Thinks;
        }

        [StateInvariant]
        static bool NeighboursDoNotBothEat()
        {
            return thinkers.Forall(t => t.stage != Stage.Eats || (t.left.user == t && t.right.user == t));
        }

        [AcceptingStateCondition]
        static bool MayEnd() { return false; }

        public static ModelProgram Make()
        {
            return new LibraryModelProgram(typeof(Table).Assembly, "Ring");
        }
    }
}
