/*
 * The construct rendezvous: channels of capacity 0, passed from process to process.
 *
 * Source: written as a reference for the construct; the server that spawns a worker for each client is folklore.
 *
 * Each client makes its own channel, sends it to the server and waits there for the answer. The server hands the
 * channel to a fresh worker, so several clients are served at a time.
 *
 * Parameter: CLIENTS, how many clients.
 * Known answers: no deadlock; the assertion holds.
 */
#ifndef CLIENTS
#define CLIENTS 2
#endif

chan request = [0] of { byte, chan };
byte served;

proctype Worker(byte number; chan reply)
{
    reply!number + 1;
    served++
}

active proctype Server()
{
    byte number;
    chan reply;

end:
    do
    :: request?number,reply -> run Worker(number, reply)
    od
}

active [CLIENTS] proctype Client()
{
    chan mine = [0] of { byte };
    byte answer;

    request!_pid,mine;
    mine?answer;
    assert(answer == _pid + 1)
}
