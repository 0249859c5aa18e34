using NModel.Attributes;
namespace A
{
    static class B
    {
        static int count;
        [Action] static void C() { count = "one"; }
    }
}
