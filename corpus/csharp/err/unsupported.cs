using NModel.Attributes;
namespace A
{
    static class B {
        static System.Func<int, int> f = x => { lock (f) { return x; } };
        [Action] static void C() { }
    }
}
