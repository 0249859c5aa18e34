// Elements of abstract enumerations are interchangeable.
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace Painting
{
    [Abstract]
    public enum Side { First, Second, Third }

    [Abstract]
    public enum Paint { Dark, Bright }

    static class Triangle
    {
        static Map<Side, Paint> painted = Map<Side, Paint>.EmptyMap;

        [Action]
        static void Brush(Side side, Paint paint) { painted = painted.Add(side, paint); }
        static bool BrushEnabled(Side side) { return !painted.ContainsKey(side); }

        public static ModelProgram Make() { return LibraryModelProgram.Create(typeof(Triangle)); }
    }
}
