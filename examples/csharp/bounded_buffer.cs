// A bounded buffer with waiting and waking, as it is programmed with one condition variable.
//
// Two producers and two consumers. One who finds the buffer full, or empty, goes to sleep; one who succeeds wakes another. The fault: it
// wakes one sleeper of either kind, and that may be the wrong one. With notice to all there is no fault.
//
// Known: waking one is enough as long as there are at most twice as many workers as places in the buffer. So `--program Create` (one
// place) has a deadlock, the other two have none: `--program Large` (two places for four workers) and `--program Cured` (one place,
// everybody is woken).
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace BoundedBuffer
{
    class Worker : LabeledInstance<Worker>
    {
        public bool produces;
        public bool sleeps;
    }

    static class Buffer
    {
        internal static int nPlaces = 0;
        internal static int nFilled = 0;
        internal static Set<Worker> workers = Set<Worker>.EmptySet;

        static Set<int> Sizes() { return new Set<int>(1, 2); }
        internal static Set<Worker> Sleepers() { return workers.Select(worker => worker.sleeps); }

        internal static bool CanWork(Worker worker)
        {
            return !worker.sleeps && (worker.produces ? nFilled < nPlaces : nFilled > 0);
        }

        internal static void Work(Worker worker) { nFilled += worker.produces ? 1 : -1; }

        static bool OpenEnabled() { return nPlaces == 0; }
        [Action]
        static void Open([Domain("Sizes")] int size)
        {
            nPlaces = size;
            for (int i = 0; i < 4; i++)
            {
                Worker worker = Worker.Create();
                worker.produces = i % 2 == 0;
                workers = workers.Add(worker);
            }
        }

        static bool SleepEnabled(Worker worker) { return !worker.sleeps && !CanWork(worker); }
        [Action]
        static void Sleep([Domain("workers")] Worker worker) { worker.sleeps = true; }

        [StateInvariant]
        static bool NeverOverfull() { return 0 <= nFilled && nFilled <= nPlaces; }

        [AcceptingStateCondition]
        static bool SomebodyIsAwake() { return workers.IsEmpty || Sleepers().IsProperSubsetOf(workers); }
    }

    [Feature("Small")]
    static class OnePlace
    {
        static bool OpenEnabled(int size) { return size == 1; }
        [Action]
        static void Open(int size) { }
    }

    [Feature("Roomy")]
    static class TwoPlaces
    {
        static bool OpenEnabled(int size) { return size == 2; }
        [Action]
        static void Open(int size) { }
    }

    [Feature]
    static class WakeOne
    {
        static Set<Worker> Workers() { return Buffer.workers; }
        static Set<Worker> Sleepers() { return Buffer.Sleepers(); }

        static bool WorkEnabled(Worker worker) { return Buffer.CanWork(worker) && Sleepers().IsEmpty; }
        [Action]
        static void Work([Domain("Workers")] Worker worker) { Buffer.Work(worker); }

        static bool WorkAndWakeEnabled(Worker worker) { return Buffer.CanWork(worker); }
        [Action]
        static void WorkAndWake([Domain("Workers")] Worker worker, [Domain("Sleepers")] Worker woken)
        {
            Buffer.Work(worker);
            woken.sleeps = false;
        }
    }

    [Feature]
    static class WakeAll
    {
        static Set<Worker> Workers() { return Buffer.workers; }

        static bool WorkEnabled(Worker worker) { return Buffer.CanWork(worker); }
        [Action]
        static void Work([Domain("Workers")] Worker worker)
        {
            Buffer.Work(worker);
            foreach (Worker sleeper in Buffer.Sleepers()) sleeper.sleeps = false;
        }
    }

    public static class Factory
    {
        public static ModelProgram Create()
        {
            return new LibraryModelProgram(typeof(Factory).Assembly, "BoundedBuffer", new Set<string>("Small", "WakeOne"));
        }

        public static ModelProgram Large()
        {
            return new LibraryModelProgram(typeof(Factory).Assembly, "BoundedBuffer", new Set<string>("Roomy", "WakeOne"));
        }

        public static ModelProgram Cured()
        {
            return new LibraryModelProgram(typeof(Factory).Assembly, "BoundedBuffer", new Set<string>("Small", "WakeAll"));
        }
    }
}
