//! Pictures of windows.

use crate::kit::*;
use afterimage_metal_calls::*;
use afterimage_metal_soft::*;

#[test]
fn the_last_picture_is_seen() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let layer = SoftLayer::default();
    assert!(kit.queue.next_drawable(&layer).is_none() && layer.picture().is_none());
    assert!(kit.queue.configure(&layer, &LayerDescriptor { size: [0, 2], sync: true }).is_err());
    kit.queue.configure(&layer, &LayerDescriptor { size: [2, 1], sync: true }).unwrap();
    let pipeline = kit.pipeline(&PipelineOf::new(PLAIN, "everything", "plain", PixelFormat::BGRA8Unorm));
    for red in [1.0, 0.2] {
        let drawable = kit.queue.next_drawable(&layer).unwrap();
        let texture = SoftQueue::drawable_texture(&drawable);
        kit.begin(&texture);
        kit.queue.set_render_pipeline(&pipeline);
        kit.everything([red, 0.0, 0.0, 1.0], 0.5);
        kit.queue.end_encoding();
        kit.queue.present(drawable);
        let before = layer.picture();
        kit.queue.commit();
        kit.fine();
        assert_ne!(before, layer.picture());
        assert_eq!(layer.picture(), Some(([2, 1], [0, 0, (red * 255.0) as u8, 255].repeat(2))));
    }
    // One is seen, so two more can be drawn. It can be drawn into, and nothing else.
    let first = kit.queue.next_drawable(&layer).unwrap();
    let second = kit.queue.next_drawable(&layer).unwrap();
    assert!(kit.queue.next_drawable(&layer).is_none());
    drop(second);
    assert!(kit.queue.next_drawable(&layer).is_some());
    kit.begin(&SoftQueue::drawable_texture(&first));
    kit.queue.present(first);
    kit.end();
    assert!(kit.wrong().contains("an encoder is open"));
}
