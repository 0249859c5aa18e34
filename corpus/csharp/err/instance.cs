using NModel.Attributes;
namespace A
{
    class B
    {
        int x;
        [Action] static void C() { x = 1; }
    }
}
