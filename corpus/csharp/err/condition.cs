using NModel.Attributes;
namespace A
{
    static class B
    {
        [Action] static void C(bool x) { }
        static bool CEnabled(int x) { return true; }
    }
}
