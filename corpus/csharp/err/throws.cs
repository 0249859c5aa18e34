using NModel.Attributes;
namespace A
{
    static class B
    {
        [Action] static void C() { throw; }
    }
}
