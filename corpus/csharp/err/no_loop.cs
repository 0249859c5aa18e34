using NModel.Attributes;
namespace A
{
    static class B
    {
        [Action] static void C(bool b)
        {
            if (b) break;
            switch (b) { case true: continue; }
        }
    }
}
