//! Valid modules out of arbitrary bytes, for tests and fuzzing.
//!
//! The modules keep to what is defined, so that every correct pass and back end computes the same: NaN patterns do not become
//! integers, integers do not become NaN, infinity or denormals, quad opcodes run with the whole quad, loops end.

mod compute;

use crate::*;
use compute::Compute;
pub use compute::GeneratedMemory;

/// A valid module of `stage`, decided by `bytes`. The same bytes give the same module. One of the compute stage works on memory
/// as [`GeneratedMemory`] says.
///
/// # Panics
/// If the builder fails, which is a bug of this function.
pub fn generate(stage: Stage, bytes: &[u8]) -> Module {
    generate_of(stage, bytes, if stage == Stage::Compute { |_| true } else { in_every_back_end })
}

/// Whether all back ends and front ends know the component-wise opcode. The others are tried in the compute stage, which the same
/// ones do not know.
fn in_every_back_end(op: Op) -> bool {
    use Op::{
        FFrexpExp, FFrexpMant, FLdexp, FToH, FToHZ, FindLsb, FindMsb, FindMsbSigned, HToF, IBfe, UAddCarry, UBfe,
    };
    let bits = [FindLsb, FindMsb, FindMsbSigned, UBfe, IBfe, UAddCarry, Op::USubBorrow];
    let floats = [FToH, FToHZ, HToF, FLdexp, FFrexpMant, FFrexpExp];
    !matches!(op.info().meaning, Meaning::Pairs(_)) && !bits.contains(&op) && !floats.contains(&op)
}

/// As [`generate()`], with component-wise and reducing opcodes only if `allow` says so. `fadd` must be allowed.
///
/// # Panics
/// If the builder fails, which is a bug of this function.
pub fn generate_of(stage: Stage, bytes: &[u8], allow: fn(Op) -> bool) -> Module {
    let mut g = Generator::new(stage, bytes, allow);
    g.start();
    let count = 4 + g.below(8);
    for _ in 0..count {
        g.block(0);
    }
    if stage == Stage::Compute {
        g.store_results();
        return g.b.finish().expect("the generator nests its blocks");
    }
    g.store_outputs();
    if stage == Stage::Geometry {
        g.b.emit_vertex(0);
    }
    g.b.finish().expect("the generator nests its blocks")
}

struct Generator<'a> {
    b: Builder,
    bytes: std::slice::Iter<'a, u8>,
    /// Values in scope, per kind but `Bits`.
    floats: Vec<Value>,
    ints: Vec<Value>,
    bools: Vec<Value>,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    int_output: Option<Output>,
    compute: Option<Compute>,
    banks: [Bank; 2],
    textures: Vec<Texture>,
    specs: [Spec; 3],
    /// Untyped, but only floats go in.
    float_vars: Vec<Var>,
    /// Untyped, but only integers go in.
    int_var: Var,
    array: Var,
    loops: u32,
    /// Whether all lanes are surely active.
    whole_quad: bool,
    pixel: bool,
    geometry: bool,
    budget: u32,
    allow: fn(Op) -> bool,
}

