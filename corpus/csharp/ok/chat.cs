// Objects with maps of objects; composition with a scenario of the same actions, where `_` leaves arguments open.
using System;
using System.Collections.Generic;
using NModel;
using NModel.Attributes;
using NModel.Execution;
using Mail = NModel.Sequence<string>;

namespace Post.Office
{
    [Sort("Person")]
    public class Person : LabeledInstance<Person>
    {
        public static Set<Person> All = Set<Person>.EmptySet;
        public Map<Person, Mail> letters = Map<Person, Mail>.EmptyMap;
    }

    public static class Contract
    {
        static Set<Person> People() { return Person.All; }

        static int Waiting
        {
            get
            {
                int total = 0;
                foreach (Person p in Person.All)
                    foreach (Pair<Person, Mail> entry in p.letters)
                        total += entry.Second.Count;
                return total;
            }
        }

        static bool ArriveEnabled(Person p) { return !Person.All.Contains(p); }
        [Action]
        public static void Arrive([Domain("new")] Person p)
        {
            foreach (Person other in Person.All)
            {
                other.letters = other.letters.Add(p, Mail.EmptySequence);
                p.letters = p.letters.Add(other, Mail.EmptySequence);
            }
            Person.All = Person.All.Add(p);
        }

        static bool WriteEnabled() { return Waiting < 2; }
        static bool WriteEnabled(Person from, string text, Person to) { return from != to; }
        [Action]
        public static void Write([Domain("People")] Person from, string text, [Domain("People")] Person to)
        {
            Mail mail = to.letters[from].AddLast(text);
            to.letters = to.letters.Override(from, mail);
        }

        static Set<string> Texts()
        {
            Set<string> texts = Set<string>.EmptySet;
            foreach (Person p in Person.All)
                foreach (Mail mail in p.letters.Values)
                    foreach (string text in mail)
                        texts = texts.Add(text);
            return texts;
        }

        public static bool GetEnabled(Person by, string text, Person from)
        {
            Mail mail;
            return by.letters.TryGetValue(from, out mail) && mail.Count > 0 && mail.Head == text;
        }
        [Action]
        public static void Get([Domain("People")] Person by, [Domain("Texts")] string text, [Domain("People")] Person from)
        {
            by.letters = by.letters.Override(from, by.letters[from].Tail);
        }

        [AcceptingStateCondition]
        static bool NothingWaits() { return Waiting == 0; }

        public static ModelProgram Make()
        {
            return new LibraryModelProgram(typeof(Contract).Assembly, typeof(Contract).Namespace);
        }
    }
}

namespace Post.Scenario
{
    static class TwoPeople
    {
        static int arrived = 0;
        static Set<string> words = new Set<string>("hi", "bye");

        static bool ArriveEnabled() { return arrived < 2; }
        [Action("Arrive(_)")]
        static void Arrive() { arrived++; }

        static bool WriteEnabled() { return arrived == 2; }
        [Action("Write(_, word, _)")]
        static void Write([Domain("words")] string word) { }

        public static ModelProgram Make()
        {
            return new LibraryModelProgram(typeof(TwoPeople).Assembly, typeof(TwoPeople).Namespace);
        }
    }
}
