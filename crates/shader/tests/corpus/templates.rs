//! One piece of assembler text per opcode: the instruction under test, what must stand around it, and a result that can be
//! seen.
//!
//! A template is a list of lines. `>` marks the instruction under test. `^` lines go to the beginning of the shader, where the
//! texture opcodes of ps_1_x must be, or into the first phase of ps_1_4; `~` lines to the beginning of its second phase.
//! Behind `---` follow subroutines. `$D` is the register that is shown, `$A`, `$B`, `$C` are sources, `$T`, `$U` texture
//! coordinates, `$N` the number of `$D`. Declarations and definitions go to the top wherever they stand.

use afterimage_shader_d3d9::tables::{Opcode, Operand, Stage, Version};

/// The template of an opcode in a version in which it exists.
pub(crate) fn template(op: Opcode, version: Version) -> String {
    special(op, version).map_or_else(|| arithmetic(op), str::to_owned)
}

/// Opcodes with a destination and plain sources need no more than their operands.
fn arithmetic(op: Opcode) -> String {
    let info = op.info();
    let scalar =
        matches!(op, Opcode::Rcp | Opcode::Rsq | Opcode::Exp | Opcode::Log | Opcode::ExpP | Opcode::LogP | Opcode::Pow);
    let mut text = format!("> {} $D", info.name);
    text += match op {
        Opcode::Crs | Opcode::M4x3 | Opcode::M3x3 | Opcode::Nrm => ".xyz",
        Opcode::M3x2 | Opcode::SinCos | Opcode::SinCos2 => ".xy",
        _ => "",
    };
    let mut sources = ["$A", "$B", "$C"].into_iter();
    for operand in info.operands {
        text += match operand {
            Operand::Dst => continue,
            Operand::Rows(_) => ", c2",
            _ if scalar => match sources.next() {
                Some("$A") => ", $A.x",
                _ => ", $B.y",
            },
            _ => match sources.next() {
                Some("$A") => ", $A",
                Some("$B") => ", $B",
                _ => ", $C",
            },
        };
    }
    text
}

