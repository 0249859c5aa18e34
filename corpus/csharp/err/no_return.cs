using NModel.Attributes;
namespace A
{
    static class B
    {
        static int x;
        static int Next(int n)
        {
            if (n > 0) return n;
        }
        [Action] static void C() { x = Next(x); }
    }
}
