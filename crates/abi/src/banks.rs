//! Banks of constants.

use crate::{Stage, slots};

macro_rules! banks {
    ($($(#[$doc:meta])* $variant:ident = $number:literal $name:literal $registers:expr, $reader:expr;)*) => {
        /// A bank of constants, by the number that the stream's `SetConstants` and shader reflection carry. A register is 16 bytes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Bank { $($(#[$doc])* $variant = $number),* }

        impl Bank {
            /// Every bank; the index is the number.
            pub const ALL: [Self; [$($number),*].len()] = [$(Self::$variant),*];

            /// Name for logs and dumps.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Registers of the bank.
            #[must_use]
            pub const fn registers(self) -> u16 {
                match self { $(Self::$variant => $registers),* }
            }

            /// The stage whose shaders read it; none of the system block, which the renderer lays out for several.
            #[must_use]
            pub const fn reader(self) -> Option<Stage> {
                match self { $(Self::$variant => $reader),* }
            }
        }
    };
}

const VERTEX: Option<Stage> = Some(Stage::Vertex);
const PIXEL: Option<Stage> = Some(Stage::Pixel);
const COMPUTE: Option<Stage> = Some(Stage::Compute);

banks! {
    /// Direct3D 9: `c#` of vertex shaders. Software vertex processing has more constants than hardware.
    VertexFloat = 0 "vertex float" 8192, VERTEX;
    /// `i#` of vertex shaders; signed 32-bit components.
    VertexInt = 1 "vertex integer" 2048, VERTEX;
    /// `b#` of vertex shaders: register i holds boolean i in its first component, zero is false.
    VertexBool = 2 "vertex boolean" 2048, VERTEX;
    /// `c#` of pixel shaders.
    PixelFloat = 3 "pixel float" 8192, PIXEL;
    /// `i#` of pixel shaders.
    PixelInt = 4 "pixel integer" 2048, PIXEL;
    /// `b#` of pixel shaders.
    PixelBool = 5 "pixel boolean" 2048, PIXEL;
    /// Constants of the fixed-function vertex stage: `FixedVertexRegister` of `afterimage_shader_d3d9`.
    FixedVertex = 6 "fixed vertex" 1280, VERTEX;
    /// Constants of the fixed-function pixel stage: `FixedPixelRegister`.
    FixedPixel = 7 "fixed pixel" 64, PIXEL;
    /// What a guest sends of the system block ([`SystemRegister`](crate::SystemRegister)).
    System = 8 "system" 32, None;
    /// NV2A: the vertex engine's constant memory.
    Nv2aTransform = 9 "nv2a vertex" 192, VERTEX;
    /// What else the fixed function reads: `FixedRegister` of `afterimage_shader_nv2a`.
    Nv2aFixed = 10 "nv2a fixed" 256, VERTEX;
    /// From screen space to clip space: `ScreenRegister`.
    Nv2aScreen = 11 "nv2a screen" 16, VERTEX;
    /// What the pixel stage reads: `PixelRegister`.
    Nv2aPixel = 12 "nv2a pixel" 128, PIXEL;
    /// GCN, here and below: see [`GcnBank`].
    GcnVertexWords = 13 "gcn vertex words" 1024, VERTEX;
    /// Buffers of the vertex stage.
    GcnVertexBuffers = 14 "gcn vertex buffers" slots::STORAGE as u16, VERTEX;
    /// The draw, to the vertex stage.
    GcnVertexDraw = 15 "gcn vertex draw" 16, VERTEX;
    /// Words of the pixel stage.
    GcnPixelWords = 16 "gcn pixel words" 1024, PIXEL;
    /// Buffers of the pixel stage.
    GcnPixelBuffers = 17 "gcn pixel buffers" slots::STORAGE as u16, PIXEL;
    /// The draw, to the pixel stage.
    GcnPixelDraw = 18 "gcn pixel draw" 16, PIXEL;
    /// Words of the compute stage.
    GcnComputeWords = 19 "gcn compute words" 1024, COMPUTE;
    /// Buffers of the compute stage.
    GcnComputeBuffers = 20 "gcn compute buffers" slots::STORAGE as u16, COMPUTE;
    /// The dispatch, to the compute stage.
    GcnComputeDraw = 21 "gcn compute draw" 16, COMPUTE;
}

impl Bank {
    /// Number of banks.
    pub const COUNT: usize = Self::ALL.len();

    /// The bank with this number.
    #[must_use]
    pub const fn from_number(number: usize) -> Option<Self> {
        if number < Self::COUNT { Some(Self::ALL[number]) } else { None }
    }

    /// A bank of a GCN stage; the geometry stage has those of the vertex stage.
    #[must_use]
    pub const fn gcn(stage: Stage, bank: GcnBank) -> Self {
        use Bank::*;
        let of_stage = match stage {
            Stage::Vertex | Stage::Geometry => [GcnVertexWords, GcnVertexBuffers, GcnVertexDraw],
            Stage::Pixel => [GcnPixelWords, GcnPixelBuffers, GcnPixelDraw],
            Stage::Compute => [GcnComputeWords, GcnComputeBuffers, GcnComputeDraw],
        };
        of_stage[bank as usize]
    }

    /// Whether its registers are device addresses of buffers, which the renderer fills in.
    #[must_use]
    pub const fn has_addresses(self) -> bool {
        matches!(self, Self::GcnVertexBuffers | Self::GcnPixelBuffers | Self::GcnComputeBuffers)
    }

    /// Number of banks that a stage reads.
    #[must_use]
    pub const fn count_of(stage: Stage) -> usize {
        let (mut count, mut at) = (0, 0);
        while at < Self::COUNT {
            count += Self::ALL[at].is_of(stage) as usize;
            at += 1;
        }
        count
    }

    /// Its place among the banks with the same reader.
    #[must_use]
    pub const fn place(self) -> usize {
        let (mut place, mut at) = (0, 0);
        while at < self as usize {
            let same = match self.reader() {
                Some(stage) => Self::ALL[at].is_of(stage),
                None => Self::ALL[at].reader().is_none(),
            };
            place += same as usize;
            at += 1;
        }
        place
    }

    const fn is_of(self, stage: Stage) -> bool {
        matches!(self.reader(), Some(reader) if reader as u8 == stage as u8)
    }
}

/// The banks of each GCN stage, as programs have them before their stage is known: [`Bank::gcn`] has the stream's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum GcnBank {
    /// Words from user data and scalar loads, four a register. The guest writes them with `SetConstants`.
    Words = 0,
    /// Buffers, one a register, as the renderer fills it from `SetStorage` (and nothing else does): low and high half of the device
    /// address, bytes that may be accessed from there, and a word of the guest's. Behind them, from [`slots::FIRST_TABLE`] on, the same of
    /// tables of textures.
    Buffers = 1,
    /// What the draw says, as the guest writes it.
    Draw = 2,
}

impl GcnBank {
    /// Every bank, by number.
    pub const ALL: [Self; 3] = [Self::Words, Self::Buffers, Self::Draw];
}

const _: () = {
    let mut at = 0;
    while at < Bank::COUNT {
        assert!(Bank::ALL[at] as usize == at, "a bank's number is its place in the table");
        at += 1;
    }
    let mut at = 0;
    while at < GcnBank::ALL.len() {
        let bank = GcnBank::ALL[at];
        assert!(bank as usize == at);
        let mut stage = 0;
        while stage < Stage::ALL.len() {
            let of_stage = Bank::gcn(Stage::ALL[stage], bank);
            assert!(of_stage.is_of(Stage::ALL[stage].bindings()));
            assert!(of_stage.has_addresses() == matches!(bank, GcnBank::Buffers));
            stage += 1;
        }
        at += 1;
    }
};
