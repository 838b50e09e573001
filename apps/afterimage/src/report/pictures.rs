//! Pictures for the page, all from one replay: of the frames as they were presented, of targets after calls, of textures that
//! calls read.

use super::blocks::Blocks;
use super::budget::{Budget, Full};
use super::image::Image;
use super::room::Of;
use afterimage_inspect::{Call, Capture};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::{CreateTexture, Dimension, View};
use afterimage_vulkan::{Options, StepError, Stepper, Target, Texels, Wishes};
use indicatif::ProgressBar;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Subresources of a texture that are shown at most.
const SUBRESOURCES: usize = 64;
/// Subresources of targets whose last texels are kept, to see what did not change.
const LOOKS: usize = 12;

/// Calls that are executed between two looks at the progress.
const STRIDE: u64 = 500;

/// A picture on the page and its small form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) picture: String,
    pub(super) thumbnail: Option<String>,
}

/// What a call left behind.
#[derive(Clone, Debug, Default)]
pub(super) struct After {
    /// What the pictures are of, and the pictures; the first shows best what the call did.
    pub(super) pictures: Vec<(String, String)>,
    /// A small form of the first.
    pub(super) thumbnail: Option<String>,
    /// Why there are none, or not all.
    pub(super) why: Option<&'static str>,
}

/// A texture as it was when a call read it first.
#[derive(Clone, Debug)]
pub(super) struct Texture {
    pub(super) id: ObjectId,
    pub(super) call: u64,
    /// Subresources by name.
    pub(super) levels: Vec<(String, String)>,
    /// Why there are not all of them.
    pub(super) why: Option<String>,
}

/// What a replay gave.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// By the number of the frame: the last picture it presented.
    pub(super) frames: BTreeMap<u64, Shown>,
    /// By call.
    pub(super) calls: HashMap<u64, After>,
    /// In the order in which they are read.
    pub(super) textures: Vec<Texture>,
    /// By call: nanoseconds on the GPU, where they were asked for and the device tells.
    pub(super) times: HashMap<u64, u64>,
    /// Packets that could not be executed.
    pub(super) errors: u64,
    /// Why it ended early.
    pub(super) trouble: Option<String>,
}

/// The page's pictures: what stores them, and how many there may be.
pub(super) struct Album {
    pub(super) blocks: Blocks,
    pub(super) budget: Budget,
    /// Small forms of pictures.
    thumbnails: HashMap<String, String>,
}

impl Album {
    pub(super) fn new(blocks: Blocks, budget: Budget) -> Self {
        Self { blocks, budget, thumbnails: HashMap::new() }
    }

    /// The small form of a picture that is there, if there is room for it; `chain` as [`Blocks::picture`] has it.
    fn thumbnail(
        &mut self,
        of: Of,
        picture: &str,
        chain: &str,
        image: impl FnOnce() -> Arc<Image>,
    ) -> io::Result<Option<String>> {
        if let Some(small) = self.thumbnails.get(picture) {
            return Ok(Some(small.clone()));
        }
        let small = image().thumbnail();
        let id = small.id();
        if !self.blocks.picture(of, &id, Arc::new(small), Some(&format!("small {chain}")))? {
            return Ok(None);
        }
        self.thumbnails.insert(picture.to_owned(), id.clone());
        Ok(Some(id))
    }

    /// Whether a picture may be taken behind the call at a place.
    fn call(&self, place: usize) -> Result<(), Full> {
        self.budget.call(place, self.blocks.room())
    }

    /// Puts the picture of the frame at a place on the page.
    fn frame(&mut self, place: usize, image: Image) -> io::Result<Option<Shown>> {
        const CHAIN: &str = "frame";
        let (picture, image) = (image.id(), Arc::new(image));
        let is_new = !self.blocks.has(&picture);
        let mut may = self.budget.frame(place, self.blocks.room());
        if !is_new {
            may = Ok(());
        }
        if may.is_ok() && !self.blocks.picture(Of::Frames, &picture, Arc::clone(&image), Some(CHAIN))? {
            may = Err(Full::Size);
        }
        if let Err(why) = may {
            self.budget.refuse_frame(why);
            return Ok(None);
        }
        if is_new {
            self.budget.take_frame();
        }
        let thumbnail = self.thumbnail(Of::Frames, &picture, CHAIN, || image)?;
        Ok(Some(Shown { picture, thumbnail }))
    }

