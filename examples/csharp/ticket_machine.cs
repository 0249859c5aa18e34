// A ticket machine: choose a zone, insert coins until the price is reached, take the ticket and the change, or cancel.
//
// The first model to read: the fields of a static class are the state, its methods are the actions, and `XEnabled` says when
// `X` is possible. Coins and zones are enumerations whose numbers are cents.
//
// Known, by hand. Idle: 1 state. City (30 cents): 8 amounts from 0 to 70 before the ticket, 5 from 30 to 70 after it. Suburb (50
// cents): 10 amounts from 0 to 90, and 5 from 50 to 90. So there are 29 states. Transitions: 2 choices, 9 + 15 coins,
// 5 + 5 tickets, 5 + 5 changes, 8 + 10 cancellations: 64. Nothing is found.
using System;
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace TicketMachine
{
    enum Zone { City, Suburb }

    enum Coin { Ten = 10, Twenty = 20, Fifty = 50 }

    static class Machine
    {
        static Zone? chosen = null;
        static int inserted = default(int);
        static bool hasPrinted = false;

        static int PriceOf(Zone zone)
        {
            switch (zone)
            {
                case Zone.City: return 30;
                case Zone.Suburb: return 50;
                default: throw new ArgumentException("no such zone");
            }
        }

        static int Missing
        {
            get { return chosen.HasValue ? PriceOf(chosen.Value) - inserted : 0; }
        }

        static bool ChooseZoneEnabled() { return chosen == null; }
        [Action]
        static void ChooseZone(Zone zone) { chosen = zone; }

        static bool InsertEnabled() { return Missing > 0; }
        [Action]
        [Requirement("TM-1", "no coin is taken when enough has been paid")]
        static void Insert(Coin coin) { inserted += (int)coin; }

        // Two conditions: both have to hold.
        static bool PrintEnabled1() { return chosen.HasValue && !hasPrinted; }
        static bool PrintEnabled2() { return Missing <= 0; }
        [Action]
        static void Print() { hasPrinted = true; }

        static bool TakeEnabled() { return hasPrinted; }
        [Action]
        static void Take() { Reset(); }

        static bool CancelEnabled() { return chosen.HasValue && !hasPrinted; }
        [Action]
        static void Cancel() { Reset(); }

        static void Reset()
        {
            chosen = null;
            inserted = 0;
            hasPrinted = false;
        }

        [StateInvariant]
        static bool NoTicketForTooLittle() { return !hasPrinted || Missing <= 0; }

        [StateInvariant]
        static bool ChangeIsLessThanTheLargestCoin() { return -Missing < (int)Coin.Fifty; }

        [StateInvariant]
        static bool MoneyBelongsToAZone() { return inserted == 0 || chosen != null; }

        [AcceptingStateCondition]
        static bool IsIdle() { return chosen == null; }

        // Tools may group states by it; it has no effect on answers.
        [StateProperty("Paid")]
        static int Paid() { return inserted; }
    }
}
