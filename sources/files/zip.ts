import { SourceError } from "../../core/source.ts";
import { type Bytes, InflateError } from "../decode/codec.ts";
import { loadCodec } from "../decode/platform.ts";
import {
  type ByteFile,
  type Files,
  indexedFiles,
  MAX_NAMES,
  mostUnpacked,
  safeName,
  tooLarge,
  tooMany,
} from "./files.ts";

/** A file's entry in the directory at a zip's end. */
interface Entry {
  readonly offset: number;
  readonly packed: number;
  readonly size: number;
  readonly crc: number;
  readonly method: number;
  readonly encrypted: boolean;
}

/** The bytes that a file's local header (name and extra fields) rarely exceeds. */
const HEAD = 256;
const STORED = 0;
const DEFLATED = 8;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;

/**
 * Opens a zip (APPNOTE.TXT 6.3, Zip64 too) for random access: it reads the directory at the end once, then only the files asked for. The
 * entries are plain records rather than a general library's objects, so 100,000 frames open in a fraction of a second and some tens of
 * megabytes.
 */
export async function openZip(file: ByteFile): Promise<Files> {
  const entries = new Map<string, Entry>();
  const directory = await readDirectory(file);
  const view = viewOf(directory.bytes);
  for (let at = 0; at < view.byteLength; ) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== CENTRAL) throw damaged(file, directory.offset + at);
    const next =
      at + 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > view.byteLength) throw damaged(file, directory.offset + at);
    const raw = new TextDecoder().decode(directory.bytes.subarray(at + 46, at + 46 + view.getUint16(at + 28, true)));
    const name = safeName(raw, file.name);
    if (name !== undefined && !/[\\/]$/.test(raw)) entries.set(name, readEntry(view, at));
    if (entries.size > MAX_NAMES) throw tooMany(file.name);
    at = next;
  }
  const files = indexedFiles(file.name, entries, (entry, where) => readFile(file, entry, where), file.close);
  return { ...files, packed: file.size, unpackedSize: (name) => entries.get(name)?.size ?? 0 };
}

const viewOf = (bytes: Bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const damaged = (file: ByteFile, at: number) =>
  new SourceError(`${file.name}: this zip is damaged at byte ${at}; copy or download it again`);

/** Finds the directory from the record at the file's end, behind which a comment of up to 64 KiB may stand. */
async function readDirectory(file: ByteFile): Promise<{ offset: number; bytes: Bytes }> {
  const tailLength = Math.min(file.size, 22 + 0xffff);
  const tailOffset = file.size - tailLength;
  const tail = viewOf(await file.read(tailOffset, tailLength));
  let at = tail.byteLength - 22;
  while (at >= 0 && tail.getUint32(at, true) !== END) at--;
  if (at < 0)
    throw new SourceError(
      `${file.name}: the end of this zip is missing (it was cut short or is damaged); copy or download it again`,
    );
  let [size, offset] = [tail.getUint32(at + 12, true), tail.getUint32(at + 16, true)];
  if (tail.getUint16(at + 4, true) !== 0 && tail.getUint16(at + 4, true) !== 0xffff)
    throw new SourceError(`${file.name}: this zip is one of several parts; join them first`);
  if (at >= 20 && tail.getUint32(at - 20, true) === LOCATOR64) {
    const place = Number(tail.getBigUint64(at - 20 + 8, true));
    const record = viewOf(await file.read(Math.min(place, file.size), 56));
    if (record.byteLength < 56 || record.getUint32(0, true) !== END64) throw damaged(file, tailOffset + at - 20);
    [size, offset] = [Number(record.getBigUint64(40, true)), Number(record.getBigUint64(48, true))];
  }
  if (offset + size > tailOffset + at) throw damaged(file, tailOffset + at);
  // An entry has 46 bytes and a name: a larger directory has more names than a recording may have.
  if (size > MAX_NAMES * 256) throw tooMany(file.name);
  const bytes = await file.read(offset, size);
  if (bytes.length < size) throw damaged(file, offset);
  return { offset, bytes };
}

function readEntry(view: DataView, at: number): Entry {
  let [packed, size, offset] = [
    view.getUint32(at + 20, true),
    view.getUint32(at + 24, true),
    view.getUint32(at + 42, true),
  ];
  // The Zip64 extra field (id 1) has the values that did not fit in 32 bits, in this order.
  const extra = at + 46 + view.getUint16(at + 28, true);
  const end = extra + view.getUint16(at + 30, true);
  for (let field = extra; field + 4 <= end; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== 1) continue;
    let place = field + 4;
    const long = (value: number) => {
      if (value !== 0xffffffff || place + 8 > end) return value;
      place += 8;
      return Number(view.getBigUint64(place - 8, true));
    };
    [size, packed, offset] = [long(size), long(packed), long(offset)];
  }
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  return { offset, packed, size, crc: view.getUint32(at + 16, true), method, encrypted: (flags & 1) !== 0 };
}

async function readFile(file: ByteFile, entry: Entry, where: string): Promise<Bytes> {
  if (entry.encrypted) throw new SourceError(`${where}: it is encrypted; unpack the zip with its password first`);
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new SourceError(
      `${where}: its compression method ${entry.method} is not supported (stored and deflated are); unpack the zip first`,
    );
  const most = mostUnpacked(entry.packed);
  if (entry.size > most || entry.packed > most) throw tooLarge(where, Math.max(entry.size, entry.packed), most);
  // In a page each read asks another process, so the local header and the data are read together.
  const whole = await file.read(entry.offset, 30 + HEAD + entry.packed);
  const local = viewOf(whole);
  if (local.byteLength < 30 || local.getUint32(0, true) !== LOCAL) throw damaged(file, entry.offset);
  const head = 30 + local.getUint16(26, true) + local.getUint16(28, true);
  const start = entry.offset + head;
  const packed = head <= 30 + HEAD ? whole.subarray(head, head + entry.packed) : await file.read(start, entry.packed);
  if (packed.length < entry.packed) throw damaged(file, start);
  const codec = await loadCodec();
  try {
    const bytes = entry.method === STORED ? packed : await codec.inflate("raw", packed, entry.size);
    if (bytes.length < entry.size) throw InflateError.cut();
    if (bytes.length > entry.size) throw InflateError.endless(entry.size);
    if (codec.crc32(bytes) !== entry.crc) throw new InflateError("its checksum is wrong");
    return bytes;
  } catch (error) {
    if (error instanceof InflateError)
      throw new SourceError(`${where}: ${error.message} (byte ${start} of the zip); copy or download it again`);
    throw error;
  }
}
