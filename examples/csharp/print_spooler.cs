// A print spooler: jobs are submitted, printed and reported; printing takes time, so it has a start and an end.
//
// A method that gives something is two actions, `Print_Start` and `Print_Finish`; between them nothing else of this program
// happens, and the end carries what came out. One method can be several actions: `Submit` and `Urgent` differ in name only. A job is a
// compound value: two jobs with the same fields are the same.
//
// Known: nothing is found. What was submitted is waiting or has been printed, page by page.
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace PrintSpooler
{
    class Job : CompoundValue
    {
        public readonly string owner;
        public readonly int nPages;

        public Job(string owner, int nPages)
        {
            this.owner = owner;
            this.nPages = nPages;
        }

        public Job(string owner) : this(owner, 1) { }

        public bool IsLong { get { return nPages > 1; } }

        public bool IsOf(string name) { return owner == name; }
    }

    static class Spooler
    {
        const int MostWaiting = 2;
        const int MostPages = 4;

        static Sequence<Job> waiting = Sequence<Job>.EmptySequence;
        // One member for each page.
        static Bag<string> pages = Bag<string>.EmptyBag;
        // Owner, pages, and whether more were waiting.
        static Triple<string, int, bool> last = new Triple<string, int, bool>("", 0, false);

        static Set<string> Owners() { return new Set<string>("ann", "bob"); }
        static Set<int> Sizes { get { return new Set<int>(1, 2); } }

        static bool SubmitEnabled() { return waiting.Count < MostWaiting; }
        static bool SubmitEnabled(string owner) { return !waiting.Exists(job => job.IsOf(owner)); }
        static bool SubmitEnabled(string owner, int nPages) { return pages.Count + nPages <= MostPages; }
        [Action("Submit(owner, nPages)")]
        [Action("Urgent(owner, nPages)")]
        [Requirement("PS-1", "nobody has two jobs in the line")]
        static void Submit([Domain("Owners")] string owner, [Domain("Sizes")] int nPages)
        {
            Job job = nPages == 1 ? new Job(owner) : new Job(owner, nPages);
            waiting = waiting.AddLast(job);
        }

        static bool PrintEnabled() { return !waiting.IsEmpty; }
        [Action(Start = "Print_Start()", Finish = "Print_Finish(owner, result)")]
        static int Print(out string owner)
        {
            Job job = waiting.Head;
            waiting = waiting.Tail;
            for (int page = 0; page < job.nPages; page++)
                pages = pages.Add(job.owner);
            last = new Triple<string, int, bool>(job.owner, job.nPages, !waiting.IsEmpty);
            owner = job.owner;
            return job.nPages;
        }

        // Without a result, but not at once either: `Empty_Start` and `Empty_Finish`.
        static bool EmptyEnabled() { return pages.Count == MostPages; }
        [Action]
        [Split]
        static void Empty() { pages = Bag<string>.EmptyBag; }

        // Jobs that no longer fit are taken out, long ones first.
        static bool GiveUpEnabled() { return waiting.Exists(job => pages.Count + job.nPages > MostPages); }
        [Action]
        static void GiveUp()
        {
            Job victim = null;
            foreach (Job job in waiting)
            {
                if (pages.Count + job.nPages <= MostPages) continue;
                if (victim == null || job.IsLong) victim = job;
                if (job.IsLong) break;
            }
            waiting = waiting.Remove(victim);
        }

        [StateInvariant]
        static bool PagesAreOfOwners() { return pages.Keys.IsSubsetOf(Owners()); }

        [StateInvariant]
        static bool TheLastJobIsInTheTray()
        {
            return last.First == "" || pages.IsEmpty || pages.CountItem(last.First) >= last.Second || last.Third;
        }

        [StateInvariant]
        static bool JobsAreEqualByTheirFields() { return new Job("ann") == new Job("ann", 1); }
    }
}
