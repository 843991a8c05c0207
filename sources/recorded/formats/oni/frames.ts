import { nearest } from "../../../../core/associate.ts";
import { SourceError } from "../../../../core/source.ts";
import type { Bytes } from "../../../decode/codec.ts";
import type { Decoder } from "../../../decode/index.ts";
import { checkSize, MAX_PIXELS } from "../../../decode/png.ts";
import { type ByteFile, MAX_NAMES } from "../../../files/files.ts";
import { FileWindow } from "../../../files/window.ts";
import { depthFormatOf, rateOf } from "../../../format/depthFormat.ts";
import type { Frames, OpenOptions, Pinhole } from "../../../format/format.ts";
import { cutAt } from "../../../messages/log.ts";
import { type Colors, colorOfSize, fileFrames } from "../../fileFrames.ts";
import { unpack16z } from "./depth16z.ts";

const CODECS = new Set(["16zP", "16zT", "NONE"]);
/** Pixel formats of OpenNI 2. */
const TENTHS_OF_MM = 101;
const SHIFTS = new Set([102, 103]);
const from = "OpenNI default";

interface Mode {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

export async function openOni(file: ByteFile, options: OpenOptions, decoder: Decoder): Promise<Frames> {
  const { name } = file;
  const warnings: string[] = [];
  const nodes = await readNodes(file, warnings);
  const node = depthNode(nodes, name);
  const { width, height, fps } = modeOf(node, name);
  const pixels = numberOf(node, "oniPixelFormat");
  if (pixels !== undefined && SHIFTS.has(pixels))
    throw new SourceError(
      `${name}: its depth is in the sensor's own shift values, which only the sensor can convert to distances; record depth in mm`,
    );
  const times = node.frames.map(({ time }) => time);
  const rate = fps > 0 ? fps : rateOf(times);
  const lens = lensOf(node, width, height);
  const meaning = depthFormatOf(
    options,
    undefined,
    {
      metresPerUnit: pixels === TENTHS_OF_MM ? { value: 0.0001, from: "header" } : { value: 0.001, from },
      invalid: { value: [], from },
      ...(rate && { fps: { value: rate, from: "header" } }),
      ...(lens && { intrinsics: { value: { ...lens, width, height }, from: "header" } }),
    },
    warnings,
  );
  return fileFrames({
    width,
    height,
    meaning,
    warnings,
    times,
    async depth(index) {
      const { start, size } = node.frames[index];
      const out = new Uint16Array(width * height);
      // The code takes at most three bytes per value; its table comes on top.
      const bytes = await file.read(start, Math.min(size, 3 * out.length + (1 << 18)));
      const count = node.codec === "NONE" ? copyRaw(bytes, out) : unpack16z(bytes, out, node.codec === "16zT");
      if (count === out.length) return out;
      throw new SourceError(`${name}: depth of frame ${index} is damaged, at byte ${start}; copy or record it again`);
    },
    color: options.color !== false && colorsOf(file, nodes, node, { width, height, fps }, decoder, warnings),
  });
}

function depthNode(nodes: readonly Node[], name: string): Node {
  const node = nodes.find(({ type, frames }) => type === DEPTH && frames.length > 0);
  if (!node)
    throw new SourceError(`${name}: this OpenNI recording has no frame of depth; record the depth stream, too`);
  if (CODECS.has(node.codec)) return node;
  throw new SourceError(
    `${name}: its depth is compressed by "${node.codec}", and only 16z and none are read; record it again with 16z`,
  );
}

function modeOf(node: Node, name: string): Mode {
  const bytes = node.properties.get("xnMapOutputMode");
  const view = bytes && new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!view || view.byteLength < 12)
    throw new SourceError(
      `${name}: the size of its depth images (xnMapOutputMode) is missing: the file is damaged; copy it again`,
    );
  const [width, height, fps] = [0, 4, 8].map((at) => view.getUint32(at, true));
  checkSize({ width, height }, `${name}, depth`);
  return { width, height, fps: fps <= 1000 ? fps : 0 };
}

/** Computes intrinsics from the field of view, which is all that OpenNI records of a camera. */
function lensOf({ properties }: Node, width: number, height: number): Pinhole | undefined {
  const bytes = properties.get("xnFOV");
  if (!bytes || bytes.length < 16) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const focal = (pixels: number, angle: number) => pixels / 2 / Math.tan(angle / 2);
  const [fx, fy] = [focal(width, view.getFloat64(0, true)), focal(height, view.getFloat64(8, true))];
  return fx > 0 && fy > 0 && Number.isFinite(fx + fy)
    ? { fx, fy, cx: (width - 1) / 2, cy: (height - 1) / 2 }
    : undefined;
}

function numberOf({ properties }: Node, property: string): number | undefined {
  const bytes = properties.get(property);
  return bytes && bytes.length >= 4 ? new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true) : undefined;
}

function copyRaw(bytes: Uint8Array, out: Uint16Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = Math.min(out.length, bytes.length >> 1);
  for (let i = 0; i < count; i++) out[i] = view.getUint16(2 * i, true);
  return count;
}

