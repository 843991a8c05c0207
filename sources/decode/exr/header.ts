import { SourceError } from "../../../core/source.ts";
import type { Bytes } from "../codec.ts";
import { checkSize } from "../png.ts";
import type { Channel } from "./channels.ts";

/** Compressions by OpenEXR's number, and the rows per block of each supported one. */
const COMPRESSIONS = ["none", "RLE", "ZIPS", "ZIP", "PIZ", "PXR24", "B44", "B44A", "DWAA", "DWAB"] as const;
const BLOCK_ROWS = { none: 1, RLE: 1, ZIPS: 1, ZIP: 16, PIZ: 32 } as const;
type Compression = keyof typeof BLOCK_ROWS;

/** Bits of the version field: tiles, deep data, several parts. */
const TILES = 0x200;
const DEEP = 0x800;
const PARTS = 0x1000;

/** The header of an OpenEXR file of scan lines. */
export interface Header {
  readonly width: number;
  readonly height: number;
  /** The number of the first row; the file counts rows from it. */
  readonly top: number;
  readonly compression: Compression;
  /** Rows per block; the last block may have fewer. */
  readonly rows: number;
  readonly channels: readonly Channel[];
  /** The position of the table of block offsets. */
  readonly end: number;
}

interface Attribute {
  readonly start: number;
  readonly size: number;
}

/** Reads the header. Throws a `SourceError` for unsupported files, and a `RangeError` where the file ends too early. */
export function readHeader(bytes: Bytes, view: DataView, where: string): Header {
  const refuse = (what: string) =>
    new SourceError(`${where}: this OpenEXR file has ${what}, which is not supported; save it as scan lines with ZIP`);
  const flags = view.getUint32(4, true);
  if (flags & TILES) throw refuse("tiles");
  if (flags & DEEP) throw refuse("deep data (several samples in a pixel)");
  if (flags & PARTS) throw refuse("several parts");
  const { attributes, end } = readAttributes(bytes, view, where);
  const attribute = (name: string, size: number) => {
    const at = attributes.get(name);
    if (at === undefined || at.size < size)
      throw new SourceError(`${where}: this OpenEXR file is damaged: it has no ${name}; copy or export it again`);
    return at.start;
  };
  const compression = COMPRESSIONS[view.getUint8(attribute("compression", 1))];
  if (!isRead(compression)) throw refuse(`the compression ${compression ?? "of a later version"}`);
  const dataWindow = attribute("dataWindow", 16);
  const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => view.getInt32(dataWindow + at, true));
  const [width, height] = [right - left + 1, bottom - top + 1];
  checkSize({ width, height }, where, "this OpenEXR file");
  const channels = readChannels(bytes, view, attribute("channels", 1));
  if (channels.some(({ sampling }) => sampling !== 1)) throw refuse("channels of fewer pixels than the image");
  return { width, height, top, compression, rows: BLOCK_ROWS[compression], channels, end };
}

const isRead = (name: (typeof COMPRESSIONS)[number] | undefined): name is Compression =>
  name !== undefined && Object.hasOwn(BLOCK_ROWS, name);

/** Reads the attributes: a name and a type, each ended by a 0, the value's size, the value. An empty name ends the list. */
function readAttributes(bytes: Bytes, view: DataView, where: string) {
  const attributes = new Map<string, Attribute>();
  for (let at = 8; ; ) {
    const name = textAt(bytes, at);
    at += name.length + 1;
    if (name === "") return { attributes, end: at };
    at += textAt(bytes, at).length + 1;
    const size = view.getInt32(at, true);
    if (size < 0 || attributes.size > 1000)
      throw new SourceError(`${where}: this OpenEXR file is damaged; copy or export it again`);
    attributes.set(name, { start: at + 4, size });
    at += 4 + size;
  }
}

/** Reads a name of at most 255 characters, ended by a 0. */
function textAt(bytes: Bytes, at: number): string {
  const end = bytes.subarray(0, at + 256).indexOf(0, at);
  if (end < 0) throw new RangeError();
  return String.fromCharCode(...bytes.subarray(at, end));
}

/** Reads the channels: name, type, a flag in four bytes, and the columns and rows per sample. */
function readChannels(bytes: Bytes, view: DataView, from: number): Channel[] {
  const channels: Channel[] = [];
  for (let at = from; channels.length < 100; ) {
    const name = textAt(bytes, at);
    if (name === "") break;
    at += name.length + 1;
    const type = view.getInt32(at, true);
    if (type < 0 || type > 2) throw new RangeError();
    channels.push({ name, type, sampling: view.getInt32(at + 8, true) * view.getInt32(at + 12, true) });
    at += 16;
  }
  return channels;
}
