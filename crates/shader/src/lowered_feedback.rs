//! Vertex shaders that store what they capture themselves, for devices without transform feedback: see
//! [`feedback`](afterimage_passes::feedback).

use crate::shader::{CacheKey, CompileError, Profile, Shader, emit};
use crate::{Artifact, Compiler, RuntimeInfo, msl};
use afterimage_ir::{InputAt, Module};
use afterimage_passes::feedback::table::Provoking;
use afterimage_passes::feedback::{self, Attribute, Fetch, Number, Options, Step};
use std::hash::Hash;
use xxhash_rust::xxh3::Xxh3;

/// What stands for the code of [`feedback::prepare`] in its key.
const PREPARE: u128 = u128::from_le_bytes(*b"feedback prepare");

impl Shader {
    /// The key under which the artifact of [`Shader::feedback`] is kept.
    pub fn feedback_key(&self, profile: &Profile, runtime: &RuntimeInfo, options: &Options) -> CacheKey {
        let mut hash = Xxh3::new();
        hash.update(&self.key(profile, runtime).0.to_le_bytes());
        options.hash(&mut hash);
        CacheKey(hash.digest128())
    }

    /// Translates to IR that stores what is captured, after all passes. Inputs that no attribute feeds read (0, 0, 0, 1).
    ///
    /// # Errors
    /// What cannot be translated, and what [`feedback::lower`] says of the shader.
    pub fn feedback_module(
        &self,
        profile: &Profile,
        runtime: &RuntimeInfo,
        options: &Options,
    ) -> Result<Module, CompileError> {
        lower(&self.module(profile, runtime)?, profile, options)
    }

    /// Compiles to SPIR-V that stores what is captured: a compute shader, or a vertex shader, as the options say. The reflection has
    /// the captures of the shader that it was.
    ///
    /// # Errors
    /// What cannot be translated, and what [`feedback::lower`] says of the shader.
    pub fn feedback(
        &self,
        profile: &Profile,
        runtime: &RuntimeInfo,
        options: &Options,
    ) -> Result<Artifact, CompileError> {
        let module = self.module(profile, runtime)?;
        let mut artifact = emit(&lower(&module, profile, options)?, profile, false)?;
        artifact.reflection.feedback_outputs = afterimage_ir::uses(&module).reflection.feedback_outputs;
        Ok(artifact)
    }

    /// As [`Shader::feedback`], to Metal's language.
    ///
    /// # Errors
    /// What cannot be translated, and what [`feedback::lower`] says of the shader.
    pub fn feedback_msl(
        &self,
        profile: &Profile,
        runtime: &RuntimeInfo,
        options: &Options,
    ) -> Result<msl::Artifact, CompileError> {
        let module = self.module(profile, runtime)?;
        let mut artifact = msl::emit(&lower(&module, profile, options)?, &msl::Options::default())?;
        artifact.reflection.feedback_outputs = afterimage_ir::uses(&module).reflection.feedback_outputs;
        Ok(artifact)
    }
}

impl Shader {
    /// The key under which the artifact of [`Shader::geometry_feedback`] is kept.
    pub fn geometry_feedback_key(
        &self,
        vertex: &Shader,
        profile: &Profile,
        runtime: &RuntimeInfo,
        options: &Options,
        provoking: Provoking,
    ) -> CacheKey {
        let mut hash = Xxh3::new();
        hash.update(&vertex.feedback_key(profile, runtime, options).0.to_le_bytes());
        hash.update(&self.key(profile, runtime).0.to_le_bytes());
        hash.update(&[provoking as u8]);
        CacheKey(hash.digest128())
    }

    /// Compiles a geometry shader, and the vertex shader in front of it, to a compute shader in SPIR-V that stores what the former
    /// captures: see [`feedback::lower_geometry`]. The reflection has its feedback.
    ///
    /// # Errors
    /// What cannot be translated, and what [`feedback::lower_geometry`] says of the shaders.
    pub fn geometry_feedback(
        &self,
        vertex: &Shader,
        profile: &Profile,
        runtime: &RuntimeInfo,
        options: &Options,
        provoking: Provoking,
    ) -> Result<Artifact, CompileError> {
        let modules = (self.module(profile, runtime)?, vertex.module(profile, runtime)?);
        let lowered = lower_geometry(&modules, profile, options, provoking)?;
        let mut artifact = emit(&lowered, profile, false)?;
        artifact.reflection.feedback_outputs = afterimage_ir::uses(&modules.0).reflection.feedback_outputs;
        Ok(artifact)
    }

