import { SourceError } from "../../../../core/source.ts";
import type { Bytes } from "../../../decode/codec.ts";
import { type ByteFile, MAX_NAMES } from "../../../files/files.ts";
import { FileWindow } from "../../../files/window.ts";
import { cutAt } from "../../../messages/log.ts";

/** A source of images in a recording, in its state at the recording's end. */
export interface Node {
  readonly type: number;
  readonly name: string;
  /** The frames' codec: "16zP", "16zT", "NONE", "JPEG" … */
  readonly codec: string;
  readonly properties: Map<string, Bytes>;
  readonly frames: DataRecord[];
}

/** The position of a frame's bytes, and its time stamp. */
export interface DataRecord {
  readonly start: number;
  readonly size: number;
  /** In ms. */
  readonly time: number;
}

export const DEPTH = 2;
export const IMAGE = 3;

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
export async function readNodes(file: ByteFile, warnings: string[]): Promise<Node[]> {
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
