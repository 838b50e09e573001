//! A pixel shader as text: one line for what a stage or half of a combiner does, as people write equations.
//!
//! A register that stands alone is clamped to be positive, as the hardware does unless it is told to keep the sign: `+t0`, `-t0`.
//! Colour equations read red, green and blue, or `.a` three times; alpha equations read alpha, or `.b`.

use super::key::{Depth, Key, Shape, StageKey, WindowClip};
use super::tables::{Compare, Final, FogCurve, Map, Mode, Operand, Register, Results, Scale};
use std::fmt::{self, Write};

/// A key as lines of text, each with its end. What does nothing has no line.
#[must_use]
pub fn disasm(key: &Key) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, key);
    text
}

fn write(out: &mut String, key: &Key) -> fmt::Result {
    for stage in 0..key.stages.len() {
        texture(out, key, stage)?;
    }
    for n in 0..usize::from(key.combiners).min(key.color.len()) {
        half(out, key, n, "rgb", Half::Color)?;
        half(out, key, n, "a", Half::Alpha)?;
    }
    last(out, key)?;
    raster(out, key)
}

fn texture(out: &mut String, key: &Key, n: usize) -> fmt::Result {
    let stage = &key.stages[n];
    let mode = key.mode(n);
    if mode == Mode::None {
        return Ok(());
    }
    write!(out, "t{n} = {}", mode.name())?;
    if mode.reads_other() {
        write!(out, " t{}", stage.other)?;
    }
    if mode.has_dot() {
        const MAPPINGS: [&str; 8] =
            ["0..1", "d3d", "gl", "signed", "hilo", "hemisphere_d3d", "hemisphere_gl", "hemisphere"];
        write!(out, " {}", MAPPINGS[usize::from(stage.mapping & 7)])?;
    }
    if mode == Mode::ClipPlane {
        for (lane, name) in ["s", "t", "r", "q"].iter().enumerate() {
            write!(out, " {name}{}", if stage.clip >> lane & 1 == 0 { ">=0" } else { "<0" })?;
        }
    }
    if mode.samples() {
        let shape = match stage.shape() {
            Shape::None => "nothing",
            Shape::D2 => "2d",
            Shape::Cube => "cube",
            Shape::D3 => "3d",
        };
        write!(out, " of {shape}")?;
    }
    for (flag, name) in [
        (StageKey::SCALED, "scaled"),
        (StageKey::TEXELS, "in texels"),
        (StageKey::WIDE, "wide"),
        (StageKey::CONVOLVED, "convolved"),
        (StageKey::NEAREST, "nearest"),
        (StageKey::ALPHA_KILL, "alpha_kill"),
        (StageKey::COLOR_KEY, "color_key"),
    ] {
        if stage.has(flag) {
            write!(out, ", {name}")?;
        }
    }
    if stage.taps > 1 {
        write!(out, ", anisotropic {}", stage.taps)?;
    }
    if let Some(depth) = stage.depth() {
        let filtered = if stage.has(StageKey::FILTERED) { " filtered" } else { "" };
        let compare = Compare::NAMES[usize::from(key.shadow & 7)];
        write!(out, ", depth of {}: r {compare} texel{filtered}", depth_name(depth))?;
    }
    if stage.signs != 0 {
        let signed = ["a", "r", "g", "b"].iter().enumerate().filter(|(bit, _)| stage.signs >> bit & 1 != 0);
        write!(out, ", signed {}", signed.map(|(_, name)| *name).collect::<String>())?;
    }
    writeln!(out)
}

#[derive(Clone, Copy, PartialEq)]
enum Half {
    Color,
    Alpha,
}

fn half(out: &mut String, key: &Key, n: usize, name: &str, half: Half) -> fmt::Result {
    let [input, output] = if half == Half::Color { key.color[n] } else { key.alpha[n] };
    let results = Results::of_word(output);
    if results.is_idle() {
        return Ok(());
    }
    let [a, b, c, d] = Operand::of_word(input).map(|operand| text(operand, half, key, Some(n)));
    let is_dot = |dot: bool| dot && half == Half::Color;
    let (ab, cd) = (product(&a, &b, is_dot(results.ab_dot)), product(&c, &d, is_dot(results.cd_dot)));
    write!(out, "{n} {name}:")?;
    let mut separator = "";
    for (to, value, blue) in [
        (results.ab, ab.clone(), results.ab_blue_to_alpha),
        (results.cd, cd.clone(), results.cd_blue_to_alpha),
        (results.sum, both(&results, &ab, &cd, key), false),
    ] {
        if to == Register::Zero {
            continue;
        }
        write!(out, "{separator} {} = {}", Register::NAMES[to as usize], scaled(&value, results.scale))?;
        if blue && half == Half::Color {
            write!(out, " (blue to alpha)")?;
        }
        separator = ",";
    }
    writeln!(out)
}

fn both(results: &Results, ab: &str, cd: &str, key: &Key) -> String {
    match (results.mux, ab, cd) {
        (true, _, _) => format!("r0.a {} ? {cd} : {ab}", if key.has(Key::MUX_MSB) { ">= 0.5" } else { "is odd" }),
        (_, value, "0") | (_, "0", value) => value.to_owned(),
        _ => format!("{ab} + {cd}"),
    }
}

