//! Programs for tests that use every construct of the grammar.

/// Systems that parse without a message.
pub(crate) const SYSTEMS: &[&str] = &[
    "system oven; process oven(1);
 var start boolean; var close boolean; var heat boolean; var error boolean public;
 state init #start ; task start := false; task close := false; task heat := false; task error := false;
   nextstate run; endstate;
 state run;
  provided not start and not close; task start := true; task error := true; nextstate run;
  provided not start and not close; task close := true; nextstate run;
  provided start and close and heat; task start := false; nextstate run;
 endstate; endprocess; endsystem;",
    "system all;
const N = 3; const M;
type data = range 0..N;
type color = enum red, green, blue endenum;
type row = array[1..3] of data;
type pair = record left data; right color; endrecord;
type text = string[4] of data;
type same = data;
type foreign = abstract data first(data, color); data none(); endabstract;
signal get(data); signal put(data, boolean); signal go();
signalroute et(1) #fifo #reliable from env to worker with put, go;
signalroute tr(1) #multiset #lossy #unicast #delay[1, 2] #rate[0,5] from worker to worker with get;
signalroute re(1) #urgent #peer #multicast from worker to env with get;
var g row private; var p pair public;
procedure external; fpar in a data, inout b data, out c data; returns data; {# int x; return x; #} endprocedure;
procedure inner; fpar a integer; returns integer; var b integer; task b := a + 1; return b; endprocedure;
process worker(2);
 fpar x data, in y color;
 var t clock; var m data; var who pid; var ok boolean;
 state s0 #start; nextstate idle; endstate;
 state idle #stable; tpc t <= 5 and t >= 0; save get, go;
  deadline lazy; provided ok or not ok and m <> 2; when t = 1 and t < M; input put(m, ok);
   skip; informal \"something\"; task g[m + 1] := m * 2 - -1 / 3 % 4; set t := 0; reset t;
   output get(m) via {tr}0 to {worker}1; output go(); output get(0) via et to who;
   task m := call inner(2); m := call inner(3); call external(1, m, m);
   who := fork worker(1, red); fork worker(2, blue); kill who;
   if active who then task m := ok ? 1 : 2; else skip; endif;
   while m > 0 do task m := m - 1; if m = 1 then skip; endif endwhile
   nextstate deep;
  input go(); stop;
  state deep; state deeper #start #unstable; input get(p.left); nextstate idle; endstate;
   deadline delayable; when t - t >= 2; nextstate idle; deadline eager; nextstate idle; endstate;
 endstate;
endprocess;
endsystem;",
];
