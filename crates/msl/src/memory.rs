//! Variables, outputs and constants.

use std::fmt::Write as _;

use afterimage_ir::{BankSource, Imm, InstData, Kind, Mask, Op, OutputAt, Type, Var};

use crate::EmitError;
use crate::emit::Emitter;
use crate::expr::{Expr, Prec, letters, type_name};

impl Emitter<'_> {
    /// Writes a store.
    pub(crate) fn effect(&mut self, data: &InstData) -> Result<(), EmitError> {
        match data.op {
            Op::StoreGlobal | Op::StoreShared => return self.store_words(data),
            Op::Barrier => {
                self.barrier();
                return Ok(());
            }
            Op::ImageStore => return self.image_store(data),
            Op::WaveBarrier => {
                self.wave_barrier();
                return Ok(());
            }
            Op::MemoryBarrier => return self.memory_barrier(data),
            // Metal orders accesses of what is bound in a group of raster order, and here addresses are; the reflection says so.
            Op::BeginInterlock | Op::EndInterlock => return Ok(()),
            _ => {}
        }
        let value = data.args.last().copied().ok_or(EmitError::Malformed(data.op.name()))?;
        match (data.op, data.imm) {
            (Op::Store | Op::StoreElem, Imm::VarMask(var, mask)) => {
                let mut place = self.place(var, data)?;
                let ty = self.m.ty(value);
                let mut text = self.fresh();
                if ty.lanes > 1 && mask != Mask::first(ty.lanes) {
                    let lanes: Vec<u8> = mask.lanes().collect();
                    place.push('.');
                    letters(&mut place, &lanes);
                    self.put_swizzled(&mut text, value, &lanes);
                } else {
                    self.put(&mut text, value, Prec::Any);
                }
                self.set_to(&place, &text);
                self.recycle(text);
                Ok(())
            }
            (Op::StoreOutput, Imm::Output(output)) => {
                let decl = &self.m.outputs[output.index()];
                if let OutputAt::ClipDistance(first) = decl.at {
                    self.name(value);
                    for lane in 0..decl.ty.lanes {
                        let mut text = String::new();
                        self.put_swizzled(&mut text, value, &[lane]);
                        let place = self.interface.outputs[output.index()].clone();
                        self.line(format_args!("{place}[{}] = {text};", first + lane));
                    }
                } else {
                    let mut text = self.fresh();
                    self.put(&mut text, value, Prec::Any);
                    let place = self.interface.outputs[output.index()].clone();
                    self.set_to(&place, &text);
                    self.recycle(text);
                }
                Ok(())
            }
            _ => Err(EmitError::Malformed(data.op.name())),
        }
    }

    /// A variable, or an element of it.
    pub(crate) fn place(&self, var: Var, data: &InstData) -> Result<String, EmitError> {
        let name = &self.vars[var.index()];
        if matches!(data.op, Op::Load | Op::Store) {
            return Ok(name.clone());
        }
        let Some(len) = self.m.vars[var.index()].array else { return Err(EmitError::Malformed(data.op.name())) };
        let mut text = format!("{name}[min(");
        self.put(&mut text, data.args[0], Prec::Any);
        let _ = write!(text, ", {}u)]", len - 1);
        Ok(text)
    }

    pub(crate) fn load_const(&mut self, data: &InstData, ty: Type) -> Result<Expr, EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let Imm::Bank(bank, base) = data.imm else { return Err(malformed) };
        let decl = &self.m.banks[bank.index()];
        let (block, start) = match decl.source {
            BankSource::Stage => ("constants", self.uses.bank_base[bank.index()]),
            BankSource::System => ("system", 0),
            BankSource::Feedback => ("feedback", 0),
            BankSource::Storage => (self.interface.storage[bank.index()].as_str(), 0),
        };
        let mut text = format!("{block}[");
        if data.op == Op::LoadConstDyn {
            text.push_str("clamp(");
            if base == 0 {
                self.put_signed(&mut text, data.args[0], Prec::Any, false);
            } else {
                // Unsigned, so that it wraps.
                text.push_str("int(");
                self.put(&mut text, data.args[0], Prec::Sum);
                let _ = match base {
                    0.. => write!(text, " + {base}u)"),
                    _ => write!(text, " - {}u)", base.unsigned_abs()),
                };
            }
            let _ = write!(text, ", 0, {})", decl.size - 1);
            if start != 0 {
                let _ = write!(text, " + {start}");
            }
        } else {
            let offset = match decl.source {
                BankSource::Stage => self.uses.reflection.const_offset(decl.id, base as u32).ok_or(malformed)?,
                BankSource::System | BankSource::Feedback | BankSource::Storage => base as u32,
            };
            let _ = write!(text, "{offset}");
        }
        text.push(']');
        // What is made for every program's constants is floats, the rest words.
        let floats = matches!(decl.source, BankSource::Stage | BankSource::System);
        if floats != (ty.kind == Kind::Float) {
            text = format!("as_type<{}>({text})", type_name(ty));
        }
        Ok(Expr::postfix(text))
    }
}