    /// As [`Shader::geometry_feedback`], to Metal's language.
    ///
    /// # Errors
    /// What cannot be translated, and what [`feedback::lower_geometry`] says of the shaders.
    pub fn geometry_feedback_msl(
        &self,
        vertex: &Shader,
        profile: &Profile,
        runtime: &RuntimeInfo,
        options: &Options,
        provoking: Provoking,
    ) -> Result<msl::Artifact, CompileError> {
        let modules = (self.module(profile, runtime)?, vertex.module(profile, runtime)?);
        let lowered = lower_geometry(&modules, profile, options, provoking)?;
        let mut artifact = msl::emit(&lowered, &msl::Options::default())?;
        artifact.reflection.feedback_outputs = afterimage_ir::uses(&modules.0).reflection.feedback_outputs;
        Ok(artifact)
    }
}

/// Compiles [`feedback::prepare`], which prepares draws whose numbers only the device knows, to SPIR-V.
///
/// # Errors
/// Where the device lacks something that it needs.
pub fn prepare(profile: &Profile) -> Result<Artifact, CompileError> {
    let mut module = feedback::prepare();
    afterimage_passes::optimize(&mut module, &afterimage_passes::Options { float_rules: profile.float_rules });
    emit(&module, profile, false)
}

impl Compiler {
    /// As [`Compiler::compile`], of [`Shader::feedback`].
    ///
    /// # Errors
    /// See [`Shader::feedback`].
    pub fn feedback(
        &self,
        shader: &Shader,
        runtime: &RuntimeInfo,
        options: &Options,
    ) -> Result<Artifact, CompileError> {
        let key = shader.feedback_key(&self.profile, runtime, options);
        self.cached(key, || shader.feedback(&self.profile, runtime, options))
    }

    /// As [`Compiler::compile`], of [`Shader::geometry_feedback`].
    ///
    /// # Errors
    /// See [`Shader::geometry_feedback`].
    pub fn geometry_feedback(
        &self,
        (vertex, geometry): (&Shader, &Shader),
        runtime: &RuntimeInfo,
        options: &Options,
        provoking: Provoking,
    ) -> Result<Artifact, CompileError> {
        let key = geometry.geometry_feedback_key(vertex, &self.profile, runtime, options, provoking);
        self.cached(key, || geometry.geometry_feedback(vertex, &self.profile, runtime, options, provoking))
    }

    /// As [`Compiler::compile`], of [`prepare`].
    ///
    /// # Errors
    /// See [`prepare`].
    pub fn prepare(&self) -> Result<Artifact, CompileError> {
        let key = CacheKey::new(PREPARE, &self.profile, &RuntimeInfo::default());
        self.cached(key, || prepare(&self.profile))
    }
}

/// A vertex shader that has gone through the passes, so that it stores what it captured.
fn lower(module: &Module, profile: &Profile, options: &Options) -> Result<Module, CompileError> {
    let mut lowered = feedback::lower(module, &with_defaults(module, options))?;
    afterimage_passes::optimize(&mut lowered, &afterimage_passes::Options { float_rules: profile.float_rules });
    Ok(lowered)
}

/// A geometry and a vertex shader that have gone through the passes, so that what the former captures is stored.
fn lower_geometry(
    (geometry, vertex): &(Module, Module),
    profile: &Profile,
    options: &Options,
    provoking: Provoking,
) -> Result<Module, CompileError> {
    let attributes = with_defaults(vertex, options).attributes;
    let mut lowered = feedback::lower_geometry(vertex, geometry, &attributes, provoking)?;
    afterimage_passes::optimize(&mut lowered, &afterimage_passes::Options { float_rules: profile.float_rules });
    Ok(lowered)
}

