//! A profile for people.

use super::Profile;
use crate::missing::{newer_driver, version};
use afterimage_stream::Format;
use std::fmt;

impl Profile {
    /// That the device cannot be used: its name, its driver, and what that lacks.
    pub(crate) fn lacks(&self) -> String {
        let Self { name, driver, api_version, missing, .. } = self;
        format!("{name} (driver {driver}, Vulkan {}) lacks {}", version(*api_version), missing.join(", "))
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let yes = |value: bool| if value { "yes" } else { "no" };
        writeln!(f, "{}", self.name)?;
        writeln!(f, "  driver               {}", self.driver)?;
        writeln!(f, "  Vulkan               {}", version(self.api_version))?;
        writeln!(f, "  type                 {:?}", self.kind)?;
        writeln!(f, "  device memory        {} MiB", self.memory >> 20)?;
        if !self.missing.is_empty() {
            return writeln!(f, "  MISSING              {} ({})", self.missing.join(", "), newer_driver());
        }
        match self.bindless {
            Some(b) => writeln!(
                f,
                "  textures             bindless: {} 2D, {} cube, {} 3D, {} samplers",
                b.textures_2d, b.textures_cube, b.textures_3d, b.samplers
            )?,
            None => writeln!(f, "  textures             by slot (no descriptor indexing)")?,
        }
        let d3 = self.dynamic_state3;
        let dynamic = [
            ("blend", d3.blend),
            ("polygon mode", d3.polygon_mode),
            ("sample mask", d3.sample_mask),
            ("depth clamp", d3.depth_clamp),
        ];
        let dynamic: Vec<_> = dynamic.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
        writeln!(f, "  dynamic state 3      {}", if dynamic.is_empty() { "none".into() } else { dynamic.join(", ") })?;
        writeln!(f, "  multi-draw           {}", self.multi_draw)?;
        writeln!(f, "  reads host memory    {}", yes(self.host_import > 0))?;
        writeln!(f, "  draws by number      {}", yes(self.draw_records))?;
        writeln!(f, "  tables of textures   {}", yes(self.texture_tables))?;
        writeln!(f, "  pipeline libraries   {}", yes(self.pipeline_libraries))?;
        writeln!(f, "  custom border colour {}", yes(self.custom_border_color))?;
        writeln!(f, "  mirror once          {}", yes(self.mirror_clamp))?;
        writeln!(f, "  minimum filters      {}", yes(self.minimum_filter))?;
        writeln!(f, "  wireframe and points {}", yes(self.fill_modes))?;
        writeln!(f, "  logic operations     {}", yes(self.logic_op))?;
        writeln!(f, "  depth bounds         {}", yes(self.depth_bounds))?;
        writeln!(f, "  line widths          {} to {}", self.line_widths[0], self.line_widths[1])?;
        let modes = [
            ("rectangular", self.rectangular_lines),
            ("bresenham", self.bresenham_lines),
            ("smooth", self.smooth_lines),
            ("quad", self.geometry_shader),
        ];
        let modes: Vec<_> = modes.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
        writeln!(f, "  line modes           {}", if modes.is_empty() { "default".into() } else { modes.join(", ") })?;
        writeln!(f, "  last vertex provokes {}", yes(self.provoking_last))?;
        writeln!(f, "  transform feedback   {}", yes(self.transform_feedback.is_some()))?;
        writeln!(f, "  null descriptors     {}", yes(self.null_descriptor))?;
        writeln!(
            f,
            "  anisotropy           {}",
            if self.anisotropy { self.limits.max_sampler_anisotropy } else { 1.0 }
        )?;
        writeln!(f, "  float rules          {}", self.float_rules.name())?;
        writeln!(f, "  exact occlusion      {}", yes(self.precise_occlusion))?;
        writeln!(f, "  timestamps           {}", yes(self.timestamp_bits > 0))?;
        let shaders = [
            ("compute", self.shaders.compute),
            ("stores of vertex stages", self.shaders.vertex_stores),
            ("of pixel stages", self.shaders.pixel_stores),
            ("doubles", self.shaders.float64),
            ("64-bit atomics", self.shaders.int64_atomics),
            ("on images", self.shaders.image_int64_atomics),
            ("arrays of cubes", self.shaders.cube_arrays),
            ("layers by vertex stages", self.shaders.output_layer),
            ("viewports by vertex stages", self.shaders.output_viewport),
            ("stencil export", self.shaders.stencil_export),
            ("pixels in order", self.shaders.interlock),
        ];
        let shaders: Vec<_> = shaders.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
        writeln!(f, "  shaders              {}", shaders.join(", "))?;
        writeln!(f, "  subgroups            {} lanes", self.shaders.subgroup_size)?;
        writeln!(f, "  windows              {}", yes(self.swapchain))?;
        let unusable: Vec<_> =
            Format::ALL.iter().filter(|&&x| self.choice(x).features == 0).map(|x| x.info().name).collect();
        writeln!(
            f,
            "  formats missing      {}",
            if unusable.is_empty() { "none".into() } else { unusable.join(", ") }
        )?;
        let twins: Vec<_> = Format::ALL
            .iter()
            .filter(|&&x| self.choice(x).replaced)
            .map(|&x| format!("{} by {:?}", x.info().name, self.choice(x).format))
            .collect();
        writeln!(f, "  formats replaced     {}", if twins.is_empty() { "none".into() } else { twins.join(", ") })
    }
}
