//! What the user wants programs to be told about the adapter, whatever the device is.

use super::Adapter;
use crate::format::wanted;
use afterimage_config::Values;
use afterimage_d3d9_types::*;

impl Adapter {
    /// The same adapter, as the user wants programs to see it.
    #[must_use]
    pub fn with_overrides(mut self, values: &Values) -> Self {
        let info = &mut self.info;
        info.vendor = values.vendor_id.unwrap_or(info.vendor);
        info.device = values.device_id.unwrap_or(info.device);
        if let Some(name) = &values.device_description {
            info.name = [0; 256];
            // The last byte stays zero.
            let length = name.len().min(info.name.len() - 1);
            info.name[..length].copy_from_slice(&name.as_bytes()[..length]);
        }
        if let Some(most) = values.max_anisotropy {
            info.max_anisotropy = info.max_anisotropy.min(most as f32);
        }
        if let Some(most) = values.max_texture_size {
            for edge in [&mut info.max_texture_2d, &mut info.max_texture_cube, &mut info.max_texture_3d] {
                *edge = (*edge).min(most);
            }
        }
        self.shader_model = values.shader_model as u32 + 1;
        let code = |format: &afterimage_config::ExtraFormat| {
            let mut letters = [0; 4];
            letters.iter_mut().zip(format.name().bytes()).for_each(|(to, from)| *to = from);
            u32::from_le_bytes(letters)
        };
        self.hidden = values.hide_formats.iter().map(code).collect();
        self.old_formats = wanted(values);
        self
    }

    /// Capabilities of a device with the shader model that programs are told of.
    pub(super) fn with_shader_model(&self, caps: D3DCAPS9) -> D3DCAPS9 {
        let versions = match self.shader_model {
            1 => [0x0101, 0x0104],
            2 => [0x0200, 0x0200],
            _ => return caps,
        };
        let [vertex, pixel] = versions;
        let mut caps = D3DCAPS9 {
            VertexShaderVersion: 0xfffe_0000 | vertex,
            PixelShaderVersion: 0xffff_0000 | pixel,
            VertexTextureFilterCaps: 0,
            MaxVertexShader30InstructionSlots: 0,
            MaxPixelShader30InstructionSlots: 0,
            ..caps
        };
        if self.shader_model == 1 {
            caps.VS20Caps = D3DVSHADERCAPS2_0::default();
            caps.PS20Caps = D3DPSHADERCAPS2_0::default();
        }
        caps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::FormatQuery;
    use afterimage_config::Settings;
    use afterimage_stream::{DeviceInfo, Format, FormatFeatures};

    fn adapter(text: &str) -> Adapter {
        let mut info = DeviceInfo { max_texture_2d: 16_384, max_anisotropy: 16.0, vendor: 1, ..DeviceInfo::default() };
        info.formats[Format::B8G8R8A8_UNORM as usize] =
            FormatFeatures::SAMPLED | FormatFeatures::LINEAR | FormatFeatures::TARGET;
        for format in [Format::D24_UNORM_S8_UINT, Format::D32_SFLOAT_S8_UINT] {
            info.formats[format as usize] = FormatFeatures::SAMPLED | FormatFeatures::DEPTH;
        }
        let settings = Settings::of_text("game.exe", std::path::Path::new("f"), text);
        assert_eq!(settings.problems, []);
        Adapter::new(info, D3DDISPLAYMODE { Format: D3DFMT_X8R8G8B8, ..Default::default() }).with_overrides(&settings)
    }

    #[test]
    fn the_adapter_is_who_the_user_says() {
        let adapter = adapter("vendor_id = 0x10de\ndevice_id = 0x1b80\ndevice_description = GeForce \u{00dc}\n");
        let identifier = adapter.identifier();
        assert_eq!((identifier.VendorId, identifier.DeviceId), (0x10de, 0x1b80));
        assert!(identifier.Description.starts_with(&b"GeForce".map(|byte| byte as i8)));
    }

    #[test]
    fn limits_are_those_that_the_user_sets() {
        let caps = adapter("max_texture_size = 2048\nmax_anisotropy = 1\n").caps(D3DDEVTYPE_HAL).unwrap();
        assert_eq!((caps.MaxTextureWidth, caps.MaxAnisotropy), (2048, 1));
        assert_eq!(caps.RasterCaps & D3DPRASTERCAPS_ANISOTROPY, 0);
        assert_eq!(adapter("").caps(D3DDEVTYPE_HAL).unwrap().MaxTextureWidth, 16_384);
    }

    #[test]
    fn shader_models_are_told_whole() {
        let caps = |text| adapter(text).caps(D3DDEVTYPE_HAL).unwrap();
        assert_eq!(caps("").PixelShaderVersion, 0xffff_0300);
        let two = caps("shader_model = 2\n");
        assert_eq!((two.VertexShaderVersion, two.MaxPixelShader30InstructionSlots), (0xfffe_0200, 0));
        assert_ne!(two.PS20Caps.NumTemps, 0);
        let one = caps("shader_model = 1\n");
        assert_eq!((one.PixelShaderVersion, one.PS20Caps.NumTemps), (0xffff_0104, 0));
    }

    #[test]
    fn hidden_formats_are_not_there() {
        let intz = FormatQuery {
            device_type: D3DDEVTYPE_HAL,
            adapter_format: D3DFMT_X8R8G8B8,
            usage: D3DUSAGE_DEPTHSTENCIL,
            resource: D3DRTYPE_TEXTURE,
            format: u32::from_le_bytes(*b"INTZ"),
        };
        assert_eq!(adapter("").check_format(&intz), Ok(true));
        assert_eq!(adapter("hide_formats = atoc, intz\n").check_format(&intz), Err(crate::Error::NotAvailable));
    }
}