/// The options with an attribute for each input.
pub(crate) fn with_defaults(module: &Module, options: &Options) -> Options {
    let mut options = options.clone();
    for input in &module.inputs {
        let InputAt::Location(location) = input.at else { continue };
        if !options.attributes.iter().any(|attribute| attribute.location == location) {
            let (slot, fetch) = (Attribute::DEFAULT, Fetch::new(Number::Float, 4, 32));
            options.attributes.push(Attribute { location, slot, fetch, offset: 0, step: Step::Vertex });
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DiskCache, Language, Stage};
    use afterimage_passes::feedback::{FeedbackError, Form};

    const CAPTURING: &str = r#"vertex "capturing" {
        input in0 "position" : f32x4 location 0 smooth
        input in1 "weights" : f32x4 location 3 smooth
        output out0 : f32x4 position
        output out1 : f32x4 location 0
        feedback out0.xyz buffer 0 stream 0 stride 16 offset 4
        feedback out1.x buffer 1 stream 0 stride 4 offset 0
        bank c0 stage 0 [256]
        v0: f32x4 = load_input in0
        v1: f32x4 = load_const c0[7]
        v2: f32x4 = fmul v0, v1
        v3: f32x4 = load_input in1
        store_output out0, v2
        store_output out1, v3
        return
    }"#;

    fn shader(text: &str) -> Shader {
        Shader::new(Language::Ir, text.as_bytes()).expect("a shader")
    }

    fn options(form: Form, offset: u32) -> Options {
        let fetch = Fetch::new(Number::Float, 3, 32);
        Options { form, attributes: vec![Attribute { location: 0, slot: 2, fetch, offset, step: Step::Vertex }] }
    }

    #[test]
    fn captures_are_stores() {
        let (shader, profile, runtime) = (shader(CAPTURING), Profile::default(), RuntimeInfo::default());
        for (form, stage) in [(Form::Gather, Stage::Compute), (Form::Scatter, Stage::Vertex)] {
            let artifact = shader.feedback(&profile, &runtime, &options(form, 0)).expect("it compiles");
            let reflection = &artifact.reflection;
            assert_eq!((reflection.stage, reflection.stores, reflection.feedback), (stage, true, true));
            assert_eq!(reflection.feedback_strides(), [16, 4, 0, 0]);
            // Its own constants are where they were.
            assert_eq!(reflection.segments.iter().map(|s| (s.bank, s.first, s.count)).collect::<Vec<_>>(), [(0, 7, 1)]);
        }
        let plain = shader.compile(&profile, &runtime).expect("it compiles");
        assert_eq!(plain.reflection.feedback_strides(), [16, 4, 0, 0]);
        assert!(!plain.reflection.stores && !plain.reflection.feedback);
        assert!(prepare(&profile).expect("it compiles").reflection.stores);
    }

    #[test]
    fn keys_cover_the_options() {
        let (shader, profile, runtime) = (shader(CAPTURING), Profile::default(), RuntimeInfo::default());
        let mut keys: Vec<_> = [(Form::Gather, 0), (Form::Gather, 4), (Form::Scatter, 0)]
            .map(|(form, offset)| shader.feedback_key(&profile, &runtime, &options(form, offset)))
            .into();
        keys.extend([shader.key(&profile, &runtime), shader.feedback_key(&profile, &runtime, &Options::default())]);
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 5);
    }

    #[test]
    fn the_disk_has_them() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let cache = Some(DiskCache::open(dir.path()).expect("directory"));
        let compiler = Compiler { profile: Profile::default(), cache };
        let (shader, runtime, options) = (shader(CAPTURING), RuntimeInfo::default(), options(Form::Gather, 0));
        let made = [compiler.feedback(&shader, &runtime, &options), compiler.prepare()].map(|made| made.expect("made"));
        assert_eq!(std::fs::read_dir(dir.path()).expect("directory").count(), 2);
        let found =
            [compiler.feedback(&shader, &runtime, &options), compiler.prepare()].map(|made| made.expect("there"));
        assert!(made == found);
    }

    #[test]
    fn what_captures_nothing_is_refused() {
        let shader = shader("vertex { output out0 : f32x4 position return }");
        let refused = shader.feedback(&Profile::default(), &RuntimeInfo::default(), &Options::default());
        assert_eq!(refused, Err(CompileError::Feedback(FeedbackError::NoFeedback)));
    }
}