    /// Puts a level of a texture on the page.
    fn texture(&mut self, image: Image) -> io::Result<Result<String, Full>> {
        let picture = image.id();
        if !self.blocks.has(&picture) {
            let mut may = self.budget.texture(self.blocks.room());
            if may.is_ok() && !self.blocks.picture(Of::Textures, &picture, Arc::new(image), None)? {
                may = Err(Full::Size);
            }
            if let Err(why) = may {
                self.budget.refuse_texture(why);
                return Ok(Err(why));
            }
            self.budget.take_texture();
        }
        Ok(Ok(picture))
    }
}

/// The page's pictures, which the renderer's pictures go to as well.
pub(super) type Shared = Arc<Mutex<Album>>;

/// The album, for a moment.
fn locked(album: &Shared) -> MutexGuard<'_, Album> {
    album.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The options of a renderer that draws for the page and does nothing else.
pub(super) fn options(validate: bool) -> Options {
    let mut options = crate::own_process::options();
    options.validate |= validate;
    options.wishes = Wishes::default();
    options
}

/// What is asked of a replay.
pub(super) struct Wanted<'a> {
    /// The calls behind which pictures are taken, in order.
    pub(super) calls: &'a [Call],
    /// By number: the places of the frames whose presented pictures are kept.
    pub(super) frames: HashMap<u64, usize>,
    /// The call behind which nothing is needed any more; `None` where everything is replayed.
    pub(super) end: Option<u64>,
}

/// Replays the capture once, up to what is wanted last. The progress is that of calls that are executed.
pub(super) fn take(
    stepper: &mut Stepper,
    capture: &Capture,
    Wanted { calls, frames, end }: Wanted<'_>,
    album: &Shared,
    progress: &ProgressBar,
) -> Taken {
    // There is no way back.
    stepper.keep_every(u64::MAX);
    let all = stepper.calls();
    let last = end.map_or(all, |end| all.min(end + 1)).checked_sub(1);
    progress.set_length(last.map_or(0, |last| last + 1));
    let mut taken = Taken::default();
    let presented = Arc::new(Mutex::new(BTreeMap::new()));
    let (sink, into) = (Arc::clone(&presented), Arc::clone(album));
    stepper.renderer().set_picture_sink(Some(Box::new(move |picture| {
        if let Some(place) = frames.get(&picture.frame) {
            // As a screen shows it.
            let mut rgba = picture.rgba.to_vec();
            rgba.as_chunks_mut::<4>().0.iter_mut().for_each(|pixel| pixel[3] = 255);
            let shown = locked(&into).frame(*place, Image { width: picture.width, height: picture.height, rgba });
            sink.lock().unwrap_or_else(PoisonError::into_inner).insert(picture.frame, shown);
        }
    })));
    let walked =
        Walker { stepper, capture, album, seen: BTreeSet::new(), looks: Vec::new(), taken: &mut taken, progress }
            .walk(calls, last);
    let ended = walked.and_then(|()| if end.is_some() { Ok(()) } else { stepper.run_to_end() });
    debug_assert_eq!(stepper.snapshots(), 0, "states for ways back");
    let finished = stepper.renderer().finish(&mut |_| {});
    stepper.renderer().set_picture_sink(None);
    let trouble = ended.map_err(|error| error.to_string()).and(finished.map_err(|error| error.to_string()));
    taken.trouble = trouble.err().or(taken.trouble);
    taken.errors = stepper.errors();
    for (frame, shown) in std::mem::take(&mut *presented.lock().unwrap_or_else(PoisonError::into_inner)) {
        match shown {
            Ok(Some(shown)) => drop(taken.frames.insert(frame, shown)),
            Ok(None) => {}
            Err(error) => taken.trouble = Some(format!("keeping the picture of frame {frame}: {error}")),
        }
    }
    taken
}

