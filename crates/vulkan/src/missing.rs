//! What this machine lacks for us to draw, in words that say how to get it.

use afterimage_distribution::{Need, advice, cards_here};
use ash::vk;

/// Variables by which a user names drivers; the loader looks at no others then.
const NAMES_DRIVERS: [&str; 2] = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];

/// A version in words.
pub(crate) fn version(version: u32) -> String {
    let parts = [vk::api_version_major(version), vk::api_version_minor(version), vk::api_version_patch(version)];
    parts.map(|part| part.to_string()).join(".")
}

/// That the loader is too old; Wine's says 1.0 where it finds none of the system's of the program's width.
pub(crate) fn old_loader(found: u32) -> String {
    let need = if cfg!(target_pointer_width = "32") { Need::Vulkan32 } else { Need::VulkanLoader };
    let (bits, advice) = (usize::BITS, advice(need));
    if cfg!(windows) && found < vk::API_VERSION_1_1 {
        return format!("Wine finds no Vulkan loader for {bits}-bit programs: {advice}");
    }
    format!("the Vulkan loader supports version {} only, 1.3 is needed: {advice}", version(found))
}

/// That the loader finds no driver: for which cards, whether the user has told it where to look, and how to get one.
#[must_use]
pub fn no_driver() -> String {
    let cards: Vec<String> = cards_here().iter().map(ToString::to_string).collect();
    let of = if cards.is_empty() { String::new() } else { format!(" for the graphics card {}", cards.join(" or ")) };
    let named = NAMES_DRIVERS.iter().find_map(|name| Some((name, std::env::var_os(name).filter(|v| !v.is_empty())?)));
    let why = named.map_or_else(
        || advice(Need::VulkanDriver),
        |(name, value)| format!("{name}={} names the only one that is looked for; unset it", value.display()),
    );
    format!("there is no Vulkan driver{of}: {why}")
}

/// How to get a driver that is newer than what is there.
pub(crate) fn newer_driver() -> String {
    format!("a newer driver may have it: {}", advice(Need::VulkanDriver))
}
