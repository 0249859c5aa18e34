/* A server grants a lock. The process `environment` stands for the tester: what it sends is controllable, what it receives observable. */
mtype = { ask, free, granted };
chan to_server = [0] of { mtype };
chan from_server = [0] of { mtype };

active proctype server() {
end:
  do
  :: to_server?ask; from_server!granted; to_server?free
  od
}

active proctype environment() {
end:
  do
  :: to_server!ask
  :: to_server!free
  :: from_server?granted
  od
}
