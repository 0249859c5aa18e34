// A method that gives a value is two actions: a start with what goes in, and an end with what comes out.
using System;
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace Heating
{
    public enum Link { Down, Up, Closed }

    public static class Sensor
    {
        const double Nothing = double.MinValue;
        static readonly Set<double> readings = new Set<double>(19.5, 21);

        internal static Link link = Link.Down;
        static double buffer = Nothing;

        public static bool OpenEnabled() { return link == Link.Down; }
        [Action]
        public static void Open() { link = Link.Up; }

        public static bool MeasureEnabled() { return link == Link.Up && buffer == Nothing; }
        [Action]
        public static void Measure([Domain("readings")] double degrees) { buffer = degrees; }

        public static bool ReadEnabled() { return link == Link.Up && buffer != Nothing; }
        [Action]
        public static double Read(bool rounded)
        {
            double value = buffer;
            buffer = Nothing;
            return rounded ? (double)(int)value : value;
        }

        public static bool CloseEnabled() { return link == Link.Up; }
        [Action(Start = "Close_Start()", Finish = "Close_Finish(wasIdle)")]
        public static void Close(out bool wasIdle)
        {
            wasIdle = buffer == Nothing;
            buffer = Nothing;
            link = Link.Closed;
        }

        [AcceptingStateCondition]
        static bool IsClosed { get { return link == Link.Closed; } }

        [StateInvariant]
        static bool BufferIsPlausible() { return buffer == Nothing || Math.Abs(buffer - 20) < 5.0; }
    }

    public static class Factory
    {
        public static ModelProgram Create()
        {
            return new LibraryModelProgram(typeof(Factory).Assembly, "Heating");
        }
    }
}
