//! Transport of the stream: shared-memory ring and upload arena, and the in-process queue.
