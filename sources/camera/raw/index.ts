import { Observable } from "rxjs";
import { checkOptions } from "../../../core/check.ts";
import { type DepthFrame, image } from "../../../core/frame.ts";
import { type Disposable, disposable, type Source, SourceError } from "../../../core/source.ts";
import { holdOf } from "../../../core/streams.ts";
import { depthFormatOf } from "../../format/depthFormat.ts";
import { optionRules } from "../../format/description.ts";
import type { Fact, OpenOptions } from "../../format/format.ts";
import type { Mode } from "../../live/driver.ts";
import { sizeRule } from "../options.ts";

/** How to read raw frames: their size is nowhere in the bytes. */
export type RawOptions = Pick<OpenOptions, "metresPerUnit" | "intrinsics" | "fps" | "invalid"> & {
  /** The size of a frame, px. */
  readonly size: Pick<Mode, "width" | "height">;
};

const { metresPerUnit, intrinsics, fps, invalid } = optionRules;
const rawRules = { metresPerUnit, intrinsics, fps, invalid, size: sizeRule };

/** Where raw frames come from: a stream of Node's, such as `process.stdin`, or any other. */
export type RawBytes = AsyncIterable<Uint8Array> & {
  /** Ends the stream: closing the source calls it. */
  destroy?(): unknown;
};

/** A source of raw frames. */
export interface RawSource extends Source, Disposable {
  /** The properties that frames are read with, and their origins. */
  readonly facts: readonly Fact[];
  /** A line for each thing that is assumed because no option gives it. */
  readonly warnings: readonly string[];
}

/**
 * Frames of raw depth one after the other, with nothing in between: 16-bit little-endian, row-major. `v4l2-ctl --stream-to=-`, GStreamer's
 * `fdsink` and ffmpeg's format `rawvideo` write them so. A frame's time is that of its arrival. The stream can wait: a frame's `waitUntil`
 * holds the sender back, and so does the absence of a subscriber. Only one may subscribe at a time. It ends with a `SourceError` where the
 * bytes end within a frame. Throws an `OptionError` for an option that is misspelt or out of range. Closing the source destroys `bytes` if
 * they can be.
 *
 * @example
 * const source = rawSource(process.stdin, "camera", { size: { width: 640, height: 480 } });
 */
export function rawSource(bytes: RawBytes, name: string, options: RawOptions): RawSource {
  checkOptions("rawSource", options, rawRules);
  const { size, ...given } = options;
  const { width, height } = size;
  const warnings: string[] = [];
  const { metresPerUnit, forget, fps, intrinsics, facts } = depthFormatOf(
    given,
    undefined,
    { invalid: { value: [65_535], from: "assumed" } },
    warnings,
  );
  const lens = intrinsics(width, height);
  const images = imagesIn(bytes, width * height, name);
  // The bytes can be read once, so all subscriptions read on from the same place. An image that a subscription has asked for and left goes
  // to the next subscription.
  let coming: Promise<IteratorResult<Uint16Array>> | undefined;
  let index = 0;
  let stop = () => {};
  const frames$ = new Observable<DepthFrame>((observer) => {
    let stopped = false;
    stop = () => {
      stopped = true;
      observer.complete();
    };
    const run = async () => {
      for (let jump = true; !stopped; jump = false) {
        coming ??= images.next();
        const { done, value: data } = await coming;
        if (stopped) return;
        if (done) return observer.complete();
        coming = undefined;
        forget(data);
        const depth = image(data, [height, width]);
        const frame = { depth, metresPerUnit, intrinsics: lens, timestamp: Date.now(), index: index++, jump };
        const { waitUntil, settled } = holdOf(frame);
        observer.next({ ...frame, waitUntil });
        await settled();
      }
    };
    run().catch((error) => observer.error(error));
    return stop;
  });
  const close = async () => {
    stop();
    bytes.destroy?.();
  };
  return disposable({ name, format: "raw", fps, frames$, facts, warnings, close });
}

/** Cuts a stream of bytes into images. Each byte is copied once, to where it stays. */
async function* imagesIn(bytes: AsyncIterable<Uint8Array>, pixels: number, name: string): AsyncGenerator<Uint16Array> {
  let out = new Uint8Array(2 * pixels);
  let at = 0;
  let count = 0;
  for await (const piece of bytes) {
    for (let from = 0; from < piece.length; ) {
      const taken = Math.min(out.length - at, piece.length - from);
      out.set(piece.subarray(from, from + taken), at);
      from += taken;
      at += taken;
      if (at < out.length) continue;
      yield new Uint16Array(out.buffer);
      out = new Uint8Array(2 * pixels);
      at = 0;
      count++;
    }
  }
  if (at === 0 && count > 0) return;
  const had =
    count === 0 && at === 0 ? "it is empty" : `it ends within frame ${count}, after ${at} of ${out.length} bytes`;
  throw new SourceError(`${name}: ${had}; check the size, and that frames are 16-bit little-endian (gray16le, Z16)`);
}
