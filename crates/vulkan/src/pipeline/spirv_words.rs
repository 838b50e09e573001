//! Modules of SPIR-V that are written here by hand, for what is no shader of a guest's: lines made of triangles, what is drawn
//! over pictures, and samples on their way to and from memory.

// Numbers of the SPIR-V specification, version 1.6, and of its extended instructions for GLSL.
pub(crate) mod op {
    pub(crate) const EXTENSION: u32 = 10;
    pub(crate) const EXT_INST_IMPORT: u32 = 11;
    pub(crate) const EXT_INST: u32 = 12;
    pub(crate) const MEMORY_MODEL: u32 = 14;
    pub(crate) const ENTRY_POINT: u32 = 15;
    pub(crate) const EXECUTION_MODE: u32 = 16;
    pub(crate) const CAPABILITY: u32 = 17;
    pub(crate) const TYPE_VOID: u32 = 19;
    pub(crate) const TYPE_BOOL: u32 = 20;
    pub(crate) const TYPE_INT: u32 = 21;
    pub(crate) const TYPE_FLOAT: u32 = 22;
    pub(crate) const TYPE_VECTOR: u32 = 23;
    pub(crate) const TYPE_IMAGE: u32 = 25;
    pub(crate) const TYPE_ARRAY: u32 = 28;
    pub(crate) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(crate) const TYPE_STRUCT: u32 = 30;
    pub(crate) const TYPE_POINTER: u32 = 32;
    pub(crate) const TYPE_FUNCTION: u32 = 33;
    pub(crate) const CONSTANT: u32 = 43;
    pub(crate) const CONSTANT_NULL: u32 = 46;
    pub(crate) const FUNCTION: u32 = 54;
    pub(crate) const FUNCTION_END: u32 = 56;
    pub(crate) const VARIABLE: u32 = 59;
    pub(crate) const LOAD: u32 = 61;
    pub(crate) const STORE: u32 = 62;
    pub(crate) const ACCESS_CHAIN: u32 = 65;
    pub(crate) const DECORATE: u32 = 71;
    pub(crate) const MEMBER_DECORATE: u32 = 72;
    pub(crate) const VECTOR_SHUFFLE: u32 = 79;
    pub(crate) const COMPOSITE_CONSTRUCT: u32 = 80;
    pub(crate) const COMPOSITE_EXTRACT: u32 = 81;
    pub(crate) const IMAGE_FETCH: u32 = 95;
    pub(crate) const CONVERT_F_TO_U: u32 = 109;
    pub(crate) const CONVERT_U_TO_F: u32 = 112;
    pub(crate) const BITCAST: u32 = 124;
    pub(crate) const F_NEGATE: u32 = 127;
    pub(crate) const I_ADD: u32 = 128;
    pub(crate) const F_ADD: u32 = 129;
    pub(crate) const I_SUB: u32 = 130;
    pub(crate) const F_SUB: u32 = 131;
    pub(crate) const I_MUL: u32 = 132;
    pub(crate) const F_MUL: u32 = 133;
    pub(crate) const F_DIV: u32 = 136;
    pub(crate) const VECTOR_TIMES_SCALAR: u32 = 142;
    pub(crate) const DOT: u32 = 148;
    pub(crate) const LOGICAL_OR: u32 = 166;
    pub(crate) const LOGICAL_AND: u32 = 167;
    pub(crate) const SELECT: u32 = 169;
    pub(crate) const I_NOT_EQUAL: u32 = 171;
    pub(crate) const U_GREATER_THAN_EQUAL: u32 = 174;
    pub(crate) const F_ORD_GREATER_THAN: u32 = 186;
    pub(crate) const SHIFT_RIGHT: u32 = 194;
    pub(crate) const BITWISE_AND: u32 = 199;
    pub(crate) const EMIT_VERTEX: u32 = 218;
    pub(crate) const END_PRIMITIVE: u32 = 219;
    pub(crate) const SELECTION_MERGE: u32 = 247;
    pub(crate) const LABEL: u32 = 248;
    pub(crate) const BRANCH: u32 = 249;
    pub(crate) const BRANCH_CONDITIONAL: u32 = 250;
    pub(crate) const KILL: u32 = 252;
    pub(crate) const RETURN: u32 = 253;
}