impl<'a> Generator<'a> {
    fn new(stage: Stage, bytes: &'a [u8], allow: fn(Op) -> bool) -> Generator<'a> {
        let mut b = Builder::new(stage);
        let (pixel, geometry) = (stage == Stage::Pixel, stage == Stage::Geometry);
        if geometry {
            let (input, output) = (InputPrimitive::Triangles, OutputPrimitive::TriangleStrip);
            b.geometry(GeometryDecl { input, output, vertices: 8, invocations: 1 });
        }
        let graphics = stage != Stage::Compute;
        let inputs = (0..if graphics { 3 } else { 0 })
            .map(|n| {
                let name = format!("v{n}");
                b.input(InputDecl {
                    name,
                    ty: Type::F32X4,
                    at: InputAt::Location(n),
                    interp: Interp::Smooth,
                    semantic: None,
                })
            })
            .collect();
        let mut outputs = Vec::new();
        if stage == Stage::Vertex || geometry {
            let at = OutputAt::Position;
            outputs.push(b.output(OutputDecl { name: "pos".into(), ty: Type::F32X4, at, semantic: None }));
        }
        for n in 0..if graphics { 2 } else { 0 } {
            let at = OutputAt::Location(n);
            outputs.push(b.output(OutputDecl { name: format!("o{n}"), ty: Type::F32X4, at, semantic: None }));
        }
        let at = OutputAt::Location(2);
        let int_output =
            graphics.then(|| b.output(OutputDecl { name: "bits".into(), ty: Type::I32X4, at, semantic: None }));
        let bank = |b: &mut Builder, name: &str, id, def| {
            b.bank(BankDecl { name: name.into(), source: BankSource::Stage, id, size: 16, defs: vec![(3, def)] })
        };
        let floats = [1.0, -2.5, 0.0, 7.0].map(f32::to_bits);
        let banks = [bank(&mut b, "c", 0, floats), bank(&mut b, "i", 1, [7, 0, 1, 2])];
        let shapes = [(Dim::D2, false), (Dim::Cube, false), (Dim::D3, false), (Dim::D2, true)];
        let textures = (0u8..)
            .zip(shapes)
            .filter(|_| graphics)
            .map(|(n, (dim, shadow))| {
                b.texture(TextureDecl {
                    slot: n + if pixel { 0 } else { 16 },
                    dim,
                    shadow,
                    component: Component::Float,
                })
            })
            .collect();
        let mut spec = |name: &str, id, kind, default| b.spec(SpecDecl { name: name.into(), id, kind, default });
        let specs = [
            spec("mode", 0, Kind::Int, 255),
            spec("scale", 1, Kind::Float, 1.5f32.to_bits()),
            spec("quick", 5, Kind::Bool, 0),
        ];
        let float_vars = (0..4).map(|n| b.var(format!("r{n}"), Type::B32X4)).collect();
        let int_var = b.var("a0", Type::B32X4);
        let array = b.var_array("x", Type::B32X4, 5);
        let compute = (!graphics).then(|| Compute::declare(&mut b));
        let one = b.f32(1.0);
        let two = b.i32(2);
        let yes = b.bool(true);
        Generator {
            b,
            bytes: bytes.iter(),
            floats: vec![one],
            ints: vec![two],
            bools: vec![yes],
            inputs,
            outputs,
            int_output,
            compute,
            banks,
            textures,
            specs,
            float_vars,
            int_var,
            array,
            loops: 0,
            whole_quad: true,
            pixel,
            geometry,
            budget: 150,
            allow,
        }
    }

    /// Outputs that are set whatever happens later, and values that no pass can know.
    fn start(&mut self) {
        let zero = self.b.f32(0.0);
        for &output in self.outputs.clone().iter().chain(&self.int_output) {
            self.b.store_output(output, zero);
        }
        for (&input, &var) in self.inputs.clone().iter().zip(&self.float_vars.clone()) {
            let value = self.load_input(input);
            self.b.store(var, value);
            self.keep(value);
        }
        self.start_compute();
        let address = self.b.load_const(self.banks[1], 0);
        self.b.store(self.int_var, address);
        let address = self.b.cast(address, Kind::Int);
        self.keep(address);
        let (a, b) = (self.floats[1], self.floats[2]);
        let less = self.b.flt(a, b);
        self.keep(less);
        let first = self.b.extract(less, 0);
        self.keep(first);
    }

    fn store_outputs(&mut self) {
        for (index, &var) in self.float_vars.clone().iter().enumerate() {
            let value = self.b.load(var);
            let output = self.outputs[index % self.outputs.len()];
            self.b.store_output(output, value);
        }
        let int = self.b.load(self.int_var);
        let int = self.b.cast(int, Kind::Int);
        if let Some(out) = self.int_output {
            self.b.store_output(out, int);
        }
    }

    fn load_input(&mut self, input: Input) -> Value {
        if !self.geometry {
            return self.b.load_input(input);
        }
        let vertex = self.pick(Kind::Int);
        self.b.load_vertex_input(input, vertex)
    }

    fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.byte() as usize % limit
    }

    fn choose<T: Copy>(&mut self, list: &[T]) -> T {
        let at = self.below(list.len());
        list[at]
    }

    /// A recent value of that kind.
    fn pick(&mut self, kind: Kind) -> Value {
        let list = match kind {
            Kind::Float => &self.floats,
            Kind::Int => &self.ints,
            Kind::Bool | Kind::Bits => &self.bools,
        };
        let len = list.len();
        // The newest first: long chains find more than many short ones.
        let back = self.bytes.next().map_or(0, |&b| (b as usize % 16).min(b as usize / 16) % len);
        match kind {
            Kind::Float => self.floats[len - 1 - back],
            Kind::Int => self.ints[len - 1 - back],
            Kind::Bool | Kind::Bits => self.bools[len - 1 - back],
        }
    }

    fn keep(&mut self, value: Value) {
        match self.b.ty(value).kind {
            Kind::Float => self.floats.push(value),
            Kind::Int => self.ints.push(value),
            Kind::Bool => self.bools.push(value),
            Kind::Bits => {}
        }
    }

    fn float(&mut self) -> f32 {
        let small = self.byte() as i8 as f32 * 0.25;
        self.choose(&[small, small, 0.0, -0.0, 1.0, 0.5, f32::INFINITY, 1e-30, 1e30, f32::NAN])
    }

