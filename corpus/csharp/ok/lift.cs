// Statements: loops, switch, early returns, properties with setters, overloads, nullable numbers.
using System.Collections.Generic;
using NModel;
using NModel.Attributes;

namespace Lift
{
    enum Door { Open, Shut }

    static class Cabin
    {
        const int Top = 3;
        static int floor = 0;
        static Door door = Door.Open;
        static Sequence<int> stops = Sequence<int>.EmptySequence;
        static int? last;

        static int Floor
        {
            get { return floor; }
            set { if (value >= 0 && value <= Top) floor = value; }
        }

        static IEnumerable<int> Floors()
        {
            for (int i = 0; ; i++)
            {
                if (i > Top) yield break;
                yield return i;
            }
        }

        static bool CallEnabled() { return stops.Count < 2; }
        static bool CallEnabled(int where) { return where != floor && !stops.Contains(where); }
        [Action]
        static void Call([Domain("Floors")] int where) { stops = stops.AddLast(where); }

        static bool MoveEnabled() { return door == Door.Shut && !stops.IsEmpty && stops.Head != floor; }
        [Action]
        static void Move()
        {
            int step = Direction(stops.Head);
            while (true)
            {
                Floor = Floor + step;
                break;
            }
        }

        static int Direction(int goal)
        {
            foreach (int candidate in new int[] { -1, 1 })
            {
                if (candidate * (goal - floor) <= 0) continue;
                return candidate;
            }
            return 0;
        }

        static bool TurnDoorEnabled() { return stops.IsEmpty || door == Door.Shut || stops.Head != floor; }
        static bool TurnDoorEnabled(Door to) { return to != door; }
        [Action]
        static void TurnDoor(Door to)
        {
            switch (to)
            {
                case Door.Open:
                    if (!stops.IsEmpty && stops.Head == floor)
                    {
                        last = stops.Head;
                        stops = stops.Tail;
                    }
                    door = to;
                    break;
                case Door.Shut:
                default:
                    door = Door.Shut;
                    break;
            }
        }

        [StateInvariant]
        static bool StaysInside() { return floor >= 0 && floor <= Top; }

        [StateInvariant]
        static bool StoppedWhereItWas() { return !last.HasValue || (last ?? -1) <= Top; }
    }
}
