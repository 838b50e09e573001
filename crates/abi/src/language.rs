//! What guest code is written in.

macro_rules! languages {
    ($($(#[$doc:meta])* $variant:ident = $number:literal $name:literal;)*) => {
        /// What guest code is written in, by the number that the stream's `CreateShader` carries.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum Language { $($(#[$doc])* $variant = $number),* }

        impl Language {
            /// Every language, with the name that the command line and logs use.
            pub const ALL: &[(Self, &'static str)] = &[$((Self::$variant, $name)),*];

            /// The language with this number.
            #[must_use]
            pub const fn from_number(number: u32) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)* _ => None }
            }

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

languages! {
    /// Direct3D 9 shader tokens, little-endian, models 1 to 3.
    D3d9 = 1 "d3d9";
    /// Direct3D 9's fixed-function vertex stage: a `FixedVertexKey` of `afterimage_shader_d3d9`.
    FixedVertex = 2 "d3d9-fixed-vertex";
    /// Direct3D 9's texture stages: a `FixedPixelKey`.
    FixedPixel = 3 "d3d9-fixed-pixel";
    /// The IR's own text.
    Ir = 4 "ir";
    /// A SPIR-V module with one entry point, in either byte order.
    Spirv = 5 "spirv";
    /// NV2A transform microcode, as `Program::to_bytes` of `afterimage_shader_nv2a` gives it.
    Nv2aProgram = 6 "nv2a";
    /// NV2A fixed-function transform and lighting: a `fixed::Key`.
    Nv2aFixed = 7 "nv2a-fixed";
    /// An NV2A pixel pipeline: a `pixel::Key`.
    Nv2aPixel = 8 "nv2a-pixel";
    /// A GCN program and what its translation depends on, as `io::Source::to_bytes` of `afterimage_shader_gcn` gives it.
    Gcn = 9 "gcn";
    /// What makes indices of what a GCN geometry shader put out: an `emitted::Key`.
    GcnEmitted = 10 "gcn-emitted";
}
