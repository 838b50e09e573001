//! The opcode table: the one place where an opcode is declared.
//!
//! A row is `Variant mnemonic (operands) -> result [FLAGS] = meaning;`. Operand and result letters are those of
//! [`Pattern`](crate::Pattern): `F` float, `I` integer, `P` truth value, `T` one kind for all, `W` any kind but truth
//! values. The meaning is a Rust expression over one component, with the operands as `f32`, `u32` and `bool`.
//!
//! * `lanes`: the operation works on each component alone; all operands and the result have as many lanes.
//! * `reduce`: the components are folded into one scalar; `= start, acc => step`.
//! * `pairs`: `D` is a double in two integer components, low half first; all other operands and results are scalars.
//! * `special`: everything else. The row names the immediate; the verifier and the interpreter have the rest.
//!
//! The bit pattern of a NaN result is open.
//!
//! The enum, the builder's methods, printer, parser, verifier, constant folder and interpreter all derive from here.
//! `docs/adding.md` shows how to add a row.

macro_rules! opcode_table {
    ($callback:ident) => {
        $callback! {
            lanes {
                // Floats, IEEE 754 rules.
                /// `a + b`.
                FAdd fadd (a: F, b: F) -> F [COMMUTATIVE] = a + b;
                /// `a - b`.
                FSub fsub (a: F, b: F) -> F [] = a - b;
                /// `a * b`.
                FMul fmul (a: F, b: F) -> F [COMMUTATIVE] = a * b;
                /// `a / b`.
                FDiv fdiv (a: F, b: F) -> F [] = a / b;
                /// `a * b + c`, rounded after the multiplication and after the addition.
                FMad fmad (a: F, b: F, c: F) -> F [] = a * b + c;
                /// `a * b + c`, rounded once.
                FFma ffma (a: F, b: F, c: F) -> F [] = a.mul_add(b, c);
                /// `-a`. NaN stays NaN.
                FNeg fneg (a: F) -> F [] = -a;
                /// `|a|`. NaN stays NaN.
                FAbs fabs (a: F) -> F [] = a.abs();
                /// `a` clamped to 0..1; NaN gives 0.
                FSat fsat (a: F) -> F [] = scalar::saturate(a);
                /// The lesser; if one operand is NaN, the other one.
                FMin fmin (a: F, b: F) -> F [COMMUTATIVE] = scalar::min(a, b);
                /// The greater; if one operand is NaN, the other one.
                FMax fmax (a: F, b: F) -> F [COMMUTATIVE] = scalar::max(a, b);
                /// Largest whole number not above `a`.
                FFloor ffloor (a: F) -> F [] = a.floor();
                /// Smallest whole number not below `a`.
                FCeil fceil (a: F) -> F [] = a.ceil();
                /// `a` without its fraction.
                FTrunc ftrunc (a: F) -> F [] = a.trunc();
                /// Nearest whole number, halves to even.
                FRound fround (a: F) -> F [] = a.round_ties_even();
                /// `a - floor(a)`.
                FFract ffract (a: F) -> F [] = a - a.floor();
                /// `1 / a`.
                FRcp frcp (a: F) -> F [] = 1.0 / a;
                /// `1 / sqrt(a)`.
                FRsq frsq (a: F) -> F [] = 1.0 / a.sqrt();
                /// Square root.
                FSqrt fsqrt (a: F) -> F [] = a.sqrt();
                /// `2` to the power of `a`.
                FExp2 fexp2 (a: F) -> F [] = a.exp2();
                /// Logarithm to base 2.
                FLog2 flog2 (a: F) -> F [] = a.log2();
                /// Sine of radians.
                FSin fsin (a: F) -> F [] = a.sin();
                /// Cosine of radians.
                FCos fcos (a: F) -> F [] = a.cos();

                // Floats, rules of the guests. Lowered by the `float_rules` pass; no back end sees them.
                /// `a * b`, in which a factor becomes +0 where the other one is zero: zero times anything is zero. That zero is -0 only
                /// if one factor is -0 and the other is not zero.
                FMulZ fmulz (a: F, b: F) -> F [COMMUTATIVE GUEST_FLOAT] = scalar::mul_zero(a, b);
                /// `fmulz(a, b) + c`.
                FMadZ fmadz (a: F, b: F, c: F) -> F [GUEST_FLOAT] = scalar::mul_zero(a, b) + c;
                /// `a < b ? a : b`: with NaN, or zeros of both signs, `b`.
                FMinC fminc (a: F, b: F) -> F [GUEST_FLOAT] = if a < b { a } else { b };
                /// `a >= b ? a : b`: with NaN `b`, with zeros of both signs `a`.
                FMaxC fmaxc (a: F, b: F) -> F [GUEST_FLOAT] = if a >= b { a } else { b };
                /// `1 / a`, clamped to finite numbers; NaN gives the largest.
                FRcpC frcpc (a: F) -> F [GUEST_FLOAT] = scalar::clamp_finite(1.0 / a);
                /// `1 / sqrt(a)`, clamped to finite numbers; NaN gives the largest.
                FRsqC frsqc (a: F) -> F [GUEST_FLOAT] = scalar::clamp_finite(1.0 / a.sqrt());
                /// Logarithm to base 2, clamped to finite numbers; NaN gives the largest.
                FLog2C flog2c (a: F) -> F [GUEST_FLOAT] = scalar::clamp_finite(a.log2());

                // Comparisons. All but `fne` are false with NaN.
                /// `a == b`.
                FEq feq (a: F, b: F) -> P [COMMUTATIVE] = a == b;
                /// `a != b`; true with NaN.
                FNe fne (a: F, b: F) -> P [COMMUTATIVE] = a != b;
                /// `a < b`. For `a > b` swap the operands.
                FLt flt (a: F, b: F) -> P [] = a < b;
                /// `a <= b`. For `a >= b` swap the operands.
                FLe fle (a: F, b: F) -> P [] = a <= b;

                // Integers, wrapping.
                /// `a + b`.
                IAdd iadd (a: I, b: I) -> I [COMMUTATIVE] = a.wrapping_add(b);
                /// `a - b`.
                ISub isub (a: I, b: I) -> I [] = a.wrapping_sub(b);
                /// Low half of `a * b`.
                IMul imul (a: I, b: I) -> I [COMMUTATIVE] = a.wrapping_mul(b);
                /// High half of the signed product.
                IMulHi imulhi (a: I, b: I) -> I [COMMUTATIVE] = ((a as i32 as i64 * b as i32 as i64) >> 32) as u32;
                /// High half of the unsigned product.
                UMulHi umulhi (a: I, b: I) -> I [COMMUTATIVE] = ((a as u64 * b as u64) >> 32) as u32;
                /// `-a`.
                INeg ineg (a: I) -> I [] = a.wrapping_neg();
                /// Absolute value of signed `a`; the most negative number stays.
                IAbs iabs (a: I) -> I [] = (a as i32).wrapping_abs() as u32;
                /// Lesser of signed numbers.
                IMin imin (a: I, b: I) -> I [COMMUTATIVE] = (a as i32).min(b as i32) as u32;
                /// Greater of signed numbers.
                IMax imax (a: I, b: I) -> I [COMMUTATIVE] = (a as i32).max(b as i32) as u32;
                /// Lesser of unsigned numbers.
                UMin umin (a: I, b: I) -> I [COMMUTATIVE] = a.min(b);
                /// Greater of unsigned numbers.
                UMax umax (a: I, b: I) -> I [COMMUTATIVE] = a.max(b);
                /// Unsigned quotient. Division by zero sets all bits.
                UDiv udiv (a: I, b: I) -> I [] = a.checked_div(b).unwrap_or(!0);
                /// Unsigned remainder. Division by zero sets all bits.
                UMod umod (a: I, b: I) -> I [] = a.checked_rem(b).unwrap_or(!0);
                /// Signed quotient, toward zero, wrapping. Division by zero sets all bits.
                IDiv idiv (a: I, b: I) -> I [] = if b == 0 { !0 } else { (a as i32).wrapping_div(b as i32) as u32 };
                /// Signed remainder with the sign of `a`. Division by zero sets all bits.
                IRem irem (a: I, b: I) -> I [] = if b == 0 { !0 } else { (a as i32).wrapping_rem(b as i32) as u32 };
                /// Bits set in both.
                IAnd iand (a: I, b: I) -> I [COMMUTATIVE] = a & b;
                /// Bits set in either.
                IOr ior (a: I, b: I) -> I [COMMUTATIVE] = a | b;
                /// Bits set in one of them.
                IXor ixor (a: I, b: I) -> I [COMMUTATIVE] = a ^ b;
                /// Every bit turned over.
                INot inot (a: I) -> I [] = !a;
                /// `a << (b & 31)`.
                IShl ishl (a: I, b: I) -> I [] = a << (b & 31);
                /// Signed `a >> (b & 31)`.
                IShr ishr (a: I, b: I) -> I [] = ((a as i32) >> (b & 31)) as u32;
                /// Unsigned `a >> (b & 31)`.
                UShr ushr (a: I, b: I) -> I [] = a >> (b & 31);
                /// Number of bits set.
                BitCount bitcount (a: I) -> I [] = a.count_ones();
                /// Bits in the opposite order.
                BitReverse bitreverse (a: I) -> I [] = a.reverse_bits();
                /// Number of the lowest bit that is set; without any, all bits.
                FindLsb find_lsb (a: I) -> I [] = if a == 0 { !0 } else { a.trailing_zeros() };
                /// Number of the highest bit that is set; without any, all bits.
                FindMsb find_msb (a: I) -> I [] = 31u32.wrapping_sub(a.leading_zeros());
                /// Number of the highest bit that differs from the sign; without any, all bits.
                FindMsbSigned find_msb_signed (a: I) -> I [] = 31u32.wrapping_sub((a ^ (a as i32 >> 31) as u32).leading_zeros());
                /// `c & 31` bits of `a` from bit `b & 31` on.
                UBfe ubfe (a: I, b: I, c: I) -> I [] = a >> (b & 31) & !(!0 << (c & 31));
                /// The same, continued with the sign of the field, which ends with `a`.
                IBfe ibfe (a: I, b: I, c: I) -> I [] = scalar::signed_field(a, b & 31, c & 31);
                /// Whether `a + b` does not fit.
                UAddCarry uadd_carry (a: I, b: I) -> P [COMMUTATIVE] = a.overflowing_add(b).1;
                /// Whether `a - b` does not fit.
                USubBorrow usub_borrow (a: I, b: I) -> P [] = a < b;
                /// `a == b`.
                IEq ieq (a: I, b: I) -> P [COMMUTATIVE] = a == b;
                /// `a != b`.
                INe ine (a: I, b: I) -> P [COMMUTATIVE] = a != b;
                /// Signed `a < b`.
                ILt ilt (a: I, b: I) -> P [] = (a as i32) < b as i32;
                /// Signed `a <= b`.
                ILe ile (a: I, b: I) -> P [] = a as i32 <= b as i32;
                /// Unsigned `a < b`.
                ULt ult (a: I, b: I) -> P [] = a < b;
                /// Unsigned `a <= b`.
                ULe ule (a: I, b: I) -> P [] = a <= b;

                // Conversions.
                /// Toward zero, clamped to the signed range; NaN gives 0.
                FToI f2i (a: F) -> I [] = a as i32 as u32;
                /// Toward zero, clamped to the unsigned range; NaN gives 0.
                FToU f2u (a: F) -> I [] = a as u32;
                /// Nearest float of a signed number.
                IToF i2f (a: I) -> F [] = a as i32 as f32;
                /// Nearest float of an unsigned number.
                UToF u2f (a: I) -> F [] = a as f32;
                /// Nearest half (halves to even) in the low 16 bits, the others being 0; NaN gives 0x7e00.
                FToH f2h (a: F) -> I [] = scalar::half(a);
                /// Half toward zero in the low 16 bits, the others being 0; finite numbers stay finite, NaN gives 0x7e00.
                FToHZ f2h_rtz (a: F) -> I [] = scalar::half_toward_zero(a);
                /// Float of the half in the low 16 bits.
                HToF h2f (a: I) -> F [] = scalar::from_half(a);
                /// `a * 2^b` for signed `b`.
                FLdexp fldexp (a: F, b: I) -> F [] = scalar::ldexp(a, b as i32);
                /// The `m` of `a = m * 2^e` whose size is from 0.5 to below 1; what is zero or not finite stays.
                FFrexpMant ffrexp_mant (a: F) -> F [] = scalar::frexp(a).0;
                /// The `e` of `a = m * 2^e` with `m` from 0.5 to below 1; 0 for what is zero or not finite.
                FFrexpExp ffrexp_exp (a: F) -> I [] = scalar::frexp(a).1 as u32;

                // Truth values.
                /// Both.
                BAnd band (a: P, b: P) -> P [COMMUTATIVE] = a & b;
                /// Either.
                BOr bor (a: P, b: P) -> P [COMMUTATIVE] = a | b;
                /// One of them.
                BXor bxor (a: P, b: P) -> P [COMMUTATIVE] = a ^ b;
                /// Not.
                BNot bnot (a: P) -> P [] = !a;
                /// `c ? a : b`, per component.
                Select select (c: P, a: T, b: T) -> T [] = if c { a } else { b };
            }
            reduce {
                /// Sum of products.
                FDot fdot (a: F, b: F) -> F [COMMUTATIVE] = 0.0, acc => acc + a * b;
                /// Sum of products in which zero times anything is zero. Lowered by the `float_rules` pass.
                FDotZ fdotz (a: F, b: F) -> F [COMMUTATIVE GUEST_FLOAT] = 0.0, acc => acc + scalar::mul_zero(a, b);
                /// Whether a component is true.
                Any any (a: P) -> P [] = false, acc => acc | a;
                /// Whether all components are true.
                All all (a: P) -> P [] = true, acc => acc & a;
            }
            pairs {
                // Doubles, IEEE 754 rules.
                /// `a + b`.
                DAdd dadd (a: D, b: D) -> D [COMMUTATIVE] = a + b;
                /// `a - b`.
                DSub dsub (a: D, b: D) -> D [] = a - b;
                /// `a * b`.
                DMul dmul (a: D, b: D) -> D [COMMUTATIVE] = a * b;
                /// `a * b + c`, rounded once.
                DFma dfma (a: D, b: D, c: D) -> D [] = a.mul_add(b, c);
                /// `a / b`.
                DDiv ddiv (a: D, b: D) -> D [] = a / b;
                /// Square root.
                DSqrt dsqrt (a: D) -> D [] = a.sqrt();
                /// `1 / a`.
                DRcp drcp (a: D) -> D [] = 1.0 / a;
                /// `1 / sqrt(a)`.
                DRsq drsq (a: D) -> D [] = 1.0 / a.sqrt();
                /// The lesser; if one operand is NaN, the other one.
                DMin dmin (a: D, b: D) -> D [COMMUTATIVE] = wide::min(a, b);
                /// The greater; if one operand is NaN, the other one.
                DMax dmax (a: D, b: D) -> D [COMMUTATIVE] = -wide::min(-a, -b);
                /// `-a`. NaN stays NaN.
                DNeg dneg (a: D) -> D [] = -a;
                /// `|a|`. NaN stays NaN.
                DAbs dabs (a: D) -> D [] = a.abs();
                /// Largest whole number not above `a`.
                DFloor dfloor (a: D) -> D [] = a.floor();
                /// Smallest whole number not below `a`.
                DCeil dceil (a: D) -> D [] = a.ceil();
                /// `a` without its fraction.
                DTrunc dtrunc (a: D) -> D [] = a.trunc();
                /// Nearest whole number, halves to even.
                DRound dround (a: D) -> D [] = a.round_ties_even();
                /// `a - floor(a)`.
                DFract dfract (a: D) -> D [] = a - a.floor();
                /// `a * 2^b` for signed `b`.
                DLdexp dldexp (a: D, b: I) -> D [] = wide::ldexp(a, b as i32);
                /// The `m` of `a = m * 2^e` whose size is from 0.5 to below 1; what is zero or not finite stays.
                DFrexpMant dfrexp_mant (a: D) -> D [] = wide::frexp(a).0;
                /// The `e` of `a = m * 2^e` with `m` from 0.5 to below 1; 0 for what is zero or not finite.
                DFrexpExp dfrexp_exp (a: D) -> I [] = wide::frexp(a).1 as u32;
                /// `a == b`.
                DEq deq (a: D, b: D) -> P [COMMUTATIVE] = a == b;
                /// `a != b`; true with NaN.
                DNe dne (a: D, b: D) -> P [COMMUTATIVE] = a != b;
                /// `a < b`.
                DLt dlt (a: D, b: D) -> P [] = a < b;
                /// `a <= b`.
                DLe dle (a: D, b: D) -> P [] = a <= b;
                /// Nearest float.
                DToF d2f (a: D) -> F [] = a as f32;
                /// The same number.
                FToD f2d (a: F) -> D [] = a.into();
                /// Toward zero, clamped to the signed range; NaN gives 0.
                DToI d2i (a: D) -> I [] = a as i32 as u32;
                /// Toward zero, clamped to the unsigned range; NaN gives 0.
                DToU d2u (a: D) -> I [] = a as u32;
                /// The same signed number.
                IToD i2d (a: I) -> D [] = f64::from(a as i32);
                /// The same unsigned number.
                UToD u2d (a: I) -> D [] = a.into();
            }
            special {
                // Values.
                /// A constant; the immediate has the bits of each component.
                Const "const" () -> T Const [];
                /// The same bits as another kind.
                Bitcast "bitcast" (W) -> W None [];
                /// Components of the operand in the order of the immediate.
                Swizzle "swizzle" (T) -> T Swizzle [];
                /// Components picked out of two operands, numbered through both.
                Shuffle "shuffle" (T, T) -> T Shuffle [];
                /// The components of all operands (one to four) one after the other.
                Construct "construct" (..) -> T None [];

                // Variables, interface, memory.
                /// The value of a variable. Variables start as zero.
                Load "load" () -> T Var [];
                /// Writes the masked components of a variable. The operand has as many lanes as the variable.
                Store "store" (T) -> _ VarMask [SIDE_EFFECT];
                /// An element of an array variable. The index is clamped to the array as an unsigned number.
                LoadElem "load_elem" (I) -> T Var [];
                /// Writes the masked components of an element: index, value. The index is clamped as in `load_elem`.
                StoreElem "store_elem" (I, T) -> _ VarMask [SIDE_EFFECT];
                /// An input, in its declared type.
                LoadInput "load_input" () -> T Input [];
                /// An input of one of the primitive's vertices, by its number, which is clamped to those there are as an unsigned
                /// number. Geometry stage only, where nothing else reads inputs that vertices have.
                LoadVertexInput "load_vertex_input" (I) -> T Input [];
                /// Sets an output. The last one executed counts, in the geometry stage in front of each `emit_vertex`.
                StoreOutput "store_output" (T) -> _ Output [SIDE_EFFECT];
                /// What the outputs hold is the next vertex of the stream; behind it, what they hold is open. Geometry stage only.
                EmitVertex "emit_vertex" () -> _ Stream [SIDE_EFFECT];
                /// Ends the strip of the stream. Geometry stage only.
                EndPrimitive "end_primitive" () -> _ Stream [SIDE_EFFECT];
                /// A register of a constant bank, of any kind with four lanes.
                LoadConst "load_const" () -> W Bank [];
                /// The same at immediate + operand (signed), clamped to the bank.
                LoadConstDyn "load_const_dyn" (I) -> W Bank [];

                /// A specialisation constant: the value that it was set to, or else its default.
                LoadSpec "load_spec" () -> T Spec [];

                // Textures: coordinates, then what the name says, then the reference value if the texture is a shadow texture. The last
                // coordinate of an array is the layer, rounded. Results are floats or integers, as the texture's declaration says. Of
                // textures in tables the word of one comes last.
                /// Samples with the derivatives of the quad. Pixel stage only.
                Sample "sample" (..) -> W Texture [QUAD];
                /// Samples with the derivatives of the quad and a level of detail bias. Pixel stage only.
                SampleBias "sample_bias" (..) -> W Texture [QUAD];
                /// Samples at a level of detail.
                SampleLod "sample_lod" (..) -> W Texture [];
                /// Samples with derivatives: d/dx, d/dy (without the layer).
                SampleGrad "sample_grad" (..) -> W Texture [];
                /// One component of the four texels that a linear lookup at level 0 mixes, in Vulkan's order: lower left, lower
                /// right, upper right, upper left, where v points down. Shadow textures give the results of the comparisons. Not for
                /// 3D textures.
                Gather "gather" (..) -> W Gather [];
                /// A texel by its whole-numbered coordinates, then the level, or the sample of a multisampled texture. Not for cubes
                /// and shadow textures. Beyond the texture it is zero.
                Fetch "fetch" (..) -> W Texture [];
                /// Size of a level in texels: width, height, and depth or layers (cubes, not faces).
                TextureSize "texture_size" (..) -> I Texture [];
                /// Number of levels; of a multisampled texture, of samples.
                TextureLevels "texture_levels" (..) -> I Texture [];
                /// The level that `sample` would take at these coordinates (without the layer): clamped to the levels there are, and
                /// unclamped. Pixel stage only.
                QueryLod "query_lod" (..) -> F Texture [QUAD];

                // Storage images: whole-numbered coordinates, then the sample if the image is multisampled.
                /// A texel.
                ImageLoad "image_load" (..) -> W Image [MEMORY];
                /// Sets a texel to the last operand, four components.
                ImageStore "image_store" (..) -> _ Image [SIDE_EFFECT];
                /// Changes a texel of an image of `uint r32` or `sint r32`, or of `uint r64` as a 64-bit number of two components: behind the
                /// coordinates the operands of the atomic operation. The result is what was there before.
                ImageAtomic "image_atomic" (..) -> I ImageAtomic [SIDE_EFFECT];
                /// Size in texels: width, height, and depth or layers (cubes, not faces).
                ImageSize "image_size" () -> I Image [];

                // Memory. Addresses have two components, low half first, and are multiples of four, as are offsets into the group's
                // memory; the lowest two bits do not count. Beyond the group's memory nothing is changed, and what is read is open.
                /// One to four components at a device address.
                LoadGlobal "load_global" (I) -> W None [MEMORY];
                /// Writes one to four components at a device address.
                StoreGlobal "store_global" (I, W) -> _ None [SIDE_EFFECT];
                /// Changes one component at a device address, or two as a 64-bit number: address, value, and what the operation
                /// takes besides. The result is what was there before.
                AtomicGlobal "atomic_global" (..) -> I Atomic [SIDE_EFFECT];
                /// One to four components at a byte offset into the memory of the work group. Compute stage only, as all of these.
                LoadShared "load_shared" (I) -> W None [MEMORY];
                /// Writes one to four components into the memory of the work group: byte offset, value.
                StoreShared "store_shared" (I, W) -> _ None [SIDE_EFFECT];
                /// As `atomic_global`, in the memory of the work group: byte offset, value, and what the operation takes besides.
                AtomicShared "atomic_shared" (..) -> I Atomic [SIDE_EFFECT];
                /// Waits for the whole work group; what was stored before is seen by all of it afterwards.
                Barrier "barrier" () -> _ None [SIDE_EFFECT];
                /// What was stored before is seen by everybody who sees what is stored afterwards.
                MemoryBarrier "memory_barrier" () -> _ None [SIDE_EFFECT];

                // The wave: the lanes that run in step, at most 64. Lanes that do not run the instruction count as false, and what
                // is read of them is open; numbers of lanes wrap at the size of the wave.
                /// Waits for the whole wave; what was stored before is seen by all of it afterwards. Compute stage only.
                WaveBarrier "wave_barrier" () -> _ None [SIDE_EFFECT WAVE];
                /// Bit per lane in which the operand is true: two components.
                Ballot "ballot" (P) -> I None [WAVE];
                /// Whether it is true in any lane.
                WaveAny "wave_any" (P) -> P None [WAVE];
                /// The value of the first lane that runs this.
                ReadFirst "read_first" (T) -> T None [WAVE];
                /// The value of the lane with this number, which is the same in all lanes.
                ReadLane "read_lane" (T, I) -> T None [WAVE];
                /// The value of the lane with this number.
                WaveShuffle "wave_shuffle" (T, I) -> T None [WAVE];
                /// In lane `n` of each four lanes in succession (of a quad, in the pixel stage) the value of the lane at place `n` of the
                /// immediate, which has four.
                QuadSwizzle "quad_swizzle" (T) -> T Swizzle [WAVE];
                /// Number of this lane in its wave.
                LaneIndex "lane_index" () -> I None [];
                /// Number of lanes of a wave.
                WaveSize "wave_size" () -> I None [];

                /// Difference to the horizontal neighbour of the quad, which may have been thrown away. Open where the neighbour does not
                /// run this instruction too, but never a fault. Pixel stage only.
                Ddx "ddx" (F) -> F None [QUAD];
                /// Difference to the vertical neighbour of the quad; else as `ddx`. Pixel stage only.
                Ddy "ddy" (F) -> F None [QUAD];
                /// Where true, the pixel is thrown away; it goes on as a helper for the derivatives of its quad. Pixel stage only.
                Demote "demote" (P) -> _ None [SIDE_EFFECT];
                /// Waits until pixels of earlier primitives at the same place are past their `end_interlock`, and sees what they stored.
                /// Pixel stage only; each pixel comes by once at most.
                BeginInterlock "begin_interlock" () -> _ None [SIDE_EFFECT];
                /// Lets pixels of later primitives at the same place pass `begin_interlock`. Pixel stage only, once behind that.
                EndInterlock "end_interlock" () -> _ None [SIDE_EFFECT];

                // Control flow.
                /// Runs the first region if true, else the second. The results are the operands of their `yield`.
                If "if" (P) -> _ If [SIDE_EFFECT];
                /// Runs its region until `break`. The operands are the first values of the region's parameters, `continue` brings
                /// the next ones, and the results are the operands of `break`.
                Loop "loop" (..) -> _ Loop [SIDE_EFFECT];
                /// Ends a region of `if` with its results.
                Yield "yield" (..) -> _ None [SIDE_EFFECT TERMINATOR];
                /// Leaves the innermost loop with its results.
                Break "break" (..) -> _ None [SIDE_EFFECT TERMINATOR];
                /// Starts the next round of the innermost loop.
                Continue "continue" (..) -> _ None [SIDE_EFFECT TERMINATOR];
                /// Ends the shader.
                Return "return" () -> _ None [SIDE_EFFECT TERMINATOR];
                /// Ends a region whose end cannot be reached.
                Unreachable "unreachable" () -> _ None [SIDE_EFFECT TERMINATOR];
            }
        }
    };
}
pub(crate) use opcode_table;
