using NModel.Attributes;
namespace A
{
    static class B
    {
        [Action] static async void C() { }
    }
}
