// What a page does by itself: sending a file, asking for rows, keeping the choice of light or dark.
window.crypsis = {
  words: {}, // by name, in the reader's language; the page sets them

  say(name, values = {}) {
    return (crypsis.words[name] ?? "").replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
  },

  number(value, digits) {
    return value.toLocaleString(crypsis.words.locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  },

  keepTheme(name, value) {
    document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=strict`;
  },

  // On a narrow screen the navigation is a menu: open or close it, and take the focus along.
  menu(open = !document.body.classList.contains("menu-open")) {
    if (open === document.body.classList.contains("menu-open")) return;
    document.body.classList.toggle("menu-open", open);
    const button = document.querySelector(".menu-button");
    button.setAttribute("aria-expanded", String(open));
    (open ? document.querySelector(".side a") : button).focus();
  },

  // What is typed and not kept yet: while there is any, the browser asks before it leaves the page.
  unkept: new Set(),
  unsaved(what, changed) {
    changed ? crypsis.unkept.add(what) : crypsis.unkept.delete(what);
    window.onbeforeunload = crypsis.unkept.size ? (event) => event.preventDefault() : null;
  },

  // Rows for a grid, asked for as they come into view.
  rows(address) {
    return {
      async getRows(params) {
        const query = new URLSearchParams({
          offset: params.startRow,
          limit: params.endRow - params.startRow,
          sort: JSON.stringify(params.sortModel),
          filter: JSON.stringify(params.filterModel),
        });
        try {
          const response = await fetch(`${address}${address.includes("?") ? "&" : "?"}${query}`);
          const answer = await response.json();
          if (!response.ok) throw new Error(answer.error?.message ?? crypsis.say("rows"));
          const rows = answer.rows.map((cells, at) => {
            const row = { _row: answer.places[at], _changed: answer.changed?.[at] ?? [] };
            cells.forEach((cell, column) => (row[`c${column}`] = cell));
            return row;
          });
          params.successCallback(rows, answer.total);
        } catch (error) {
          params.failCallback();
          crypsis.tell(error.message);
        }
      },
    };
  },

  tell(text) {
    const region = document.getElementById("announcements") ?? document.body.appendChild(
      Object.assign(document.createElement("div"), { id: "announcements", role: "alert", className: "message bad" }));
    region.style.cssText = "position:fixed;bottom:16px;right:16px;width:auto;max-width:420px;z-index:9999";
    region.textContent = text;
    setTimeout(() => region.remove(), 6000);
  },

  // The line of a long text that an error speaks of: selected, and scrolled to.
  showLine(id, line) {
    const field = document.getElementById(id);
    if (!field) return;
    const lines = field.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((length, one) => length + one.length + 1, 0);
    field.focus();
    field.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
    field.scrollTop = Math.max(0, (line - 4) * (field.scrollHeight / Math.max(1, lines.length)));
  },

  bytes(count) {
    const units = [crypsis.say("bytes"), "kB", "MB", "GB", "TB"];
    const place = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
    const value = count / 1000 ** place;
    return `${crypsis.number(value, place && value < 100 ? 1 : 0)} ${units[place]}`;
  },

  // A place to drop a file: sends it as it is, shows how far it is, and tells the page its number.
  drop(id, limit) {
    const place = document.getElementById(id);
    if (!place || place.dataset.ready) return;
    place.dataset.ready = "yes";
    const input = place.querySelector("input");
    const status = place.querySelector(".drop-status");
    const bar = place.querySelector("progress");
    const say = (text, bad) => { status.textContent = text; status.classList.toggle("bad", Boolean(bad)); };
    const send = (files) => {
      const file = files[0];
      if (!file) return;
      if (file.size > limit) return say(crypsis.say("tooLarge", { size: crypsis.bytes(file.size), limit: crypsis.bytes(limit) }), true);
      const request = new XMLHttpRequest();
      request.open("POST", `/api/uploads?name=${encodeURIComponent(file.name)}`);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      const begun = performance.now();
      request.upload.onprogress = (event) => {
        bar.hidden = false; bar.max = event.total; bar.value = event.loaded;
        const seconds = ((performance.now() - begun) / 1000) * (event.total / Math.max(1, event.loaded) - 1);
        const left = event.loaded < event.total && seconds >= 2 ? crypsis.say("left", { seconds: Math.ceil(seconds) }) : "";
        say(event.loaded < event.total
          ? crypsis.say("sending", { name: file.name, sent: crypsis.bytes(event.loaded), size: crypsis.bytes(event.total), left })
          : crypsis.say("sent", { name: file.name, size: crypsis.bytes(event.total) }));
      };
      request.onload = () => {
        bar.hidden = true;
        let answer = {};
        try { answer = JSON.parse(request.responseText); } catch { /* not ours */ }
        if (request.status >= 300) return say(answer.error?.message ?? crypsis.say("failed"), true);
        say(crypsis.say("received", { name: file.name, size: crypsis.bytes(file.size) }));
        emitEvent(`upload-${id}`, { id: answer.id, name: file.name });
      };
      request.onerror = () => { bar.hidden = true; say(crypsis.say("lost"), true); };
      say(crypsis.say("begun", { name: file.name }));
      request.send(file);
      input.value = "";
    };
    input.addEventListener("change", () => send(input.files));
    place.addEventListener("dragover", (event) => { event.preventDefault(); place.classList.add("over"); });
    place.addEventListener("dragleave", () => place.classList.remove("over"));
    place.addEventListener("drop", (event) => {
      event.preventDefault();
      place.classList.remove("over");
      send(event.dataTransfer.files);
    });
    if (input.files.length) send(input.files); // somebody was quicker than we were
  },

  // The focus goes on where somebody was: to `to`, if it is on something that cannot be used any more.
  keepFocus(to, from) {
    setTimeout(() => {
      const now = document.activeElement;
      const lost = !now || now === document.body || now.disabled || from.some((id) => now.id === `c${id}`);
      if (lost) document.getElementById(`c${to}`)?.focus();
    }, 60);
  },

  // Scroll to what lies below the screen, under the bar that stays at the top of a narrow one.
  leadTo(id) {
    setTimeout(() => {
      const target = document.getElementById(`c${id}`);
      if (!target || target.getBoundingClientRect().top < window.innerHeight * 0.7) return;
      const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
      target.scrollIntoView({ block: "start", behavior });
    }, 150);
  },

  // Areas of a map that can be marked with a click or with Enter.
  areas(id) {
    const map = document.getElementById(id);
    if (!map || map.dataset.ready) return;
    map.dataset.ready = "yes";
    const mark = (target) => {
      const area = target.closest("[data-cell]");
      if (area) emitEvent(`area-${id}`, Number(area.dataset.cell));
    };
    map.addEventListener("click", (event) => mark(event.target));
    let last = null; // the area with the focus, which is kept when the map is drawn anew
    map.addEventListener("focusin", (event) => { last = event.target.closest("[data-cell]")?.dataset.cell ?? null; });
    map.addEventListener("focusout", (event) => { if (event.relatedTarget) last = null; });
    new MutationObserver(() => {
      if (last !== null && document.activeElement === document.body)
        map.querySelector(`[data-cell="${last}"]`)?.focus({ preventScroll: true });
    }).observe(map, { childList: true });
    map.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); mark(event.target); }
    });
  },

  // Do it as soon as the page has what it needs: at once, or when it is drawn, however long that takes.
  once(there, then) {
    if (there()) return then();
    const watch = new MutationObserver(() => { if (there()) { watch.disconnect(); then(); } });
    watch.observe(document.body, { childList: true, subtree: true });
    setTimeout(() => watch.disconnect(), 60_000); // of what was taken away before it was drawn
  },

  // A region on a map: a click or Enter chooses a place, a dragged box those inside it (with Alt: removes them).
  region(id) {
    crypsis.once(() => document.getElementById(id)?.querySelector("svg"), () => crypsis.listenToRegion(document.getElementById(id), id));
  },
  listenToRegion(map, id) {
    if (map.dataset.ready) return;
    map.dataset.ready = "yes";
    const aloud = map.parentElement.querySelector(".aloud");
    const marks = () => [...map.querySelectorAll("[data-place]")];
    const at = (mark) => [Number(mark.dataset.x), Number(mark.dataset.y)];
    const send = (chosen, how) => emitEvent(`region-${id}`, { places: chosen.map((mark) => Number(mark.dataset.place)), how });
    const point = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(map.querySelector("svg").getScreenCTM().inverse());
    let from = null, box = null, current = null;
    map.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !event.target.closest("svg")) return;
      from = point(event);
      if (event.pointerType === "mouse") map.setPointerCapture(event.pointerId);
    });
    map.addEventListener("pointermove", (event) => {
      if (!from || event.pointerType === "touch") return; // a finger scrolls the page
      const to = point(event);
      if (!box && Math.hypot(to.x - from.x, to.y - from.y) < 5) return;
      if (!box) {
        box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        box.setAttribute("class", "drawn");
        map.querySelector("svg").append(box);
      }
      for (const [name, value] of Object.entries({ x: Math.min(from.x, to.x), y: Math.min(from.y, to.y),
        width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) })) box.setAttribute(name, value);
    });
    map.addEventListener("pointerup", (event) => {
      if (!from) return;
      const to = point(event), drawn = box;
      if (drawn) {
        const [west, east] = [from.x, to.x].sort((a, b) => a - b), [north, south] = [from.y, to.y].sort((a, b) => a - b);
        drawn.remove();
        const inside = marks().filter((mark) => { const [x, y] = at(mark); return x >= west && x <= east && y >= north && y <= south; });
        if (inside.length) send(inside, event.altKey ? "remove" : "add");
      } else {
        const hit = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-place]");
        if (hit && map.contains(hit)) send([hit], "toggle");
      }
      from = box = null;
    });
    map.addEventListener("pointercancel", () => { box?.remove(); from = box = null; });
    const go = (mark) => {
      current?.classList.remove("current");
      current = mark;
      current.classList.add("current");
      const place = mark.querySelector("title").textContent;
      aloud.textContent = mark.classList.contains("chosen") ? crypsis.say("chosen", { place }) : place;
    };
    map.addEventListener("focusin", () => { if (!map.contains(current)) { const first = marks()[0]; if (first) go(first); } });
    map.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!current || !(way || event.key === "Enter" || event.key === " ")) return;
      event.preventDefault();
      if (!way) return send([current], "toggle");
      const [x, y] = at(current);
      let best = null, least = Infinity;
      for (const mark of marks()) {
        const [dx, dy] = [at(mark)[0] - x, at(mark)[1] - y];
        const ahead = dx * way[0] + dy * way[1], aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
        if (ahead > 0 && ahead + 2 * aside < least) { least = ahead + 2 * aside; best = mark; }
      }
      if (best) go(best);
    });
  },

  // Show which places of a map are chosen.
  chosen(id, places) {
    const chosen = new Set(places);
    document.getElementById(id)?.querySelectorAll("[data-place]")
      .forEach((mark) => mark.classList.toggle("chosen", chosen.has(Number(mark.dataset.place))));
  },

  // Two or four handles on one line of time; none passes another. Tells the page where they are.
  handles(id, form, count) {
    crypsis.once(() => document.getElementById(id)?.querySelectorAll("input").length === count, () => crypsis.listenToHandles(id, form));
  },
  listenToHandles(id, form) {
    const place = document.getElementById(id);
    const inputs = [...place.querySelectorAll("input")];
    place.dataset.ready = inputs.length;
    const two = (value) => String(value).padStart(2, "0");
    const clock = (second) => `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}`;
    const written = {
      date: (second) => new Date(second * 1000).toISOString().slice(0, 16).replace("T", " "),
      day: clock,
      week: (second) => `${crypsis.say("days").split(" ")[Math.floor(second / 86400) % 7]} ${clock(second % 86400)}`,
      number: String,
    }[form];
    const show = () => {
      const [low, high] = [Number(inputs[0].min), Number(inputs[0].max)];
      const share = (second) => `${(100 * (second - low)) / Math.max(1, high - low)}%`;
      const values = inputs.map((input) => Number(input.value));
      inputs.forEach((input) => input.setAttribute("aria-valuetext", written(Number(input.value))));
      const certain = values.length === 4 ? [values[1], values[2]] : values;
      for (const [name, [start, end]] of [[".possible", [values[0], values.at(-1)]], [".certain", certain]]) {
        const bar = place.querySelector(name);
        bar.style.left = share(start);
        bar.style.width = `calc(${share(Math.max(end, start))} - ${share(start)})`;
      }
    };
    let waiting = null;
    inputs.forEach((input, index) => (input.oninput = () => {
      const value = Number(input.value);
      inputs.forEach((other, rank) => {
        if (rank < index && Number(other.value) > value) other.value = value;
        if (rank > index && Number(other.value) < value) other.value = value;
      });
      show();
      clearTimeout(waiting);
      waiting = setTimeout(() => emitEvent(`period-${id}`, inputs.map((one) => Number(one.value))), 120);
    }));
    show();
  },

  // Move the handles to where somebody typed.
  moveHandles(id, form, values) {
    const inputs = document.getElementById(id)?.querySelectorAll("input") ?? [];
    inputs.forEach((input, index) => (input.value = values[index]));
    if (inputs.length) crypsis.handles(id, form, inputs.length);
  },
};

// Which screen this is, for what the server draws.
const narrow = matchMedia("(max-width: 600px)");
const keepScreen = () => crypsis.keepTheme("crypsis-screen", narrow.matches ? "narrow" : "wide");
narrow.addEventListener("change", keepScreen);
keepScreen();

// Where the mouse is on a map: degrees, or coordinates of the plane, between those of its corners.
document.addEventListener("mousemove", (event) => {
  const map = event.target.closest?.("svg.map[data-corners]");
  let told = document.querySelector(".map-readout");
  if (!map) return told?.remove();
  const box = map.getBoundingClientRect();
  const across = (event.clientX - box.left) / box.width, down = (event.clientY - box.top) / box.height;
  const corners = JSON.parse(map.dataset.corners);
  const between = ([a, b, c, d]) => (a * (1 - across) + b * across) * (1 - down) + (c * (1 - across) + d * across) * down;
  const x = between(corners.x), y = between(corners.y);
  if (!told) {
    told = document.createElement("div");
    told.className = "map-readout";
    told.setAttribute("aria-hidden", "true");
    document.body.append(told);
  }
  const degrees = (value, plus, minus) => `${crypsis.number(Math.abs(value), 4)}° ${crypsis.say(value < 0 ? minus : plus)}`;
  told.textContent = corners.degrees
    ? `${degrees(y, "north", "south")}, ${degrees(x, "east", "west")}`
    : `x ${x.toPrecision(6)}, y ${y.toPrecision(6)}`;
  told.style.left = `${Math.min(event.clientX + 14, window.innerWidth - 190)}px`;
  told.style.top = `${event.clientY + 16}px`;
});

document.addEventListener("keydown", (event) => event.key === "Escape" && crypsis.menu(false));
// A link to what is no longer true of the data asks before it is followed.
document.addEventListener("click", (event) => {
  const asked = event.target.closest?.("a[data-ask]");
  if (asked && !confirm(asked.dataset.ask)) event.preventDefault();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".side, .menu-button")) crypsis.menu(false);
});
