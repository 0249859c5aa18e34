/*
 * GIOP, the protocol by which CORBA objects on different machines call each other, with objects that migrate.
 *
 * Source: the protocol of the Object Management Group as validated by M. Kamel and S. Leue, "Formalization and validation
 * of the General Inter-ORB Protocol (GIOP) using PROMELA and SPIN", 2000. Written anew from a description; smaller.
 *
 * A user asks the client for an object. The client gives the request a number and sends it through the transport of its
 * port (0) to the agent of the object's port. The agent passes it to the server, or answers that the object is unknown
 * or has moved. An agent without open requests may close the connection; what was under way is then lost and sent again.
 * A user's request may be cancelled. Servers migrate between the ports 1 and 2.
 *
 * Parameters: USERS       number of users, one request each
 *             OBJECTS     number of servers, one object each
 *             MIGRATIONS  how often each server may move
 *             IDS         number of request numbers, at least USERS
 *             QUEUE       capacity of the buffered channels
 *             CANCEL      let the client cancel requests
 *             CLOSE       let the agents close connections
 *             LTL         also state that requests do not overlap (a requirement that fails with two users)
 * Known answers: no assertion is violated and there is no deadlock in the default size; see the sidecar for counts.
 */
#ifndef USERS
#define USERS 1
#endif
#ifndef OBJECTS
#define OBJECTS 1
#endif
#ifndef MIGRATIONS
#define MIGRATIONS 1
#endif
#ifndef IDS
#define IDS USERS
#endif
#ifndef QUEUE
#define QUEUE 2
#endif

#define PORTS       3           /* the client has port 0, the agents have 1 and 2 */
#define CONNECTIONS 8           /* connection numbers are counted modulo this */

mtype:giop_kind = { Request, Reply, CancelRequest, CloseConnection };
mtype:service_kind = { SRegister, SMigrate, SReply };
mtype:reply_status = { none, no_exception, system_exception, object_not_exist, location_forward };

/* A message between client and agents. */
typedef Giop {
    mtype:giop_kind kind;
    byte id;                    /* number of the request */
    byte object;
    mtype:reply_status outcome;      /* for a reply */
    byte port                   /* for location_forward: where to ask instead */
};

chan to_client = [QUEUE] of { byte, byte, byte };                   /* tag, object, port */
chan to_user[USERS] = [1] of { mtype:reply_status };
chan down[PORTS] = [0] of { byte, Giop };                           /* destination, message */
chan up[PORTS] = [0] of { byte, Giop };                             /* origin, message */
chan net[PORTS] = [QUEUE] of { byte, byte, Giop };                  /* origin, connection, message */
chan to_agent[PORTS] = [QUEUE] of { mtype:service_kind, byte, byte };    /* kind; request or port; object */
chan to_server[OBJECTS] = [QUEUE] of { byte, byte };                /* request, port */

byte published[OBJECTS];        /* the port where an object was seen last; 0: nowhere yet */

/* Port 0 carries the client, the others an agent each. */
active [PORTS] proctype Transport()
{
    chan stash = [1] of { byte, Giop };     /* a message that cannot go up yet */
    byte connection[PORTS];
    byte peer, number;
    Giop message;

end:
    do
    :: down[_pid]?peer,message -> goto send
    :: net[_pid]?peer,number,message ->
       if
       :: number != connection[peer] -> goto clear      /* of a connection that is closed */
       :: else -> goto receive
       fi
    od;

send:
    net[peer]!_pid,connection[peer],message;
    if
    :: message.kind == CloseConnection -> connection[peer] = (connection[peer] + 1) % CONNECTIONS
    :: else
    fi;
    if
    :: stash?peer,message -> goto pass_up
    :: empty(stash) -> goto clear
    fi;

receive:
    if
    :: message.kind == CloseConnection -> connection[peer] = (connection[peer] + 1) % CONNECTIONS
    :: else
    fi;
pass_up:
    if
    :: up[_pid]!peer,message
    :: timeout ->
       stash!peer,message;
       down[_pid]?peer,message -> goto send
    fi;

clear:
    atomic {
        peer = 0; number = 0;
        message.kind = 0; message.id = 0; message.object = 0; message.outcome = 0; message.port = 0
    };
    goto end
}

#define FREE        0
#define IN_USE      1
#define CANCELLED   2

inline send_request(i)
{
    d_step {
        message.kind = Request;
        message.id = i;
        message.object = object[i];
        message.outcome = none;
        message.port = 0
    };
    down[0]!port[i],message
}

