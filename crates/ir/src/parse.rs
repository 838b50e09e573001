//! Reads the text form.
//!
//! The parser checks syntax, that names exist, and limits; whether the module makes sense is the verifier's business. It may be
//! given any text: it neither panics nor recurses deeper than [`MAX_DEPTH`] regions.

use smallvec::SmallVec;

use crate::entity::{Bank, Image, Input, Inst, Output, Region, Spec, Texture, Value, Var};
use crate::feedback::FeedbackDecl;
use crate::geometry::{GeometryDecl, InputPrimitive, OutputPrimitive};
use crate::lex::{Lexer, Token};
use crate::module::*;
use crate::opcode::{ImmKind, Op};
use crate::types::{Kind, Mask, Swizzle, Type};

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl ParseError {
    pub(crate) fn new(line: u32, column: u32, message: &str) -> ParseError {
        ParseError { line, column, message: message.to_owned() }
    }
}

/// Reads one module.
///
/// # Errors
/// The first mistake, with its line and column.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let mut lexer = Lexer::new(text);
    let position = lexer.position();
    let token = lexer.next()?;
    let mut parser = Parser { lexer, token, position, module: Module::new(Stage::Vertex) };
    parser.module()?;
    Ok(parser.module)
}

type Result<T, E = ParseError> = std::result::Result<T, E>;

/// A value's name and type where it is defined.
struct Typed {
    number: u32,
    ty: Type,
    position: (u32, u32),
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    position: (u32, u32),
    module: Module,
}

impl<'a> Parser<'a> {
    fn error<T>(&self, message: &str) -> Result<T> {
        Err(ParseError::new(self.position.0, self.position.1, message))
    }

