import { controlsIn } from "../camera/controls.ts";
import type { Control, Controls } from "../camera/driver.ts";
import { plain } from "../core/check.ts";
import { type DepthFrame, image } from "../core/frame.ts";
import { SourceError } from "../core/source.ts";
import { InflateError } from "../decode/codec.ts";
import { packedDepth } from "../decode/depthV2/index.ts";
import { unpackDepth } from "../decode/depthV2/unpack.ts";
import { loadCodec } from "../decode/platform.ts";
import type { Fact } from "../recorded/format.ts";
import type { Arrival, Decoded } from "./intake.ts";
import { firstFacts, type Host, type LiveOptions, type Protocol, SETTLED_MS, type Start } from "./protocol.ts";

/**
 * The protocol that sends a frame in one binary message: the length of its header (u32), the header (JSON), depth (u16, row-major), and
 * colour if the header names it (8-bit RGB or RGBA, registered to depth). All numbers are little-endian. See docs/live.md.
 */
export const DEPTH_PROTOCOL = "depthloom.depth.v1";
/** The same protocol with depth packed, as docs/depthV2.md describes; the header's `depthBytes` tells how long it is. */
export const DEPTH_V2_PROTOCOL = "depthloom.depth.v2";

const MAX_HEADER = 1 << 16;
const MAX_SIDE = 16_384;
/** The bytes of a pixel, by the header's name of the colour. */
const COLORS: Readonly<Record<string, number>> = { rgb8: 3, rgba8: 4 };

type Header = Readonly<Record<string, unknown>>;

/** The text that a server may send first. A server that sends it sends frames only while the client watches. */
export interface Greeting {
  /** The name of what is streamed. */
  readonly name: string;
  /** The properties that the server has only assumed itself: see `Fact`. */
  readonly assumed: readonly string[];
  /** Frames per second. */
  readonly fps?: number;
  /** The controls of its camera, if clients may change them: by `setText`. The server sends them again, alone, after each change. */
  readonly controls?: readonly Control[];
}

/** The text by which a client changes a control of the server's camera. */
export const setText = (control: string, value: number): string => JSON.stringify({ set: { control, value } });

/** The change that a client's text asks for, if it asks for one. */
export function changeIn(text: string): { readonly control: string; readonly value: number } | undefined {
  try {
    const { control, value } = { ...(JSON.parse(text)?.set as Partial<Record<string, unknown>>) };
    return typeof control === "string" && isNumber(value) ? { control, value } : undefined;
  } catch {
    return undefined;
  }
}

/** The text by which a client tells a server that greeted it whether somebody watches. */
export const watchText = (watch: boolean): string => JSON.stringify({ watch });

/**
 * The parts of a frame's message. The bytes behind the header are the frame's own memory, or `packed`, the frame's depth in the second
 * protocol. `index` and `timestamp` take the place of the frame's; `sent` is the present time. Times are in ms since 1970.
 */
export function depthMessage(
  { depth, color, metresPerUnit, intrinsics, metadata }: DepthFrame,
  about: { readonly index: number; readonly timestamp: number; readonly sent: number },
  packed?: Uint8Array,
): Uint8Array[] {
  const form = { ...(color && { color: "rgba8" }), ...(packed && { depthBytes: packed.length }) };
  const notes = metadata && { metadata: Object.fromEntries(metadata) };
  const header = { ...intrinsics, ...about, metresPerUnit, ...form, ...notes };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const head = new Uint8Array(4 + text.length);
  new DataView(head.buffer).setUint32(0, text.length, true);
  head.set(text, 4);
  const { buffer, byteOffset, byteLength } = depth.data;
  return [head, packed ?? new Uint8Array(buffer, byteOffset, byteLength), ...(color ? [color.data] : [])];
}

/** Starts the protocol: each binary message is a frame, and every server offers depth, without topics. */
export const depth: Start = (socket, host) => new DepthSession(socket, host);

class DepthSession implements Protocol {
  readonly format = "depth stream";
  title: string | undefined;
  fps: number | undefined;
  controls: Controls | undefined;
  readonly facts: Fact[] = [{ what: "format", value: `raw depth (${DEPTH_PROTOCOL})`, from: "files" }];
  #assumed: readonly unknown[] = [];
  #greeted = false;
  #watched = false;

