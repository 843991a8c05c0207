import type { Subscription } from "rxjs";
import type { DepthFrame, Intrinsics } from "../../../core/frame.ts";
import { findMediaCameras } from "../../../sources/camera/media/find.ts";
import { mediaLack, pageFacts } from "../../../sources/camera/media/lack.ts";
import { openMediaCamera } from "../../../sources/camera/media/open.ts";
import { VideoReader } from "../../../sources/camera/media/reader.ts";
import type { LiveSource } from "../../../sources/live/index.ts";
import { everyCorner, frameOf } from "./fake.ts";

/** The page's description of one frame. */
export interface Told {
  /** The number of the fake camera's frame that all pixels of the squares belong to; -1 if there is none. */
  readonly frame: number;
  /** Every value outside of the squares. */
  readonly others: readonly number[];
  readonly index: number;
  readonly timestamp: number;
  readonly jump: boolean;
  readonly size: readonly [width: number, height: number];
  readonly lens: Pick<Intrinsics, "fx" | "fy" | "cx" | "cy">;
  /** The mean colour of valid pixels, the share of them that have one, and how many have one in the 60 columns at either side. */
  readonly color: { readonly mean: readonly number[]; readonly share: number; readonly atSides: number } | undefined;
}

const FPS = 30;
let source: LiveSource | undefined;
let subscription: Subscription | undefined;
let after = 0;
const held: DepthFrame[] = [];
/** The last rendering context that was made. */
let context: OffscreenRenderingContext | null = null;
const getContext = OffscreenCanvas.prototype.getContext;
OffscreenCanvas.prototype.getContext = function (this: OffscreenCanvas, ...given: Parameters<typeof getContext>) {
  context = getContext.apply(this, given);
  return context;
} as typeof getContext;
const counts = { frames: 0, wrong: 0, missing: 0, fps: 0 };

function tell(frame: DepthFrame): Told {
  const [height, width] = frame.depth.shape;
  const size = { width, height, fps: FPS };
  const data = frame.depth.data;
  const found = frameOf(data, size, after);
  after = found ?? after;
  const rest = data.slice();
  everyCorner(size, (i) => {
    rest[i] = 0;
    return true;
  });
  const others = [...new Set(rest)];
  const { index, timestamp, jump = false, intrinsics: lens } = frame;
  return { frame: found ?? -1, others, index, timestamp, jump, size: [width, height], lens, color: colourOf(frame) };
}

function colourOf({ depth, color }: DepthFrame): Told["color"] {
  if (!color) return undefined;
  const width = depth.shape[1];
  const [sum, seen, valid] = [[0, 0, 0], { count: 0, atSides: 0 }, { count: 0 }];
  for (const [i, value] of depth.data.entries()) {
    if (value === 0) continue;
    valid.count++;
    if (color.data[4 * i + 3] === 0) continue;
    seen.count++;
    if (Math.abs((i % width) - width / 2) > width / 2 - 60) seen.atSides++;
    for (const c of [0, 1, 2]) sum[c] += color.data[4 * i + c];
  }
  return { mean: sum.map((x) => x / seen.count), share: seen.count / valid.count, atSides: seen.atSides };
}

const page = {
  lack: () => mediaLack(pageFacts()),
  /** The cameras that were found, or the error as text. */
  find: () =>
    findMediaCameras().then(
      (found) => found,
      (error: Error) => `${error.name}: ${error.message}`,
    ),
  async open(known = {}) {
    const [camera] = await findMediaCameras();
    source = await openMediaCamera(camera, known);
    after = 0;
    subscription = source.frames$.subscribe({ next: (frame) => held.push(frame), error: () => {} });
    return { name: source.name, fps: source.fps, facts: source.facts };
  },
  /** Waits for `count` frames and describes them. */
  async frames(count: number): Promise<Told[]> {
    while (held.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    return held.splice(0, count).map(tell);
  },
  /** From now on checks each frame at once, and keeps none. */
  check() {
    let lastIndex = -1;
    Object.assign(counts, { frames: 0, wrong: 0, missing: 0, fps: 0 });
    const startMs = performance.now();
    subscription = source?.frames$.subscribe(({ depth, index }) => {
      const [height, width] = depth.shape;
      const found = frameOf(depth.data, { width, height, fps: FPS }, after);
      after = found ?? after;
      counts.frames++;
      if (found === undefined) counts.wrong++;
      if (lastIndex >= 0) counts.missing += index - lastIndex - 1;
      lastIndex = index;
      counts.fps = (1000 * counts.frames) / (performance.now() - startMs);
    });
  },
  checked: () => ({ ...counts }),
  /** Drops the frames that have arrived so far; the camera's own count begins again. */
  skip() {
    held.length = 0;
    after = 0;
  },
  report: () => source?.report,
  /** Loses and restores the context that frames are read with, as a browser does when its GPU process crashes. */
  async loseContext() {
    const lost = context instanceof WebGL2RenderingContext ? context : undefined;
    const extension = lost?.getExtension("WEBGL_lose_context");
    if (!lost || !extension) throw new Error("there is no context to lose");
    const gone = new Promise((resolve) => lost.canvas.addEventListener("webglcontextlost", resolve, { once: true }));
    extension.loseContext();
    await gone;
    // A lost context may be restored once the event of the loss has been handled.
    await new Promise((resolve) => setTimeout(resolve));
    extension.restoreContext();
  },
  async close() {
    subscription?.unsubscribe();
    await source?.close();
    held.length = 0;
  },
  /** The values that a VideoReader reads from a picture whose red is 0, 1, 2 … from its first pixel to its last, modulo 255. */
  async packed(width: number, height: number): Promise<number[]> {
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const drawing = canvas.getContext("2d", { colorSpace: "srgb" });
    if (!drawing) throw new Error("there is no canvas");
    const image = drawing.createImageData(width, height);
    for (let i = 0; i < width * height; i++) image.data.set([i % 255, 0, 0, 255], 4 * i);
    drawing.putImageData(image, 0, 0);
    const frame = new VideoFrame(canvas, { timestamp: 0, alpha: "discard" });
    const reader = new VideoReader();
    const read = await new Promise<Uint16Array>((resolve) =>
      reader.read(frame, undefined, ({ depth }) => resolve(depth)),
    );
    frame.close();
    reader.destroy();
    return [...read];
  },
};

export type MediaPage = typeof page;
Object.assign(window, { page });