/** Reads colour images of depth's size; the file has nothing by which images of other sizes could be registered. */
function colorsOf(
  file: ByteFile,
  nodes: readonly Node[],
  depth: Node,
  mode: Mode,
  decoder: Decoder,
  warnings: string[],
): Colors | undefined {
  const node = nodes.find(({ type, frames }) => type === IMAGE && frames.length > 0);
  if (!node) return undefined;
  const { name } = file;
  const goWithout = (reason: string): undefined => void warnings.push(`${name}: ${reason}; frames go without colour`);
  if (node.codec !== "NONE" && node.codec !== "JPEG")
    return goWithout(`its colour is compressed by "${node.codec}", which is not read`);
  const { width, height } = modeOf(node, name);
  if (width !== mode.width || height !== mode.height)
    return goWithout(
      `its colour is ${width}×${height} and depth ${mode.width}×${mode.height}, and it does not say how to register them`,
    );
  warnings.push(`${name}: OpenNI does not record whether its colour is registered to depth; it is used as if it were`);
  const times = node.frames.map(({ time }) => time);
  const partners = depth.frames.map(({ time }) => nearest(times, time, 500 / (mode.fps || 30)));
  return {
    count: partners.filter((partner) => partner >= 0).length,
    kind: node.codec === "JPEG" ? "JPEG" : "RGB",
    async read(index) {
      const partner = node.frames[partners[index]];
      if (!partner) return undefined;
      const where = `${name}, colour of frame ${index}`;
      const bytes = await file.read(partner.start, Math.min(partner.size, 4 * MAX_PIXELS));
      return colorOfSize(mode, bytes, where, decoder, node.codec === "NONE" ? "rgb8" : undefined);
    },
  };
}

/** A source of images in a recording, in its state at the recording's end. */
interface Node {
  readonly type: number;
  readonly name: string;
  /** The frames' codec: "16zP", "16zT", "NONE", "JPEG" … */
  readonly codec: string;
  readonly properties: Map<string, Bytes>;
  readonly frames: DataRecord[];
}

/** The position of a frame's bytes, and its time stamp. */
interface DataRecord {
  readonly start: number;
  readonly size: number;
  /** In ms. */
  readonly time: number;
}

const DEPTH = 2;
const IMAGE = 3;

/** How many bytes of a record are read; a frame's pixels lie behind them and are read later. */
const RECORD = 512;
/** Kinds of records. */
const NODE_ADDED = new Set([0x02, 0x0c, 0x0d]);
const PROPERTY = new Set([0x03, 0x04, 0x05, 0x06]);
const NEW_DATA = 0x0a;
const END = 0x0b;
const MAGIC = 0x0052494e;

/**
 * Lists a recording's nodes and the positions of their frames, record by record; of frames it reads only the headers. It does not use the
 * recording's own list of frames, which an unfinished recording lacks.
 */
async function readNodes(file: ByteFile, warnings: string[]): Promise<Node[]> {
  const nodes = new Map<number, Node>();
  const head = await file.read(0, 24);
  const first = new DataView(head.buffer, head.byteOffset, head.length);
  if (head.length < 24) throw new SourceError(`${file.name}: this OpenNI recording is cut short; copy it again`);
  // Since version 1.0.1 a record's pointer to the one before has 64 bits.
  const old = first.getUint8(4) === 1 && first.getUint8(5) === 0 && first.getUint16(6, true) < 1;
  const fieldsAt = old ? 24 : 28;
  let frames = 0;
  const window = new FileWindow(file);
  for (let at = 24; at < file.size; ) {
    const bytes = window.held(at, RECORD) ?? (await window.read(at, RECORD));
    const record = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const size = bytes.length >= fieldsAt && record.getUint32(0, true) === MAGIC ? record.getUint32(12, true) : 0;
    const payload = size > 0 ? record.getUint32(16, true) : 0;
    const end = at + size + payload;
    if (size < fieldsAt || end > file.size) {
      warnings.push(cutAt(file, at));
      break;
    }
    const [kind, id] = [record.getUint32(4, true), record.getUint32(8, true)];
    const fields = bytes.subarray(fieldsAt, size);
    if (kind === END) break;
    if (NODE_ADDED.has(kind)) addNode(nodes, id, fields);
    else if (PROPERTY.has(kind)) addProperty(nodes.get(id), fields);
    else if (kind === NEW_DATA && fields.length >= 8) {
      if (++frames > MAX_NAMES) throw new SourceError(`${file.name}: more than ${MAX_NAMES} frames; cut it into parts`);
      const time = Number(record.getBigUint64(fieldsAt, true)) / 1000;
      nodes.get(id)?.frames.push({ start: at + size, size: payload, time });
    }
    at = end;
  }
  return [...nodes.values()];
}

function addNode(nodes: Map<number, Node>, id: number, fields: Bytes): void {
  const [name, rest] = takeText(fields);
  if (rest.length < 8 || nodes.size > 64) return;
  const view = new DataView(rest.buffer, rest.byteOffset, rest.length);
  const codec = String.fromCharCode(...rest.subarray(4, 8));
  nodes.set(id, { type: view.getInt32(0, true), name, codec, properties: new Map(), frames: [] });
}

function addProperty(node: Node | undefined, fields: Bytes): void {
  const [name, rest] = takeText(fields);
  if (!node || rest.length < 4 || node.properties.size > 256) return;
  node.properties.set(name, rest.slice(4));
}

/** Reads a text: its length stands before it, and a 0 ends it. */
function takeText(fields: Bytes): [string, Bytes] {
  if (fields.length < 4) return ["", new Uint8Array(0)];
  const length = new DataView(fields.buffer, fields.byteOffset, 4).getUint32(0, true);
  const text = new TextDecoder().decode(fields.subarray(4, 4 + length)).replace(/\0.*$/s, "");
  return [text, fields.subarray(4 + length)];
}
