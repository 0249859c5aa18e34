using NModel.Attributes;
namespace A
{
    static class B
    {
        static int x;
        [Action] static void C()
        {
            int n;
            if (x == 0) n = 1;
            x = n;
        }
    }
}