/// What a target held when it was looked at last.
struct Held {
    look: Texels,
    /// What its pictures' names end with, and the pictures.
    pictures: Vec<(&'static str, String)>,
}

/// Goes from call to call and looks.
struct Walker<'a> {
    stepper: &'a mut Stepper,
    capture: &'a Capture,
    album: &'a Shared,
    /// Textures that were looked at.
    seen: BTreeSet<(ObjectId, Option<afterimage_inspect::Moment>)>,
    /// The one that was looked at last is the last.
    looks: Vec<Held>,
    taken: &'a mut Taken,
    progress: &'a ProgressBar,
}

impl Walker<'_> {
    fn walk(&mut self, calls: &[Call], last: Option<u64>) -> Result<(), StepError> {
        let mut model = self.capture.walk();
        for (place, call) in calls.iter().enumerate() {
            if call.number >= self.stepper.calls() {
                break;
            }
            model.to(call.number);
            let mut unseen = Vec::new();
            for access in model.accesses().reads.iter().filter(|access| access.role.contains("texture")) {
                let created = self.capture.resource(access.id, call.number).map(|resource| resource.created);
                if self.seen.insert((access.id, created)) {
                    unseen.push(access.id);
                }
            }
            let due = locked(self.album).call(place);
            if due.is_ok() || !unseen.is_empty() {
                self.run_to(call.number)?;
            }
            let after = match due {
                Ok(()) => self.after(place)?,
                Err(why) => After { why: Some(refused(&mut locked(self.album).budget, why)), ..After::default() },
            };
            self.taken.calls.insert(call.number, after);
            for id in unseen {
                let Some(texture) = self.stepper.state().objects.texture(id).copied() else { continue };
                let texture = texture_pictures(self.stepper, id, &texture, call.number, self.album)?;
                self.taken.textures.push(texture);
            }
        }
        last.map_or(Ok(()), |last| self.run_to(last))
    }

    /// Goes on to a call, and says on the way how far it is.
    fn run_to(&mut self, call: u64) -> Result<(), StepError> {
        loop {
            let next = self.stepper.next_call();
            self.progress.set_position(next);
            if next > call {
                return Ok(());
            }
            self.stepper.run_to(call.min(next + STRIDE))?;
        }
    }

    /// Pictures behind the call that the stepper stands at.
    fn after(&mut self, place: usize) -> Result<After, StepError> {
        let mut after = After::default();
        let views = views(self.stepper);
        if views.is_empty() {
            after.why = Some("this call leaves nothing to be seen");
        }
        for (name, view) in views {
            let Some(look) = self.stepper.picture(view)? else {
                after.why.get_or_insert("what this call draws on cannot be read as a picture");
                continue;
            };
            let mut album = locked(self.album);
            let known = self.looks.iter().position(|held| held.look == look).map(|at| self.looks.remove(at));
            let pictures = match known {
                Some(held) => Ok(Ok(held.pictures)),
                None => pictures(&mut album, &look, view, place),
            };
            let pictures = match pictures {
                Ok(Ok(pictures)) => pictures,
                Ok(Err(why)) => {
                    after.why = Some(refused(&mut album.budget, why));
                    break;
                }
                Err(error) => {
                    self.taken.trouble = Some(format!("keeping a picture: {error}"));
                    continue;
                }
            };
            if let (None, Some((_, picture))) = (&after.thumbnail, pictures.first()) {
                match album.thumbnail(Of::Calls, picture, &chain(view, ""), || Arc::new(image(&look))) {
                    Ok(small) => after.thumbnail = small,
                    Err(error) => self.taken.trouble = Some(format!("keeping a picture: {error}")),
                }
            }
            after.pictures.extend(pictures.iter().map(|(suffix, id)| (format!("{name}{suffix}"), id.clone())));
            self.looks.push(Held { look, pictures });
            if self.looks.len() > LOOKS {
                self.looks.remove(0);
            }
        }
        Ok(after)
    }
}

/// A call has no picture, or not all of them, since there is no room; how that is said.
fn refused(budget: &mut Budget, why: Full) -> &'static str {
    budget.refuse_call(why);
    match why {
        Full::Pictures => "left out: the page holds only so many pictures (--max-pictures)",
        Full::Size => "left out: the page would be too large (--max-size)",
    }
}

