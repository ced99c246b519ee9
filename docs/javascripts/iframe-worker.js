// Searching works from disk, too: browsers refuse workers to pages that were opened from a file, so what a worker
// would do runs in a frame that is not shown.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      this.frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { hidden: true }));
      const inner = this.frame.contentWindow;
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const load = (script) => new Promise((done) => inner.document.body.append(
        Object.assign(inner.document.createElement("script"), { src: new URL(script, location), onload: done })));
      inner.importScripts = (...scripts) => Promise.all(scripts.map(load));
      load(address).then(() => {
        this.deliver = (data) => inner.dispatchEvent(new MessageEvent("message", { data }));
        this.waiting.forEach(this.deliver);
      });
    }

    postMessage(data) {
      this.deliver ? this.deliver(data) : this.waiting.push(data);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