    fn swizzle(&mut self, lanes: u8) -> Swizzle {
        let count = 1 + self.below(4);
        let pick: [u8; 4] = std::array::from_fn(|_| self.byte() % lanes);
        Swizzle::new(&pick[..count])
    }

    /// One new value.
    fn value(&mut self) {
        let value = match self.below(20) {
            0 => {
                let value = [self.float(), self.float(), self.float(), self.float()];
                self.b.f32x4(value)
            }
            1 => {
                let value = self.byte() as i8 as i32;
                self.b.i32(value)
            }
            2 | 8 if self.compute.is_some() => self.memory_value(),
            2 => {
                let input = self.choose(&self.inputs.clone());
                self.load_input(input)
            }
            3 => {
                let (bank, index) = (self.below(2), self.byte() as u32 % 16);
                let loaded = if self.below(3) > 0 {
                    self.b.load_const(self.banks[bank], index)
                } else {
                    let by = self.pick(Kind::Int);
                    self.b.load_const_dyn(self.banks[bank], index as i32 - 4, by)
                };
                self.b.cast(loaded, if bank == 0 { Kind::Float } else { Kind::Int })
            }
            4 => {
                let kind = self.choose(&[Kind::Float, Kind::Float, Kind::Int, Kind::Bool]);
                let value = self.pick(kind);
                let swizzle = self.swizzle(self.b.ty(value).lanes);
                self.b.swizzle(value, swizzle)
            }
            5 => {
                let kind = self.choose(&[Kind::Float, Kind::Int, Kind::Bool]);
                let parts: Vec<Value> = (0..1 + self.below(4)).map(|_| self.pick(kind)).collect();
                self.b.construct(&parts)
            }
            6 => {
                let var = self.choose(&self.float_vars.clone());
                let value = self.b.load(var);
                self.b.cast(value, Kind::Float)
            }
            7 if self.below(2) == 0 => {
                let value = self.b.load(self.int_var);
                self.b.cast(value, Kind::Int)
            }
            7 => {
                let index = self.pick(Kind::Int);
                let value = self.b.load_elem(self.array, index);
                self.b.cast(value, Kind::Float)
            }
            8 => self.texture(),
            9 => self.crossing(),
            10 if self.below(4) == 0 => {
                let spec = self.choose(&self.specs.clone());
                self.b.load_spec(spec)
            }
            _ => self.scalar(),
        };
        self.keep(value);
    }

    fn scalar(&mut self) -> Value {
        loop {
            let row = &OPCODES[self.byte() as usize % OPCODES.len()];
            // A double's bits are those of its NaN too, which are open.
            let usable = !matches!(row.meaning, Meaning::Special) && row.result != Some(Pattern::D);
            let usable = usable && (self.allow)(row.op);
            let Some(patterns) = row.args.filter(|_| usable) else {
                // Past the end of the bytes every byte is 0, which is an opcode with a meaning.
                continue;
            };
            let other = self.choose(&[Kind::Float, Kind::Int, Kind::Bool]);
            let operand = |pattern: &Pattern| match pattern {
                Pattern::D => self.double(),
                _ => self.pick(pattern.kind().unwrap_or(other)),
            };
            let args: Vec<Value> = patterns.iter().map(operand).collect();
            if let Some(value) = self.b.op(row.op, &args) {
                return value;
            }
        }
    }

    /// Two integers that are a double between those that are denormal, which drivers may flush, even as floats, and 2.
    fn double(&mut self) -> Value {
        let pair = self.pick(Kind::Int);
        let pair = self.b.resize(pair, 2);
        let [mask, exponent] =
            [[!0, 0xbfff_ffff, 0, 0], [0, 0x3820_0000, 0, 0]].map(|bits| self.b.const_bits(Type::I32X2, bits));
        let pair = self.b.iand(pair, mask);
        self.b.ior(pair, exponent)
    }

    /// From float to integer or back, by bits, but not by the bits of a NaN.
    fn crossing(&mut self) -> Value {
        if self.below(2) == 0 {
            let float = self.pick(Kind::Float);
            let ordered = self.b.feq(float, float);
            let zero = self.b.f32(0.0);
            let float = self.b.select(ordered, float, zero);
            self.b.cast(float, Kind::Int)
        } else {
            let int = self.pick(Kind::Int);
            // An exponent between those of denormals, which drivers may flush, and infinity.
            let mask = self.b.i32(0xbf7f_ffff_u32 as i32);
            let int = self.b.iand(int, mask);
            let exponent = self.b.i32(0x0080_0000);
            let int = self.b.ior(int, exponent);
            self.b.cast(int, Kind::Float)
        }
    }

