using NModel.Attributes;
namespace A
{
    static class B
    {
        static int x;
#if DEBUG
        [Action] static void C() { x = 2; }
#endif
    }
}
