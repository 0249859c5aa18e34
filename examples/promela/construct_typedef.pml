/*
 * The construct `typedef`: records, records in arrays, records in messages.
 *
 * Source: written as a reference for the construct.
 *
 * A clerk moves money between accounts on order. An order is a record that travels through a channel as a whole.
 *
 * Parameter: ORDERS, how many orders the customer gives.
 * Known answers: no deadlock; the assertion (no money is made or lost) holds.
 */
#ifndef ORDERS
#define ORDERS 3
#endif

typedef Account {
    short balance;
    byte moves[2]           /* how often money went out [0] and came in [1] */
};

typedef Order {
    byte from;
    byte to;
    byte amount
};

Account account[2];
chan desk = [1] of { Order };

active proctype Customer()
{
    Order order;
    byte given;

    do
    :: given < ORDERS ->
       order.from = 1 - order.from;
       order.to = 1 - order.from;
       if
       :: order.amount = 1
       :: order.amount = 2
       fi;
       desk!order;
       given++
    :: else -> break
    od
}

active proctype Clerk()
{
    Order order;

end:
    do
    :: desk?order;
       d_step {
           account[order.from].balance = account[order.from].balance - order.amount;
           account[order.to].balance = account[order.to].balance + order.amount;
           account[order.from].moves[0]++;
           account[order.to].moves[1]++;
           assert(account[0].balance + account[1].balance == 0);
           assert(account[0].moves[0] + account[1].moves[0] == account[0].moves[1] + account[1].moves[1])
       }
    od
}
