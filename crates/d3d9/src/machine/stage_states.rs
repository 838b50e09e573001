//! `D3DTSS_*`: number, name, default, group. Two defaults depend on the stage, see [`StageStates::for_stage`].

use super::groups::Group;
use afterimage_state::{Dirty, old::States, old_state_table as state_table};

state_table! {
    /// States of one texture stage.
    pub(crate) table StageStates of Group {
        1 D3DTSS_COLOROP = 1 => Coordinates;
        2 D3DTSS_COLORARG1 = 2 => PixelShader;
        3 D3DTSS_COLORARG2 = 1 => PixelShader;
        4 D3DTSS_ALPHAOP = 1 => PixelShader;
        5 D3DTSS_ALPHAARG1 = 2 => PixelShader;
        6 D3DTSS_ALPHAARG2 = 1 => PixelShader;
        7 D3DTSS_BUMPENVMAT00 = 0 => FixedPixelConstants;
        8 D3DTSS_BUMPENVMAT01 = 0 => FixedPixelConstants;
        9 D3DTSS_BUMPENVMAT10 = 0 => FixedPixelConstants;
        10 D3DTSS_BUMPENVMAT11 = 0 => FixedPixelConstants;
        11 D3DTSS_TEXCOORDINDEX = 0 => Coordinates;
        22 D3DTSS_BUMPENVLSCALE = 0 => FixedPixelConstants;
        23 D3DTSS_BUMPENVLOFFSET = 0 => FixedPixelConstants;
        24 D3DTSS_TEXTURETRANSFORMFLAGS = 0 => Coordinates;
        26 D3DTSS_COLORARG0 = 1 => PixelShader;
        27 D3DTSS_ALPHAARG0 = 1 => PixelShader;
        28 D3DTSS_RESULTARG = 1 => PixelShader;
        32 D3DTSS_CONSTANT = 0 => FixedPixelConstants;
    }
}

impl StageStates {
    /// Defaults of a stage: the first modulates colour and selects alpha, and each reads its own coordinates.
    pub(crate) fn for_stage(stage: u32) -> States<Self> {
        let mut states = States::new();
        let mut ignored = Dirty::none();
        states.set(Self::D3DTSS_TEXCOORDINDEX, stage, &mut ignored);
        if stage == 0 {
            states.set(Self::D3DTSS_COLOROP, 4, &mut ignored);
            states.set(Self::D3DTSS_ALPHAOP, 2, &mut ignored);
        }
        states
    }
}