fn product(a: &str, b: &str, dot: bool) -> String {
    match (dot, a, b) {
        (true, _, _) => format!("dot({a}, {b})"),
        (_, "0", _) | (_, _, "0") => "0".to_owned(),
        (_, "1", other) | (_, other, "1") => other.to_owned(),
        _ => format!("{a} * {b}"),
    }
}

fn scaled(value: &str, scale: Scale) -> String {
    match scale {
        Scale::None => value.to_owned(),
        Scale::Bias => format!("({value}) - 0.5"),
        Scale::Two => format!("({value}) * 2"),
        Scale::TwoBias => format!("({value} - 0.5) * 2"),
        Scale::Four => format!("({value}) * 4"),
        Scale::Half => format!("({value}) / 2"),
    }
}

/// An operand of combiner `n`, or of the final one.
fn text(operand: Operand, half: Half, key: &Key, n: Option<usize>) -> String {
    let Operand { register, alpha, map } = operand;
    if register == Register::Zero {
        let value = match map {
            Map::Unsigned | Map::Signed | Map::SignedNegate => "0",
            Map::UnsignedInvert | Map::ExpandNegate => "1",
            Map::Expand => "-1",
            Map::HalfBias => "-0.5",
            Map::HalfBiasNegate => "0.5",
        };
        return value.to_owned();
    }
    let channel = match (half, alpha) {
        (Half::Color, true) => ".a",
        (Half::Alpha, false) => ".b",
        _ => "",
    };
    let own = match (register, n) {
        (Register::Factor0, Some(n)) if key.has(Key::OWN_FACTOR0) => format!("[{n}]"),
        (Register::Factor1, Some(n)) if key.has(Key::OWN_FACTOR1) => format!("[{n}]"),
        (Register::Factor0 | Register::Factor1, Some(_)) => "[0]".to_owned(),
        _ => String::new(),
    };
    let name = format!("{}{own}{channel}", Register::NAMES[register as usize]);
    match map {
        Map::Unsigned => name,
        Map::UnsignedInvert => format!("(1 - {name})"),
        Map::Expand => format!("(2 * {name} - 1)"),
        Map::ExpandNegate => format!("(1 - 2 * {name})"),
        Map::HalfBias => format!("({name} - 0.5)"),
        Map::HalfBiasNegate => format!("(0.5 - {name})"),
        Map::Signed => format!("+{name}"),
        Map::SignedNegate => format!("-{name}"),
    }
}

fn last(out: &mut String, key: &Key) -> fmt::Result {
    let Some(last) = Final::of_words(key.last) else {
        return writeln!(out, "out: r0");
    };
    let [a, b, c, d, e, f] = last.operands.map(|operand| text(operand, Half::Color, key, None));
    if last.reads(Register::V1R0Sum) {
        let part = |name: &str, invert: bool| if invert { format!("(1 - {name})") } else { name.to_owned() };
        let clamp = if last.clamp_sum { ", at most 1" } else { "" };
        writeln!(out, "v1+r0 = {} + {}{clamp}", part("v1", last.invert_v1), part("r0", last.invert_r0))?;
    }
    if last.reads(Register::EfProduct) {
        writeln!(out, "e*f = {}", product(&e, &f, false))?;
    }
    let rest = if a == "0" { "1".to_owned() } else { format!("(1 - {a})") };
    let rest = if a == "1" { "0".to_owned() } else { rest };
    let mut terms = vec![product(&a, &b, false), product(&rest, &c, false), d];
    terms.retain(|term| term != "0");
    let rgb = if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") };
    writeln!(out, "out rgb: {rgb}")?;
    writeln!(out, "out a: {}", text(last.alpha, Half::Alpha, key, None))
}

fn depth_name(depth: Depth) -> &'static str {
    match depth {
        Depth::Host => "the host",
        Depth::Fixed16 => "16 bits",
        Depth::Fixed24 => "24 bits",
        Depth::Float16 => "16 bits, float",
        Depth::Float24 => "24 bits, float",
    }
}

fn raster(out: &mut String, key: &Key) -> fmt::Result {
    if let Some(curve) = key.fog_curve() {
        let name = FogCurve::ALL.iter().find(|row| row.0 == curve).map_or("", |row| row.1);
        writeln!(out, "fog: {name}")?;
    }
    if let Some(compare) = key.alpha_compare() {
        writeln!(out, "alpha test: {}", Compare::NAMES[compare as usize])?;
    }
    match key.window_clip {
        clip if clip == WindowClip::Inside as u8 => writeln!(out, "window clip: inside")?,
        clip if clip == WindowClip::Outside as u8 => writeln!(out, "window clip: outside")?,
        _ => {}
    }
    if key.depth() != Depth::Host {
        writeln!(out, "depth: {}{}", depth_name(key.depth()), if key.has(Key::W_BUFFER) { ", w" } else { "" })?;
    }
    for (flag, name) in [
        (Key::FLAT, "flat"),
        (Key::AFFINE, "no perspective"),
        (Key::TWO_SIDED, "two sided"),
        (Key::POINT_SPRITE, "point sprite"),
        (Key::STIPPLE, "stipple"),
        (Key::CORNERS, "corners"),
        (Key::CENTERS, "centers"),
        (Key::SHARED, "shared"),
        (Key::OFFSET, "depth offset"),
    ] {
        if key.has(flag) {
            writeln!(out, "{name}")?;
        }
    }
    Ok(())
}
