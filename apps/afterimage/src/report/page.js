"use strict";
// What the page knows from the start is the index; everything else lies in blocks (deflate, base64) that are unpacked
// when they are looked at, so that a page of 100 MB opens as fast as one of 1 MB.

const index = JSON.parse(document.getElementById("index").textContent);
const at = (id) => document.getElementById(id);

/// An element: make("td", { class: "value" }, "text", child...).
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element[key] = value;
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

// ---- data

const loaded = new Promise((done) => {
  if (document.readyState !== "loading") done();
  else document.addEventListener("DOMContentLoaded", done);
});

/// The element of a block or a picture; undefined if the page has none of that name. While the page still comes in, it
/// is waited for.
async function part(id) {
  if (!at(id)) await loaded;
  return at(id) ?? undefined;
}

/// The bytes that an element holds, unpacked. Neither a Blob nor a Response is in the way: what browsers read as they load files they
/// may stop where a link leads on.
async function inflated(element) {
  const packed = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  const { readable, writable } = new DecompressionStream("deflate");
  const writer = writable.getWriter();
  // Who reads is told of damage.
  for (const done of [writer.write(packed), writer.close()]) done.catch(() => {});
  const reader = readable.getReader();
  const parts = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push([size, part.value]);
    size += part.value.length;
  }
  const bytes = new Uint8Array(size);
  parts.forEach(([start, part]) => bytes.set(part, start));
  return bytes;
}

/// How much was unpacked; tests look at this.
const unpacked = { blocks: 0, pictures: 0 };

const blocks = new Map();
const KEPT = 64;

/// A block's value, or undefined.
function block(name) {
  if (!blocks.has(name)) {
    if (blocks.size >= KEPT) blocks.delete(blocks.keys().next().value);
    blocks.set(name, unpack(name));
  }
  return blocks.get(name);
}

async function unpack(name) {
  const element = await part("block-" + name);
  if (!element) return undefined;
  unpacked.blocks += 1;
  return JSON.parse(new TextDecoder().decode(await inflated(element)));
}

// ---- where we are

let frame = 0;                 // index in index.frames
let call = -1;                 // number in the capture
let tab = "picture";
let calls = [];                // rows of the frame
let turn = 0;                  // counts what was asked for, so that late answers are dropped
const query = () => at("search").value.trim().toLowerCase();

/// Detail of a call: state as rows, what it changed, its data.
async function detail(number) {
  const chunk = await block(`calls-${frame}-${Math.floor(number / index.chunk)}`);
  const found = chunk?.calls[number];
  return found && { ...found, state: found.state.flatMap(([first, count]) => chunk.rows.slice(first, first + count)) };
}

function frameOf(number) {
  return index.frames.findIndex(({ first, count }) => number >= first && number < first + count);
}

async function go(newFrame, newCall) {
  const mine = ++turn;
  const entry = index.frames[newFrame];
  if (!entry) return;
  if (newFrame !== frame || !calls.length) {
    const rows = (await block("frame-" + newFrame))?.calls ?? [];
    if (mine !== turn) return;
    frame = newFrame;
    calls = rows;
    listFrames();
    listCalls();
  }
  call = Math.min(Math.max(newCall, entry.first), entry.first + Math.max(entry.count, 1) - 1);
  history.replaceState(null, "", `#f=${entry.number}&c=${call}${tab === "picture" ? "" : "&t=" + tab}`);
  choose();
  await draw();
}

/// Reads #f=FRAME&c=CALL&t=TAB, numbered as the capture numbers them.
function route() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (TABS[asked.get("t")]) tab = asked.get("t");
  const number = asked.has("c") ? Number(asked.get("c")) : NaN;
  let place = index.frames.findIndex((entry) => entry.number === Number(asked.get("f") ?? NaN));
  if (place < 0) place = Math.max(frameOf(number), 0);
  const entry = index.frames[place];
  if (entry) go(place, Number.isNaN(number) ? entry.first + entry.count - 1 : number);
}

// ---- lists

