//! Structures and functions of a text, with their attributes.

use super::lex::{Kind, Token, tokens};

/// `name(arguments)` of `[[...]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) arguments: Vec<String>,
}

impl Attribute {
    /// The first argument as a number.
    pub(crate) fn number(&self) -> Option<u32> {
        self.arguments.first()?.trim_end_matches(['u', 'U']).parse().ok()
    }
}

/// Something declared: a member of a structure, or an argument.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    /// The type's words, without address spaces and `const`.
    pub(crate) ty: String,
    /// All words before the name.
    pub(crate) full: String,
    pub(crate) name: String,
    /// What stands in brackets behind the name.
    pub(crate) array: Option<String>,
    pub(crate) attributes: Vec<Attribute>,
}

impl Declared {
    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }
}

/// A structure.
#[derive(Clone, Debug)]
pub(crate) struct Struct {
    pub(crate) name: String,
    pub(crate) members: Vec<Declared>,
}

/// A function that pipelines are made of.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// `vertex`, `fragment` or `kernel`.
    pub(crate) stage: String,
    pub(crate) returns: String,
    pub(crate) name: String,
    pub(crate) arguments: Vec<Declared>,
    /// Before it, and behind its arguments.
    pub(crate) attributes: Vec<Attribute>,
    /// The words of its body.
    pub(crate) body: Vec<String>,
}

/// A function constant.
#[derive(Clone, Debug)]
pub(crate) struct FunctionConstant {
    pub(crate) name: String,
    pub(crate) ty: String,
    pub(crate) id: u32,
}

/// What a text declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) structs: Vec<Struct>,
    pub(crate) functions: Vec<Function>,
    pub(crate) constants: Vec<FunctionConstant>,
    /// Every word of the text, to look for what it calls.
    pub(crate) words: Vec<String>,
    /// The text as C++: without attributes, function constants set, what threadgroups share one variable.
    pub(crate) plain: String,
}

const SPACES: [&str; 9] =
    ["const", "constant", "device", "threadgroup", "thread", "constexpr", "static", "inline", "metal"];

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    /// Of the text: from, to, and what stands there instead.
    edits: Vec<(usize, usize, String)>,
}