active proctype Client()
{
    byte use[IDS], tag[IDS], object[IDS], port[IDS];
    byte id, peer, t, o, p;
    Giop message;

end:
    do
    :: to_client?t,o,p ->
       d_step {
           id = 0;
           do
           :: id < IDS && use[id] != FREE -> id++
           :: else -> break
           od;
           assert(id < IDS);
           use[id] = IN_USE; tag[id] = t; object[id] = o; port[id] = p;
           t = 0; o = 0; p = 0
       };
       send_request(id);
RequestSent:
       if
       :: goto next
#ifdef CANCEL
       :: message.kind = CancelRequest;
          down[0]!port[id],message;
          use[id] = CANCELLED;
          to_user[tag[id]]!system_exception;
          goto next
#endif
       fi
    :: up[0]?peer,message ->
       if
       :: message.kind == CloseConnection ->
          id = 0;
          do
          :: id < IDS && use[id] == IN_USE && port[id] == peer -> send_request(id); id++
          :: id < IDS && use[id] == CANCELLED && port[id] == peer -> use[id] = FREE; id++
          :: id < IDS && (use[id] == FREE || port[id] != peer) -> id++
          :: id == IDS -> goto next
          od
       :: message.kind == Reply ->
          id = message.id;
ReplyRecvd:
          assert(use[id] != FREE);
          if
          :: use[id] == CANCELLED -> use[id] = FREE
          :: use[id] == IN_USE && message.outcome == location_forward ->
             port[id] = message.port;
             send_request(id)
          :: use[id] == IN_USE && message.outcome != location_forward ->
             to_user[tag[id]]!message.outcome;
             use[id] = FREE
          fi;
          goto next
       fi
    od;

next:
    atomic {
        if
        :: id < IDS && use[id] == FREE -> tag[id] = 0; object[id] = 0; port[id] = 0
        :: else
        fi;
        id = 0; peer = 0;
        message.kind = 0; message.id = 0; message.object = 0; message.outcome = 0; message.port = 0
    };
    goto end
}

#define AGENT   (_pid - PORTS)      /* the client is process PORTS, so the agents get the ports 1 and 2 */
#define UNKNOWN 0
#define HERE    1
#define MOVED   2

active [PORTS - 1] proctype Agent()
{
    byte known[OBJECTS], forward[OBJECTS];
    byte open[IDS];                 /* requests at the server: FREE, IN_USE or CANCELLED */
    byte n_open;
    bool connected;
    byte id, o, p, peer;
    Giop message;

end:
    do
    :: to_agent[AGENT]?SRegister,p,o -> d_step { known[o] = HERE; published[o] = p; p = 0; o = 0 }
    :: to_agent[AGENT]?SMigrate,p,o -> d_step { known[o] = MOVED; forward[o] = p; p = 0; o = 0 }
    :: to_agent[AGENT]?SReply,id,o ->
       assert(open[id] != FREE);
       n_open--;
       if
       :: open[id] == CANCELLED -> open[id] = FREE; id = 0; o = 0
       :: else ->
          d_step {
              open[id] = FREE;
              message.kind = Reply; message.id = id; message.object = o; message.outcome = no_exception;
              id = 0; o = 0
          };
          goto answer
       fi
    :: up[AGENT]?peer,message ->
       connected = true;
       if
       :: message.kind == CancelRequest ->
          if
          :: open[message.id] == IN_USE -> open[message.id] = CANCELLED
          :: else
          fi;
          goto clear
       :: message.kind == Request && known[message.object] == HERE ->
          open[message.id] = IN_USE;
          n_open++;
          to_server[message.object]!message.id,AGENT;
          goto clear
       :: message.kind == Request && known[message.object] == MOVED ->
          d_step { message.kind = Reply; message.outcome = location_forward; message.port = forward[message.object] };
          goto answer
       :: message.kind == Request && known[message.object] == UNKNOWN ->
          d_step { message.kind = Reply; message.outcome = object_not_exist };
          goto answer
       :: message.kind == CloseConnection ->
          goto clear
       fi
#ifdef CLOSE
    :: connected && n_open == 0 ->
       connected = false;
       message.kind = CloseConnection;
       goto answer
#endif
    od;

answer:
    down[AGENT]!0,message;
clear:
    atomic {
        peer = 0;
        message.kind = 0; message.id = 0; message.object = 0; message.outcome = 0; message.port = 0
    };
    goto end
}

#define OBJECT  (_pid - 2 * PORTS)
#define ELSEWHERE   (3 - port)

active [OBJECTS] proctype Server()
{
    byte port = 1, id, from, moves;

    to_agent[port]!SRegister,port,OBJECT;
end:
    do
    :: to_server[OBJECT]?id,from ->
       to_agent[from]!SReply,id,OBJECT;
       d_step { id = 0; from = 0 }
    :: moves < MIGRATIONS ->
       to_agent[ELSEWHERE]!SRegister,ELSEWHERE,OBJECT;
       to_agent[port]!SMigrate,ELSEWHERE,OBJECT;
       do
       :: to_server[OBJECT]??id,eval(port) -> to_agent[port]!SReply,id,OBJECT; id = 0      /* still for the old place */
       :: !to_server[OBJECT]??[id,eval(port)] -> break
       od;
       atomic { port = ELSEWHERE; moves++ }
    od
}

#define TAG     (_pid - 2 * PORTS - OBJECTS)

active [USERS] proctype User()
{
    byte o;
    mtype:reply_status outcome;

    do
    :: o < OBJECTS -> published[o] != 0; o++
    :: else -> break
    od;
    select(o : 0 .. OBJECTS - 1);
    to_client!TAG,o,published[o];
    to_user[TAG]?outcome;
    assert(outcome == no_exception || outcome == object_not_exist || outcome == system_exception)
}

#ifdef LTL
/* No second request between a request and its reply. */
ltl no_overlap {
    [] ((Client@RequestSent && Client:id == 0 && <> (Client@ReplyRecvd && Client:id == 0)) ->
        (!(Client@RequestSent && Client:id != 0) U (Client@ReplyRecvd && Client:id == 0)))
}
#endif
