//! Transform feedback in cases: others' and our own, run natively, lowered and interpreted, and compared.
//!
//! A file of cases is `{"cases": [...]}`, its answers are `{"cases": [{"id", "words", "needed", "written", "counter"}]}` in the same order.
//! The vertex shader writes `gl_VertexIndex` and `gl_InstanceIndex` to buffer 0, stride 8, offset 0. Unknown fields are ignored.
//!
//! | field | meaning |
//! |---|---|
//! | id | a number, which comes back as it is |
//! | topo | number of Vulkan's topology, 0 to 9 |
//! | pv | provoking vertex: 0 first, 1 last |
//! | kind | 0 draw, 1 indexed, 2 indirect, 3 indexed indirect, 4 byte count (stride 8: `cnt` is the counter, `first` its offset) |
//! | first, cnt | first vertex and vertices; with indices, `first` is the vertex offset, and all of `idx` is drawn |
//! | inst, finst | instances, first instance |
//! | idx, it | indices, and their type: 0 is 16 bits, 1 is 32 bits, 2 is 8 bits |
//! | rst | 1: all ones restart the primitive |
//! | bytes, boff | bytes of the bound range, and its offset in the buffer |
//! | reps | how often the draw is made within the feedback |
//! | resume | 1: the feedback is ended and begun again, through counter buffers, between those draws |
//! | stage | 0; other cases are answered with `"skipped": true` |
//!
//! `words` are the captured words behind the offset, `needed` and `written` what the queries say, `counter` the bytes captured at the end;
//! `"clobbered": true` says that memory around them no longer holds 0xDEADBEEF.
//!
//! An extension, for which there are the answers `buffers` and `counters` besides: with `captures`, a list of `{"location", "component",
//! "words", "buffer", "offset"}`, the shader writes other values instead. `outputs` says which, `{"type": "f32" | "i32" | "b64", "words",
//! "elements"}`, each element at a location; `strides` has the bytes of a vertex in each of four buffers; `buffers` has `bytes` and `boff` of
//! buffers 1 to 3.
#![forbid(unsafe_code)]

pub mod case;
pub mod generate;
pub mod gpu;
pub mod guest;
pub mod interp;
pub mod model;
pub mod run;
pub mod scene;
pub mod shader;