fn special(op: Opcode, version: Version) -> Option<&'static str> {
    let vertex = version.stage == Stage::Vertex;
    let phases = version == Version::ps(1, 4);
    Some(match op {
        Opcode::Nop => "> nop\nmov $D, $A",
        Opcode::Def => "> def c7, 1.5, -2.0, 0.25, 1.0\nmov $D, c7",
        Opcode::DefB => "> defb b7, true\nif b7\nmov $D, $A\nendif",
        Opcode::DefI if version.stage == Stage::Pixel && version.number() == 0x200 => {
            "> defi i7, 3, 1, 2, 0\nmov $D, $A"
        }
        Opcode::DefI => "> defi i7, 3, 1, 2, 0\nrep i7\nadd $D, $D, $B\nendrep",
        Opcode::Dcl if vertex => "> dcl_tangent v5\nmov $D, v5",
        Opcode::Dcl if version.major == 3 => "> dcl_texcoord5 v5\nmov $D, v5",
        Opcode::Dcl => "> dcl t5\nmov $D, t5",
        // One call for all: shaders with several pieces have a subroutine each.
        Opcode::Call => "> call l$N\n---\nlabel l$N\nmov $D, $A\nret",
        Opcode::CallNz => "> callnz l$N, b0\n---\nlabel l$N\nmov $D, $A\nret",
        Opcode::Label => "call l$N\n---\n> label l$N\nmov $D, $A\nret",
        Opcode::Ret => "call l$N\n---\nlabel l$N\nmov $D, $A\n> ret",
        Opcode::Loop if vertex => "> loop aL, i0\nadd $D, $D, c[aL + 2]\nendloop",
        Opcode::Loop => "> loop aL, i0\nadd $D, $D, v[aL + 1]\nendloop",
        Opcode::EndLoop => "loop aL, i0\nadd $D, $D, $B\n> endloop",
        Opcode::Rep => "> rep i0\nmad $D, $D, $B, $A\nendrep",
        Opcode::EndRep => "rep i0\nadd $D, $D, $B\n> endrep",
        Opcode::If => "> if b0\nmov $D, $A\nelse\nmov $D, $B\nendif",
        Opcode::IfC => "> if_gt $A.x, $B.x\nmov $D, $A\nelse\nmov $D, $B\nendif",
        Opcode::Else => "if b0\nmov $D, $A\n> else\nmov $D, $B\nendif",
        Opcode::EndIf => "if b0\nmov $D, $A\n> endif",
        Opcode::Break => "rep i0\nadd $D, $D, $B\nif b0\n> break\nendif\nadd $D, $D, $A\nendrep",
        Opcode::BreakC => "rep i0\nadd $D, $D, $B\n> break_gt $D.x, $A.y\nadd $D, $D, $A\nendrep",
        Opcode::BreakP => "setp_gt p0, $A, $B\nrep i0\nadd $D, $D, $B\n> breakp p0.x\nadd $D, $D, $A\nendrep",
        Opcode::SetP => "> setp_gt p0, $A, $B\n(p0) mov $D, $C",
        Opcode::MovA => "> mova a0, $A\nmov $D, c[a0.x + 1]\nadd $D, $D, c[a0.y + 2]",
        Opcode::Sgn2 => "> sgn $D, $A, r6, r7",
        Opcode::SinCos2 => {
            "def c20, -1.5500992e-006, -2.1701389e-005, 0.0026041667, 0.00026041668\n\
             def c21, -0.020833334, -0.125, 1.0, 0.5\n> sincos $D.xy, $C.x, c20, c21"
        }
        Opcode::SinCos => "> sincos $D.xy, $A.x",
        Opcode::Dp2Add => "> dp2add $D, $A, $B, $C.z",
        Opcode::TexKill if phases => "~> texkill r1\nmov $D, $A",
        Opcode::TexKill if version.major == 1 => "^> texkill t2\nmov $D, $A",
        Opcode::TexKill => "> texkill r5\nmov $D, $A",
        Opcode::TexCoord => "^> texcoord t1\nmov $D, t1",
        Opcode::TexCrd => "^> texcrd r2.rgb, t1\nmov $D, r2",
        Opcode::Tex => "^> tex t1\nmov $D, t1",
        Opcode::TexLd14 => "^> texld r2, t1\nmov $D, r2",
        Opcode::TexLd => "> texld $D, $T, s0",
        Opcode::TexLdL => "> texldl $D, $T, s0",
        Opcode::TexLdD => "> texldd $D, $T, s0, $U, c2",
        Opcode::TexBem => "^tex t1\n^> texbem t2, t1\nmov $D, t2",
        Opcode::TexBemL => "^tex t1\n^> texbeml t2, t1\nmov $D, t2",
        Opcode::TexReg2Ar => "^tex t1\n^> texreg2ar t2, t1\nmov $D, t2",
        Opcode::TexReg2Gb => "^tex t1\n^> texreg2gb t2, t1\nmov $D, t2",
        Opcode::TexReg2Rgb => "^tex t1\n^> texreg2rgb t2, t1\nmov $D, t2",
        Opcode::TexM3x2Pad => "^tex t0\n^> texm3x2pad t1, t0\n^texm3x2tex t2, t0\nmov $D, t2",
        Opcode::TexM3x2Tex => "^tex t0\n^texm3x2pad t1, t0\n^> texm3x2tex t2, t0\nmov $D, t2",
        Opcode::TexM3x2Depth => "^tex t0\n^texm3x2pad t1, t0\n^> texm3x2depth t2, t0\nmov $D, $A",
        Opcode::TexM3x3Pad => "^tex t0\n^> texm3x3pad t1, t0\n^texm3x3pad t2, t0\n^texm3x3tex t3, t0\nmov $D, t3",
        Opcode::TexM3x3Tex => "^tex t0\n^texm3x3pad t1, t0\n^texm3x3pad t2, t0\n^> texm3x3tex t3, t0\nmov $D, t3",
        Opcode::TexM3x3 => "^tex t0\n^texm3x3pad t1, t0\n^texm3x3pad t2, t0\n^> texm3x3 t3, t0\nmov $D, t3",
        Opcode::TexM3x3Spec => "^tex t0\n^texm3x3pad t1, t0\n^texm3x3pad t2, t0\n^> texm3x3spec t3, t0, c1\nmov $D, t3",
        Opcode::TexM3x3VSpec => "^tex t0\n^texm3x3pad t1, t0\n^texm3x3pad t2, t0\n^> texm3x3vspec t3, t0\nmov $D, t3",
        Opcode::TexDp3Tex => "^tex t1\n^> texdp3tex t2, t1\nmov $D, t2",
        Opcode::TexDp3 => "^tex t1\n^> texdp3 t2, t1\nmov $D, t2",
        Opcode::TexDepth => "^texcrd r5.rgb, t2\n~> texdepth r5\nmov $D, $A",
        Opcode::Bem => "^texcrd r2.rgb, t1\n^> bem r2.rg, c1, r1\nmov $D, r2",
        Opcode::Cnd if !phases => "> cnd $D, r0.a, $A, $B",
        Opcode::Phase => "mov $D, $A",
        _ => return None,
    })
}