  constructor(
    readonly socket: WebSocket,
    readonly host: Host,
  ) {
    const { address, options, intake, ready, fail } = host;
    socket.onmessage = ({ data }) => {
      try {
        if (typeof data === "string") this.#greet(data);
        else intake.take(this.#arrivalOf(data));
      } catch (error) {
        intake.malformed(error);
      }
      ready();
    };
    if (options.topic === undefined) setTimeout(ready, SETTLED_MS);
    else {
      const why = `it streams raw depth (${DEPTH_PROTOCOL}), which has no topics; leave the topic out`;
      fail(new SourceError(`${address}: ${why}`));
    }
  }

  watch(on: boolean): void {
    this.#watched = on;
    if (this.#greeted && this.socket.readyState === 1) this.socket.send(watchText(on));
  }

  set(control: string, value: number): void {
    if (this.socket.readyState === 1) this.socket.send(setText(control, value));
  }

  #greet(text: string): void {
    const { name, assumed, fps, controls, refused } = objectOf(text, "a text message");
    const list = controlsIn(controls);
    if (list) this.controls = { list, refused: typeof refused === "string" ? plain(refused) : undefined };
    if (list && this.#greeted) return;
    if (typeof name !== "string" || !Array.isArray(assumed)) throw wrong("a text message must have a name and assumed");
    this.title = plain(name);
    this.#assumed = assumed;
    this.fps = isNumber(fps) && fps > 0 ? fps : undefined;
    this.#greeted = true;
    if (this.#watched) this.watch(true);
  }

  #says(what: Fact["what"]): boolean {
    return !this.#assumed.includes(what) && (what !== "fps" || this.fps !== undefined);
  }

  /** Parses a message but not yet its depth. Throws a `SourceError` that says what is wrong with the message. */
  #arrivalOf(data: unknown): Arrival {
    if (!(data instanceof ArrayBuffer)) throw wrong("a frame must be a binary message");
    const header = headerOf(data);
    const number = header.index;
    return {
      stampMs: isNumber(header.timestamp) ? header.timestamp : undefined,
      sentMs: isNumber(header.sent) ? header.sent : undefined,
      number: Number.isSafeInteger(number) ? Number(number) : undefined,
      decode: async () => {
        const { options } = this.host;
        const body = new Uint8Array(data, 4 + new DataView(data).getUint32(0, true));
        const decoded = await decode(header, body, options);
        if (this.facts.length === 1)
          this.facts.push(...firstFacts(decoded, options, (what) => this.#says(what), this.fps));
        return decoded;
      },
    };
  }
}

function headerOf(data: ArrayBuffer): Header {
  const length = data.byteLength < 4 ? 0 : new DataView(data).getUint32(0, true);
  if (length === 0 || length > MAX_HEADER || 4 + length > data.byteLength) {
    throw wrong(`it must begin with the length of its header, 1 to ${MAX_HEADER}, not ${length}`);
  }
  return objectOf(new Uint8Array(data, 4, length), "its header");
}

function objectOf(text: string | Uint8Array, what: string): Header {
  let value: unknown;
  try {
    value = JSON.parse(typeof text === "string" ? text : new TextDecoder("utf-8", { fatal: true }).decode(text));
  } catch {
    throw wrong(`${what} is not JSON`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(`${what} is not an object`);
  return { ...value };
}

/** Unit, lens and colour are as the options say, else as the header does. */
async function decode(header: Header, body: Uint8Array, options: LiveOptions): Promise<Decoded> {
  const { width, height, metresPerUnit = 0.001, fx, fy, cx, cy, distortion, color, depthBytes, metadata } = header;
  const isSide = (side: unknown): side is number =>
    Number.isInteger(side) && Number(side) > 0 && Number(side) <= MAX_SIDE;
  if (!isSide(width) || !isSide(height)) throw wrong(`width and height must be whole numbers from 1 to ${MAX_SIDE}`);
  if (!isNumber(metresPerUnit) || !(metresPerUnit > 0)) throw wrong("metresPerUnit must be a number above 0");
  if (!isNumber(fx) || !isNumber(fy) || !(fx > 0 && fy > 0) || !isNumber(cx) || !isNumber(cy)) {
    throw wrong("fx, fy, cx and cy must be numbers in pixels, fx and fy above 0");
  }
  const channels = color === undefined ? 0 : COLORS[String(color)];
  if (channels === undefined) throw wrong('color must be "rgb8", "rgba8" or left out');
  const pixels = width * height;
  if (depthBytes !== undefined && !isCount(depthBytes)) throw wrong("depthBytes must be a whole number, or left out");
  const depthLength = depthBytes ?? 2 * pixels;
  const wanted = depthLength + pixels * channels;
  if (body.length !== wanted)
    throw wrong(`${width}×${height} takes ${wanted} bytes behind the header, not ${body.length}`);
  const lens = Array.isArray(distortion) && distortion.every(isNumber) ? { distortion: distortion.map(Number) } : {};
  return {
    depth: image(await depthOf(body.subarray(0, depthLength), depthBytes !== undefined, width, height), [
      height,
      width,
    ]),
    metresPerUnit: options.metresPerUnit ?? metresPerUnit,
    intrinsics: { ...(options.intrinsics ?? { fx, fy, cx, cy, ...lens }), width, height },
    ...(metadata !== undefined && { metadata: notesIn(metadata) }),
    ...(channels > 0 &&
      options.color !== false && { color: image(rgba(body.subarray(depthLength), channels), [height, width, 4]) }),
  };
}

/** The header's notes about the frame. */
function notesIn(metadata: unknown): NonNullable<DepthFrame["metadata"]> {
  const isNote = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
  if (typeof metadata !== "object" || !metadata || Array.isArray(metadata) || !Object.values(metadata).every(isNote))
    throw wrong("metadata must be an object of texts and numbers, or left out");
  return Object.entries(metadata).map(([name, value]) => [plain(name), plain(String(value))]);
}

async function depthOf(bytes: Uint8Array, packed: boolean, width: number, height: number): Promise<Uint16Array> {
  // A copy, since a `Uint16Array` must begin at an even position and the body may begin at any.
  if (!packed) return new Uint16Array(bytes.slice().buffer);
  try {
    const about = packedDepth(bytes);
    if (about.width !== width || about.height !== height)
      throw wrong("its depth has another size than its header says");
    return await unpackDepth(bytes, (await loadCodec()).inflate);
  } catch (error) {
    throw error instanceof InflateError ? wrong(error.message) : error;
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function rgba(rgb: Uint8Array, channels: number): Uint8Array {
  if (channels === 4) return rgb.slice();
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
