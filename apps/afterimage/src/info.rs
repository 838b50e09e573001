//! `afterimage info`: what this machine can do, and what is missing.

use crate::files;
use crate::program::{Width, in_path};
use afterimage_distribution::{Need, advice};
use afterimage_ipc::shared;
use afterimage_vulkan::{Instance, Options, Profile, devices, no_driver};
use clap::Parser;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Show devices and their features, where our files are, and what is missing; or what a capture or a
/// recording holds.
///
/// Of captures: program, guest and device, frames, calls by kind, shaders by language and how many of
/// them differ, objects and their bytes, what the file is made of by kind of chunk, how much of the
/// data was there already and is stored once, and damage.
///
/// Examples:
///   afterimage info
///   afterimage info scene.aftercap
///   afterimage info scene.aftercap --json | jq .bytes
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A capture, or a recording of a console's command buffers (.kcap, .kcap.gz, .gcap, .gcap.gz).
    capture: Option<PathBuf>,
    /// Write JSON; not of recordings.
    #[arg(long)]
    json: bool,
}

/// Something that may be there, and how to get it.
struct Part {
    name: &'static str,
    found: Option<String>,
    /// What needs it, and how to get it.
    advice: Cow<'static, str>,
}

/// What is said where no device will do; what each lacks stands with it.
const LACKING: &str = "no device has all that is needed";

fn parts(profiles: &Result<Vec<Profile>, String>) -> Vec<Part> {
    let program = |name: &str| in_path(Path::new(name)).map(|path| path.display().to_string());
    let window_libraries = afterimage_window::advice();
    let text = |path: Result<PathBuf, files::NotFound>| path.ok().map(|path| path.display().to_string());
    let layer = ["/usr/share", "/usr/local/share", "/etc", "/opt/homebrew/share"]
        .iter()
        .map(|root| Path::new(root).join("vulkan/explicit_layer.d/VkLayer_khronos_validation.json"))
        .find(|path| path.is_file());
    let usable = |profile: &&Profile| profile.missing.is_empty();
    vec![
        Part {
            name: "Vulkan device",
            found: profiles.iter().flatten().find(usable).map(|profile| profile.name.clone()),
            advice: profiles.as_ref().err().map_or_else(|| LACKING.into(), |error| error.clone().into()),
        },
        Part {
            name: files::LIBRARY,
            found: text(files::library(Width::W64)),
            advice: "for native programs: cargo xtask dist".into(),
        },
        Part {
            name: "d3d9.dll, 64 bit",
            found: text(files::dll(Width::W64)),
            advice: "for 64-bit Windows programs: cargo xtask dist".into(),
        },
        Part {
            name: "d3d9.dll, 32 bit",
            found: text(files::dll(Width::W32)),
            advice: "for 32-bit Windows programs: cargo xtask dist".into(),
        },
        Part {
            name: "viewer",
            found: files::viewer().map(|path| path.display().to_string()),
            advice: "for Windows programs: cargo xtask dist".into(),
        },
        Part {
            name: "wine",
            found: program("wine").or_else(|| program("wine64")),
            advice: format!("for Windows programs: {}", advice(Need::Wine)).into(),
        },
        Part {
            name: "wine, 32 bit",
            found: crate::wine::of_32_bit().map(|path| path.display().to_string()),
            advice: format!("for 32-bit Windows programs: {}", advice(Need::Wine32)).into(),
        },
        Part {
            name: "validation layer",
            found: layer.map(|path| path.display().to_string()),
            advice: format!("for --validate: {}", advice(Need::ValidationLayer)).into(),
        },
        Part {
            name: "spirv-val",
            found: program("spirv-val"),
            advice: format!("for shader translate --validate: {}", advice(Need::SpirvTools)).into(),
        },
        Part {
            name: "window libraries",
            found: window_libraries.is_none().then(|| "all there".to_owned()),
            advice: format!("for windows: {}", window_libraries.unwrap_or_default()).into(),
        },
        Part {
            name: "display",
            found: ["WAYLAND_DISPLAY", "DISPLAY"]
                .iter()
                .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty())),
            advice: "for windows; `afterimage run` gives a program one that nobody sees, of Xvfb".into(),
        },
        Part {
            name: "Xvfb",
            found: program("Xvfb"),
            advice: format!("for programs with windows where there is no display: {}", advice(Need::Xvfb)).into(),
        },
    ]
}