    fn expected<T>(&self, what: &str) -> Result<T> {
        let found = match &self.token {
            Token::Word(word) => format!("`{word}`"),
            Token::Text(text) => format!("{text:?}"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the text".to_owned(),
        };
        self.error(&format!("expected {what}, found {found}"))
    }

    fn advance(&mut self) -> Result<Token<'a>> {
        self.position = self.lexer.position();
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn at(&self, sign: char) -> bool {
        self.token == Token::Sign(sign)
    }

    fn eat(&mut self, sign: char) -> Result<bool> {
        let found = self.at(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn sign(&mut self, sign: char) -> Result<()> {
        if self.eat(sign)? { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    fn eat_word(&mut self, word: &str) -> Result<bool> {
        let found = self.token == Token::Word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn keyword(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word)? { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// The next word through `read`; `what` is for the error.
    fn word<T>(&mut self, what: &str, read: impl FnOnce(&'a str) -> Option<T>) -> Result<T> {
        let Token::Word(word) = self.token else { return self.expected(what) };
        match read(word) {
            Some(value) => {
                self.advance()?;
                Ok(value)
            }
            None => self.expected(what),
        }
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        self.word(what, |w| w.parse().ok())
    }

    fn name(&mut self) -> Result<String> {
        if let Token::Text(text) = &mut self.token {
            let text = std::mem::take(text);
            self.advance()?;
            return Ok(text);
        }
        Ok(String::new())
    }

    fn ty(&mut self) -> Result<Type> {
        self.word("a type", Type::from_text)
    }

    /// The number in an entity's name, below `limit`.
    fn entity(&mut self, prefix: &str, limit: usize, what: &str) -> Result<u32> {
        self.word(what, |w| w.strip_prefix(prefix)?.parse().ok().filter(|&n: &u32| (n as usize) < limit))
    }

    fn module(&mut self) -> Result<()> {
        self.module.stage = self.word("a stage (vertex, pixel, compute, geometry)", Stage::from_name)?;
        self.module.name = self.name()?;
        self.sign('{')?;
        if self.eat_word("group")? {
            self.module.group[0] = self.number("lanes of a work group")?;
            for lanes in 1..3 {
                self.sign(',')?;
                self.module.group[lanes] = self.number("lanes of a work group")?;
            }
        }
        if self.eat_word("shared")? {
            self.module.shared = self.number("bytes of a work group's memory")?;
        }
        self.module.guest_waves = self.eat_word("guest_waves")?;
        if self.eat_word("signed_outputs")? {
            self.module.signed_outputs = self.number("locations, one bit each")?;
        }
        if self.eat_word("geometry")? {
            let input = self.word("what is taken (points, lines, ...)", InputPrimitive::from_name)?;
            let output = self.word("what is given (points, line_strip, ...)", OutputPrimitive::from_name)?;
            self.keyword("vertices")?;
            let vertices = self.number("a number of vertices")?;
            self.keyword("invocations")?;
            let invocations = self.number("a number of invocations")?;
            self.module.geometry = Some(GeometryDecl { input, output, vertices, invocations });
        }
        self.declarations()?;
        self.region(Region(0), 1)?;
        self.sign('}')?;
        if self.token == Token::End { Ok(()) } else { self.expected("the end of the text") }
    }

    /// The name of a declaration, which must carry the next number.
    fn next_entity(&mut self, prefix: &str, next: usize) -> Result<String> {
        let wanted = format!("{prefix}{next}");
        if !self.eat_word(&wanted)? {
            return self.expected(&format!("`{wanted}`"));
        }
        self.name()
    }

    fn declarations(&mut self) -> Result<()> {
        loop {
            if self.eat_word("input")? {
                let name = self.next_entity(Input::PREFIX, self.module.inputs.len())?;
                self.sign(':')?;
                let ty = self.ty()?;
                let at = self.input_at()?;
                let interp = self.word("an interpolation", Interp::from_name)?;
                let semantic = self.semantic()?;
                self.module.inputs.push(InputDecl { name, ty, at, interp, semantic });
            } else if self.eat_word("output")? {
                let name = self.next_entity(Output::PREFIX, self.module.outputs.len())?;
                self.sign(':')?;
                let ty = self.ty()?;
                let at = self.output_at()?;
                let semantic = self.semantic()?;
                self.module.outputs.push(OutputDecl { name, ty, at, semantic });
            } else if self.eat_word("feedback")? {
                let decl = self.feedback()?;
                self.module.feedback.push(decl);
            } else if self.eat_word("bank")? {
                let name = self.next_entity(Bank::PREFIX, self.module.banks.len())?;
                let source = self.word("a bank's source (stage, system, feedback)", BankSource::from_name)?;
                let id = self.number("a bank number")?;
                self.sign('[')?;
                let size = self.number("a number of registers")?;
                self.sign(']')?;
                self.module.banks.push(BankDecl { name, source, id, size, defs: Vec::new() });
            } else if self.eat_word("def")? {
                let bank = self.entity(Bank::PREFIX, self.module.banks.len(), "a declared bank")?;
                self.sign('[')?;
                let index = self.number("a register number")?;
                self.sign(']')?;
                self.sign('=')?;
                let bits = self.components(Type::B32X4)?;
                self.module.banks[bank as usize].defs.push((index, bits));
            } else if self.eat_word("texture")? {
                self.next_entity(Texture::PREFIX, self.module.textures.len())?;
                let slot = if self.eat_word("tables")? {
                    TextureDecl::IN_TABLES
                } else {
                    self.keyword("slot")?;
                    self.number("a slot number")?
                };
                let dim = self.word("a texture shape (2d, cube, 3d, ...)", Dim::from_name)?;
                let component = match self.token {
                    Token::Word(word) => Component::from_name(word),
                    _ => None,
                };
                if component.is_some() {
                    self.advance()?;
                }
                let shadow = self.eat_word("shadow")?;
                let component = component.unwrap_or(Component::Float);
                self.module.textures.push(TextureDecl { slot, dim, shadow, component });
            } else if self.eat_word("image")? {
                self.next_entity(Image::PREFIX, self.module.images.len())?;
                self.keyword("slot")?;
                let slot = self.number("a slot number")?;
                let dim = self.word("an image shape (2d, cube, 3d, ...)", Dim::from_name)?;
                let component = self.word("a component kind (float, uint, sint)", Component::from_name)?;
                let format = self.word("a format (any, r32, r64)", ImageFormat::from_name)?;
                self.module.images.push(ImageDecl { slot, dim, component, format });
            } else if self.eat_word("name")? {
                let of = self.named()?;
                let (name, ty) = (self.name()?, self.name()?);
                self.module.names.push(NameDecl { of, name, ty });
            } else if self.eat_word("spec")? {
                let name = self.next_entity(Spec::PREFIX, self.module.specs.len())?;
                self.sign(':')?;
                let Type { kind, .. } = self.word("a scalar type", |w| Type::from_text(w).filter(|t| t.lanes == 1))?;
                self.keyword("id")?;
                let id = self.number("the constant's number")?;
                self.keyword("default")?;
                let default = self.word("the default value", |w| component(kind, w))?;
                self.module.specs.push(SpecDecl { name, id, kind, default });
            } else if self.eat_word("var")? {
                let name = self.next_entity(Var::PREFIX, self.module.vars.len())?;
                self.sign(':')?;
                let ty = self.ty()?;
                let mut array = None;
                if self.eat('[')? {
                    array = Some(self.number("a number of elements")?);
                    self.sign(']')?;
                }
                self.module.vars.push(VarDecl { name, ty, array });
            } else {
                return Ok(());
            }
        }
    }

    fn feedback(&mut self) -> Result<FeedbackDecl> {
        let output = self.entity(Output::PREFIX, self.module.outputs.len(), "a declared output")?;
        self.sign('.')?;
        let (component, lanes) = self.word("components in succession", |w| {
            let lanes = Swizzle::from_text(w)?;
            let lanes = lanes.lanes();
            lanes.windows(2).all(|two| two[1] == two[0] + 1).then_some((lanes[0], lanes.len() as u8))
        })?;
        self.keyword("buffer")?;
        let buffer = self.number("a buffer")?;
        self.keyword("stream")?;
        let stream = self.number("a stream")?;
        self.keyword("stride")?;
        let stride = self.number("bytes of a vertex")?;
        self.keyword("offset")?;
        let offset = self.number("a byte of the vertex")?;
        Ok(FeedbackDecl { output: Output(output), component, lanes, buffer, stream, stride, offset })
    }

    fn named(&mut self) -> Result<Named> {
        let Token::Word(word) = self.token else { return self.expected("a declared bank or texture") };
        if word.starts_with(Texture::PREFIX) {
            let texture = self.entity(Texture::PREFIX, self.module.textures.len(), "a declared texture")?;
            return Ok(Named::Texture(Texture(texture)));
        }
        let bank = Bank(self.entity(Bank::PREFIX, self.module.banks.len(), "a declared bank or texture")?);
        self.sign('[')?;
        let first = self.number("a register number")?;
        self.sign(',')?;
        let count = self.number("a number of registers")?;
        self.sign(']')?;
        Ok(Named::Registers { bank, first, count })
    }

    fn input_at(&mut self) -> Result<InputAt> {
        if self.eat_word("location")? {
            return Ok(InputAt::Location(self.number("a location")?));
        }
        if self.eat_word("clip_distance")? {
            return Ok(InputAt::ClipDistance(self.number("a clip plane")?));
        }
        if self.eat_word("cull_distance")? {
            return Ok(InputAt::CullDistance(self.number("a cull plane")?));
        }
        self.word("where the input comes from", |w| InputAt::BUILTINS.iter().find(|row| row.1 == w).map(|row| row.0))
    }

    fn output_at(&mut self) -> Result<OutputAt> {
        if self.eat_word("location")? {
            return Ok(OutputAt::Location(self.number("a location")?));
        }
        if self.eat_word("clip_distance")? {
            return Ok(OutputAt::ClipDistance(self.number("a clip plane")?));
        }
        if self.eat_word("cull_distance")? {
            return Ok(OutputAt::CullDistance(self.number("a cull plane")?));
        }
        self.word("where the output goes", |w| OutputAt::BUILTINS.iter().find(|row| row.1 == w).map(|row| row.0))
    }

    fn semantic(&mut self) -> Result<Option<Semantic>> {
        if !self.eat_word("semantic")? {
            return Ok(None);
        }
        Ok(Some(Semantic { usage: self.number("a usage")?, index: self.number("a usage index")? }))
    }

    /// As many components as the type has.
    fn components(&mut self, ty: Type) -> Result<[u32; 4]> {
        let mut bits = [0; 4];
        for (i, word) in bits.iter_mut().take(ty.lanes as usize).enumerate() {
            if i > 0 {
                self.sign(',')?;
            }
            *word = self.word(&format!("a component of {ty}"), |w| component(ty.kind, w))?;
        }
        Ok(bits)
    }

    /// A value that has been defined further up.
    fn value(&mut self) -> Result<Value> {
        let number = self.entity(Value::PREFIX, self.module.values.len(), "a value defined before")?;
        match self.module.values[number as usize].def {
            Def::None => self.error(&format!("v{number} is not defined before")),
            _ => Ok(Value(number)),
        }
    }

    fn values(&mut self, args: &mut Args) -> Result<()> {
        if matches!(self.token, Token::Word(w) if w.starts_with(Value::PREFIX) && w.as_bytes().get(1).is_some_and(u8::is_ascii_digit))
        {
            // After an operand list without operands comes the next instruction, which may begin with the results it defines.
            args.push(self.value()?);
            while self.eat(',')? {
                args.push(self.value()?);
            }
        }
        Ok(())
    }

    /// `v1: f32x4`.
    fn typed(&mut self) -> Result<Typed> {
        let position = self.position;
        let number = self.entity(Value::PREFIX, MAX_VALUES, "an opcode or a value's name")?;
        self.sign(':')?;
        Ok(Typed { number, ty: self.ty()?, position })
    }

    fn define(&mut self, typed: &Typed, def: Def) -> Result<Value> {
        let Typed { number, ty, position } = *typed;
        let index = number as usize;
        let values = &mut self.module.values;
        if index >= values.len() {
            values.resize(index + 1, ValueData { ty: Type::B32, def: Def::None });
        }
        if values[index].def != Def::None {
            return Err(ParseError::new(position.0, position.1, &format!("v{number} is defined twice")));
        }
        values[index] = ValueData { ty, def };
        Ok(Value(number))
    }

    fn region(&mut self, region: Region, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return self.error(&format!("more than {MAX_DEPTH} nested regions"));
        }
        while !self.at('}') {
            self.inst(region, depth)?;
        }
        Ok(())
    }

    fn block(&mut self, region: Region, depth: usize) -> Result<()> {
        self.sign('{')?;
        self.region(region, depth + 1)?;
        self.sign('}')
    }

    fn inst(&mut self, region: Region, depth: usize) -> Result<()> {
        let inst = Inst::new(self.module.insts.len());
        // The row must exist before the regions inside are read; its results are defined only after them, because they may not
        // be used there.
        self.module.insts.push(InstData { op: Op::Return, imm: Imm::None, args: Args::new(), results: Args::new() });
        self.module.regions[region.index()].insts.push(inst);

        let mut results: SmallVec<[Typed; 1]> = SmallVec::new();
        if matches!(self.token, Token::Word(w) if Op::from_name(w).is_none()) {
            results.push(self.typed()?);
            while self.eat(',')? {
                results.push(self.typed()?);
            }
            self.sign('=')?;
        }
        let op = self.word("an opcode", Op::from_name)?;
        let ty = results.first().map_or(Type::B32X4, |r| r.ty);
        let mut args = Args::new();
        let imm = self.operands(op, ty, &mut args, depth)?;
        let results = results.iter().map(|typed| self.define(typed, Def::Inst(inst))).collect::<Result<Args>>()?;
        self.module.insts[inst.index()] = InstData { op, imm, args, results };
        Ok(())
    }

    /// Operands and immediate behind the opcode.
    fn operands(&mut self, op: Op, ty: Type, args: &mut Args, depth: usize) -> Result<Imm> {
        let imm = match op.info().imm {
            ImmKind::None => {
                // What has no operands must not take the name that begins the next line for one.
                if op.info().args.is_none_or(|patterns| !patterns.is_empty()) {
                    self.values(args)?;
                }
                return Ok(Imm::None);
            }
            ImmKind::Const => return Ok(Imm::Const(self.components(ty)?)),
            ImmKind::Swizzle => {
                args.push(self.value()?);
                self.sign('.')?;
                return Ok(Imm::Swizzle(self.word("components", Swizzle::from_text)?));
            }
            ImmKind::Shuffle => {
                self.values(args)?;
                self.sign('[')?;
                let mut lanes: SmallVec<[u8; 4]> = SmallVec::new();
                loop {
                    lanes.push(self.word("a component number (0 to 7)", |w| w.parse().ok().filter(|&n| n < 8))?);
                    if lanes.len() == 4 || !self.eat(',')? {
                        break;
                    }
                }
                self.sign(']')?;
                return Ok(Imm::Swizzle(Swizzle::new(&lanes)));
            }
            ImmKind::If => {
                self.values(args)?;
                let (yes, no) = (self.module.new_region(), self.module.new_region());
                self.block(yes, depth)?;
                self.keyword("else")?;
                self.block(no, depth)?;
                return Ok(Imm::If(yes, no));
            }
            ImmKind::Loop => {
                let body = self.module.new_region();
                if self.eat('(')? {
                    loop {
                        let typed = self.typed()?;
                        let param = self.define(&typed, Def::Param(body))?;
                        self.module.regions[body.index()].params.push(param);
                        self.sign('=')?;
                        args.push(self.value()?);
                        if !self.eat(',')? {
                            break;
                        }
                    }
                    self.sign(')')?;
                }
                self.block(body, depth)?;
                return Ok(Imm::Loop(body));
            }
            ImmKind::Var => Imm::Var(self.var()?),
            ImmKind::VarMask => {
                let var = self.var()?;
                self.sign('.')?;
                Imm::VarMask(var, self.word("components to write", mask)?)
            }
            ImmKind::Input => {
                Imm::Input(Input(self.entity(Input::PREFIX, self.module.inputs.len(), "a declared input")?))
            }
            ImmKind::Output => {
                Imm::Output(Output(self.entity(Output::PREFIX, self.module.outputs.len(), "a declared output")?))
            }
            ImmKind::Bank => {
                let bank = Bank(self.entity(Bank::PREFIX, self.module.banks.len(), "a declared bank")?);
                self.sign('[')?;
                let index = self.number("a register number")?;
                self.sign(']')?;
                Imm::Bank(bank, index)
            }
            ImmKind::Texture => {
                let texture = self.texture()?;
                Imm::Texture(texture, self.offset()?)
            }
            ImmKind::Gather => {
                let texture = self.texture()?;
                let mut component = 0;
                if self.eat('.')? {
                    component = self.word("a component", |w| {
                        Swizzle::from_text(w).filter(|s| s.count() == 1).map(|s| s.lanes()[0])
                    })?;
                }
                Imm::Gather(texture, component, self.offset()?)
            }
            ImmKind::Image => Imm::Image(self.image()?),
            ImmKind::ImageAtomic => {
                let image = self.image()?;
                Imm::ImageAtomic(image, self.word("an atomic operation", AtomicOp::from_name)?)
            }
            ImmKind::Atomic => Imm::Atomic(self.word("an atomic operation", AtomicOp::from_name)?),
            ImmKind::Stream => Imm::Stream(self.number("a stream")?),
            ImmKind::Spec => {
                Imm::Spec(Spec(self.entity(Spec::PREFIX, self.module.specs.len(), "a declared constant")?))
            }
        };
        if self.eat(',')? {
            self.values(args)?;
        }
        Ok(imm)
    }

    fn texture(&mut self) -> Result<Texture> {
        Ok(Texture(self.entity(Texture::PREFIX, self.module.textures.len(), "a declared texture")?))
    }

    fn image(&mut self) -> Result<Image> {
        Ok(Image(self.entity(Image::PREFIX, self.module.images.len(), "a declared image")?))
    }

    /// `(1, -1, 0)` behind a texture, if it is there.
    fn offset(&mut self) -> Result<Offset> {
        let mut offset = Offset::default();
        if self.eat('(')? {
            for (i, texels) in offset.0.iter_mut().enumerate() {
                if i > 0 {
                    self.sign(',')?;
                }
                *texels = self.number("a number of texels")?;
            }
            self.sign(')')?;
        }
        Ok(offset)
    }

    fn var(&mut self) -> Result<Var> {
        Ok(Var(self.entity(Var::PREFIX, self.module.vars.len(), "a declared variable")?))
    }
}

/// Components in rising order.
fn mask(text: &str) -> Option<Mask> {
    let swizzle = Swizzle::from_text(text)?;
    let rising = swizzle.lanes().windows(2).all(|w| w[0] < w[1]);
    rising.then(|| Mask(swizzle.lanes().iter().fold(0, |mask, lane| mask | 1 << lane)))
}

fn component(kind: Kind, word: &str) -> Option<u32> {
    if let Some(hex) = word.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).ok();
    }
    match kind {
        Kind::Float => word.parse::<f32>().ok().filter(|f| f.is_finite()).map(f32::to_bits),
        Kind::Int | Kind::Bits => word.parse::<i32>().ok().map(|i| i as u32),
        Kind::Bool => word.parse::<bool>().ok().map(u32::from),
    }
}
