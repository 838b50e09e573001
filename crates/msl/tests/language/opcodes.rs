//! Every opcode that is a function of its operands, on operands at the edges: what was written computes what the table says.

use crate::judge::Judge;
use crate::operands::{PIXELS, Row, opcode_module, registers};
use afterimage_interp::Environment;
use afterimage_ir::*;
use afterimage_msl::{EmitError, Options, emit};
use afterimage_passes::{FloatRules, float_rules};

#[test]
fn every_opcode_agrees() {
    let mut judge = Judge::new();
    for row in OPCODES.iter().filter(|row| !matches!(row.meaning, Meaning::Special)) {
        let constants = registers(row);
        let rows: Vec<Row<'_>> = (0..PIXELS).step_by(4).map(|first| Row { constants: &constants, first }).collect();
        let rows: Vec<&dyn Environment> = rows.iter().map(|row| row as _).collect();
        let kind = if row.result == Some(Pattern::F) { Kind::Float } else { Kind::Int };
        // A vector, and a scalar each: they are not written alike.
        for at_once in [true, false] {
            let mut module = opcode_module(row, at_once, kind);
            float_rules::run(&mut module, FloatRules::Strict);
            verify(&module).unwrap();
            let artifact = match emit(&module, &Options::default()) {
                Err(EmitError::Unsupported(name)) => {
                    assert_eq!(name, row.name);
                    continue;
                }
                written => written.unwrap(),
            };
            judge.add(&format!("{} {at_once}", row.name), &module, &artifact, &rows);
        }
    }
    judge.run().assert();
}

#[test]
fn guest_float_rules_must_be_lowered_first() {
    let row = Op::FRcpC.info();
    assert_eq!(emit(&opcode_module(row, true, Kind::Float), &Options::default()), Err(EmitError::GuestFloat("frcpc")));
}