/// Devices with their profiles, or why there are none.
fn profiles() -> Result<Vec<Profile>, String> {
    let options = Options::from_env();
    // The layer says nothing about devices, and may be missing.
    let instance = Instance::new(&Options { validate: false, validate_if_there: false, ..options.clone() })
        .map_err(|error| error.to_string())?;
    let found = devices(&instance, &options).map_err(|error| error.to_string())?;
    if found.is_empty() {
        return Err(no_driver());
    }
    Ok(found.into_iter().map(|(_, profile)| profile).collect())
}

/// Prints everything. Fails where nothing can be drawn.
pub(crate) fn info(args: &Args) -> Result<(), crate::Failure> {
    if let Some(capture) = &args.capture {
        let recordings = [crate::nv2a::is_recording(capture), crate::gnm::is_recording(capture)];
        if args.json && recordings != [false; 2] {
            let name = capture.display();
            return Err(crate::Failure::new(format!("{name}: --json is for captures (.aftercap), and this is none")));
        }
        let text = match recordings {
            [true, _] => crate::nv2a::about(capture),
            [_, true] => crate::gnm::about(capture),
            _ => crate::about::about(capture, args.json),
        };
        crate::say(&text?);
        return Ok(());
    }
    let profiles = profiles();
    let parts = parts(&profiles);
    let directory = shared::directory();
    let viewer = directory.as_deref().and_then(shared::running);
    let text = if args.json {
        format!("{:#}\n", as_json(&profiles, &parts, directory.as_deref(), viewer))
    } else {
        as_text(&profiles, &parts, directory.as_deref(), viewer)
    };
    crate::say(&text);
    match profiles {
        Ok(profiles) if profiles.iter().any(|profile| profile.missing.is_empty()) => Ok(()),
        Ok(_) => Err(crate::Failure::new(LACKING)),
        Err(error) => Err(crate::Failure::new(error)),
    }
}

fn as_text(
    profiles: &Result<Vec<Profile>, String>,
    parts: &[Part],
    directory: Option<&Path>,
    viewer: Option<u32>,
) -> String {
    let mut text = format!("afterimage {}\n", env!("CARGO_PKG_VERSION"));
    for (number, profile) in profiles.iter().flatten().enumerate() {
        text += &format!("\ndevice {number}\n{profile}");
    }
    text.push('\n');
    let mut row = |name: &str, value: String| text += &format!("{name:<20} {value}\n");
    for part in parts {
        row(part.name, part.found.clone().unwrap_or_else(|| format!("MISSING ({})", part.advice)));
    }
    let missing = || format!("MISSING (set {})", shared::DIRECTORY_VARIABLE);
    row("shared files", directory.map_or_else(missing, |path| path.display().to_string()));
    row("running viewer", viewer.map_or_else(|| "none".into(), |process| format!("process {process}")));
    text
}

fn as_json(
    profiles: &Result<Vec<Profile>, String>,
    parts: &[Part],
    directory: Option<&Path>,
    viewer: Option<u32>,
) -> Value {
    let devices: Vec<Value> = profiles
        .iter()
        .flatten()
        .map(|profile| {
            json!({
                "name": profile.name,
                "driver": profile.driver,
                "usable": profile.missing.is_empty(),
                "missing": profile.missing,
                "bindless": profile.bindless.is_some(),
                "multi_draw": profile.multi_draw,
                "custom_border_color": profile.custom_border_color,
                "anisotropy": profile.anisotropy,
                "precise_occlusion": profile.precise_occlusion,
                "windows": profile.swapchain,
            })
        })
        .collect();
    let parts: serde_json::Map<String, Value> =
        parts.iter().map(|part| (part.name.to_owned(), part.found.clone().into())).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "devices": devices,
        "error": profiles.as_ref().err(),
        "files": parts,
        "directory": directory.map(|path| path.display().to_string()),
        "running_viewer": viewer,
    })
}
