using NModel.Attributes;
namespace A
{
    static class B
    {
        static int x;
        [Action] static void C() { x = "text".GetHashCode() + "a".CompareTo("b"); }
    }
}
