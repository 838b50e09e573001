//! Which devices are given the extension, and what is said of it.

use crate::chain;
use crate::functions::InstanceFunctions;
use afterimage_config::Feedback;
use ash::vk;
use std::ffi::CStr;

/// The version of the extension's text that holds.
const EXTENSION_VERSION: u32 = 1;
/// What the lowered shaders are written in, and what they are given by: Vulkan 1.3 with addresses of buffers.
const LEAST_VERSION: u32 = vk::API_VERSION_1_3;
/// Bytes of push constants that every device has.
const LEAST_PUSH: u32 = 128;
/// Bytes of push constants that lowered shaders need besides the program's.
pub(crate) const PUSH: u32 = 8;

/// Bytes of a captured vertex, in all buffers of a stream and in one, and from vertex to vertex, that a shader can have.
const VERTEX_BYTES: u32 = 512;
const STRIDE: u32 = 2048;
/// Buffers.
const BUFFERS: u32 = 4;

/// What the layer makes of a physical device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    /// Whether the layer answers for the extension.
    pub(crate) acts: bool,
    /// Bytes of push constants that programs may use.
    pub(crate) push: u32,
    /// Bytes of push constants that there are.
    pub(crate) limit: u32,
    /// Whether there are geometry shaders.
    pub(crate) geometry: bool,
    /// Whether indirect draws can begin with any instance.
    pub(crate) first_instance: bool,
}

/// Extensions of a device.
///
/// # Safety
/// The device is one of the instance that the functions are of.
pub(crate) unsafe fn extensions(
    functions: &InstanceFunctions,
    device: vk::PhysicalDevice,
) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
    loop {
        let mut count = 0;
        // SAFETY: as the caller says; the list has as many elements as are asked for.
        unsafe {
            let list = functions.enumerate_device_extension_properties;
            list(device, std::ptr::null(), &mut count, std::ptr::null_mut()).result()?;
            let mut found = vec![vk::ExtensionProperties::default(); count as usize];
            let result = list(device, std::ptr::null(), &mut count, found.as_mut_ptr());
            found.truncate(count as usize);
            if result != vk::Result::INCOMPLETE {
                return result.result_with_success(found);
            }
        }
    }
}

/// The name of an extension.
pub(crate) fn name(extension: &vk::ExtensionProperties) -> &CStr {
    extension.extension_name_as_c_str().unwrap_or_default()
}

impl Offer {
    /// Looks at a device.
    ///
    /// # Safety
    /// The device is one of the instance that the functions are of.
    pub(crate) unsafe fn of(functions: &InstanceFunctions, device: vk::PhysicalDevice, mode: Feedback) -> Self {
        let mut properties = vk::PhysicalDeviceProperties::default();
        // SAFETY: as the caller says, here and below.
        unsafe { (functions.get_properties)(device, &mut properties) };
        let limit = properties.limits.max_push_constants_size;
        let nothing = Self { acts: false, push: limit, limit, geometry: false, first_instance: false };
        if !matches!(mode, Feedback::Auto | Feedback::Force) {
            return nothing;
        }
        let device_name = properties.device_name_as_c_str().unwrap_or_default().to_string_lossy();
        // SAFETY: as above.
        let extensions = match unsafe { extensions(functions, device) } {
            Ok(extensions) => extensions,
            Err(error) => {
                tracing::warn!("{device_name}: its extensions are not known ({error}), so nothing is added to them");
                return nothing;
            }
        };
        let native = extensions.iter().any(|extension| name(extension) == vk::EXT_TRANSFORM_FEEDBACK_NAME);
        if native && mode != Feedback::Force {
            tracing::info!("{device_name} has {} itself", vk::EXT_TRANSFORM_FEEDBACK_NAME.to_string_lossy());
            return nothing;
        }
        let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default();
        let mut features = vk::PhysicalDeviceFeatures2::default();
        if properties.api_version >= LEAST_VERSION {
            features = features.push_next(&mut addresses);
            // SAFETY: as above; the chain is of locals.
            unsafe { (functions.get_features2)(device, &mut features) };
        }
        let has = features.features;
        if addresses.buffer_device_address != vk::TRUE {
            let lacks = if properties.api_version < LEAST_VERSION { "Vulkan 1.3" } else { "bufferDeviceAddress" };
            tracing::warn!("{device_name} gets no transform feedback: it lacks {lacks}");
            return nothing;
        }
        tracing::info!("{device_name}: transform feedback is the layer's");
        let push = limit.saturating_sub(PUSH).max(limit.min(LEAST_PUSH));
        let (geometry, first_instance) =
            (has.geometry_shader == vk::TRUE, has.draw_indirect_first_instance == vk::TRUE);
        Self { acts: true, push, limit, geometry, first_instance }
    }

    /// Fills in what the layer knows better than the device, in a chain of features.
    ///
    /// # Safety
    /// The chain is valid and to be written.
    pub(crate) unsafe fn features(&self, chain: *mut std::ffi::c_void) {
        // SAFETY: as the caller says.
        unsafe {
            if let Some(feedback) = chain::find_mut::<vk::PhysicalDeviceTransformFeedbackFeaturesEXT>(chain) {
                feedback.transform_feedback = vk::TRUE;
                feedback.geometry_streams = self.geometry.into();
            }
            if let Some(provoking) = chain::find_mut::<vk::PhysicalDeviceProvokingVertexFeaturesEXT>(chain) {
                provoking.transform_feedback_preserves_provoking_vertex = provoking.provoking_vertex_last;
            }
        }
    }

    /// Likewise of limits.
    pub(crate) fn limits(&self, limits: &mut vk::PhysicalDeviceLimits) {
        limits.max_push_constants_size = self.push;
    }

    /// Likewise in a chain of properties.
    ///
    /// # Safety
    /// The chain is valid and to be written.
    pub(crate) unsafe fn properties(&self, chain: *mut std::ffi::c_void) {
        // SAFETY: as the caller says.
        unsafe {
            if let Some(feedback) = chain::find_mut::<vk::PhysicalDeviceTransformFeedbackPropertiesEXT>(chain) {
                feedback.max_transform_feedback_streams = if self.geometry { BUFFERS } else { 1 };
                feedback.max_transform_feedback_buffers = BUFFERS;
                feedback.max_transform_feedback_buffer_size = u32::MAX.into();
                feedback.max_transform_feedback_stream_data_size = VERTEX_BYTES;
                feedback.max_transform_feedback_buffer_data_size = VERTEX_BYTES;
                feedback.max_transform_feedback_buffer_data_stride = STRIDE;
                feedback.transform_feedback_queries = vk::TRUE;
                feedback.transform_feedback_streams_lines_triangles = vk::FALSE;
                feedback.transform_feedback_rasterization_stream_select = vk::FALSE;
                feedback.transform_feedback_draw = vk::TRUE;
            }
            if let Some(provoking) = chain::find_mut::<vk::PhysicalDeviceProvokingVertexPropertiesEXT>(chain) {
                provoking.transform_feedback_preserves_triangle_fan_provoking_vertex = vk::TRUE;
            }
        }
    }

    /// The extension as it is listed.
    pub(crate) fn extension() -> vk::ExtensionProperties {
        let mut extension = vk::ExtensionProperties { spec_version: EXTENSION_VERSION, ..Default::default() };
        let name = vk::EXT_TRANSFORM_FEEDBACK_NAME.to_bytes_with_nul();
        for (to, from) in extension.extension_name.iter_mut().zip(name) {
            *to = *from as std::ffi::c_char;
        }
        extension
    }
}
