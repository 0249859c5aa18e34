using NModel.Attributes;
namespace A
{
    static class B
    {
        static readonly int x = 1;
        [Action] static void C() { x = 2; }
    }
}
