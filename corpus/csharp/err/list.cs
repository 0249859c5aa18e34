using System.Collections.Generic;
using NModel.Attributes;
namespace A
{
    static class B
    {
        static List<int> numbers;
        [Action] static void C() { }
    }
}
