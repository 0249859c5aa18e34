using NModel.Attributes;
using NModel.Execution;
namespace A
{
    static class B
    {
        static int x;
        [Action] static void Put(int n) { x = n; }
        static ModelProgram Make()
        {
            return new ProductModelProgram(
                new LibraryModelProgram(typeof(B).Assembly, "A"),
                new FsmModelProgram(FSM.Create("t(0, Put(1), 1)", "t(1, Put(\"one\"), 2)", "t(2, Put(1, 2), 0)"), "order"));
        }
    }
}
