//! Windows of targets, whatever a device has for them.

use afterimage_metal_calls::{Device, LayerDescriptor, Presents};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::PresentTarget;
use rustc_hash::FxHashMap;

/// Makes the layer of a target's window when it is first shown: none where it has no window; or why there cannot be one.
pub type LayerFactory<L> = Box<dyn FnMut(&PresentTarget) -> Option<Result<L, String>> + Send>;

/// What is shown in windows. A device without any has none of it.
pub(crate) trait Shows<D: Device>: Send {
    /// A picture of a target's window to draw into; none where it has no window, or nothing can be shown now.
    fn next(&mut self, queue: &mut D::Queue, target: &PresentTarget, sync: bool) -> Option<D::Texture>;

    /// Shows the picture that was asked for last. No encoder may be open.
    fn show(&mut self, queue: &mut D::Queue);

    /// A target is gone, or another.
    fn forget(&mut self, target: ObjectId);
}

/// A window of a target.
struct Window<L> {
    /// For which its layer was made.
    window: (u32, u64),
    layer: Option<L>,
    configured: Option<LayerDescriptor>,
}

/// The layers of a queue that presents.
pub(crate) struct Windows<Q: Presents> {
    factory: LayerFactory<Q::Layer>,
    windows: FxHashMap<ObjectId, Window<Q::Layer>>,
    drawable: Option<Q::Drawable>,
}

impl<Q: Presents> Windows<Q> {
    pub(crate) fn new(factory: LayerFactory<Q::Layer>) -> Self {
        Self { factory, windows: FxHashMap::default(), drawable: None }
    }
}

impl<D: Device> Shows<D> for Windows<D::Queue>
where
    D::Queue: Presents,
{
    fn next(&mut self, queue: &mut D::Queue, target: &PresentTarget, sync: bool) -> Option<D::Texture> {
        let window = (target.window_kind, target.window);
        let known = self.windows.get(&target.id).is_some_and(|known| known.window == window);
        if !known {
            let layer = (self.factory)(target).and_then(|layer| {
                layer.inspect_err(|why| tracing::error!("{} is not shown in its window: {why}", target.id)).ok()
            });
            self.windows.insert(target.id, Window { window, layer, configured: None });
        }
        let Window { layer, configured, .. } = self.windows.get_mut(&target.id)?;
        let layer = layer.as_ref()?;
        let wanted = LayerDescriptor { size: [target.width, target.height], sync };
        if *configured != Some(wanted) {
            let done = queue.configure(layer, &wanted);
            // What is refused once is not asked for again.
            *configured = Some(wanted);
            if let Err(error) = done {
                tracing::error!("{}: {error}", target.id);
            }
        }
        // One that was not shown goes before another is asked for.
        self.drawable = None;
        self.drawable = queue.next_drawable(layer);
        self.drawable.as_ref().map(D::Queue::drawable_texture)
    }

    fn show(&mut self, queue: &mut D::Queue) {
        if let Some(drawable) = self.drawable.take() {
            queue.present(drawable);
        }
    }

    fn forget(&mut self, target: ObjectId) {
        self.windows.remove(&target);
    }
}
