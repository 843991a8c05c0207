import { image } from "../frame.ts";
import { SourceError } from "../source.ts";
import type { Arrival, Decoded } from "./intake.ts";

/**
 * A frame in one binary message: how long its header is (u32), the header (JSON), depth (u16, row-major), and colour if the
 * header says so (8-bit RGB, registered to depth). All numbers are little-endian. See docs/live.md.
 */
export const DEPTH_PROTOCOL = "depthloom.depth.v1";

const MAX_HEADER = 1 << 16;
const MAX_SIDE = 16_384;

type Header = Readonly<Record<string, unknown>>;

/** Throws a `SourceError` that says what is wrong with a message. Depth is not touched yet. */
export function arrivalOf(data: unknown): Arrival {
  if (!(data instanceof ArrayBuffer)) throw wrong("a frame is a binary message");
  const header = headerOf(data);
  const number = header.index;
  const stamp = header.timestamp;
  return {
    stampMs: isNumber(stamp) ? stamp : undefined,
    number: Number.isSafeInteger(number) ? Number(number) : undefined,
    decode: () => decode(header, new Uint8Array(data, 4 + new DataView(data).getUint32(0, true))),
  };
}

function headerOf(data: ArrayBuffer): Header {
  const length = data.byteLength < 4 ? 0 : new DataView(data).getUint32(0, true);
  if (length === 0 || length > MAX_HEADER || 4 + length > data.byteLength) {
    throw wrong(`it begins with the length of its header, 1 to ${MAX_HEADER}, and ${length} it cannot be`);
  }
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(data, 4, length)));
  } catch {
    throw wrong("its header is no JSON");
  }
  if (typeof header !== "object" || header === null || Array.isArray(header)) throw wrong("its header is no object");
  return { ...header };
}

function decode(header: Header, body: Uint8Array): Decoded {
  const { width, height, metresPerUnit = 0.001, fx, fy, cx, cy, distortion, color } = header;
  const isSide = (side: unknown): side is number =>
    Number.isInteger(side) && Number(side) > 0 && Number(side) <= MAX_SIDE;
  if (!isSide(width) || !isSide(height)) throw wrong(`width and height are whole numbers from 1 to ${MAX_SIDE}`);
  if (!isNumber(metresPerUnit) || !(metresPerUnit > 0)) throw wrong("metresPerUnit is a number above 0");
  if (!isNumber(fx) || !isNumber(fy) || !(fx > 0 && fy > 0) || !isNumber(cx) || !isNumber(cy)) {
    throw wrong("fx, fy, cx and cy are the lens in pixels, fx and fy above 0");
  }
  if (color !== undefined && color !== "rgb8") throw wrong('color is "rgb8" or left out');
  const pixels = width * height;
  const wanted = pixels * (color ? 5 : 2);
  if (body.length !== wanted)
    throw wrong(`${width}×${height} takes ${wanted} bytes behind the header, not ${body.length}`);
  const bent = Array.isArray(distortion) && distortion.every(isNumber) ? { distortion: distortion.map(Number) } : {};
  return {
    // A copy: the body begins anywhere, and u16 do not.
    depth: image(new Uint16Array(body.slice(0, 2 * pixels).buffer), [height, width]),
    metresPerUnit,
    intrinsics: { fx, fy, cx, cy, width, height, ...bent },
    ...(color && { color: image(rgba(body.subarray(2 * pixels)), [height, width, 4]) }),
  };
}

function rgba(rgb: Uint8Array): Uint8Array {
  const out = new Uint8Array((rgb.length / 3) * 4);
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) {
    out[to] = rgb[from];
    out[to + 1] = rgb[from + 1];
    out[to + 2] = rgb[from + 2];
    out[to + 3] = 255;
  }
  return out;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const wrong = (why: string) => new SourceError(`a message of ${DEPTH_PROTOCOL} cannot be read: ${why}`);
