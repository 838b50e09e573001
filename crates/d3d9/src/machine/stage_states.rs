//! `D3DTSS_*`: number, name, default, groups that read it. Two defaults depend on the stage, see [`StageStates::for_stage`].

use super::groups::Group;
use super::states::{DeviceState, DeviceTracker};
use afterimage_state::{States, state_table};

state_table! {
    /// States of one texture stage.
    pub(crate) table StageStates of Group {
        1 D3DTSS_COLOROP = 1 => VertexShader, PixelShader;
        2 D3DTSS_COLORARG1 = 2 => PixelShader;
        3 D3DTSS_COLORARG2 = 1 => PixelShader;
        4 D3DTSS_ALPHAOP = 1 => PixelShader;
        5 D3DTSS_ALPHAARG1 = 2 => PixelShader;
        6 D3DTSS_ALPHAARG2 = 1 => PixelShader;
        7 D3DTSS_BUMPENVMAT00 = 0 => FixedPixelConstants;
        8 D3DTSS_BUMPENVMAT01 = 0 => FixedPixelConstants;
        9 D3DTSS_BUMPENVMAT10 = 0 => FixedPixelConstants;
        10 D3DTSS_BUMPENVMAT11 = 0 => FixedPixelConstants;
        11 D3DTSS_TEXCOORDINDEX = 0 => VertexShader;
        22 D3DTSS_BUMPENVLSCALE = 0 => FixedPixelConstants;
        23 D3DTSS_BUMPENVLOFFSET = 0 => FixedPixelConstants;
        24 D3DTSS_TEXTURETRANSFORMFLAGS = 0 => VertexShader, PixelShader, PixelOps;
        26 D3DTSS_COLORARG0 = 1 => PixelShader;
        27 D3DTSS_ALPHAARG0 = 1 => PixelShader;
        28 D3DTSS_RESULTARG = 1 => PixelShader;
        32 D3DTSS_CONSTANT = 0 => FixedPixelConstants;
    }
}

impl StageStates {
    /// Defaults of a stage: the first modulates colour and selects alpha, and each reads its own coordinates.
    pub(crate) fn for_stage(stage: u32, tracker: &mut DeviceTracker) -> States<Self, DeviceState> {
        let mut states = States::new(DeviceState::STAGE.at(stage));
        states.set(Self::D3DTSS_TEXCOORDINDEX, stage, tracker);
        if stage == 0 {
            states.set(Self::D3DTSS_COLOROP, 4, tracker);
            states.set(Self::D3DTSS_ALPHAOP, 2, tracker);
        }
        states
    }
}
