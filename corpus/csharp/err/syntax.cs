namespace A
{
    class B { void C( }
}
