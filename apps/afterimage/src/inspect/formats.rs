//! The forms that `--as` names, of shaders and of vertices.

use super::View;
use crate::Failure;
use afterimage_inspect::Form;
use clap::ValueEnum;

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FormName {
    /// The guest's: assembler text, or what a key of fixed functions says.
    Guest,
    /// IR from the front end.
    Ir,
    /// IR behind the passes.
    IrOptimized,
    /// SPIR-V as text.
    Spirv,
    /// Metal Shading Language.
    Msl,
    /// All of them, one after the other.
    All,
    /// Of vertices: comma-separated values, a line for each vertex of the draw.
    Csv,
    /// Of vertices: a Wavefront OBJ file of the draw's points, lines or triangles.
    Obj,
}

impl FormName {
    /// The forms of code that it names: none where it is one of vertices.
    pub(super) fn forms(self) -> Vec<Form> {
        let one = match self {
            Self::Guest => Form::Guest,
            Self::Ir => Form::Ir,
            Self::IrOptimized => Form::IrOptimized,
            Self::Spirv => Form::Spirv,
            Self::Msl => Form::Msl,
            Self::All => return Form::ALL.iter().map(|(form, _)| *form).collect(),
            Self::Csv | Self::Obj => return Vec::new(),
        };
        vec![one]
    }

    /// Refuses a form that is none of what is shown.
    pub(super) fn fits(self, view: View) -> Result<(), Failure> {
        let of_vertices = self.forms().is_empty();
        let has = |of_vertices: bool| {
            let forms = Self::value_variants().iter().filter(|form| form.forms().is_empty() == of_vertices);
            let names = forms.filter_map(|form| Some(form.to_possible_value()?.get_name().to_owned()));
            names.collect::<Vec<_>>().join(", ")
        };
        match view {
            View::Shaders if of_vertices => Err(Failure::new(format!("--as: forms of shaders are {}", has(false)))),
            View::Vertices if !of_vertices => Err(Failure::new(format!("--as: forms of vertices are {}", has(true)))),
            View::Shaders | View::Vertices => Ok(()),
            _ => Err(Failure::new(format!("--as is for shaders and vertices, not for {}", view.name()))),
        }
    }
}
