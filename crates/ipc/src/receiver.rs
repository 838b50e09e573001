//! The receiving end, the same for both transports.

use afterimage_stream::{Arena, Executor, Reply, UploadRef};
use std::time::Duration;

/// How long a receiver sleeps between looks at the GPU while the guest waits for an answer.
pub(crate) const NAP: Duration = Duration::from_micros(100);
/// The longest such sleep, when nothing has happened for a while.
const LONG_NAP: Duration = Duration::from_millis(20);

/// What [`Receiver::next`] found.
#[derive(Debug)]
pub enum Received {
    /// A batch; give it back to [`Receiver::recycle`].
    Batch(Vec<u64>),
    /// Nothing in the given time.
    Idle,
    /// The guest is gone and every batch has been taken.
    Closed,
}

/// Where batches come out and replies go in.
pub trait Receiver: Arena {
    /// The next batch; waits at most about `timeout` for it, most of that asleep. Returns early when the guest has begun
    /// to wait for a reply.
    fn next(&mut self, timeout: Duration) -> Received;

    /// Gives an executed batch's memory back.
    fn recycle(&mut self, batch: Vec<u64>);

    /// Sends a reply.
    fn reply(&self, reply: Reply);

    /// Whether the guest waits for a reply, or has looked for one since the last call.
    fn guest_asks(&self) -> bool;
}

/// Runs `executor` on everything that comes, until the guest's end is gone and its last batch is done. Sleeps while
/// there is nothing to do. Errors of packets are the executor's to log; the stream goes on after them.
pub fn serve<R: Receiver>(receiver: &mut R, executor: &mut dyn Executor) {
    let mut pump = Pump::default();
    while pump.step(receiver, executor, LONG_NAP) {}
}

/// [`serve`] in steps, for a thread that has other things to do in between.
#[derive(Debug)]
pub struct Pump {
    nap: Duration,
    /// Whether work is under way at the executor, as far as is known.
    under_way: bool,
    /// Whether the guest has asked for an answer and got none since.
    asked: bool,
}

impl Default for Pump {
    fn default() -> Self {
        Self { nap: NAP, under_way: false, asked: false }
    }
}

impl Pump {
    /// Executes the next batch, or waits for one for at most `longest`; then looks at the GPU. False when the guest is
    /// gone and everything is done.
    pub fn step<R: Receiver>(&mut self, receiver: &mut R, executor: &mut dyn Executor, longest: Duration) -> bool {
        // While the guest waits for an answer, this thread waits where the answer comes from: a nap would be longer than
        // most GPU work.
        self.asked |= receiver.guest_asks();
        let timeout = if self.asked && self.under_way { Duration::ZERO } else { self.nap.min(longest) };
        let open = match receiver.next(timeout) {
            Received::Batch(batch) => {
                let _logged = executor.execute(&batch, receiver, &mut |reply| receiver.reply(reply));
                receiver.recycle(batch);
                self.nap = NAP;
                self.under_way = true;
                true
            }
            Received::Idle if self.asked || receiver.guest_asks() => {
                self.nap = NAP;
                self.under_way = executor.wait(NAP);
                true
            }
            Received::Idle => {
                self.nap = (self.nap * 2).min(LONG_NAP);
                true
            }
            Received::Closed => false,
        };
        let mut answered = false;
        executor.poll(&mut |reply| {
            answered = true;
            receiver.reply(reply);
        });
        self.asked &= !answered && self.under_way;
        open
    }
}

/// The part of a range that starts `at` bytes in and is `len` long: its offset in the slot, unless it leaves the range.
pub(crate) fn within(range: &UploadRef, at: u32, len: usize) -> Option<u64> {
    let end = u64::from(at) + len as u64;
    (end <= u64::from(range.size)).then(|| range.offset.checked_add(u64::from(at))).flatten()
}
