// A chat: sessions join, post, receive and leave; what is posted waits in one line and is delivered to all others.
//
// Sessions are objects and topics are elements of an abstract enumeration: nobody can tell two of them apart. Compare the number of
// states with and without `--symmetry none`: three sessions can be renamed in six ways, two topics in two.
//
// chat.fsm is a scenario: two join, two posts by whom and about what is left open (`_`), then they are delivered; nobody leaves.
// Try `fathom check chat.cs --scenario chat.fsm`, and the same with `--symmetry none`.
// Known, by hand, of the scenario: before the posts 1 state each time, then 4 and 16 (two sessions and two topics for each post), 16 with one
// delivered, and 10 at the end, where the order does not matter: 49 states. Up to names: 1 + 1 + 1 + 1 + 4 + 4 + 4 = 16, where 4 are same or
// other session, same or other topic. Nothing is found.
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace Chat
{
    [Abstract]
    [Sort("Topic")]
    enum Topic { Weather, Football }

    [Sort("Session")]
    class Session : LabeledInstance<Session>
    {
        // The topics that others wrote to it about.
        public Set<Topic> heard;

        public override void Initialize() { heard = Set<Topic>.EmptySet; }

        public void Hear(Topic topic) { heard = heard.Add(topic); }
    }

    static class Room
    {
        const int MostSessions = 3;
        const int MostWaiting = 2;

        static Set<Session> present = Set<Session>.EmptySet;
        static Sequence<Pair<Session, Topic>> waiting = Sequence<Pair<Session, Topic>>.EmptySequence;

        static bool JoinEnabled() { return present.Count < MostSessions; }
        [Action]
        static void Join([Domain("new")] Session session) { present = present.Add(session); }

        static bool PostEnabled() { return waiting.Count < MostWaiting; }
        [Action]
        static void Post([Domain("present")] Session session, Topic topic)
        {
            waiting = waiting.AddLast(new Pair<Session, Topic>(session, topic));
        }

        static bool DeliverEnabled() { return !waiting.IsEmpty; }
        [Action]
        static void Deliver()
        {
            Pair<Session, Topic> first = waiting.Head;
            foreach (Session session in present)
                if (session != first.First) session.Hear(first.Second);
            waiting = waiting.Tail;
        }

        // What it wrote goes with it.
        static bool LeaveEnabled(Session session) { return present.Count > 1; }
        [Action]
        static void Leave([Domain("present")] Session session)
        {
            present = present.Remove(session);
            waiting = waiting.Select(entry => entry.First != session);
        }

        [StateInvariant]
        static bool WritersArePresent() { return waiting.Forall(entry => present.Contains(entry.First)); }

        [AcceptingStateCondition]
        static bool NothingWaits() { return waiting.IsEmpty; }
    }
}
