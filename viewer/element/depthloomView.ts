import type { PipelineOptions, ProcessedFrame } from "../../pipeline/index.ts";
import type { Source } from "../../sources/index.ts";
import { element, setText } from "../dom/controls.ts";
import { applyStyle } from "../dom/shadowStyle.ts";
import css from "./element.css?inline";
import { isSource, openSource, type Shown } from "./openSource.ts";
import { steer } from "./orbit.ts";
import { COLOURS, type Colour, Show } from "./show.ts";

/** The events of `<depthloom-view>`. */
export interface DepthloomViewEvents {
  /** A source is open; the first frame follows. */
  open: CustomEvent<Source>;
  /** A frame is on the canvas. Handlers that read it back call its methods synchronously. */
  frame: CustomEvent<ProcessedFrame>;
  /** A live stream has ended. */
  end: CustomEvent<null>;
  /** Nothing can be shown any more; the element shows the error's message, too. */
  error: CustomEvent<Error>;
}

/** What listens to the element's own events: `frame`'s handler gets a `CustomEvent<ProcessedFrame>`. */
interface Telling {
  /** Listens to one of the element's own events, as to any other event. */
  addEventListener<K extends keyof DepthloomViewEvents>(
    type: K,
    listener: (event: DepthloomViewEvents[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

/** A server that renders pages has no elements: there the class can be imported, but not instantiated. */
const Base = (globalThis.HTMLElement ?? class {}) as new () => Telling & HTMLElement;

/**
 * `<depthloom-view src="recording.mcap" color="camera">` shows a depth camera's recording or stream, filtered, as a picture that the user
 * turns. Attributes, each of which may change at any time:
 *
 * - `src`: the address of a recording (read by ranges where the server allows), a stream (`wss://…`), `camera:` or `synthetic`
 * - `color`: "camera" (default), "distance", "normal", "clay" or "lit"
 * - `compare`: raw depth on the left of this share of the image's width; 0.5 if empty
 * - `paused`: shows one frame
 * - `topic`: the depth topic to show, if there are several
 * - `backend`, `adapter`: as in `createPipeline`
 *
 * Until the first frame is there, the element shows the content between its tags, a picture for instance. Taking the element out of its
 * page frees everything.
 */
export class DepthloomView extends Base {
  /** @internal */
  static readonly observedAttributes = ["src", "color", "compare", "paused", "topic", "backend", "adapter"];
  readonly #status = () => this.shadowRoot?.querySelector("p") as HTMLElement;
  #given: Shown | undefined;
  #show: Show | undefined;
  #life = new AbortController();
  #ending: Promise<unknown> = Promise.resolve();
  /** What is shown now, until it has been freed. */
  #running: Promise<void> = Promise.resolve();
  #starting = false;

  /** Files, or a source that the caller has opened, in place of an address. The caller closes it. */
  get source(): Shown | undefined {
    return this.#given ?? this.getAttribute("src") ?? undefined;
  }

  /** Shows this source in place of the present one; `undefined`: the one that `src` names. */
  set source(source: Shown | undefined) {
    this.#given = source;
    this.#restart();
  }

  /** The attribute, as of a `<video>`. */
  get src(): string {
    return this.getAttribute("src") ?? "";
  }

  /** Sets the attribute: the element then shows what stands at this address. */
  set src(address: string) {
    this.setAttribute("src", address);
  }

  /** The pipeline that runs, for its statistics and stages; `undefined` while nothing is shown. The element destroys it. */
  get pipeline() {
    return this.#show?.pipeline;
  }

  /** Goes on after `pause`. */
  play(): void {
    this.removeAttribute("paused");
  }

  /** Stays at the present frame, which can still be turned. */
  pause(): void {
    this.setAttribute("paused", "");
  }

  /** Resolves when what was shown before has been freed. */
  get freed(): Promise<void> {
    return this.#ending.then(() => {});
  }

  /** @internal */
  connectedCallback(): void {
    // What a page set before this script ran hides the accessors.
    for (const name of ["source", "src"] as const)
      if (Object.hasOwn(this, name)) {
        const value = this[name];
        Reflect.deleteProperty(this, name);
        Reflect.set(this, name, value);
      }
    if (!this.shadowRoot) {
      const root = applyStyle(this.attachShadow({ mode: "open" }), css);
      const status = element("p", "", { role: "status" });
      const words = ["raw", "filtered"].map((word) => element("span", word, {}, word));
      root.append(element("slot"), element("div", "divider", { hidden: true }, ...words), status);
    }
    this.#restart();
  }

  /** @internal */
  disconnectedCallback(): void {
    this.#stop();
  }

  /** @internal */
  attributeChangedCallback(name: string): void {
    if (!this.isConnected) return;
    if (name === "color") this.#show?.setColour(this.#colour);
    else if (name === "compare") this.#show?.setCompare(this.#compare);
    else if (name === "paused") this.#show?.[this.hasAttribute("paused") ? "pause" : "play"]();
    else this.#restart();
  }

  get #colour(): Colour {
    const asked = this.getAttribute("color") ?? "camera";
    return Object.hasOwn(COLOURS, asked) ? (asked as Colour) : "camera";
  }

  get #compare(): number | undefined {
    const at = this.getAttribute("compare");
    return at === null ? undefined : Math.min(1, Math.max(0, Number(at || 0.5) || 0));
  }

  /** Several attributes may be set one after the other: the element opens once. */
  #restart(): void {
    if (!this.isConnected || this.#starting) return;
    this.#starting = true;
    queueMicrotask(() => {
      this.#starting = false;
      this.#stop();
      if (this.isConnected && this.source !== undefined) this.#running = this.#start(this.source);
    });
  }

  #stop(): void {
    this.#life.abort();
    this.#ending = Promise.allSettled([this.#ending, this.#running]);
    this.shadowRoot?.querySelector("canvas")?.remove();
    this.#divide();
    if (this.shadowRoot) setText(this.#status(), "");
  }

  async #start(shown: Shown): Promise<void> {
    this.#life = new AbortController();
    const { signal } = this.#life;
    const status = this.#status();
    setText(status, "Opening …");
    const closing: (() => Promise<void>)[] = [];
    try {
      const asked = { topic: this.getAttribute("topic") ?? undefined, signal };
      const source = isSource(shown) ? shown : await openSource(shown, asked);
      if (!isSource(shown)) closing.push(() => source.close());
      signal.throwIfAborted();
      const show = new Show(source, {
        onFrame: (frame) => signal.aborted || this.#draw(frame, source),
        onEnd: (error) => signal.aborted || this.#ended(error),
      });
      closing.unshift(() => show.close());
      await show.open({
        backend: (this.getAttribute("backend") ?? "auto") as NonNullable<PipelineOptions["backend"]>,
        adapter: (this.getAttribute("adapter") ?? "auto") as NonNullable<PipelineOptions["adapter"]>,
      });
      signal.throwIfAborted();
      this.#begin(show, signal);
      this.#tell("open", source);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    } catch (error) {
      if (!signal.aborted) this.#ended(error);
    }
    await Promise.allSettled(closing.map((close) => close()));
  }

  #begin(show: Show, signal: AbortSignal): void {
    this.#show = show;
    signal.addEventListener("abort", () => {
      this.#show = undefined;
    });
    show.setColour(this.#colour);
    show.setCompare(this.#compare);
    const sizes = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {};
      if (width * height > 0) show.resize(width * devicePixelRatio, height * devicePixelRatio);
    });
    sizes.observe(this);
    signal.addEventListener("abort", () => sizes.disconnect());
    show.play();
  }

