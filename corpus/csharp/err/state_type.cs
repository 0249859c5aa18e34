using NModel.Attributes;
namespace A
{
    static class B
    {
        static int[] numbers = new int[3];
        [Action] static void C() { numbers = new int[2]; }
    }
}
