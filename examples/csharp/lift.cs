// A lift that serves calls in the order of its way: on in one direction as long as somebody calls there, then back.
//
// Numbers, sets of numbers, loops, lambdas and `Choose`. The filter keeps states with at most two calls, so that the number of states
// grows with the square of the number of floors and not with the number of their subsets.
//
// Known, by hand: 4 floors, 2 directions, and 1 + 4 + 6 sets of calls, or 1 + 3 + 3 with open doors, are 88 + 56 = 144 combinations, of
// which 141 are reached. Nothing is found.
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace Lift
{
    enum Direction { Up, Down }

    static class Cabin
    {
        const int NFloors = 4;

        static int at = 0;
        static Direction direction = Direction.Up;
        static bool isOpen = false;
        static Set<int> calls = Set<int>.EmptySet;

        static Set<int> Floors()
        {
            Set<int> floors = Set<int>.EmptySet;
            for (int floor = 0; floor < NFloors; floor++)
                floors = floors.Add(floor);
            return floors;
        }

        // The calls that lie ahead.
        static Set<int> Ahead(Direction way)
        {
            return calls.Select(floor => way == Direction.Up ? floor > at : floor < at);
        }

        // The nearest call ahead, found floor by floor.
        static int Nearest(Direction way)
        {
            int step = way == Direction.Up ? 1 : -1;
            int floor = at + step;
            while (!calls.Contains(floor))
                floor += step;
            return floor;
        }

        static bool CallEnabled(int floor) { return !calls.Contains(floor) && !(isOpen && floor == at); }
        [Action]
        static void Call([Domain("Floors")] int floor) { calls = calls.Add(floor); }

        static bool OpenEnabled() { return !isOpen && calls.Contains(at); }
        [Action]
        static void Open()
        {
            isOpen = true;
            calls = calls.Remove(at);
        }

        static bool CloseEnabled() { return isOpen; }
        [Action]
        static void Close() { isOpen = false; }

        // A condition with a name of its own, shared by both ways to move.
        static bool MayLeave() { return !isOpen && !calls.Contains(at); }

        static bool MoveOnEnabled() { return !Ahead(direction).IsEmpty; }
        [Action]
        [Requires("MayLeave")]
        static void MoveOn() { at = Nearest(direction); }

        static bool TurnEnabled() { return Ahead(direction).IsEmpty && !calls.IsEmpty; }
        [Action]
        [Requires("MayLeave")]
        static void Turn()
        {
            if (direction == Direction.Up) direction = Direction.Down;
            else direction = Direction.Up;
        }

        [StateFilter]
        static bool FewCalls() { return calls.Count <= 2; }

        [TransitionProperty("StateInvariant")]
        static bool StaysInTheHouse() { return 0 <= at && at < NFloors; }

        // `Choose` takes one, and always the same of the same set.
        [StateInvariant]
        static bool ChoosesOneOfTheCalls()
        {
            return calls.IsEmpty || (calls.Contains(calls.Choose()) && calls.Minimum() <= calls.Maximum());
        }

        [StateInvariant]
        static bool AnOpenDoorIsAnAnsweredCall() { return !(isOpen && calls.Contains(at)); }

        [AcceptingStateCondition]
        static bool NobodyWaits() { return calls.IsEmpty && !isOpen; }
    }
}
