import { deflateSync } from "node:zlib";
import { Bytes, littleEndian } from "./bytes.ts";

/** A small ScanNet file: version 4, depth zlib or raw, colour of any kind. */
export interface SensParts {
  readonly width: number;
  readonly height: number;
  readonly depth: readonly Uint16Array[];
  readonly version?: number;
  /** 0 raw, 1 zlib. */
  readonly depthKind?: number;
  readonly color?: {
    readonly kind: number;
    readonly width: number;
    readonly height: number;
    readonly frames: readonly Uint8Array[];
  };
  /** Microseconds from a frame to the next; without it, frames have no times. */
  readonly step?: number;
  /** All times, µs. */
  readonly times?: readonly number[];
  readonly toDevice?: readonly number[];
}

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

export function sensOf({
  width,
  height,
  depth,
  version = 4,
  depthKind = 1,
  color,
  step = 0,
  times,
  toDevice = IDENTITY,
}: SensParts): Uint8Array {
  const out = new Bytes();
  const matrix = (values: readonly number[]) => {
    for (const value of values) out.f32(value);
  };
  const lens = (w: number, h: number) => [w, 0, (w - 1) / 2, 0, 0, w, (h - 1) / 2, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  out.u32(version).u64(9).text("Structure");
  matrix(lens(color?.width ?? width, color?.height ?? height));
  matrix(toDevice);
  matrix(lens(width, height));
  matrix(IDENTITY);
  out.u32(color?.kind ?? 2, depthKind, color?.width ?? 0, color?.height ?? 0);
  out.u32(width, height).f32(1000).u64(depth.length);
  for (const [i, values] of depth.entries()) {
    const raw = littleEndian(values);
    const packed = depthKind === 1 ? deflateSync(raw) : raw;
    const picture = color?.frames[i] ?? new Uint8Array(0);
    // The second frame's pose is lost.
    matrix(i === 1 ? IDENTITY.map(() => -Infinity) : IDENTITY.with(3, i));
    const time = times?.[i] ?? step * i;
    out.u64(time, time, picture.length, packed.length);
    out.bytes(picture).bytes(packed);
  }
  return out.u64(0).done();
}
