//! The PlayStation 4's GPU as tables: PM4 opcodes and packet fields, registers, enumerations, descriptors, state groups.
#![forbid(unsafe_code)]
