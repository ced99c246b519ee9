// What a page does by itself: sending a file, asking for rows, keeping the choice of light or dark.
window.crypsis = {
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
          if (!response.ok) throw new Error(answer.error?.message ?? "The rows cannot be read.");
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
    const units = ["bytes", "kB", "MB", "GB", "TB"];
    const place = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
    const value = count / 1000 ** place;
    return `${place && value < 100 ? value.toFixed(1) : Math.round(value)} ${units[place]}`;
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
      if (file.size > limit) return say(`This file has ${crypsis.bytes(file.size)}; ${crypsis.bytes(limit)} are allowed.`, true);
      const request = new XMLHttpRequest();
      request.open("POST", `/api/uploads?name=${encodeURIComponent(file.name)}`);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      const begun = performance.now();
      request.upload.onprogress = (event) => {
        bar.hidden = false; bar.max = event.total; bar.value = event.loaded;
        const seconds = ((performance.now() - begun) / 1000) * (event.total / Math.max(1, event.loaded) - 1);
        const left = event.loaded < event.total && seconds >= 2 ? `, about ${Math.ceil(seconds)} s left` : "";
        say(event.loaded < event.total
          ? `Sending ${file.name}: ${crypsis.bytes(event.loaded)} of ${crypsis.bytes(event.total)}${left}`
          : `${file.name}: all ${crypsis.bytes(event.total)} sent, being checked …`);
      };
      request.onload = () => {
        bar.hidden = true;
        let answer = {};
        try { answer = JSON.parse(request.responseText); } catch { /* not ours */ }
        if (request.status >= 300) return say(answer.error?.message ?? "The file could not be sent.", true);
        say(`Received ${file.name}, ${crypsis.bytes(file.size)}`);
        emitEvent(`upload-${id}`, { id: answer.id, name: file.name });
      };
      request.onerror = () => { bar.hidden = true; say("The connection was lost; try again.", true); };
      say(`Sending ${file.name} …`);
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
};

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
  const degrees = (value, plus, minus) => `${Math.abs(value).toFixed(4)}° ${value < 0 ? minus : plus}`;
  told.textContent = corners.degrees
    ? `${degrees(y, "N", "S")}, ${degrees(x, "E", "W")}`
    : `x ${x.toPrecision(6)}, y ${y.toPrecision(6)}`;
  told.style.left = `${Math.min(event.clientX + 14, window.innerWidth - 190)}px`;
  told.style.top = `${event.clientY + 16}px`;
});

document.addEventListener("keydown", (event) => event.key === "Escape" && crypsis.menu(false));
document.addEventListener("click", (event) => {
  if (!event.target.closest(".side, .menu-button")) crypsis.menu(false);
});
