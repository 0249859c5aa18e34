// A lending library: books are bought, readers join, borrow and return; two features restrict who may borrow what.
//
// Books and readers are objects. A book is made by an action (`Book.Create()`), a reader comes as an argument (`[New]`); both
// begin as `Initialize` says. `Borrow` and `Return` are methods of readers: the reader is the first argument of the action.
// A feature is a class of its own that adds conditions and effects to the actions of the same name.
//
// Try `--program Create`, `--program Restricted`, `--program Everything`, each with and without `--symmetry none`.
// Known, by hand, for `Create` with n books and m readers, up to 2 and 2: each book is on the shelf or with one of m readers, so there are
// the sum of (m + 1)^n, (1 + 1 + 1) + (1 + 2 + 3) + (1 + 4 + 9) = 23 states; up to names, 3 + 5 + 8 = 16. Nothing is found.
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace LendingLibrary
{
    [Sort("Book")]
    public class Book : LabeledInstance<Book>
    {
        // On the shelf if there is none.
        public Reader holder;

        public bool IsOnShelf { get { return holder == null; } }

        public override void Initialize() { holder = null; }
    }

    [Sort("Reader")]
    [Domain("All")]
    public class Reader : LabeledInstance<Reader>
    {
        public static Set<Reader> All = Set<Reader>.EmptySet;

        public int nLoans;

        public override void Initialize() { nLoans = 0; }

        static Set<Book> Books() { return Shelf.books; }

        bool Holds(Book book) { return book.holder == this; }

        bool BorrowEnabled(Book book) { return book.IsOnShelf; }
        [Action]
        [Requirement("LL-1", "a book is lent to one reader at a time")]
        public void Borrow([Domain("Books")] Book book)
        {
            book.holder = this;
            nLoans++;
        }

        bool ReturnEnabled(Book book) { return Holds(book); }
        [Action]
        public void Return([Domain("Books")] Book book)
        {
            book.holder = null;
            nLoans--;
        }
    }

    static class Shelf
    {
        const int MostBooks = 2;
        const int MostReaders = 2;

        internal static Set<Book> books = Set<Book>.EmptySet;

        static bool BuyEnabled() { return books.Count < MostBooks; }
        [Action]
        static void Buy()
        {
            Book book = Book.Create();
            books = books.Add(book);
        }

        static bool JoinEnabled() { return Reader.All.Count < MostReaders; }
        [Action]
        static void Join([New] Reader reader) { Reader.All = Reader.All.Add(reader); }

        [StateInvariant]
        static bool LoansAreCounted()
        {
            foreach (Reader reader in Reader.All)
            {
                int nHeld = books.Select(book => book.holder == reader).Count;
                if (nHeld != reader.nLoans) return false;
            }
            return true;
        }
    }

    // One book for each reader at a time.
    [Feature]
    static class OneEach
    {
        static bool BorrowEnabled(Reader reader) { return reader.nLoans == 0; }
        [Action("Borrow(reader, _)")]
        static void Borrow(Reader reader) { }

        [StateInvariant]
        static bool NobodyHasTwo() { return Reader.All.Forall(reader => reader.nLoans <= 1); }
    }

    // A book that somebody else has can be reserved; then nobody else gets it.
    [Feature("Reservations")]
    static class Desk
    {
        static Map<Book, Reader> reserved = Map<Book, Reader>.EmptyMap;

        static bool ReserveEnabled(Reader reader, Book book)
        {
            return !book.IsOnShelf && book.holder != reader && !reserved.ContainsKey(book);
        }
        [Action]
        static void Reserve([Domain("Readers")] Reader reader, [Domain("Books")] Book book)
        {
            reserved = reserved.Add(book, reader);
        }

        static Set<Reader> Readers() { return Reader.All; }
        static Set<Book> Books() { return Shelf.books; }

        static bool BorrowEnabled(Reader reader, Book book)
        {
            Reader first;
            return !reserved.TryGetValue(book, out first) || first == reader;
        }
        [Action("Borrow(reader, book)")]
        static void Borrow(Reader reader, Book book) { reserved = reserved.RemoveKey(book); }

        [StateInvariant]
        static bool NobodyWaitsForTheirOwnBook()
        {
            return reserved.Forall(entry => entry.First.holder != entry.Second);
        }
    }

    // The names of features, so that factories cannot misspell them.
    static class FeatureNames
    {
        public const string OneEach = "OneEach";
        public const string Reservations = "Reservations";
        public static readonly Set<string> All = new Set<string>(OneEach, Reservations);
    }

    public static class Factory
    {
        public static LibraryModelProgram Create()
        {
            return new LibraryModelProgram(typeof(Factory).Assembly, "LendingLibrary", Set<string>.EmptySet);
        }

        public static LibraryModelProgram Restricted()
        {
            return LibraryModelProgram.Create(typeof(Factory), FeatureNames.OneEach);
        }

        public static ModelProgram Everything()
        {
            return new LibraryModelProgram(typeof(Factory).Assembly, typeof(Factory).Namespace, FeatureNames.All);
        }
    }
}
