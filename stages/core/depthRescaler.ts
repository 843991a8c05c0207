import { type DepthArray, type DepthFrame, image } from "../../core/frame.ts";
import binary from "./assembly/scale.ts?wasm";
import { Layout, openWasm } from "./wasm.ts";

/** Rounding to a coarser unit than this between stages draws rings on smooth walls. */
const FINE_M = 0.0002;
/**
 * The chosen unit holds depths up to this many times the farthest depth of the frame that it is chosen from. The 10 m of a Kinect v1 thus
 * fit into fifths of a millimetre, whatever the first frame shows.
 */
const MARGIN = 1.3;
/**
 * A camera whose unit is finer than `FINE_M` is precise: its rounding shows in the normals of smooth things. The filters halve its unit
 * where the half unit still holds depths this many times as far as the farthest one; that is so where the camera looks only at near things.
 */
const AT_HAND = 3;
const MOST = 65535;

/**
 * The number of parts into which filters divide a source's unit, from one of the source's frames: 1 if the unit is fine enough, or if
 * depths would not fit into a finer one.
 */
export function finenessFor({ depth, metresPerUnit }: Pick<DepthFrame, "depth" | "metresPerUnit">): number {
  // A quotient such as 0.001 / 0.0002 may lie a little above a whole number.
  const wanted = Math.ceil(metresPerUnit / FINE_M - 1e-6);
  const farthest = Math.max(1, greatestOf(depth));
  if (wanted <= 1) return metresPerUnit < 0.9 * FINE_M && 2 * AT_HAND * farthest <= MOST ? 2 : 1;
  return Math.max(1, Math.min(wanted, Math.floor(MOST / (MARGIN * farthest))));
}

function greatestOf({ data }: DepthArray): number {
  let greatest = 0;
  for (let i = 0; i < data.length; i++) greatest = Math.max(greatest, data[i]);
  return greatest;
}

/** Multiplies depths, modulo 65536. Returns the greatest depth of `data`. */
export function scale(data: Uint16Array, into: Uint16Array, factor: number): number {
  let greatest = 0;
  for (let i = 0; i < data.length; i++) {
    const depth = data[i];
    if (depth > greatest) greatest = depth;
    into[i] = depth * factor;
  }
  return greatest;
}

/** Scales depth images into two buffers in turn; `into` is the buffer of the last call. */
interface Scaler {
  readonly pixels: number;
  readonly into: Uint16Array;
  /** Returns the greatest depth of `data`. */
  scale(data: Uint16Array, factor: number): number;
}

function scalerPlain(pixels: number): Scaler {
  const turns = new Turn([new Uint16Array(pixels), new Uint16Array(pixels)]);
  return {
    pixels,
    get into() {
      return turns.last;
    },
    scale: (data, factor) => scale(data, turns.next(), factor),
  };
}

/** `scalerPlain` with WebAssembly's 128-bit vectors. Gives `undefined` where WebAssembly has no vectors or is forbidden. */
export function scalerSimd(pixels: number): Scaler | undefined {
  const bytes = Math.ceil(pixels / 8) * 16;
  const layout = new Layout();
  const sinks = [layout.take(bytes), layout.take(bytes)] as const;
  const wasm = openWasm<{ scale(source: number, sink: number, bytes: number, factor: number): number }>(
    [binary],
    Math.max(1, layout.bytes),
  );
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  const turns = new Turn([new Uint16Array(buffer, sinks[0], pixels), new Uint16Array(buffer, sinks[1], pixels)]);
  return {
    pixels,
    get into() {
      return turns.last;
    },
    scale(data, factor) {
      const into = turns.next();
      into.set(data);
      return exports.scale(into.byteOffset, into.byteOffset, bytes, factor);
    },
  };
}

/** Two buffers that take turns. */
class Turn {
  #now = 0;

  constructor(readonly pair: readonly [Uint16Array, Uint16Array]) {}

  get last(): Uint16Array {
    return this.pair[this.#now];
  }

  next(): Uint16Array {
    this.#now = 1 - this.#now;
    return this.last;
  }
}

/**
 * Gives filters the frames of a stream in a finer unit than the source's. The fineness is chosen once, from the stream's first frame, and
 * becomes less where a later frame reaches farther than the unit does: no depth is ever lost. Depths are multiplied by a whole number, so
 * nothing is rounded.
 *
 *     source, mm       0   1203   1204   8001            (first frame: at most 10082, else the fineness is less than 5)
 *     filters, 0.2 mm  0   6015   6020   40005
 */
export class DepthRescaler {
  /** The source's unit in metres, 0 before the first frame; `#fineness` says into how many parts filters divide that unit. */
  #unit = 0;
  #fineness = 1;
  #scaler: Scaler | undefined;
  /** Counts the frames that were given. */
  given = 0;

  /** Begins another stream. `first` decides its fineness; without `first` the frame that comes first does. */
  begin(first?: Pick<DepthFrame, "depth" | "metresPerUnit">): void {
    this.#unit = 0;
    if (first) this.#choose(first);
  }

  #choose(frame: Pick<DepthFrame, "depth" | "metresPerUnit">): void {
    this.#unit = frame.metresPerUnit;
    this.#fineness = finenessFor(frame);
  }

  /** The frame in the filters' unit. Its depth is valid until the frame after the next. */
  of(frame: DepthFrame): DepthFrame {
    this.given++;
    if (frame.metresPerUnit !== this.#unit) this.#choose(frame);
    if (this.#fineness === 1) return frame;
    const { data, shape } = frame.depth;
    if (this.#scaler?.pixels !== data.length) this.#scaler = scalerSimd(data.length) ?? scalerPlain(data.length);
    const greatest = this.#scaler.scale(data, this.#fineness);
    if (greatest * this.#fineness > MOST) {
      // A frame that overflows the unit yields a smaller fineness, so the recursion ends.
      this.#choose(frame);
      return this.of(frame);
    }
    return { ...frame, depth: image(this.#scaler.into, shape), metresPerUnit: frame.metresPerUnit / this.#fineness };
  }
}