function listFrames() {
  if (at("frames").childElementCount !== index.frames.length) {
    at("frames").replaceChildren(...index.frames.map((entry, place) => {
      const thumbnail = entry.thumbnail ? [picture(entry.thumbnail, "")] : [];
      const words = `frame ${entry.number} · ${entry.count}`;
      const onclick = () => go(place, entry.first + entry.count - 1);
      return make("button", { title: `${entry.count} calls`, "aria-label": `frame ${entry.number}, ${entry.count} calls`, onclick },
        ...thumbnail, make("span", {}, words));
    }));
  }
  [...at("frames").children].forEach((button, place) => {
    button.setAttribute("aria-current", String(place === frame));
    button.tabIndex = place === frame ? 0 : -1;
  });
  at("frames").children[frame]?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/// Nanoseconds in words.
function duration(time) {
  const [value, unit] = time < 1e3 ? [time, "ns"] : time < 1e6 ? [time / 1e3, "µs"] : [time / 1e6, "ms"];
  return `${value < 100 && unit !== "ns" ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

function listCalls() {
  const longest = Math.max(0, ...calls.map(({ time }) => time ?? 0));
  at("calls").classList.toggle("timed", longest > 0);
  at("calls").replaceChildren(...calls.map(({ number, label, thumbnail, changes, time }) => make("li",
    { onclick: () => go(frame, number), title: label, role: "option", id: "call-" + number },
    thumbnail ? picture(thumbnail, "") : make("span"),
    make("span", { class: "number" }, String(number)),
    make("span", { class: "label" }, label, make("br"), make("span", { class: "changes" }, changes)),
    longest ? make("span", { class: "time" }, time === null ? "" : duration(time),
      make("span", { class: "bar", style: `width: ${Math.round(((time ?? 0) / longest) * 100)}%` })) : undefined)));
  find();
}

function choose() {
  const first = index.frames[frame].first;
  [...at("calls").children].forEach((row, place) => row.setAttribute("aria-selected", String(first + place === call)));
  at("calls").setAttribute("aria-activedescendant", "call-" + call);
  at("calls").children[call - first]?.scrollIntoView({ block: "nearest" });
}

const matches = (row) => `${row.number} ${row.label} ${row.changes}`.toLowerCase().includes(query());

/// Dims the calls that the search does not mean.
function find() {
  [...at("calls").children].forEach((row, place) => row.classList.toggle("off", !matches(calls[place])));
}

// ---- views of a call

const note = (words) => make("p", { class: "note" }, words);

function table(head, rows, attributes = {}) {
  return make("table", attributes,
    make("thead", {}, make("tr", {}, ...head.map((name) => make("th", {}, name)))),
    make("tbody", {}, ...rows));
}

const shown = (...words) => !query() || words.join(" ").toLowerCase().includes(query());

/// What stands where a call has no details.
const BARE = "left out: the page has details of only so many calls, of whole frames (--max-calls, --max-size)";
/// What stands where the page became too large.
const LARGE = "left out: the page would be too large (--max-size)";

/// Each view: what its tab says, and what it shows of a call.
const TABS = {
  picture: ["picture", async (data, row) => {
    if (!row) return [];
    const entry = index.frames[frame];
    const list = data?.pictures ?? [];
    const figures = list.map(([name, id]) => whole(id, name));
    const place = calls.indexOf(row);
    const before = calls[place - 1];
    const parts = [];
    if (list.length && before?.picture && before.target === row.target) {
      figures.splice(1, 0, difference(before.picture, list[0][1]));
    }
    if (row.why || !list.length) parts.push(note(row.why ?? (data ? "pictures behind this call were not asked for (--calls)" : BARE)));
    if (!list.length) {
      const last = calls.slice(0, place).findLast((other) => other.picture);
      if (last) figures.push(whole(last.picture, `behind call ${last.number}, before this one: ${last.target}`));
    }
    if (entry.picture) figures.push(whole(entry.picture, `frame ${entry.number}, as it was presented`));
    return [...parts, shownChannels(), make("div", { class: "pictures" }, ...figures)];
  }],
  state: ["state", async (data) => {
    const changed = new Set((data?.changes ?? []).map(([host]) => host));
    const rows = [];
    let last;
    for (const [group, name, value, host] of data?.state ?? []) {
      if (!shown(group, name, value, host)) continue;
      if (group !== last) rows.push(make("tr", { class: "group" }, make("th", { colspan: 3 }, last = group)));
      rows.push(make("tr", { class: changed.has(host) ? "new" : undefined },
        make("th", {}, name), make("td", { class: "value" }, value), make("td", { class: "host" }, host)));
    }
    const head = [index.guest || "state", "value", "our name"];
    return rows.length ? [table(head, rows, { id: "state" })] : [note("nothing of the state matches")];
  }],
  changes: ["changes", async (data) => {
    const rows = (data?.changes ?? []).filter((row) => shown(...row)).map(([name, before, after]) => make("tr", {},
      make("th", {}, name), make("td", { class: "value" }, before), make("td", { class: "value" }, after)));
    const parts = [rows.length
      ? table(["since the call before", "was", "is"], rows)
      : note("the state is that of the call before")];
    for (const [title, list] of [["reads", data?.reads ?? []], ["writes", data?.writes ?? []]]) {
      if (list.length) parts.push(make("h3", {}, title), make("ul", {}, ...list.map((name) => make("li", {}, name))));
    }
    if (data?.more) parts.splice(1, 0, note(`and ${data.more} more`));
    if (data?.fields?.length) {
      parts.push(make("h3", {}, "packet"), table(["field", "value"], data.fields.map(([name, value]) =>
        make("tr", {}, make("th", {}, name), make("td", { class: "value" }, value)))));
    }
    return parts;
  }],
  textures: ["textures", async (data) => {
    const bound = new Map((data?.textures ?? []).map(([slot, place]) => [place, slot]));
    const list = [...index.textures.entries()].filter(([place, { id, about }]) => (query() ? shown(id, about) : bound.has(place)));
    if (!list.length) return [note(query() ? "no texture matches" : "this call reads no texture; search to see others")];
    return [shownChannels(), ...list.map(([place, { id, about, levels, why }]) => make("section", {},
      make("h3", {}, (bound.has(place) ? `${bound.get(place)}: ` : "") + id),
      make("p", {}, about),
      why ? note(why) : undefined,
      make("div", { class: "pictures" }, ...levels.map(([name, id]) => whole(id, name)))))];
  }],
  vertices: ["vertices", async (data) => {
    if (!data?.vertices) return [note("this call reads no vertices")];
    const { name, block: place } = data.vertices;
    const vertices = place ? (await block(place))?.[name] : data.vertices;
    if (!vertices) return [note(LARGE)];
    if (vertices.why) return [note(vertices.why)];
    const rows = vertices.rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell))));
    const parts = [];
    if (vertices.points.length) parts.push(wireframe(vertices));
    parts.push(note(vertices.about), make("div", { class: "scroll data", tabindex: 0, role: "region", "aria-label": "vertices" }, table(vertices.columns, rows)));
    return parts;
  }],
  shaders: ["shaders", shadersView],
};

/// Which channels of the pictures are shown; a press shows others.
function shownChannels() {
  return make("p", {}, ...CHANNELS.map((words, mode) => make("button",
    { class: "choice", "aria-pressed": String(mode === channels), onclick: () => { channels = mode; draw(); } }, words)));
}

let shader;                    // place in index.shaders that is shown
let language = 0;

/// Shaders of the draw first; a search looks through all of them.
async function shadersView(data) {
  const mine = turn;
  const used = data?.shaders ?? [];
  let list = used.concat(index.shaders.map((_, place) => place).filter((place) => !used.includes(place)));
  const counts = new Map();
  if (query()) {
    for (const place of list) {
      const texts = (await block("shader-" + index.shaders[place].block))?.texts ?? [];
      if (mine !== turn) return [];
      counts.set(place, texts.reduce((sum, [, words]) => sum + words.toLowerCase().split(query()).length - 1, 0));
    }
    list = list.filter((place) => counts.get(place));
  }
  if (!list.length) return [note(query() ? "no shader has that" : "there are no shaders")];
  if (!list.includes(shader)) shader = list[0];
  const select = make("select", { "aria-label": "shader", onchange: () => { shader = Number(select.value); draw(); } },
    ...list.map((place) => {
      const { name, stage, hash } = index.shaders[place];
      const where = used.includes(place) ? "● " : "";
      const found = counts.has(place) ? ` (${counts.get(place)} found)` : "";
      return make("option", { value: place, selected: place === shader }, `${where}${stage} ${name} ${hash}${found}`);
    }));
  const texts = (await block("shader-" + index.shaders[shader].block))?.texts ?? [];
  language = Math.min(language, Math.max(texts.length - 1, 0));
  const has = texts.map(([, words]) => (query() ? words.toLowerCase().split(query()).length - 1 : 0));
  // What is looked for is shown, if it is in another language.
  if (query() && !has[language]) language = Math.max(has.findIndex(Boolean), 0);
  const buttons = texts.map(([name], place) => make("button",
    { class: "choice", "aria-pressed": String(place === language), onclick: () => { language = place; draw(); } },
    has[place] ? `${name} (${has[place]})` : name));
  const [name, words] = texts[language] ?? ["", LARGE];
  return [make("p", {}, select, " ● of this call"), note(index.shaders[shader].about), make("p", {}, ...buttons),
    make("pre", { id: "code", tabindex: 0, role: "region", "aria-label": name }, ...marked(words))];
}

/// Text with what the search means marked.
function marked(words) {
  if (!query()) return [words];
  const lower = words.toLowerCase();
  const parts = [];
  let from = 0;
  for (let place; (place = lower.indexOf(query(), from)) >= 0 && parts.length < 20000; from = place + query().length) {
    parts.push(words.slice(from, place), make("mark", {}, words.slice(place, place + query().length)));
  }
  parts.push(words.slice(from));
  return parts;
}

/// Goes on to the next mark, or to the next call that matches.
function next() {
  const marks = [...document.querySelectorAll("mark")];
  if (marks.length) {
    const place = (marks.findIndex((mark) => mark.classList.contains("on")) + 1) % marks.length;
    marks.forEach((mark, other) => mark.classList.toggle("on", other === place));
    marks[place].scrollIntoView({ block: "center" });
    return;
  }
  const found = calls.filter(matches);
  const target = found.find(({ number }) => number > call) ?? found[0];
  if (target) go(frame, target.number);
}

async function draw() {
  const mine = ++turn;
  const row = calls.find(({ number }) => number === call);
  const data = row && await detail(call);
  const [, view] = TABS[tab];
  const parts = await view(data, row);
  if (row && !data && tab !== "picture") parts.unshift(note(BARE));
  if (mine !== turn) return;
  const none = index.frames[frame]?.count ? LARGE : "this frame has no calls";
  at("title").textContent = row ? `call ${row.number}: ${row.label}` : none;
  for (const button of at("tabs").children) {
    const on = button.id === "tab-" + tab;
    button.setAttribute("aria-selected", String(on));
    button.tabIndex = on ? 0 : -1;
  }
  at("view").setAttribute("aria-labelledby", "tab-" + tab);
  at("view").replaceChildren(...parts);
  // Tests and scripts wait for this.
  document.body.dataset.shown = `${index.frames[frame]?.number}/${call}/${tab}`;
}

function turnTo(name) {
  tab = name;
  go(frame, call);
}

// ---- keys

const step = (by) => {
  const entry = index.frames[frame];
  const number = call + by;
  if (number >= entry.first && number < entry.first + entry.count) return go(frame, number);
  const neighbour = index.frames[frame + by];
  if (neighbour) return go(frame + by, by > 0 ? neighbour.first : neighbour.first + neighbour.count - 1);
};
const toFrame = (by) => {
  const entry = index.frames[frame + by];
  if (entry) go(frame + by, entry.first + entry.count - 1);
};
const tabBy = (by) => {
  const names = Object.keys(TABS);
  turnTo(names[(names.indexOf(tab) + by + names.length) % names.length]);
};

/// Keys, what they do, in words and in deed.
const KEYS = [
  [["j", "ArrowDown"], "next call", () => step(1)],
  [["k", "ArrowUp"], "call before", () => step(-1)],
  [["]", "PageDown"], "next frame", () => toFrame(1)],
  [["[", "PageUp"], "frame before", () => toFrame(-1)],
  [["Home"], "first call of the frame", () => go(frame, index.frames[frame].first)],
  [["End"], "last call of the frame", () => go(frame, Infinity)],
  [["l", "ArrowRight"], "next view", () => tabBy(1)],
  [["h", "ArrowLeft"], "view before", () => tabBy(-1)],
  ...Object.keys(TABS).map((name, place) => [[String(place + 1)], name, () => turnTo(name)]),
  [["/"], "search calls, state, textures, shaders; Escape ends it", () => at("search").select()],
  [["Enter", "n"], "next that the search found", next],
  [["c"], "other channels of pictures: color, with alpha, alpha alone", () => { channels = (channels + 1) % CHANNELS.length; draw(); }],
  [["w"], "open or close the warnings", () => { at("warnings").open = !at("warnings").open; }],
  [["?"], "these keys", () => at("help").showModal()],
];

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || at("help").open) return;
  if (event.target === at("search")) {
    if (event.key === "Escape") {
      at("search").value = "";
      at("search").dispatchEvent(new Event("input"));
    }
    if (event.key === "Enter") next();
    if (event.key === "Enter" || event.key === "Escape") {
      at("search").blur();
      event.preventDefault();
    }
    return;
  }
  const { target, key } = event;
  // What has the focus has its own use for some keys: buttons are pressed, texts and tables scrolled.
  if (target.tagName === "SELECT" || (["BUTTON", "SUMMARY", "A"].includes(target.tagName) && key === "Enter")) return;
  if (target !== at("view") && at("view").contains(target) && target.tabIndex === 0 && target.tagName !== "BUTTON" && /^(Arrow|Page|Home|End)/.test(key)) return;
  const found = KEYS.find(([keys]) => keys.includes(event.key));
  if (found) {
    event.preventDefault();
    found[2]();
  }
});

// ---- beginning

function begin() {
  at("file").textContent = index.file;
  at("about").textContent = at("about").title = index.about;
  const { warnings, notes } = index;
  const words = warnings.length ? `${warnings.length} warning${warnings.length > 1 ? "s" : ""}` : "no warnings";
  at("warnings").hidden = false;
  at("warnings").open = warnings.length + notes.length > 0;
  at("warnings").classList.toggle("bad", warnings.length > 0);
  at("warnings").querySelector("summary").textContent =
    notes.length ? `${words}, ${notes.length} remark${notes.length > 1 ? "s" : ""}` : words;
  at("warnings").querySelector("ol").replaceChildren(
    ...warnings.map(({ text, call }) => make("li", {}, call === undefined ? text : make("a", { href: "#c=" + call }, text))),
    ...notes.map((words) => make("li", { class: "note" }, words)));
  at("tabs").replaceChildren(...Object.entries(TABS).map(([name, [title]], place) => make("button",
    { role: "tab", id: "tab-" + name, title: `key ${place + 1}`, "aria-controls": "view", onclick: () => turnTo(name) }, title)));
  at("keys").replaceChildren(...KEYS.map(([keys, words]) => make("tr", {}, make("th", {}, ...keys.flatMap((key) => [make("kbd", {}, key), " "])), make("td", {}, words))));
  at("help-button").onclick = () => at("help").showModal();
  at("search").oninput = () => { find(); draw(); };
  addEventListener("hashchange", route);
  if (index.frames.length) {
    listFrames();
    route();
  } else {
    at("title").textContent = "the capture holds no whole frame";
  }
}

addEventListener("error", (event) => { at("title").textContent = "the page failed: " + event.message; });
addEventListener("unhandledrejection", (event) => { at("title").textContent = "the page failed: " + event.reason; });
