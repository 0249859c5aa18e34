// A new object is one that nothing leads to; objects that nothing leads to any more are forgotten.
using NModel;
using NModel.Attributes;

namespace Drawing
{
    [Abstract]
    public enum Paint { Dark, Bright }

    public class Side : LabeledInstance<Side>
    {
        public Paint paint;
    }

    static class Triangle
    {
        static Set<Side> sides = Set<Side>.EmptySet;

        [Action]
        static void Draw([New] Side side, Paint paint)
        {
            side.paint = paint;
            sides = sides.Add(side);
        }
        static bool DrawEnabled() { return sides.Count < 3; }

        [AcceptingStateCondition]
        static bool MayEnd() { return sides.Count == 3; }
    }
}
