//! Direct3D 9's float rules, as far as the driver computes what it is told to.

use crate::common::*;
use afterimage_shader::FloatRules;
use afterimage_stream::Format;
use afterimage_stream::packets::*;

const PASS: &str = "vs_2_0\ndcl_position v0\nmov oPos, v0";

/// The colour that a pixel shader gives with c0 infinite, c1 zero, c2 2^31 and c3 -2^31.
fn color(rules: FloatRules, vertex: &str, pixel: &str) -> [u8; 4] {
    let mut guest = Guest::with_float_rules(rules);
    guest.target(Format::R8G8B8A8_UNORM, 4, 4);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    let vertex = guest.d3d9_shader(Stage::Vertex, vertex);
    let pixel = guest.d3d9_shader(Stage::Pixel, pixel);
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.layout();
    for (register, value) in [f32::INFINITY, 0.0, 2_147_483_648.0, -2_147_483_648.0].into_iter().enumerate() {
        guest.pixel_constant(register as u16, [value; 4]);
        let bits = [[value.to_bits(); 4]];
        guest.encoder.push_tail(&SetConstants { bank: 0, first: register as u16, count: 1 }, &bits);
    }
    guest.draw_now(&full(0.5, RED));
    let pixel = guest.pixels().at(2, 2);
    guest.finish();
    pixel
}

/// A pixel shader that computes r0, and is green where that is zero, else red.
fn is_zero(code: &str) -> String {
    let choose = "abs r1, r0\ncmp r1, -r1, c20, c21\ncmp r0, r0, r1, c21\nmov oC0, r0\n";
    format!("ps_2_0\ndef c20, 0, 1, 0, 1\ndef c21, 1, 0, 0, 1\n{code}\n{choose}")
}

#[test]
fn zero_times_infinity_is_zero_in_strict_pixels() {
    for code in ["mul r0, c0, c1", "mov r0, c1\nmad r0, r0, c0, c1", "dp4 r0, c0, c1"] {
        assert_eq!(color(FloatRules::Strict, PASS, &is_zero(code)), rgba(GREEN), "{code}");
    }
}

#[test]
fn infinity_less_infinity_is_not_zero_in_strict_pixels() {
    if !Guest::new().renderer.gpu().profile.float_controls {
        return eprintln!("skipped: this driver is not asked to keep infinities");
    }
    assert_eq!(color(FloatRules::Strict, PASS, &is_zero("add r0, c0, -c0")), rgba(RED));
}

#[test]
fn zero_weights_make_nothing_of_infinity_in_balanced_vertices() {
    for rules in [FloatRules::Strict, FloatRules::Balanced] {
        let vertex = "vs_2_0\ndcl_position v0\nmov r0, c1\nmad oPos, r0, c0, v0";
        assert_eq!(
            color(rules, vertex, "ps_2_0\ndef c20, 0, 1, 0, 1\nmov r0, c20\nmov oC0, r0"),
            rgba(GREEN),
            "{rules:?}"
        );
    }
}

#[test]
fn what_pixels_multiply_with_reciprocals_of_zero_stays_finite_under_all_rules() {
    for rules in FloatRules::ALL {
        for reciprocal in ["rcp r0, c1.x", "rsq r0, c1.x", "log r0, c1.x"] {
            for factor in ["c2", "c3"] {
                let code = format!("{reciprocal}\nmul r0, r0, {factor}\nmul r0, r0, c1");
                assert_eq!(color(rules, PASS, &is_zero(&code)), rgba(GREEN), "{rules:?}: {code}");
            }
        }
    }
}