pub(crate) mod number {
    pub(crate) const CAPABILITY_SHADER: u32 = 1;
    pub(crate) const CAPABILITY_GEOMETRY: u32 = 2;
    pub(crate) const CAPABILITY_GEOMETRY_POINT_SIZE: u32 = 24;
    pub(crate) const CAPABILITY_CLIP_DISTANCE: u32 = 32;
    pub(crate) const CAPABILITY_CULL_DISTANCE: u32 = 33;
    pub(crate) const CAPABILITY_SAMPLE_RATE_SHADING: u32 = 35;
    pub(crate) const CAPABILITY_PHYSICAL_STORAGE: u32 = 5347;
    pub(crate) const ADDRESSING_PHYSICAL_STORAGE: u32 = 5348;
    pub(crate) const MODEL_VERTEX: u32 = 0;
    pub(crate) const MODEL_GEOMETRY: u32 = 3;
    pub(crate) const MODEL_FRAGMENT: u32 = 4;
    pub(crate) const MODEL_COMPUTE: u32 = 5;
    pub(crate) const MODE_INVOCATIONS: u32 = 0;
    pub(crate) const MODE_ORIGIN_UPPER_LEFT: u32 = 7;
    pub(crate) const MODE_DEPTH_REPLACING: u32 = 12;
    pub(crate) const MODE_LOCAL_SIZE: u32 = 17;
    pub(crate) const MODE_INPUT_POINTS: u32 = 19;
    pub(crate) const MODE_INPUT_LINES: u32 = 20;
    pub(crate) const MODE_INPUT_TRIANGLES: u32 = 22;
    pub(crate) const MODE_OUTPUT_VERTICES: u32 = 26;
    pub(crate) const MODE_OUTPUT_POINTS: u32 = 27;
    pub(crate) const MODE_OUTPUT_LINE_STRIP: u32 = 28;
    pub(crate) const MODE_OUTPUT_TRIANGLE_STRIP: u32 = 29;
    pub(crate) const CLASS_UNIFORM_CONSTANT: u32 = 0;
    pub(crate) const CLASS_INPUT: u32 = 1;
    pub(crate) const CLASS_OUTPUT: u32 = 3;
    pub(crate) const CLASS_PUSH_CONSTANT: u32 = 9;
    pub(crate) const CLASS_PHYSICAL_STORAGE: u32 = 5349;
    pub(crate) const DECORATION_BLOCK: u32 = 2;
    pub(crate) const DECORATION_ARRAY_STRIDE: u32 = 6;
    pub(crate) const DECORATION_BUILT_IN: u32 = 11;
    pub(crate) const DECORATION_FLAT: u32 = 14;
    pub(crate) const DECORATION_LOCATION: u32 = 30;
    pub(crate) const DECORATION_BINDING: u32 = 33;
    pub(crate) const DECORATION_DESCRIPTOR_SET: u32 = 34;
    pub(crate) const DECORATION_OFFSET: u32 = 35;
    pub(crate) const BUILT_IN_POSITION: u32 = 0;
    pub(crate) const BUILT_IN_POINT_SIZE: u32 = 1;
    pub(crate) const BUILT_IN_CLIP_DISTANCE: u32 = 3;
    pub(crate) const BUILT_IN_CULL_DISTANCE: u32 = 4;
    pub(crate) const BUILT_IN_PRIMITIVE_ID: u32 = 7;
    pub(crate) const BUILT_IN_FRAG_COORD: u32 = 15;
    pub(crate) const BUILT_IN_SAMPLE_ID: u32 = 18;
    pub(crate) const BUILT_IN_FRAG_DEPTH: u32 = 22;
    pub(crate) const BUILT_IN_GLOBAL_INVOCATION_ID: u32 = 28;
    pub(crate) const BUILT_IN_VERTEX_INDEX: u32 = 42;
    pub(crate) const BUILT_IN_INSTANCE_INDEX: u32 = 43;
    pub(crate) const ACCESS_ALIGNED: u32 = 2;
    pub(crate) const DIM_2D: u32 = 1;
    pub(crate) const OPERAND_SAMPLE: u32 = 0x40;
    pub(crate) const GLSL_ROUND_EVEN: u32 = 2;
    pub(crate) const GLSL_F_ABS: u32 = 4;
    pub(crate) const GLSL_F_MIN: u32 = 37;
    pub(crate) const GLSL_U_MIN: u32 = 38;
    pub(crate) const GLSL_F_MAX: u32 = 40;
    pub(crate) const GLSL_UNPACK_UNORM_4X8: u32 = 64;
}

/// Sections of a module, in the order in which they must stand, and the ids given out.
#[derive(Default)]
pub(crate) struct Words {
    pub(crate) head: Vec<u32>,
    pub(crate) decorations: Vec<u32>,
    pub(crate) globals: Vec<u32>,
    pub(crate) code: Vec<u32>,
    ids: u32,
}

