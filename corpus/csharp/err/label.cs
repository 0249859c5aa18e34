using NModel.Attributes;
namespace A
{
    static class B
    {
        [Action("C(_, z)")] static void C(bool x) { }
    }
}
