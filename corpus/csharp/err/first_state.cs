using NModel.Attributes;
namespace A
{
    static class B
    {
        static int x = 1 / (1 - 1);
        [Action] static void C() { x = 1; }
    }
}