/// Whether a module says that it needs a capability. Those come first in it.
pub(crate) fn has_capability(module: &[u32], capability: u32) -> bool {
    let declared = module.get(5..).unwrap_or_default().chunks_exact(2);
    declared.take_while(|words| words[0] == 2 << 16 | op::CAPABILITY).any(|words| words[1] == capability)
}

pub(crate) fn put(section: &mut Vec<u32>, op: u32, operands: &[u32]) {
    section.push((operands.len() as u32 + 1) << 16 | op);
    section.extend_from_slice(operands);
}

/// A string as operands.
pub(crate) fn text(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

impl Words {
    pub(crate) fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    /// A type or constant: its own id is the first operand.
    pub(crate) fn ty(&mut self, op: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        put(&mut self.globals, op, &[&[id], operands].concat());
        id
    }

    pub(crate) fn constant(&mut self, ty: u32, bits: u32) -> u32 {
        let id = self.id();
        put(&mut self.globals, op::CONSTANT, &[ty, id, bits]);
        id
    }

    /// The zero of a type.
    pub(crate) fn null(&mut self, ty: u32) -> u32 {
        let id = self.id();
        put(&mut self.globals, op::CONSTANT_NULL, &[ty, id]);
        id
    }

    /// A variable, decorated.
    pub(crate) fn variable(&mut self, ty: u32, class: u32, decoration: &[u32]) -> u32 {
        let pointer = self.ty(op::TYPE_POINTER, &[class, ty]);
        let id = self.id();
        put(&mut self.globals, op::VARIABLE, &[pointer, id, class]);
        if !decoration.is_empty() {
            put(&mut self.decorations, op::DECORATE, &[&[id], decoration].concat());
        }
        id
    }

    /// An instruction with a result.
    pub(crate) fn value(&mut self, op: u32, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        put(&mut self.code, op, &[&[ty, id], operands].concat());
        id
    }

    /// Begins the function that an entry point names.
    pub(crate) fn begin(&mut self, main: u32) {
        let void = self.ty(op::TYPE_VOID, &[]);
        let function = self.ty(op::TYPE_FUNCTION, &[void]);
        put(&mut self.code, op::FUNCTION, &[void, main, 0, function]);
        let label = self.id();
        put(&mut self.code, op::LABEL, &[label]);
    }

    /// The type of an address of an array whose elements are `stride` bytes apart.
    pub(crate) fn array_address(&mut self, element: u32, stride: u32) -> u32 {
        let array = self.ty(op::TYPE_RUNTIME_ARRAY, &[element]);
        put(&mut self.decorations, op::DECORATE, &[array, number::DECORATION_ARRAY_STRIDE, stride]);
        let block = self.block(&[array], &[0]);
        self.ty(op::TYPE_POINTER, &[number::CLASS_PHYSICAL_STORAGE, block])
    }

    /// A block with members at offsets.
    pub(crate) fn block(&mut self, members: &[u32], offsets: &[u32]) -> u32 {
        let block = self.ty(op::TYPE_STRUCT, members);
        put(&mut self.decorations, op::DECORATE, &[block, number::DECORATION_BLOCK]);
        for (member, offset) in (0..).zip(offsets) {
            put(&mut self.decorations, op::MEMBER_DECORATE, &[block, member, number::DECORATION_OFFSET, *offset]);
        }
        block
    }

    /// Loads a member of the push constants by its number, a constant.
    pub(crate) fn pushed(&mut self, push: u32, ty: u32, member: u32) -> u32 {
        let pointer_type = self.ty(op::TYPE_POINTER, &[number::CLASS_PUSH_CONSTANT, ty]);
        let pointer = self.value(op::ACCESS_CHAIN, pointer_type, &[push, member]);
        self.value(op::LOAD, ty, &[pointer])
    }

    /// `a * b + c` of words, whose type is `uint`.
    pub(crate) fn multiply_add(&mut self, uint: u32, [a, b, c]: [u32; 3]) -> u32 {
        let product = self.value(op::I_MUL, uint, &[a, b]);
        self.value(op::I_ADD, uint, &[product, c])
    }

    /// The whole module.
    pub(crate) fn finish(self) -> Vec<u32> {
        // Version 1.3, no generator, bound, schema.
        let mut words = vec![0x0723_0203, 0x0001_0300, 0, self.ids + 1, 0];
        for section in [self.head, self.decorations, self.globals, self.code] {
            words.extend(section);
        }
        words
    }
}