  /** The canvas for the backend's pictures: a canvas takes pictures of one backend only. */
  #canvasFor(backend: string, source: Source): HTMLCanvasElement {
    const old = this.shadowRoot?.querySelector("canvas");
    if (old?.dataset.backend === backend) return old;
    const canvas = element("canvas", "", { tabIndex: 0, role: "img" });
    canvas.dataset.backend = backend;
    const what = this.getAttribute("aria-label") ?? `Depth of ${source.name}`;
    canvas.setAttribute("aria-label", `${what}. Turn by dragging or arrow keys, zoom by plus and minus.`);
    old?.remove();
    this.shadowRoot?.prepend(canvas);
    const show = this.#show;
    if (show) steer(canvas, show.orbit, () => show.refresh(), this.#life.signal);
    return canvas;
  }

  #draw(frame: ProcessedFrame, source: Source): void {
    frame.picture?.drawTo(this.#canvasFor(frame.gpu ? "webgpu" : "cpu", source));
    if (!this.#show?.hasFailed) setText(this.#status(), "");
    this.#divide(frame);
    this.#tell("frame", frame);
    // A source that is shown paused shows its first frame.
    if (this.hasAttribute("paused") && this.#show?.isPlaying) this.#show.pause();
  }

  /** Draws the line between raw and filtered depth, with a word on each side. */
  #divide(frame?: ProcessedFrame): void {
    const divider = this.shadowRoot?.querySelector<HTMLElement>(".divider");
    const line = frame && this.#show?.dividerOf(frame.shape);
    if (!divider) return;
    divider.hidden = !line;
    if (!line) return;
    const { clientWidth: width, clientHeight: height } = this;
    const [[x0, y0], [x1, y1]] = line.map(([x, y]) => [x * width, y * height] as const);
    divider.style.height = `${Math.hypot(x1 - x0, y1 - y0)}px`;
    divider.style.transform = `translate(${x0}px, ${y0}px) rotate(${Math.atan2(x0 - x1, y1 - y0)}rad)`;
  }

  #ended(error: unknown): void {
    if (error === undefined) return void this.#tell("end", null);
    const failure = error instanceof Error ? error : new Error(String(error));
    setText(this.#status(), failure.message);
    this.#tell("error", failure);
  }

  #tell<K extends keyof DepthloomViewEvents>(kind: K, detail: DepthloomViewEvents[K]["detail"]): void {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }
}