impl<'a> Parser<'a> {
    fn peek(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |t| t.text)
    }

    fn is_attribute(&self) -> bool {
        let adjacent = |a: &Token<'_>, b: &Token<'_>| a.is("[") && b.is("[") && a.end() == b.at;
        matches!(self.tokens.get(self.at..self.at + 2), Some([a, b]) if adjacent(a, b))
    }

    /// `[[...]]`, which is taken out of the text.
    fn attributes(&mut self, into: &mut Vec<Attribute>) {
        while self.is_attribute() {
            let from = self.tokens[self.at].at;
            self.at += 2;
            let mut depth = 0;
            let mut words: Vec<&str> = Vec::new();
            let mut done = |words: &mut Vec<&str>| {
                let Some((name, rest)) = words.split_first() else { return };
                let inner = rest.iter().copied().filter(|w| !matches!(*w, "(" | ")"));
                let arguments = inner.collect::<String>();
                let arguments = arguments.split(',').filter(|a| !a.is_empty()).map(str::to_owned).collect();
                into.push(Attribute { name: (*name).to_owned(), arguments });
                words.clear();
            };
            while self.at < self.tokens.len() {
                let word = self.peek(0);
                if depth == 0 && word == "]" {
                    break;
                }
                match word {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    "," if depth == 0 => {
                        done(&mut words);
                        self.at += 1;
                        continue;
                    }
                    _ => {}
                }
                words.push(word);
                self.at += 1;
            }
            done(&mut words);
            self.at += 2;
            let to = self.tokens.get(self.at - 1).map_or(from, Token::end);
            self.edits.push((from, to, String::new()));
        }
    }

    /// Goes behind what closes what opens here.
    fn skip(&mut self) {
        let mut depth = 0;
        while self.at < self.tokens.len() {
            match self.peek(0) {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// Type, name and attributes, up to one of the words that end it.
    fn declared(&mut self, ends: &[&str]) -> Declared {
        let mut words: Vec<&str> = Vec::new();
        let mut out = Declared::default();
        let mut angle = 0;
        while self.at < self.tokens.len() {
            let word = self.peek(0);
            if angle == 0 && ends.contains(&word) {
                break;
            }
            if self.is_attribute() {
                self.attributes(&mut out.attributes);
                continue;
            }
            match word {
                "<" => angle += 1,
                ">" => angle -= 1,
                "[" => {
                    let from = self.at + 1;
                    self.skip();
                    let inside = self.tokens[from..self.at.saturating_sub(1).max(from)].iter().map(|t| t.text);
                    out.array = Some(inside.collect());
                    continue;
                }
                // A reference to an array: `T (&name)[n]`.
                "(" | ")" => {
                    self.at += 1;
                    continue;
                }
                "=" if angle == 0 => {
                    while self.at < self.tokens.len() && !ends.contains(&self.peek(0)) {
                        self.at += 1;
                    }
                    break;
                }
                _ => {}
            }
            words.push(word);
            self.at += 1;
        }
        out.name = words.pop().unwrap_or_default().to_owned();
        out.full = words.join(" ").replace(": :", "::");
        out.ty = type_of(&words);
        out
    }

    fn structure(&mut self) -> Option<Struct> {
        let name = self.peek(1).to_owned();
        self.at += 2;
        if self.peek(0) != "{" {
            return None;
        }
        self.at += 1;
        let mut members = Vec::new();
        while self.at < self.tokens.len() && self.peek(0) != "}" {
            let member = self.declared(&[";", ",", "{", "}"]);
            match self.peek(0) {
                // A function.
                "{" => {
                    self.skip();
                    continue;
                }
                "," => {
                    // More names of a type.
                    let first = member.clone();
                    members.push(member);
                    while self.peek(0) == "," {
                        self.at += 1;
                        let more = self.declared(&[";", ",", "}"]);
                        members.push(Declared { ty: first.ty.clone(), full: first.full.clone(), ..more });
                    }
                }
                _ => members.push(member),
            }
            if self.peek(0) == ";" {
                self.at += 1;
            }
        }
        self.at += 1;
        members.retain(|m| !m.ty.is_empty());
        Some(Struct { name, members })
    }

    /// A function's body: what threadgroups share becomes static.
    fn body(&mut self) -> Vec<String> {
        let from = self.at;
        self.skip();
        for at in from..self.at {
            let token = &self.tokens[at];
            let begins = at > from && matches!(self.tokens[at - 1].text, "{" | ";" | "}");
            if token.is("threadgroup") && begins {
                let rest = self.tokens[at..].iter().take_while(|t| !matches!(t.text, ";" | "="));
                if !rest.clone().any(|t| matches!(t.text, "*" | "&")) {
                    self.edits.push((token.at, token.end(), "static".to_owned()));
                }
            }
        }
        let mut words = Vec::new();
        // Attributes of variables are nothing to clang either.
        let end = std::mem::replace(&mut self.at, from);
        while self.at < end {
            if self.is_attribute() {
                self.attributes(&mut Vec::new());
            } else {
                words.push(self.peek(0).to_owned());
                self.at += 1;
            }
        }
        words
    }
}

/// A type without address spaces.
fn type_of(words: &[&str]) -> String {
    words.iter().filter(|w| !SPACES.contains(w) && **w != ":").copied().collect()
}

/// Reads a text.
pub(crate) fn parse(text: &str) -> Program {
    let mut parser = Parser { tokens: tokens(text), at: 0, edits: Vec::new() };
    let words = parser.tokens.iter().filter(|t| t.kind == Kind::Word).map(|t| t.text.to_owned()).collect();
    let mut out = Program { words, ..Program::default() };
    while parser.at < parser.tokens.len() {
        let mut attributes = Vec::new();
        parser.attributes(&mut attributes);
        match parser.peek(0) {
            "" => break,
            ";" | "}" => parser.at += 1,
            "struct" | "class" => {
                out.structs.extend(parser.structure());
            }
            "namespace" => parser.at += if parser.peek(1) == "{" { 2 } else { 3 },
            "template" | "using" | "typedef" | "enum" | "static_assert" => {
                while parser.at < parser.tokens.len() && !matches!(parser.peek(0), ";" | "{") {
                    parser.at += 1;
                }
                if parser.peek(0) == "{" {
                    parser.skip();
                }
            }
            _ => {
                let begin = parser.at;
                let declared = parser.declared(&[";", "(", "{"]);
                attributes.extend(declared.attributes.iter().cloned());
                match parser.peek(0) {
                    "(" => {
                        let words: Vec<&str> = parser.tokens[begin..parser.at].iter().map(|t| t.text).take(1).collect();
                        let stages = ["vertex", "fragment", "kernel"];
                        let named = |a: &Attribute| stages.contains(&a.name.as_str());
                        let stage = words.first().filter(|w| stages.contains(w)).map(|w| (*w).to_owned());
                        let stage = stage.or_else(|| attributes.iter().find(|a| named(a)).map(|a| a.name.clone()));
                        parser.at += 1;
                        let mut arguments = Vec::new();
                        while parser.at < parser.tokens.len() && parser.peek(0) != ")" {
                            // References to arrays have parentheses of their own.
                            arguments.push(parser.argument());
                            if parser.peek(0) == "," {
                                parser.at += 1;
                            }
                        }
                        parser.at += 1;
                        parser.attributes(&mut attributes);
                        if parser.peek(0) == "{" {
                            let body = parser.body();
                            if let Some(stage) = stage {
                                let mut returns: Vec<&str> = declared.full.split(' ').collect();
                                returns.retain(|w| !stages.contains(w));
                                let returns = type_of(&returns);
                                let name = declared.name;
                                out.functions.push(Function { stage, returns, name, arguments, attributes, body });
                            }
                        }
                    }
                    "{" => parser.skip(),
                    _ => {
                        if let Some(id) = declared.attribute("function_constant").and_then(Attribute::number) {
                            // Its value takes the place of the attribute.
                            if let Some(edit) = parser.edits.last_mut() {
                                edit.2 = format!(" = soft::constant_{id}");
                            }
                            let (name, ty) = (declared.name, declared.ty);
                            out.constants.push(FunctionConstant { name, ty, id });
                        }
                        parser.at += 1;
                    }
                }
            }
        }
    }
    out.plain = edited(text, &mut parser.edits);
    out
}

impl Parser<'_> {
    fn argument(&mut self) -> Declared {
        // `T (&name)[n]` has parentheses, which `declared` goes over; nothing else has.
        let mut depth = 0;
        let mut end = self.at;
        while let Some(token) = self.tokens.get(end) {
            match token.text {
                "(" => depth += 1,
                ")" if depth == 0 => break,
                ")" => depth -= 1,
                "," if depth == 0 => break,
                "<" => depth += 1,
                ">" => depth -= 1,
                "[" => depth += 1,
                "]" => depth -= 1,
                _ => {}
            }
            end += 1;
        }
        let rest = self.tokens.split_off(end);
        let out = self.declared(&[]);
        self.tokens.extend(rest);
        self.at = end;
        out
    }
}

fn edited(text: &str, edits: &mut [(usize, usize, String)]) -> String {
    edits.sort();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to, instead) in edits {
        if *from < at {
            continue;
        }
        out.push_str(&text[at..*from]);
        out.push_str(instead);
        // Lines keep their numbers.
        out.extend(text[*from..*to].chars().filter(|c| *c == '\n'));
        at = *to;
    }
    out.push_str(&text[at..]);
    out
}
