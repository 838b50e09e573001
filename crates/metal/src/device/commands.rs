//! The command queue: which encoder is open, what was committed, what has completed, what was wrong.

use crate::device::work::Works;
use crate::error::{Error, Result};
use afterimage_ipc::Journal;
use afterimage_metal_calls::{Device, Fault, Queue, Serial};
use afterimage_render::own_process::OwnProcess;
use afterimage_render::watchdog::Watchdog;
use std::sync::Arc;
use std::time::Duration;

/// How long the GPU may take for what it is given at once.
const PATIENCE: Duration = Duration::from_secs(60);

/// Command buffers whose times are kept ([`Queue::times`]).
const KEPT_TIMES: u64 = 64;

/// Faults that are kept for whoever asks.
const KEPT_FAULTS: usize = 64;

/// The encoder that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoder {
    /// None.
    None,
    /// Of a pass.
    Render,
    /// Of kernels.
    Compute,
    /// Of copies.
    Blit,
}

/// The queue, and what it has been given.
#[derive(Debug)]
pub(crate) struct Commands<D: Device> {
    /// Whose calls these are.
    pub(crate) queue: D::Queue,
    /// What is open.
    pub(crate) open: Encoder,
    /// The last command buffer that was committed.
    committed: Serial,
    /// The last one that has completed.
    pub(crate) completed: Serial,
    /// Whether anything was encoded since.
    used: bool,
    /// Draws and dispatches since then.
    pub(crate) draws: u64,
    /// What command buffers draw.
    pub(crate) works: Works,
    /// Who watches that it ends, where this process is ours.
    watchdog: Option<Watchdog>,
    /// How long the GPU was busy, where somebody is told of it.
    pub(crate) busy: Option<Duration>,
    /// The first faults.
    pub(crate) faults: Vec<Fault>,
    /// How many there were.
    pub(crate) fault_count: u64,
}

impl<D: Device> Commands<D> {
    /// A queue of the device.
    pub(crate) fn new(device: &D) -> Result<Self> {
        let queue = device.new_queue("afterimage")?;
        let open = Encoder::None;
        Ok(Self {
            queue,
            open,
            committed: 0,
            completed: 0,
            used: false,
            draws: 0,
            works: Works::default(),
            watchdog: None,
            busy: None,
            faults: Vec::new(),
            fault_count: 0,
        })
    }

    /// Has noted what is done, and watched that it ends.
    ///
    /// # Errors
    /// The system has no thread left.
    pub(crate) fn watch(&mut self, own: &OwnProcess) -> Result {
        // One that another renderer writes would have the numbers of both.
        let given = own.journal.clone().filter(|journal| journal.take());
        let journal = given.unwrap_or_else(|| Arc::new(Journal::local()));
        let limit = own.timeout_on(false);
        if !limit.is_zero() {
            // What has completed is noted by whoever asks for answers, which is done all the time.
            let watchdog = Watchdog::new(Arc::clone(&journal), limit, Arc::clone(&own.on_hang), || None);
            self.watchdog = Some(watchdog.map_err(|error| Error::Watchdog(error.to_string()))?);
        }
        self.works.journal = Some(journal);
        Ok(())
    }

    /// The number of the command buffer that is being written.
    pub(crate) fn current(&self) -> Serial {
        self.committed + 1
    }

    /// Whether nothing waits to be committed.
    pub(crate) fn is_empty(&self) -> bool {
        !self.used
    }

    /// Whether the GPU has nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.completed == self.committed
    }

    /// Ends the encoder that is open, if any.
    pub(crate) fn end(&mut self) {
        if std::mem::replace(&mut self.open, Encoder::None) != Encoder::None {
            self.queue.end_encoding();
        }
    }

    /// Notes that a render encoder was begun; none may have been open.
    pub(crate) fn begun_render(&mut self) {
        (self.open, self.used) = (Encoder::Render, true);
    }

    /// The queue with a blit encoder open. A render encoder must have been ended by whoever keeps what it has.
    pub(crate) fn blit(&mut self) -> &mut D::Queue {
        if self.open != Encoder::Blit {
            self.end();
            self.queue.begin_blit("copies");
            (self.open, self.used) = (Encoder::Blit, true);
        }
        &mut self.queue
    }

    /// The queue, for copies that are executed before what was encoded.
    pub(crate) fn ahead(&mut self) -> &mut D::Queue {
        self.used = true;
        &mut self.queue
    }

    /// The queue with a compute encoder open that has nothing yet.
    pub(crate) fn compute(&mut self, label: &str) -> &mut D::Queue {
        self.end();
        self.queue.begin_compute(label);
        (self.open, self.used) = (Encoder::Compute, true);
        &mut self.queue
    }

    /// Commits what was encoded; its number, which is the last one's where there is nothing.
    pub(crate) fn commit(&mut self) -> Serial {
        self.end();
        if std::mem::take(&mut self.used) {
            self.committed = self.queue.commit();
            self.draws = 0;
            self.works.commit(self.committed);
        }
        self.committed
    }

    /// Looks at what has completed.
    ///
    /// # Errors
    /// Where the device is gone.
    pub(crate) fn retire(&mut self) -> Result {
        let before = self.completed;
        self.completed = before.max(self.queue.completed());
        if let Some(busy) = &mut self.busy {
            // Times are kept for the last ones.
            for serial in before.max(self.completed.saturating_sub(KEPT_TIMES)) + 1..=self.completed {
                if let Some((begun, ended)) = self.queue.times(serial) {
                    *busy += Duration::try_from_secs_f64(ended - begun).unwrap_or_default();
                }
            }
        }
        self.look_at_faults()
    }

    /// Waits until a command buffer has completed.
    ///
    /// # Errors
    /// Where the device is gone, or does not end.
    pub(crate) fn wait(&mut self, serial: Serial) -> Result {
        if serial > self.completed && !self.queue.wait(serial, PATIENCE) {
            self.retire()?;
            let work = self.works.of(self.completed + 1).map_or_else(String::new, |work| format!(": {work}"));
            return Err(Error::Hung(PATIENCE.as_secs(), work));
        }
        self.retire()
    }

    /// Waits a while for more to complete. False if nothing is under way.
    pub(crate) fn wait_for_more(&mut self, timeout: Duration) -> Result<bool> {
        if self.is_idle() {
            return Ok(false);
        }
        let _there = self.queue.wait(self.completed + 1, timeout);
        self.retire()?;
        Ok(true)
    }

    fn look_at_faults(&mut self) -> Result {
        let mut lost = None;
        for mut fault in self.queue.faults() {
            if let Some(work) = self.works.of(fault.command_buffer) {
                fault.text.push_str(&format!("; it is {work}"));
            }
            tracing::error!("Metal: {fault}");
            self.fault_count += 1;
            if fault.lost {
                lost.get_or_insert_with(|| fault.clone());
            }
            if self.faults.len() < KEPT_FAULTS {
                self.faults.push(fault);
            }
        }
        self.works.forget(self.completed);
        lost.map_or(Ok(()), |fault| Err(Error::DeviceLost(fault)))
    }
}

impl<D: Device> Drop for Commands<D> {
    fn drop(&mut self) {
        // It reads the journal, which is another renderer's from here on.
        self.watchdog = None;
        if let Some(journal) = &self.works.journal {
            journal.release();
        }
    }
}
