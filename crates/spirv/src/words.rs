//! Sections of a SPIR-V module, and its types and constants, each declared once.

use afterimage_ir::{Kind, SpecDecl, Type};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::spec::{self, capability, decoration, glsl, op};

/// A result id.
pub(crate) type Id = u32;

/// A growing list of instructions.
#[derive(Default)]
pub(crate) struct Section(pub(crate) Vec<u32>);

impl Section {
    #[inline]
    pub(crate) fn op(&mut self, opcode: u16, operands: &[u32]) {
        self.0.push((operands.len() as u32 + 1) << 16 | opcode as u32);
        self.0.extend_from_slice(operands);
    }

    /// The same with operands in two parts.
    #[inline]
    fn op_with(&mut self, opcode: u16, first: &[u32], rest: &[u32]) {
        self.0.push(((first.len() + rest.len()) as u32 + 1) << 16 | opcode as u32);
        self.0.extend_from_slice(first);
        self.0.extend_from_slice(rest);
    }

    /// An instruction that holds a string between its operands.
    fn op_text(&mut self, opcode: u16, before: &[u32], text: &str, after: &[u32]) {
        let start = self.0.len();
        self.0.push(0);
        self.0.extend_from_slice(before);
        // Ends with at least one zero byte; a zero inside would end it early.
        let (mut word, mut at) = (0, 0);
        for byte in text.bytes().filter(|&b| b != 0) {
            word |= u32::from(byte) << at;
            at += 8;
            if at == 32 {
                self.0.push(word);
                (word, at) = (0, 0);
            }
        }
        self.0.push(word);
        self.0.extend_from_slice(after);
        self.0[start] = ((self.0.len() - start) as u32) << 16 | opcode as u32;
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Global {
    Pointer(u32, Id),
    Array(Id, u32),
    Pair(Id),
    Block(Id),
    /// Any other declaration without a result type.
    Other(u16, SmallVec<[u32; 8]>),
    /// A builtin input.
    Builtin(u32),
    Null(Id),
    Undef(Id),
    /// Type, bits.
    Const(Type, [u32; 4]),
}

/// A module under construction.
pub(crate) struct Words {
    bound: Id,
    capabilities: SmallVec<[u32; 8]>,
    glsl: Id,
    modes: Section,
    names: Section,
    annotations: Section,
    globals: Section,
    /// The body of the function.
    pub(crate) code: Section,
    types: [[Id; 5]; 4],
    cache: FxHashMap<Global, Id>,
    interface: SmallVec<[Id; 16]>,
    extensions: SmallVec<[&'static str; 1]>,
    pub(crate) debug_names: bool,
}

impl Words {
    pub(crate) fn new(debug_names: bool, size_hint: usize) -> Words {
        Words {
            bound: 2,
            capabilities: SmallVec::new(),
            glsl: 1,
            modes: Section::default(),
            names: Section::default(),
            annotations: Section(Vec::with_capacity(128)),
            globals: Section(Vec::with_capacity(256)),
            code: Section(Vec::with_capacity(size_hint * 6)),
            types: [[0; 5]; 4],
            cache: FxHashMap::with_capacity_and_hasher(64, Default::default()),
            interface: SmallVec::new(),
            extensions: SmallVec::new(),
            debug_names,
        }
    }

    #[inline]
    pub(crate) fn id(&mut self) -> Id {
        let id = self.bound;
        self.bound += 1;
        id
    }

    pub(crate) fn capability(&mut self, capability: u32) {
        if !self.capabilities.contains(&capability) {
            self.capabilities.push(capability);
        }
    }

    pub(crate) fn extension(&mut self, name: &'static str) {
        if !self.extensions.contains(&name) {
            self.extensions.push(name);
        }
    }

    pub(crate) fn name(&mut self, id: Id, name: &str) {
        if self.debug_names && !name.is_empty() {
            self.names.op_text(op::Name, &[id], name, &[]);
        }
    }

    pub(crate) fn decorate(&mut self, id: Id, decoration: u32, values: &[u32]) {
        self.annotations.op_with(op::Decorate, &[id, decoration], values);
    }

    pub(crate) fn member_offset(&mut self, id: Id, member: u32, offset: u32) {
        self.annotations.op(op::MemberDecorate, &[id, member, decoration::Offset, offset]);
    }

    pub(crate) fn member_decorate(&mut self, id: Id, member: u32, decoration: u32) {
        self.annotations.op(op::MemberDecorate, &[id, member, decoration]);
    }

    pub(crate) fn execution_mode(&mut self, function: Id, mode: u32, values: &[u32]) {
        self.modes.op_with(op::ExecutionMode, &[function, mode], values);
    }

    /// A declaration with a result id and no result type.
    pub(crate) fn global(&mut self, opcode: u16, operands: &[u32]) -> Id {
        let id = self.id();
        self.globals.op_with(opcode, &[id], operands);
        id
    }

    /// A global variable, which becomes part of the entry point's interface.
    pub(crate) fn variable(&mut self, class: u32, ty: Id) -> Id {
        let pointer = self.pointer(class, ty);
        let id = self.id();
        self.globals.op(op::Variable, &[pointer, id, class]);
        self.interface.push(id);
        id
    }

    pub(crate) fn void(&mut self) -> Id {
        self.global(op::TypeVoid, &[])
    }

    /// Untyped bits and integers are both unsigned integers here, so that going from one to the other costs nothing.
    pub(crate) fn ty(&mut self, ty: Type) -> Id {
        let kind = if ty.kind == Kind::Bits { Kind::Int } else { ty.kind };
        let known = self.types[kind as usize][ty.lanes as usize];
        if known != 0 {
            return known;
        }
        let id = if ty.lanes > 1 {
            let scalar = self.ty(ty.with_lanes(1));
            self.global(op::TypeVector, &[scalar, ty.lanes as u32])
        } else {
            match kind {
                Kind::Float => self.global(op::TypeFloat, &[32]),
                Kind::Bits | Kind::Int => self.global(op::TypeInt, &[32, 0]),
                Kind::Bool => self.global(op::TypeBool, &[]),
            }
        };
        self.types[kind as usize][ty.lanes as usize] = id;
        id
    }

    pub(crate) fn pointer(&mut self, class: u32, ty: Id) -> Id {
        self.once(Global::Pointer(class, ty), |w| w.global(op::TypePointer, &[class, ty]))
    }

    /// An array type without a stride, for variables.
    pub(crate) fn array(&mut self, ty: Id, len: u32) -> Id {
        self.once(Global::Array(ty, len), |w| {
            let len = w.uint(len);
            w.global(op::TypeArray, &[ty, len])
        })
    }

    /// A declaration that is made once: a type.
    pub(crate) fn declared(&mut self, opcode: u16, operands: &[u32]) -> Id {
        self.once(Global::Other(opcode, SmallVec::from_slice(operands)), |w| w.global(opcode, operands))
    }

    /// Doubles, one of them.
    pub(crate) fn double(&mut self) -> Id {
        self.capability(capability::Float64);
        self.declared(op::TypeFloat, &[64])
    }

    /// Unsigned integers of 64 bits, one of them.
    pub(crate) fn long(&mut self) -> Id {
        self.capability(capability::Int64);
        self.declared(op::TypeInt, &[64, 0])
    }

    /// A double's constant.
    pub(crate) fn double_constant(&mut self, value: f64) -> Id {
        let ty = self.double();
        let bits = value.to_bits();
        self.constant_of(op::Constant, ty, &[bits as u32, (bits >> 32) as u32])
    }

    /// A constant of a type that the IR does not have, which is made once.
    fn constant_of(&mut self, opcode: u16, ty: Id, words: &[u32]) -> Id {
        let key = [ty].iter().chain(words).copied().collect();
        self.once(Global::Other(opcode, key), |w| {
            let id = w.id();
            let operands: SmallVec<[u32; 8]> = [ty, id].iter().chain(words).copied().collect();
            w.globals.op(opcode, &operands);
            id
        })
    }

    /// A constant of signed integers, one to four.
    pub(crate) fn signed_constant(&mut self, values: &[i32]) -> Id {
        let scalar = self.signed(1);
        let parts: SmallVec<[Id; 4]> =
            values.iter().map(|value| self.constant_of(op::Constant, scalar, &[*value as u32])).collect();
        if let [one] = parts[..] {
            return one;
        }
        let vector = self.signed(parts.len() as u8);
        self.constant_of(op::ConstantComposite, vector, &parts)
    }

    /// Signed integers, which only images have: everywhere else instructions say how they read bits.
    pub(crate) fn signed(&mut self, lanes: u8) -> Id {
        let scalar = self.declared(op::TypeInt, &[32, 1]);
        if lanes == 1 { scalar } else { self.declared(op::TypeVector, &[scalar, lanes.into()]) }
    }

    /// A builtin input that instructions need, whatever the module declares.
    pub(crate) fn builtin_input(&mut self, builtin: u32, ty: Id, flat: bool) -> Id {
        self.once(Global::Builtin(builtin), |w| {
            let id = w.variable(spec::storage::Input, ty);
            w.decorate(id, decoration::BuiltIn, &[builtin]);
            if flat {
                w.decorate(id, decoration::Flat, &[]);
            }
            id
        })
    }

    /// A structure of two, for products in full.
    pub(crate) fn pair(&mut self, ty: Id) -> Id {
        self.once(Global::Pair(ty), |w| w.global(op::TypeStruct, &[ty, ty]))
    }

    /// A structure of one, as memory has it.
    pub(crate) fn block_of(&mut self, ty: Id) -> Id {
        self.once(Global::Block(ty), |w| {
            let block = w.global(op::TypeStruct, &[ty]);
            w.member_offset(block, 0, 0);
            w.decorate(block, decoration::Block, &[]);
            block
        })
    }

    fn once(&mut self, key: Global, make: impl FnOnce(&mut Words) -> Id) -> Id {
        if let Some(&id) = self.cache.get(&key) {
            return id;
        }
        let id = make(self);
        self.cache.insert(key, id);
        id
    }

    pub(crate) fn uint(&mut self, value: u32) -> Id {
        self.constant(Type::I32, [value, 0, 0, 0])
    }

    /// All lanes the same float.
    pub(crate) fn float(&mut self, ty: Type, value: f32) -> Id {
        self.splat(ty.with_kind(Kind::Float), value.to_bits())
    }

    /// All lanes the same bits.
    pub(crate) fn splat(&mut self, ty: Type, bits: u32) -> Id {
        let mut all = [0; 4];
        all[..ty.lanes as usize].fill(bits);
        self.constant(ty, all)
    }

    pub(crate) fn constant(&mut self, ty: Type, bits: [u32; 4]) -> Id {
        let ty = if ty.kind == Kind::Bits { ty.with_kind(Kind::Int) } else { ty };
        let key = Global::Const(ty, bits);
        if let Some(&id) = self.cache.get(&key) {
            return id;
        }
        let type_id = self.ty(ty);
        let mut operands: SmallVec<[u32; 4]> = SmallVec::new();
        let opcode = if ty.lanes > 1 {
            for &lane in &bits[..ty.lanes as usize] {
                operands.push(self.constant(ty.with_lanes(1), [lane, 0, 0, 0]));
            }
            op::ConstantComposite
        } else if ty.kind == Kind::Bool {
            if bits[0] != 0 { op::ConstantTrue } else { op::ConstantFalse }
        } else {
            operands.push(bits[0]);
            op::Constant
        };
        let id = self.id();
        self.globals.op_with(opcode, &[type_id, id], &operands);
        self.cache.insert(key, id);
        id
    }

    pub(crate) fn spec_constant(&mut self, decl: &SpecDecl) -> Id {
        let ty = self.ty(Type::new(decl.kind, 1));
        let id = self.id();
        match (decl.kind, decl.default) {
            (Kind::Bool, 0) => self.globals.op(op::SpecConstantFalse, &[ty, id]),
            (Kind::Bool, _) => self.globals.op(op::SpecConstantTrue, &[ty, id]),
            (_, default) => self.globals.op(op::SpecConstant, &[ty, id, default]),
        }
        self.decorate(id, decoration::SpecId, &[decl.id]);
        self.name(id, &decl.name);
        id
    }

    pub(crate) fn null(&mut self, ty: Id) -> Id {
        self.once(Global::Null(ty), |w| w.typed_global(op::ConstantNull, ty))
    }

    pub(crate) fn undef(&mut self, ty: Type) -> Id {
        let ty = self.ty(ty);
        self.once(Global::Undef(ty), |w| w.typed_global(op::Undef, ty))
    }

    fn typed_global(&mut self, opcode: u16, ty: Id) -> Id {
        let id = self.id();
        self.globals.op(opcode, &[ty, id]);
        id
    }

    // Code.

    /// An instruction with a result.
    #[inline]
    pub(crate) fn value(&mut self, opcode: u16, ty: Id, operands: &[u32]) -> Id {
        let id = self.id();
        self.code.0.extend_from_slice(&[(operands.len() as u32 + 3) << 16 | opcode as u32, ty, id]);
        self.code.0.extend_from_slice(operands);
        id
    }

    /// A GLSL.std.450 instruction.
    pub(crate) fn ext(&mut self, instruction: u32, ty: Id, operands: &[u32]) -> Id {
        let id = self.id();
        let head = (operands.len() as u32 + 5) << 16 | op::ExtInst as u32;
        self.code.0.extend_from_slice(&[head, ty, id, self.glsl, instruction]);
        self.code.0.extend_from_slice(operands);
        id
    }

    /// The least of `value` and `limit`, unsigned.
    pub(crate) fn umin(&mut self, value: Id, limit: u32) -> Id {
        let (ty, limit) = (self.ty(Type::I32), self.uint(limit));
        self.ext(glsl::UMin, ty, &[value, limit])
    }

    pub(crate) fn label(&mut self, id: Id) {
        self.code.op(op::Label, &[id]);
    }

    pub(crate) fn branch(&mut self, target: Id) {
        self.code.op(op::Branch, &[target]);
    }

    /// Puts the sections together.
    pub(crate) fn finish(self, model: u32, function: Id) -> Vec<u32> {
        let mut head = Section(Vec::with_capacity(64));
        for &capability in &self.capabilities {
            head.op(op::Capability, &[capability]);
        }
        for name in &self.extensions {
            head.op_text(op::Extension, &[], name, &[]);
        }
        head.op_text(op::ExtInstImport, &[self.glsl], "GLSL.std.450", &[]);
        head.op(op::MemoryModel, &[spec::ADDRESSING, spec::MEMORY_MODEL]);
        head.op_text(op::EntryPoint, &[model, function], "main", &self.interface);
        let sections = [head, self.modes, self.names, self.annotations, self.globals, self.code];
        let mut words = Vec::with_capacity(5 + sections.iter().map(|s| s.0.len()).sum::<usize>());
        words.extend_from_slice(&[spec::MAGIC, spec::VERSION, 0, self.bound, 0]);
        sections.iter().for_each(|s| words.extend_from_slice(&s.0));
        words
    }
}
