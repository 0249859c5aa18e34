// A telephone in three tiers. The use cases are a state machine (phone.fsm), ActionWords says which words make sense, Keywords refines
// each word to keys and what the screen shows. All three share the words: a word is said when every tier allows it.
namespace ActionWords
{
    static class Messages
    {
        static bool isOpen = false;
        static bool hasDraft = false;

        static bool awOpenEnabled() { return !isOpen; }
        [Action]
        static void awOpen() { isOpen = true; }

        static bool awWriteEnabled() { return isOpen && !hasDraft; }
        [Action]
        static void awWrite() { hasDraft = true; }

        static bool awSendEnabled() { return hasDraft; }
        [Action]
        static void awSend() { hasDraft = false; }

        static bool awCloseEnabled() { return isOpen && !hasDraft; }
        [Action]
        static void awClose() { isOpen = false; }
    }
}

namespace Keywords
{
    static class Keys
    {
        static Sequence<string> keys = Sequence<string>.EmptySequence;
        static string screen = "";

        static bool IsDone() { return keys.Count == 0 && screen == ""; }
        static Set<string> AllKeys() { return new Set<string>("menu", "write", "ok", "back"); }
        static Set<string> AllTexts() { return new Set<string>("messages", "draft", "sent", "home"); }

        static bool awOpenEnabled() { return IsDone(); }
        [Action]
        static void awOpen() { keys = keys.AddLast("menu"); screen = "messages"; }

        static bool awWriteEnabled() { return IsDone(); }
        [Action]
        static void awWrite() { keys = keys.AddLast("write").AddLast("ok"); screen = "draft"; }

        static bool awSendEnabled() { return IsDone(); }
        [Action]
        static void awSend() { keys = keys.AddLast("ok"); screen = "sent"; }

        static bool awCloseEnabled() { return IsDone(); }
        [Action]
        static void awClose() { keys = keys.AddLast("back"); screen = "home"; }

        static bool kwPressEnabled(string key) { return keys.Count > 0 && keys.Head == key; }
        [Action]
        static void kwPress([Domain("AllKeys")] string key) { keys = keys.Tail; }

        static bool kwShowsEnabled(string text) { return keys.Count == 0 && screen == text; }
        [Action]
        static void kwShows([Domain("AllTexts")] string text) { screen = ""; }
    }
}
