using NModel.Attributes;
namespace A
{
    static class B
    {
        static int x;
        [Action] static void C()
        {
            switch (x)
            {
                case 0: x = 1;
                case 1: x = 2; break;
            }
        }
    }
}
