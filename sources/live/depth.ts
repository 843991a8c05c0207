import { image } from "../core/frame.ts";
import { SourceError } from "../core/source.ts";
import type { Arrival, Decoded } from "./intake.ts";
import type { LiveOptions, Start } from "./protocol.ts";

/**
 * The protocol that sends a frame in one binary message: the length of its header (u32), the header (JSON), depth (u16, row-major), and
 * colour if the header names it (8-bit RGB, registered to depth). All numbers are little-endian. See docs/live.md.
 */
export const DEPTH_PROTOCOL = "depthloom.depth.v1";

const MAX_HEADER = 1 << 16;
const MAX_SIDE = 16_384;

type Header = Readonly<Record<string, unknown>>;

/** Starts the protocol: each binary message is a frame, and every server offers depth, without topics. */
export const depth: Start = (socket, { address, options, intake, ready, fail }) => {
  socket.onmessage = ({ data }) => {
    try {
      intake.take(arrivalOf(data, options));
    } catch (error) {
      intake.malformed(error);
    }
  };
  if (options.topic === undefined) ready();
  else {
    const why = `it streams raw depth (${DEPTH_PROTOCOL}), which has no topics; leave the topic out`;
    fail(new SourceError(`${address}: ${why}`));
  }
  return { format: "depth stream", facts: [], watch() {} };
};

/**
 * Parses a message but not yet its depth. Unit, lens and colour are as the options say, else as its header does. Throws a `SourceError`
 * that says what is wrong with the message.
 */
function arrivalOf(data: unknown, options: LiveOptions): Arrival {
  if (!(data instanceof ArrayBuffer)) throw wrong("a frame must be a binary message");
  const header = headerOf(data);
  const number = header.index;
  const stamp = header.timestamp;
  return {
    stampMs: isNumber(stamp) ? stamp : undefined,
    number: Number.isSafeInteger(number) ? Number(number) : undefined,
    decode: () => decode(header, new Uint8Array(data, 4 + new DataView(data).getUint32(0, true)), options),
  };
}

function headerOf(data: ArrayBuffer): Header {
  const length = data.byteLength < 4 ? 0 : new DataView(data).getUint32(0, true);
  if (length === 0 || length > MAX_HEADER || 4 + length > data.byteLength) {
    throw wrong(`it must begin with the length of its header, 1 to ${MAX_HEADER}, not ${length}`);
  }
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(data, 4, length)));
  } catch {
    throw wrong("its header is not JSON");
  }
  if (typeof header !== "object" || header === null || Array.isArray(header))
    throw wrong("its header is not an object");
  return { ...header };
}

function decode(header: Header, body: Uint8Array, options: LiveOptions): Decoded {
  const { width, height, metresPerUnit = 0.001, fx, fy, cx, cy, distortion, color } = header;
  const isSide = (side: unknown): side is number =>
    Number.isInteger(side) && Number(side) > 0 && Number(side) <= MAX_SIDE;
  if (!isSide(width) || !isSide(height)) throw wrong(`width and height must be whole numbers from 1 to ${MAX_SIDE}`);
  if (!isNumber(metresPerUnit) || !(metresPerUnit > 0)) throw wrong("metresPerUnit must be a number above 0");
  if (!isNumber(fx) || !isNumber(fy) || !(fx > 0 && fy > 0) || !isNumber(cx) || !isNumber(cy)) {
    throw wrong("fx, fy, cx and cy must be numbers in pixels, fx and fy above 0");
  }
  if (color !== undefined && color !== "rgb8") throw wrong('color must be "rgb8" or left out');
  const pixels = width * height;
  const wanted = pixels * (color ? 5 : 2);
  if (body.length !== wanted)
    throw wrong(`${width}×${height} takes ${wanted} bytes behind the header, not ${body.length}`);
  const lens = Array.isArray(distortion) && distortion.every(isNumber) ? { distortion: distortion.map(Number) } : {};
  return {
    // A copy, since a `Uint16Array` must begin at an even position and the body may begin at any.
    depth: image(new Uint16Array(body.slice(0, 2 * pixels).buffer), [height, width]),
    metresPerUnit: options.metresPerUnit ?? metresPerUnit,
    intrinsics: { ...(options.intrinsics ?? { fx, fy, cx, cy, ...lens }), width, height },
    ...(color && options.color !== false && { color: image(rgba(body.subarray(2 * pixels)), [height, width, 4]) }),
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
