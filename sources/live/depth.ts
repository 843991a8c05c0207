import { plain } from "../../core/check.ts";
import type { DepthFrame } from "../../core/frame.ts";
import { SourceError } from "../../core/source.ts";
import type { Decoder } from "../decode/index.ts";
import type { Fact } from "../format/format.ts";
import { controlsIn } from "./controls.ts";
import { DEPTH_PROTOCOL, decode, type Header, isNumber, wrong } from "./depthFrame.ts";
import type { Control, Controls } from "./driver.ts";
import type { Arrival } from "./intake.ts";
import { factsOf, type Host, optionsFor, type Protocol, SETTLED_MS, type Start } from "./protocol.ts";

export { DEPTH_PROTOCOL };
/** The same protocol with depth packed, as docs/depthV2.md describes; the header's `depthBytes` tells how long it is. */
export const DEPTH_V2_PROTOCOL = "depthloom.depth.v2";

const MAX_HEADER = 1 << 16;

/** The text that a server may send first. After it, frames come only while the client watches. */
export interface Greeting {
  /** The name of what is streamed. */
  readonly name: string;
  /** The properties that the server has only assumed itself: see `Fact`. */
  readonly assumed: readonly string[];
  /** Frames per second. */
  readonly fps?: number;
  /** The controls of its camera, if clients may change them: by `setText`. The server sends them again, alone, after each change. */
  readonly controls?: readonly Control[];
  /** Whether the server adds infrared images to the frames of clients that ask for them, by `infraredText`. */
  readonly infrared?: boolean;
  /** Whether clients that send `FILES_TEXT` get colour as the PNG or JPEG that the recording has, where it has one. */
  readonly colorFiles?: boolean;
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

/** The text by which a client tells the server whether somebody watches; for servers that have sent their greeting. */
export const watchText = (watch: boolean): string => JSON.stringify({ watch });
/** The text by which a client asks a server that offers infrared images for them, or for none any more. */
export const infraredText = (infrared: boolean): string => JSON.stringify({ infrared });
/** The text by which a client asks a server that offers colour as files for them. */
export const FILES_TEXT = JSON.stringify({ colorFiles: true });

/** The most characters of a frame's notes that are sent: a header has 64 KiB at most. */
const MAX_NOTES = 16_384;

/**
 * The parts of a frame's message. The bytes behind the header are the frame's own memory, or in its place `packed`, the frame's depth in
 * the second protocol, and `file`, the PNG or JPEG of its colour. `index` and `timestamp` take the place of the frame's; `sent` is the
 * present time, and `jump` says that the frame does not follow the one before. Times are in ms since 1970.
 */
export function depthMessage(
  { depth, color, infrared, pair, metresPerUnit, intrinsics, metadata }: DepthFrame,
  about: { readonly index: number; readonly timestamp: number; readonly sent: number; readonly jump?: boolean },
  packed?: Uint8Array,
  file?: Uint8Array,
): Uint8Array[] {
  const picture = file ? { color: "file", colorBytes: file.length } : color && { color: "rgba8" };
  const form = { ...picture, ...(packed && { depthBytes: packed.length }) };
  const grey = infrared && { infrared: { ...infrared, data: undefined, bits: 8 * infrared.data.BYTES_PER_ELEMENT } };
  const fits = metadata && JSON.stringify(metadata).length <= MAX_NOTES;
  const notes = fits && { metadata: Object.fromEntries(metadata) };
  const eyes = pair ? [pair.left, pair.right].map(({ data }) => bytesOf(data)) : [];
  const { left: _, right: __, ...geometry } = { ...pair };
  const stood = pair && { pair: { ...geometry, bits: 8 * pair.left.data.BYTES_PER_ELEMENT } };
  const header = { ...intrinsics, ...about, metresPerUnit, ...form, ...grey, ...stood, ...notes };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const head = new Uint8Array(4 + text.length);
  new DataView(head.buffer).setUint32(0, text.length, true);
  head.set(text, 4);
  return [
    head,
    packed ?? bytesOf(depth.data),
    ...(color ? [file ?? color.data] : []),
    ...(infrared ? [bytesOf(infrared.data)] : []),
    ...eyes,
  ];
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

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
  infrared: boolean | undefined;
  #wantsInfrared = false;
  #decoder: Decoder | undefined;
  #loading: Promise<Decoder> | undefined;

  constructor(
    readonly socket: WebSocket,
    readonly host: Host,
  ) {
    const { address, options, intake, ready, fail } = host;
    socket.onclose = () =>
      void this.#loading?.then(
        (decoder) => decoder.close(),
        () => {},
      );
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

  /** Loads what decodes colour in files: most streams have none. */
  readonly #load = (): Promise<Decoder> => {
    this.#loading ??= import("../decode/index.ts").then(({ createDecoder }) => {
      this.#decoder = createDecoder();
      return this.#decoder;
    });
    return this.#loading;
  };

  watch(on: boolean): void {
    this.#watched = on;
    if (this.#greeted && this.socket.readyState === 1) this.socket.send(watchText(on));
  }

  set(control: string, value: number): void {
    if (this.socket.readyState === 1) this.socket.send(setText(control, value));
  }

  wantInfrared(on: boolean): void {
    // A server that does not offer them may not know what it is asked.
    if (this.#greeted && this.infrared && on !== this.#wantsInfrared && this.socket.readyState === 1)
      this.socket.send(infraredText(on));
    this.#wantsInfrared = on;
  }

  #greet(text: string): void {
    const { name, assumed, fps, controls, refused, infrared, colorFiles } = objectOf(text, "a text message");
    const list = controlsIn(controls);
    if (list) this.controls = { list, refused: typeof refused === "string" ? plain(refused) : undefined };
    if (list && this.#greeted) return;
    if (typeof name !== "string" || !Array.isArray(assumed)) throw wrong("a text message must have a name and assumed");
    this.title = plain(name);
    this.#assumed = assumed;
    this.fps = isNumber(fps) && fps > 0 ? fps : undefined;
    if (assumed.includes("fps")) this.fps = this.host.options.assume?.fps ?? this.fps;
    this.#greeted = true;
    this.infrared = infrared === true;
    if (colorFiles === true && this.host.options.color !== false) {
      this.socket.send(FILES_TEXT);
      this.#load().catch(() => {});
    }
    if (this.infrared && this.#wantsInfrared) this.socket.send(infraredText(true));
    if (this.#watched) this.watch(true);
    this.host.intake.alive();
  }

  /** Parses a message but not yet its depth. Throws a `SourceError` that says what is wrong with the message. */
  #arrivalOf(data: unknown): Arrival {
    if (!(data instanceof ArrayBuffer)) throw wrong("a frame must be a binary message");
    const header = headerOf(data);
    const number = header.index;
    const [assumed, rate] = [this.#assumed, this.fps];
    const says = (what: Fact["what"]) => !assumed.includes(what) && (what !== "fps" || rate !== undefined);
    const options = optionsFor(this.host.options, says);
    return {
      stampMs: isNumber(header.timestamp) ? header.timestamp : undefined,
      sentMs: isNumber(header.sent) ? header.sent : undefined,
      number: Number.isSafeInteger(number) ? Number(number) : undefined,
      jump: header.jump === true,
      atOnce: header.color === "file" ? this.#decoder?.threads : 1,
      decode: async () => {
        const body = new Uint8Array(data, 4 + new DataView(data).getUint32(0, true));
        const decoded = await decode(header, body, options, this.#load);
        this.facts.splice(1, Infinity, ...factsOf(decoded, options, says, rate));
        return decoded;
      },
    };
  }
}

function headerOf(data: ArrayBuffer): Header {
  const length = data.byteLength < 4 ? 0 : new DataView(data).getUint32(0, true);
  if (length === 0 || length > MAX_HEADER || 4 + length > data.byteLength)
    throw wrong(`it must begin with the length of its header, 1 to ${MAX_HEADER}, not ${length}`);
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