    fn texture(&mut self) -> Value {
        let texture = self.choose(&self.textures.clone());
        let coord = self.pick(Kind::Float);
        let reference = Some(self.pick(Kind::Float));
        let (x, y) = (self.pick(Kind::Float), self.pick(Kind::Float));
        match self.below(6) {
            0 if self.pixel && self.whole_quad => self.b.sample(texture, coord, reference),
            1 if self.pixel && self.whole_quad => self.b.sample_bias(texture, coord, x, reference),
            2 if self.pixel && self.whole_quad => {
                if self.below(2) == 0 {
                    self.b.ddx(coord)
                } else {
                    self.b.ddy(coord)
                }
            }
            3 => self.b.sample_grad(texture, coord, x, y, reference),
            // The plain 2D texture or the cube.
            4 => {
                let plain = [self.textures[0], self.textures[1]];
                let texture = self.choose(&plain);
                self.b.gather(texture, coord)
            }
            _ => self.b.sample_lod(texture, coord, x, reference),
        }
    }

    /// Some values, and something done with them.
    fn block(&mut self, depth: u32) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        for _ in 0..1 + self.below(6) {
            self.value();
        }
        match self.below(16) {
            0..=4 | 12 => {
                let (var, value) = (self.choose(&self.float_vars.clone()), self.pick(Kind::Float));
                let mask = Mask(self.byte() & 15);
                self.b.store_masked(var, mask, value);
            }
            5 | 13 => {
                let (value, mask) = (self.pick(Kind::Int), Mask(self.byte() & 15));
                self.b.store_masked(self.int_var, mask, value);
            }
            6 => {
                let (index, value) = (self.pick(Kind::Int), self.pick(Kind::Float));
                let mask = Mask(self.byte() & 15);
                self.b.store_elem(self.array, index, mask, value);
            }
            7 | 8 if depth < 4 => self.branch(depth),
            9 if depth < 3 => self.bounded_loop(depth),
            10 | 15 if self.compute.is_some() => self.memory_effect(),
            10 if self.geometry => {
                // What outputs hold is open behind a vertex, so all of them are stored for each.
                self.store_outputs();
                let stream = self.below(2) as u8;
                self.b.emit_vertex(stream);
                if self.below(4) == 0 {
                    self.b.end_primitive(stream);
                }
            }
            10 if self.pixel => {
                let cond = self.pick(Kind::Bool);
                self.b.demote(cond);
            }
            11 if depth > 0 && self.below(4) == 0 => {
                self.whole_quad = false;
                self.b.return_();
            }
            14 if self.loops > 0 => {
                let cond = self.pick(Kind::Bool);
                self.b.begin_if(cond);
                if self.below(2) == 0 {
                    self.b.break_();
                } else {
                    self.b.continue_();
                }
                self.b.end_if();
            }
            _ => {}
        }
    }

    /// Runs `inside` and forgets the values that it makes: they are out of scope behind it.
    fn scope(&mut self, inside: impl FnOnce(&mut Self)) {
        let (floats, ints, bools) = (self.floats.len(), self.ints.len(), self.bools.len());
        let whole_quad = std::mem::replace(&mut self.whole_quad, false);
        let returned = self.budget;
        inside(self);
        // A return inside leaves the quad incomplete for good; being careful about every block costs nothing.
        self.whole_quad = whole_quad && self.budget == returned;
        self.floats.truncate(floats);
        self.ints.truncate(ints);
        self.bools.truncate(bools);
    }

    fn blocks(&mut self, depth: u32) {
        for _ in 0..1 + self.below(3) {
            self.block(depth + 1);
        }
    }

    fn branch(&mut self, depth: u32) {
        let cond = self.pick(Kind::Bool);
        self.b.begin_if(cond);
        self.scope(|g| g.blocks(depth));
        if self.below(2) == 0 {
            self.b.begin_else();
            self.scope(|g| g.blocks(depth));
        }
        self.b.end_if();
    }

    fn bounded_loop(&mut self, depth: u32) {
        let counter = self.b.var("counter", Type::I32);
        let zero = self.b.i32(0);
        self.b.store(counter, zero);
        let rounds = 1 + self.below(3) as i32;
        let limit = self.b.i32(rounds);
        self.b.begin_loop();
        self.loops += 1;
        self.scope(|g| {
            let now = g.b.load(counter);
            let done = g.b.ile(limit, now);
            g.b.break_if(done);
            let one = g.b.i32(1);
            let next = g.b.iadd(now, one);
            g.b.store(counter, next);
            g.keep(now);
            g.blocks(depth);
        });
        self.loops -= 1;
        self.b.end_loop();
    }
}
