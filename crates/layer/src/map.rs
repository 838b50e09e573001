//! Objects by handle, behind locks that few share: for what is created and asked for now and then, by any thread.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// Locks of a map.
const SHARDS: usize = 16;

/// Values by handle.
pub(crate) struct Map<V> {
    shards: [RwLock<HashMap<u64, V>>; SHARDS],
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::default()) }
    }
}

impl<V: Clone> Map<V> {
    fn shard(&self, key: u64) -> &RwLock<HashMap<u64, V>> {
        &self.shards[(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize % SHARDS]
    }

    /// What belongs to a handle.
    pub(crate) fn get(&self, key: u64) -> Option<V> {
        self.shard(key).read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    /// Puts something in for a handle.
    pub(crate) fn insert(&self, key: u64, value: V) {
        self.shard(key).write().unwrap_or_else(PoisonError::into_inner).insert(key, value);
    }

    /// Takes out what belongs to a handle.
    pub(crate) fn remove(&self, key: u64) -> Option<V> {
        self.shard(key).write().unwrap_or_else(PoisonError::into_inner).remove(&key)
    }

    /// Takes out everything.
    pub(crate) fn drain(&self) -> Vec<V> {
        let empty = |shard: &RwLock<HashMap<u64, V>>| {
            std::mem::take(&mut *shard.write().unwrap_or_else(PoisonError::into_inner))
                .into_values()
                .collect::<Vec<_>>()
        };
        self.shards.iter().flat_map(empty).collect()
    }
}
