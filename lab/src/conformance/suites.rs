//! The suites of tests: one row each.

/// A suite: files of tests in Wine's source, what they need, and what is said of them.
#[derive(Debug)]
pub(super) struct SuiteRow {
    /// What the command calls it; the list is `docs/NAME-conformance.md`.
    pub(super) name: &'static str,
    /// The heading of its list.
    pub(super) title: &'static str,
    /// What its list says before the bullets that all have; each line at most as long as the others.
    pub(super) about: &'static str,
    /// Where its files lie in Wine's source.
    pub(super) folder: &'static str,
    /// The files, in the order of every table.
    pub(super) files: &'static [&'static str],
    /// Scripts of resources.
    pub(super) resources: &'static [&'static str],
    /// What the compiler is told beside what all are compiled with.
    pub(super) flags: &'static [&'static str],
    pub(super) libraries: &'static [&'static str],
    /// Quick sub-tests of every kind, for `cargo xtask test`.
    pub(super) quick: &'static [&'static str],
    /// Clean sub-tests in which checks fail that Wine marks, and why, with the Wine that the tests are of; where it is known.
    pub(super) marked: Option<&'static [(&'static str, &'static str)]>,
}

/// A suite, by the name that the command has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Name {
    /// Direct3D 9.
    D3d9,
    /// D3DX: Wine's own `d3dx9_36.dll` over Direct3D 9.
    D3dx9,
    /// Shaders in HLSL that Wine's own compiler makes, and what they draw.
    Hlsl,
}

impl Name {
    /// The row.
    pub(super) fn row(self) -> &'static SuiteRow {
        match self {
            Self::D3d9 => &D3D9,
            Self::D3dx9 => &D3DX9,
            Self::Hlsl => &HLSL,
        }
    }
}

const D3D9: SuiteRow = SuiteRow {
    name: "d3d9",
    title: "Wine's Direct3D 9 tests",
    about: "",
    folder: "dlls/d3d9/tests",
    files: &["stateblock", "d3d9ex", "device", "visual"],
    resources: &[],
    flags: &[],
    libraries: &["-ld3d9", "-luser32", "-lgdi32"],
    quick: &[
        "stateblock",
        "d3d9ex.test_swapchain_get_displaymode_ex",
        "d3d9ex.test_reset_ex",
        "device.test_get_set_vertex_declaration",
        "device.test_refcount",
        "device.test_scene",
        "device.test_null_stream",
        "device.test_update_texture_pool",
        "device.test_private_data",
        "visual.test_sanity",
        "visual.lighting_test",
        "visual.shadow_test",
        "visual.test_blend",
        "visual.alphatest_test",
    ],
    marked: Some(&[
        ("d3d9ex.test_window_style", FRAMES),
        ("device.test_window_style", FRAMES),
        (
            "device.test_window_position",
            "a program that moves its full-screen window finds it moved back once, when it next takes messages; where it moved to \
             stays here, as with WineD3D",
        ),
        (
            "visual.test_sample_attached_rendertarget",
            "a draw reads the target that it draws to, at other places than it writes: Windows' drivers give what was there before, \
             lavapipe what the draw has written by then",
        ),
        (
            "visual.test_updatetexture",
            "`UpdateTexture` into another format is refused, as by WineD3D; Windows says that it is done, and its drivers convert, \
             reinterpret or draw black",
        ),
    ]),
};
/// Why windows are not styled as on Windows.
const FRAMES: &str = "a full-screen window keeps its caption and frame on Windows (before 10 version 1809), whose exclusive mode shows the \
                      picture above them; here they would be seen, so they go, as with WineD3D";

const D3DX9: SuiteRow = SuiteRow {
    name: "d3dx9",
    title: "Wine's D3DX tests",
    about: "The library is Wine's own `d3dx9_36.dll`, of the Wine that runs: what fails with WineD3D as well is its.\n\n",
    folder: "dlls/d3dx9_36/tests",
    files: &["asm", "core", "effect", "line", "math", "mesh", "shader", "surface", "texture", "volume", "xfile"],
    resources: &["rsrc.rc"],
    flags: &["-DD3DX_SDK_VERSION=36"],
    libraries: &["-ld3dx9_36", "-ld3d9", "-luser32", "-lgdi32"],
    // Of those that hold with Wine 8.0's D3DX, too.
    quick: &["line", "shader.test_setting_constants", "shader.test_registerset", "shader.test_registerset_defaults"],
    marked: None,
};

const HLSL: SuiteRow = SuiteRow {
    name: "hlsl",
    title: "Wine's HLSL tests",
    about: "The compiler is Wine's own `d3dcompiler_43.dll`, of the Wine that runs; what it makes is drawn, and the pixels read.\n\n",
    folder: "dlls/d3dcompiler_43/tests",
    files: &["hlsl_d3d9"],
    resources: &[],
    flags: &["-DD3D_COMPILER_VERSION=43"],
    libraries: &["-ld3dcompiler_43", "-ld3d9", "-luser32"],
    // Of those that Wine 8.0 compiles, too.
    quick: &["test_swizzle", "test_math"],
    marked: None,
};
