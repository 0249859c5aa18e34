using NModel.Attributes;
namespace A
{
    static class B
    {
        [Requires("Nope")]
        [Action] static void C() { }
    }
}
