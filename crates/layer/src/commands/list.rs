//! Commands that are kept, to be recorded later: those of a render pass, until it ends.
//!
//! Kept commands lie one behind the other in words: a function that records the command, how many words it takes, its parameters, and the
//! arrays that they point to. What is more than numbers and arrays is a closure.

use super::table::Commands;
use ash::vk;
use std::marker::PhantomData;

/// Records a kept command, whose parameters are there.
pub(crate) type Replay = unsafe fn(&Commands, vk::CommandBuffer, *const u64);

/// A command that is more than numbers and arrays.
pub(crate) type Deep = Box<dyn Fn(&Commands, vk::CommandBuffer) + Send + Sync>;

/// Words before the parameters.
const HEAD: usize = 2;

/// An array of a kept command.
pub(crate) struct Array<T> {
    /// In words from the command's parameters on; 0 for a null pointer.
    at: u32,
    of: PhantomData<T>,
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Array<T> {}

impl<T> Array<T> {
    /// The pointer that the command is given.
    ///
    /// # Safety
    /// `parameters` are those of the command.
    pub(crate) unsafe fn pointer(self, parameters: *const u64) -> *const T {
        // SAFETY: the array lies in the same command.
        if self.at == 0 { std::ptr::null() } else { unsafe { parameters.add(self.at as usize).cast() } }
    }
}

/// Commands in their order.
#[derive(Default)]
pub(crate) struct List {
    words: Vec<u64>,
    deep: Vec<Deep>,
}

/// A command that is being put into a list.
pub(crate) struct Open<'a> {
    list: &'a mut List,
    at: usize,
}

impl List {
    /// Begins a command with parameters of so many bytes.
    pub(crate) fn open(&mut self, bytes: usize) -> Open<'_> {
        let at = self.words.len();
        // At least a word of parameters, so that no array is at 0.
        self.words.resize(at + HEAD + bytes.div_ceil(8).max(1), 0);
        Open { list: self, at }
    }

    /// Puts a command behind the others.
    pub(crate) fn push(&mut self, command: Deep) {
        let number = self.deep.len();
        self.deep.push(command);
        self.words.extend([0, HEAD as u64 + 1, number as u64]);
    }

    /// Records all of them.
    ///
    /// # Safety
    /// The command buffer is being recorded, and what the commands name is valid.
    pub(crate) unsafe fn replay(&self, commands: &Commands, buffer: vk::CommandBuffer) {
        let mut at = 0;
        while at < self.words.len() {
            let parameters = &self.words[at + HEAD..];
            match self.words[at] {
                0 => self.deep[parameters[0] as usize](commands, buffer),
                replay => {
                    // SAFETY: `Open::close` put it there, with parameters of its own.
                    unsafe {
                        let replay = std::mem::transmute::<usize, Replay>(replay as usize);
                        replay(commands, buffer, parameters.as_ptr());
                    }
                }
            }
            at += self.words[at + 1] as usize;
        }
    }

    /// Forgets all of them.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.deep.clear();
    }
}

impl Open<'_> {
    /// Keeps an array.
    ///
    /// # Safety
    /// `from` is null or points to so many values.
    pub(crate) unsafe fn array<T: Copy>(&mut self, from: *const T, count: usize) -> Array<T> {
        const { assert!(align_of::<T>() <= align_of::<u64>()) };
        if from.is_null() {
            return Array { at: 0, of: PhantomData };
        }
        let words = &mut self.list.words;
        let at = words.len();
        words.resize(at + (count * size_of::<T>()).div_ceil(8), 0);
        // SAFETY: as the caller says, and there is room for as many.
        unsafe { std::ptr::copy_nonoverlapping(from, words[at..].as_mut_ptr().cast(), count) };
        Array { at: (at - self.at - HEAD) as u32, of: PhantomData }
    }

    /// Ends the command.
    pub(crate) fn close<P: Copy>(self, parameters: P, replay: Replay) {
        const { assert!(align_of::<P>() <= align_of::<u64>()) };
        let words = &mut self.list.words;
        words[self.at] = replay as usize as u64;
        words[self.at + 1] = (words.len() - self.at) as u64;
        // SAFETY: `List::open` made room for as many bytes.
        unsafe { words[self.at + HEAD..].as_mut_ptr().cast::<P>().write(parameters) };
    }
}