/// Registers that results are shown from, and how many a shader of the version can show.
pub(crate) const fn slots(version: Version) -> usize {
    if matches!(version.stage, Stage::Pixel) && version.major == 1 { 1 } else { 4 }
}

/// A shader in the making: the instruction lines in their places.
#[derive(Default)]
struct Parts {
    top: Vec<String>,
    first: Vec<String>,
    second: Vec<String>,
    body: Vec<String>,
    subroutines: Vec<String>,
}

/// A whole shader around pieces of text, one per shown register, and the places (as instruction numbers) of the marked
/// instructions.
pub(crate) fn frame(version: Version, pieces: &[String]) -> (String, Vec<usize>) {
    let mut parts = Parts::default();
    let (head, outputs) = head(version, pieces);
    parts.top = head;
    for (slot, piece) in pieces.iter().enumerate() {
        let [a, b, c, t, u] = sources(version);
        let piece = piece.replace("$D", &format!("r{slot}")).replace("$N", &slot.to_string());
        let piece = piece.replace("$A", a).replace("$B", b).replace("$C", c).replace("$T", t).replace("$U", u);
        let mut behind = false;
        for line in piece.lines() {
            let bare = line.trim_start_matches(['^', '~', '>', ' ']);
            let marked = if line.contains('>') { format!("> {bare}") } else { bare.to_owned() };
            match line.chars().next() {
                _ if line == "---" => behind = true,
                _ if bare.starts_with("def") || bare.starts_with("dcl") => {
                    if !parts.top.contains(&marked) {
                        parts.top.push(marked);
                    }
                }
                _ if behind => parts.subroutines.push(marked),
                Some('^') => parts.first.push(marked),
                Some('~') => parts.second.push(marked),
                _ => parts.body.push(marked),
            }
        }
    }
    let set_up = set_up(version, pieces.len());
    let mut lines = parts.top;
    if version == Version::ps(1, 4) {
        lines.push("texcrd r1.rgb, t0".to_owned());
        lines.extend(parts.first);
        lines.push(if pieces.iter().any(|piece| piece.contains('>')) { "phase" } else { "> phase" }.to_owned());
        lines.extend(parts.second);
    } else {
        // Coordinates that no opcode of the piece takes are there to be read.
        if version.is_ps_before_1_4() && parts.first.is_empty() {
            lines.push("texcoord t0".to_owned());
        }
        lines.extend(parts.first);
    }
    lines.extend(set_up);
    lines.extend(parts.body);
    lines.extend(outputs);
    if !parts.subroutines.is_empty() {
        lines.push("ret".to_owned());
        lines.extend(parts.subroutines);
    }
    let places = lines.iter().enumerate().filter(|(_, line)| line.starts_with('>')).map(|(at, _)| at).collect();
    let mut text = format!("{version}\n");
    for line in lines {
        text += line.trim_start_matches(['>', ' ']);
        text.push('\n');
    }
    (text, places)
}

