//! Implementations under test as processes and behind sockets.
//!
//! A tester and an implementation talk in lines of JSON ([`protocol`]), so that the implementation may be written in any language.
//! [`Remote`] is the tester's side: it starts a program or connects to a socket, waits no longer than it is told to, and stops and reaps what it
//! started. [`serve()`] and [`serve_in_real_time()`] are the implementation's side for those written in Rust. [`log_file`] has logs as lines of JSON.
//!
//! **Invariant:** nothing here waits without a limit, and no process that was started here outlives its [`Remote`].

mod connection;
pub mod log_file;
pub mod protocol;
mod remote;
mod serve;

pub use connection::{Launch, Messages};
pub use remote::{Clock, Remote, Timing};
pub use serve::{serve, serve_in_real_time};
