//! The renderer: executes a command stream with Vulkan.
