// The wireframe of a draw's vertices: drag to turn, wheel to come closer.

/// Pairs of vertices (rows of the table) that a topology joins, of vertices in the order they are drawn in.
function edges(topology, order) {
  const pairs = [];
  // A corner of -1 is no vertex: strips begin anew there.
  const add = (...corners) => {
    if (corners.some((corner) => corner === undefined || corner < 0)) return;
    if (corners.length === 2) pairs.push(corners);
    else corners.forEach((corner, place) => pairs.push([corner, corners[(place + 1) % corners.length]]));
  };
  const every = (size, by, from = 0) => {
    for (let i = from; i + size <= order.length; i += by) add(...order.slice(i, i + size));
  };
  switch (topology) {
    case "LineList": every(2, 2); break;
    case "LineStrip": every(2, 1); break;
    case "LineLoop": every(2, 1); if (order.length > 2) add(order.at(-1), order[0]); break;
    case "TriangleStrip": every(3, 1); break;
    case "TriangleFan": for (let i = 1; i + 2 <= order.length; i++) add(order[0], order[i], order[i + 1]); break;
    case "TriangleList": every(3, 3); break;
    case "RectList": every(3, 3); break;
    default: break;
  }
  return pairs;
}

/// A canvas that shows them. `vertices.points` are [x, y, z] by row, `vertices.order` rows as they are drawn.
function wireframe(vertices) {
  const words = `wireframe of ${vertices.points.length} vertices; drag or arrow keys turn it, wheel or + and - scale it`;
  const canvas = make("canvas", { class: "wire", role: "img", "aria-label": words, title: words, tabindex: 0 });
  const points = vertices.points.map((point) => point.map((value) => (Number.isFinite(value) ? value : 0)));
  const pairs = edges(vertices.topology, vertices.order);
  const [low, high] = [Math.min, Math.max].map((best) => [0, 1, 2].map((axis) => points.reduce((so, point) => best(so, point[axis]), points[0][axis])));
  const middle = low.map((value, axis) => (value + high[axis]) / 2);
  // It stays within the canvas however it is turned.
  const size = 2 * points.reduce((most, point) => Math.max(most, Math.hypot(...point.map((value, axis) => value - middle[axis]))), 0) || 1;
  let [yaw, pitch, scale] = high[2] - low[2] < size / 1e4 ? [0, 0, 1] : [0.5, 0.4, 1];

  function paint() {
    const { width, height } = canvas.getBoundingClientRect();
    const ratio = devicePixelRatio;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    const unit = (Math.min(canvas.width, canvas.height) * 0.94 * scale) / size;
    const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
    const flat = points.map((point) => {
      const [x, y, z] = point.map((value, axis) => value - middle[axis]);
      const depth = z * cy - x * sy;
      return [canvas.width / 2 + (x * cy + z * sy) * unit, canvas.height / 2 - (y * cp - depth * sp) * unit];
    });
    context.strokeStyle = context.fillStyle = getComputedStyle(canvas).color;
    context.lineWidth = ratio;
    context.beginPath();
    for (const [from, to] of pairs) {
      context.moveTo(...flat[from]);
      context.lineTo(...flat[to]);
    }
    context.stroke();
    if (!pairs.length) flat.forEach(([x, y]) => context.fillRect(x - ratio, y - ratio, 2 * ratio, 2 * ratio));
    canvas.dataset.edges = pairs.length;
    canvas.dataset.turned = `${yaw.toFixed(3)} ${pitch.toFixed(3)}`;
  }

  canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
  canvas.onpointermove = (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    yaw += event.movementX / 100;
    pitch += event.movementY / 100;
    paint();
  };
  const zoom = (by) => {
    scale *= Math.exp(by);
    paint();
  };
  // The wheel scrolls the page until the wireframe was clicked.
  canvas.addEventListener("wheel", (event) => {
    if (document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(-event.deltaY / 500);
  }, { passive: false });
  const keys = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
  canvas.onkeydown = (event) => {
    const turn = keys[event.key];
    const by = { "+": 0.2, "-": -0.2 }[event.key];
    if (!turn && !by) return;
    event.preventDefault();
    event.stopPropagation();
    if (by) return zoom(by);
    yaw += turn[0];
    pitch += turn[1];
    paint();
  };
  new ResizeObserver(paint).observe(canvas);
  return canvas;
}

begin();