/// Sources `$A`, `$B`, `$C` and coordinates `$T`, `$U`.
fn sources(version: Version) -> [&'static str; 5] {
    match (version.stage, version.major, version.minor) {
        (Stage::Vertex, ..) => ["v1", "c1", "r4", "v3", "v2"],
        (_, 1, 4) => ["v0", "c1", "r1", "", ""],
        (_, 1, _) => ["v0", "c1", "t0", "", ""],
        (_, 2, _) => ["t1", "c1", "r4", "t0", "t2"],
        _ => ["v1", "c1", "r4", "v0", "v2"],
    }
}

/// Declarations, and the lines that show the results.
fn head(version: Version, pieces: &[String]) -> (Vec<String>, Vec<String>) {
    let mut top = Vec::new();
    let mut outputs = Vec::new();
    let uses = |what: &str| pieces.iter().any(|piece| piece.contains(what));
    let shown = 0..pieces.len();
    match (version.stage, version.major) {
        (Stage::Vertex, major) => {
            top.extend(["dcl_position v0", "dcl_normal v1", "dcl_color v2", "dcl_texcoord v3"].map(str::to_owned));
            if major < 3 {
                outputs.push("mov oPos, v0".to_owned());
                outputs.extend(shown.map(|slot| format!("mov oT{slot}, r{slot}")));
            } else {
                if uses("texldl") {
                    top.extend(["dcl_2d s0", "dcl_cube s1", "dcl_volume s2"].map(str::to_owned));
                }
                top.push("dcl_position o0".to_owned());
                top.extend(shown.clone().map(|slot| format!("dcl_texcoord{slot} o{}", slot + 1)));
                outputs.push("mov o0, v0".to_owned());
                outputs.extend(shown.map(|slot| format!("mov o{}, r{slot}", slot + 1)));
            }
        }
        (Stage::Pixel, 1) => {}
        (Stage::Pixel, major) => {
            if major == 2 {
                top.extend(["dcl v0", "dcl v1", "dcl t0", "dcl t1", "dcl t2"].map(str::to_owned));
            } else {
                top.extend(["dcl_texcoord v0", "dcl_texcoord1 v1", "dcl_texcoord2 v2"].map(str::to_owned));
                top.extend(["dcl_color v3", "dcl vPos.xy", "dcl vFace"].map(str::to_owned));
            }
            if uses("texld") {
                top.extend(["dcl_2d s0", "dcl_cube s1", "dcl_volume s2"].map(str::to_owned));
            }
            outputs.extend(shown.map(|slot| format!("mov oC{slot}, r{slot}")));
        }
    }
    (top, outputs)
}

/// First values of the registers that are shown (so that masks and predicates can be seen), and of those that are read.
fn set_up(version: Version, shown: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut set = |register: &str, value: &str| lines.push(format!("mov {register}, {value}"));
    match (version.stage, version.major) {
        (Stage::Pixel, 1) => {
            if version.minor == 4 {
                set("r1.a", "c2.a");
            }
            set("r0", "c0");
        }
        _ => {
            (0..shown).for_each(|slot| set(&format!("r{slot}"), &format!("c{}", 10 + slot)));
            set(
                "r4",
                if version.stage == Stage::Vertex {
                    "v2"
                } else if version.major == 2 {
                    "t2"
                } else {
                    "v2"
                },
            );
            set("r5", "c9");
        }
    }
    lines
}