/// What a target is known by in the album.
fn chain(view: View, suffix: &str) -> String {
    format!("{} {} {}{suffix}", view.texture, view.level, view.layer)
}

fn image(look: &Texels) -> Image {
    Image { width: look.width, height: look.height, rgba: look.rgba() }
}

/// Puts the pictures of a subresource on the page: its texels, and its stencil values if it has any; or why there is no room.
fn pictures(
    album: &mut Album,
    look: &Texels,
    view: View,
    place: usize,
) -> io::Result<Result<Vec<(&'static str, String)>, Full>> {
    let stencil = look.stencil_rgba().map(|rgba| Image { width: look.width, height: look.height, rgba });
    let images = [Some(("", image(look))), stencil.map(|image| (": stencil", image))];
    let mut found = Vec::new();
    for (suffix, image) in images.into_iter().flatten() {
        let id = image.id();
        let is_new = !album.blocks.has(&id);
        if is_new && let Err(why) = album.call(place) {
            return Ok(Err(why));
        }
        if !album.blocks.picture(Of::Calls, &id, Arc::new(image), Some(&chain(view, suffix)))? {
            return Ok(Err(Full::Size));
        }
        if is_new {
            album.budget.take_call();
        }
        found.push((suffix, id));
    }
    Ok(Ok(found))
}

/// What is to be seen behind the last call, by name: first what the call did, then the other targets.
fn views(stepper: &Stepper) -> Vec<(String, View)> {
    let targets = stepper.targets();
    let name = |view: View| match targets.iter().find(|(_, target)| *target == view) {
        Some((Target::Color(number), _)) => format!("color {number}, {}", said(view)),
        Some((Target::Depth, _)) => format!("depth, {}", said(view)),
        None => said(view),
    };
    let Some(shown) = stepper.shown() else { return Vec::new() };
    let mut views = vec![(name(shown), shown)];
    if targets.iter().any(|(_, view)| *view == shown) {
        views.extend(targets.iter().filter(|(_, view)| *view != shown).map(|(_, view)| (name(*view), *view)));
    }
    views
}

fn said(view: View) -> String {
    let mut text = view.texture.to_string();
    for (number, name) in [(view.level, "level"), (view.layer, "layer")] {
        if number > 0 {
            text += &format!(", {name} {number}");
        }
    }
    text
}

/// Every level and layer of a texture, as it is now.
fn texture_pictures(
    stepper: &mut Stepper,
    id: ObjectId,
    texture: &CreateTexture,
    call: u64,
    album: &Shared,
) -> Result<Texture, StepError> {
    let mut found = Texture { id, call, levels: Vec::new(), why: None };
    let wanted =
        (0..texture.layers as u16).flat_map(|layer| (0..texture.levels as u16).map(move |level| (level, layer)));
    let (mut unread, mut full, mut option) = (0, 0, "");
    for (level, layer) in wanted.take(SUBRESOURCES) {
        let Some(look) = stepper.picture(View { texture: id, level, layer })? else {
            unread += 1;
            continue;
        };
        let face = match texture.dimension == Dimension::Cube as u8 {
            true => {
                format!("face {}{}, ", ["+", "-"][usize::from(layer % 2)], ["x", "y", "z"][usize::from(layer / 2 % 3)])
            }
            false if texture.layers > 1 => format!("layer {layer}, "),
            false => String::new(),
        };
        let name = format!("{face}level {level}: {} x {}", look.width, look.height);
        match locked(album).texture(image(&look)) {
            Ok(Ok(picture)) => found.levels.push((name, picture)),
            Ok(Err(why)) => (full, option) = (full + 1, why.option()),
            Err(_) => unread += 1,
        }
    }
    let all = texture.layers as usize * texture.levels as usize;
    found.why = match (unread, full) {
        (0, 0) if all > SUBRESOURCES => Some(format!("the first {SUBRESOURCES} of {all} levels and layers")),
        (0, 0) => None,
        (0, full) => Some(format!("{full} of {all} pictures were left out: see {option}")),
        (unread, _) => Some(format!("{unread} of {all} levels and layers cannot be read as pictures")),
    };
    Ok(found)
}
