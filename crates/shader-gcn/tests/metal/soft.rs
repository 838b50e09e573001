//! Shaders that the software Metal compiles.

use afterimage_metal_calls::{Device, Error, Family, FunctionDescriptor};
use afterimage_metal_soft::SoftDevice;
use afterimage_msl::Artifact;

/// What the software Metal says of what it lacks and Metal has: levels that lookups would take, and more than one viewport.
const LACKS: [&str; 2] = ["no member named 'calculate_clamped_lod'", "there is one viewport"];

/// Compiles shaders, but for those that ask for what this device alone lacks. How many it compiled, and what is wrong with the others.
pub fn compile(shaders: &[(String, Artifact)]) -> (usize, Vec<String>) {
    let device = SoftDevice::new(Family::Apple9);
    let one = |(name, artifact): &(String, Artifact)| -> Result<bool, String> {
        let function = FunctionDescriptor { source: &artifact.source, name: "main0", constants: &[], label: "shader" };
        match device.new_function(&function) {
            Ok(_) => Ok(true),
            Err(Error::Source { text, .. }) if LACKS.iter().any(|lacks| text.contains(lacks)) => Ok(false),
            Err(error) => Err(format!("{name}: {error}\n{}", artifact.source)),
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let all: Vec<Result<bool, String>> = std::thread::scope(|scope| {
        let parts = shaders.chunks(shaders.len().div_ceil(threads).max(1));
        let parts: Vec<_> = parts.map(|part| scope.spawn(|| part.iter().map(one).collect::<Vec<_>>())).collect();
        parts.into_iter().flat_map(|part| part.join().expect("compiles")).collect()
    });
    let compiled = all.iter().filter(|made| **made == Ok(true)).count();
    (compiled, all.into_iter().filter_map(Result::err).collect())
}
