// Pictures: how they are unpacked, shown and compared. See `image.rs` for how they are stored.

/// Pictures that are kept unpacked, the one that was used last is the last, and how many bytes of them.
const held = new Map();
const HELD = 96 << 20;
let heldBytes = 0;

/// A picture as { width, height, rgba }, exact to the bit; undefined if the page has none of that name.
function pixels(id) {
  const known = held.get(id);
  held.delete(id);
  const image = known ?? unpackPicture(id);
  held.set(id, image);
  if (!known) {
    image.then((value) => {
      heldBytes += value?.rgba.length ?? 0;
      for (const [oldest, old] of held) {
        if (heldBytes <= HELD || oldest === id) break;
        held.delete(oldest);
        old.then((gone) => { heldBytes -= gone?.rgba.length ?? 0; });
      }
    });
  }
  return image;
}

async function unpackPicture(id) {
  const element = await part("picture-" + id);
  if (!element) return undefined;
  unpacked.pictures += 1;
  const [width, height, left, top, across, down] = element.dataset.size.split(" ").map(Number);
  const [base, bytes] = await Promise.all([
    element.dataset.before && pixels(element.dataset.before),
    inflated(element),
  ]);
  const rgba = base ? base.rgba.slice() : new Uint8ClampedArray(width * height * 4);
  restore(rgba, width, bytes, Boolean(base), { left, top, across, down });
  return { width, height, rgba };
}

/// Puts what is stored over the picture before: each pixel is what its neighbours let expect, and the rest.
function restore(rgba, width, bytes, masked, { left, top, across, down }) {
  const area = across * down;
  const greens = masked ? Math.ceil(area / 8) : 0;
  const count = (bytes.length - greens) / 4;
  const planes = [greens + count, greens, greens + 2 * count, greens + 3 * count];
  for (let pixel = 0, at = 0; pixel < area; pixel++) {
    if (masked && !((bytes[pixel >> 3] >> (pixel & 7)) & 1)) continue;
    const x = left + (pixel % across);
    const y = top + Math.floor(pixel / across);
    const place = (y * width + x) * 4;
    const green = bytes[greens + at];
    for (let channel = 0; channel < 4; channel++) {
      const to = place + channel;
      const before = x ? rgba[to - 4] : 0;
      const above = y ? rgba[to - 4 * width] : 0;
      const corner = x && y ? rgba[to - 4 * width - 4] : 0;
      const low = Math.min(before, above);
      const high = Math.max(before, above);
      const expected = corner >= high ? low : corner <= low ? high : before + above - corner;
      const rest = bytes[planes[channel] + at] + (channel === 0 || channel === 2 ? green : 0);
      rgba[to] = (expected + rest) & 255;
    }
    at += 1;
  }
}

/// What is shown of a picture's channels.
const CHANNELS = ["color", "color and alpha", "alpha alone"];
let channels = 0;

/// Pixels as they are shown.
function displayed(rgba, mode) {
  const copy = rgba.slice();
  for (let at = 0; mode !== 1 && at < copy.length; at += 4) {
    if (mode === 2) copy[at] = copy[at + 1] = copy[at + 2] = copy[at + 3];
    copy[at + 3] = 255;
  }
  return copy;
}

function paint(canvas, rgba, { width, height }) {
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d").putImageData(new ImageData(rgba, width, height), 0, 0);
  // Tests wait for this.
  canvas.dataset.painted = `${width} x ${height}`;
}

/// A canvas that shows a picture as soon as it is near the window. `words` are for who cannot see it.
function picture(id, words, attributes = {}) {
  const canvas = make("canvas", { width: 1, height: 1, role: "img", "aria-label": words, "data-picture": id, ...attributes });
  waiting.observe(canvas);
  return canvas;
}

const waiting = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) {
      waiting.unobserve(target);
      show(target);
    }
  }
}, { rootMargin: "200px" });

async function show(canvas) {
  const image = await pixels(canvas.dataset.picture);
  if (image) paint(canvas, displayed(image.rgba, canvas.closest("#view") ? channels : 0), image);
}

/// A picture in full with its name. The mouse tells its pixels; a click shows them one by one.
function whole(id, name, attributes = {}) {
  const told = make("span", { class: "pixel" });
  const canvas = picture(id, name, { title: "click: pixel for pixel", ...attributes });
  canvas.onclick = () => canvas.classList.toggle("pixels");
  canvas.onpointermove = async (event) => {
    const image = await pixels(id);
    const x = Math.min(Math.floor((event.offsetX * image.width) / canvas.clientWidth), image.width - 1);
    const y = Math.min(Math.floor((event.offsetY * image.height) / canvas.clientHeight), image.height - 1);
    const at = (y * image.width + x) * 4;
    if (x >= 0 && y >= 0) told.textContent = ` · ${x}, ${y}: ${[...image.rgba.slice(at, at + 4)].join(" ")}`;
  };
  canvas.onpointerleave = () => { told.textContent = ""; };
  return make("figure", {}, canvas, make("figcaption", {}, name, told));
}

/// The pixels of `after` that are not those of `before`, on grey, and how many there are.
function difference(before, after) {
  const canvas = make("canvas", { class: "difference", width: 1, height: 1, role: "img", "aria-label": "what this call changed" });
  const caption = make("figcaption", {}, "what it changed there");
  const figure = make("figure", {}, canvas, caption);
  Promise.all([pixels(before), pixels(after)]).then(([a, b]) => {
    if (!a || !b || a.width !== b.width || a.height !== b.height) return figure.remove();
    const rgba = displayed(b.rgba, 0);
    const [old, now] = [a, b].map((image) => new Uint32Array(image.rgba.buffer));
    let count = 0;
    now.forEach((pixel, place) => {
      if (pixel !== old[place]) return void (count += 1);
      const at = place * 4;
      rgba[at] = rgba[at + 1] = rgba[at + 2] = 96 + (rgba[at] + rgba[at + 1] + rgba[at + 2]) / 12;
    });
    paint(canvas, rgba, b);
    caption.textContent = count ? `what it changed there: ${count} pixel${count > 1 ? "s" : ""}` : "it changed no pixel there";
  });
  return figure;
}
