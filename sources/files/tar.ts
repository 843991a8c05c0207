import { SourceError } from "../../core/source.ts";
import type { Bytes } from "../decode/codec.ts";
import type { Cursor } from "./cursor.ts";
import { DamagedArchive, safeName, tooMany } from "./files.ts";

/** A plain file in a tar. The cursor stands at the file's contents when the entry is given. */
interface TarEntry {
  readonly name: string;
  readonly size: number;
}

const BLOCK = 512;
/** The most bytes of a long name or a table of attributes. */
const MAX_ATTRIBUTES = 2 ** 20;
/** Characters of a name with its folders, on average, beyond which an archive has no room for the most names. */
const USUAL_NAME = 256;
const MAX_RECORDS = 64;
/** The most digits of a pax record's length. Without a limit the search for the space behind the digits could read all records again. */
const MAX_DIGITS = 7;

/** Whether a file that begins with `head` (512 bytes) is a tar, by the header's checksum, which even the oldest tars have. */
export const isTar = (head: Uint8Array): boolean => head.length === BLOCK && head[0] !== 0 && checksumHolds(head);

/**
 * Gives the plain files of a tar (ustar, pax and GNU names) in its order, without links and devices. Contents that the consumer does not
 * take are skipped. Throws a `SourceError` for a tar of more than `most` files.
 *
 *     header | contents, padded to 512 | header | contents … | 512 zeros
 */
export async function* tarEntries(cursor: Cursor, archive: string, most: number): AsyncGenerator<TarEntry> {
  let longName: string | undefined;
  let longSize: number | undefined;
  let letters = 0;
  for (let headers = 0; ; headers++) {
    // A file has two headers where its name is long.
    if (headers > 2 * most) throw tooMany(archive, most);
    const at = cursor.position;
    const header = await cursor.take(BLOCK);
    if (header.length === 0 || header.every((byte) => byte === 0)) return;
    if (header.length < BLOCK) throw cutShort(archive, at);
    if (at === 0 && !isTar(header))
      throw new SourceError(`${archive}: its contents are no tar: unpack it (gunzip) and open the unpacked file`);
    const size = longSize ?? numeric(header, 124, 12);
    if (!checksumHolds(header) || !Number.isSafeInteger(size) || size < 0)
      throw new DamagedArchive(`${archive}: this tar is damaged at byte ${at}; copy or download it again`);
    const end = at + BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] || 0x30);
    if (type === "x" || type === "L") {
      const contents = await cursor.take(Math.min(size, MAX_ATTRIBUTES));
      const pax = type === "x" ? attributes(contents) : new Map([["path", text(contents, 0, contents.length)]]);
      longName = pax.get("path") ?? longName;
      longSize = pax.has("size") ? Number(pax.get("size")) : undefined;
    } else {
      const raw = longName ?? plainName(header);
      letters += raw.length;
      if (letters > USUAL_NAME * most) throw tooMany(archive, most);
      [longName, longSize] = [undefined, undefined];
      const name = safeName(raw, archive);
      if ((type === "0" || type === "7") && name !== undefined && !raw.endsWith("/")) yield { name, size };
    }
    if ((await cursor.pass(end - cursor.position)) < 0) throw cutShort(archive, at);
  }
}

export const cutShort = (archive: string, at: number) =>
  new DamagedArchive(
    `${archive}: this archive is cut short in the file that begins at byte ${at}; copy or download it again`,
  );

/** Compares the header's checksum: the sum of its bytes, with the checksum's own field counted as spaces. */
function checksumHolds(header: Uint8Array): boolean {
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += header[i];
  return sum === numeric(header, 148, 8);
}

function text(bytes: Uint8Array, from: number, length: number): string {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}

/** A number in octal digits or, where it did not fit, big-endian with the top bit set (GNU). */
function numeric(header: Uint8Array, from: number, length: number): number {
  if ((header[from] & 0x80) === 0) return Number.parseInt(text(header, from, length).trim() || "0", 8);
  let value = header[from] & 0x7f;
  for (let i = from + 1; i < from + length; i++) value = value * 256 + header[i];
  return value;
}

function plainName(header: Uint8Array): string {
  const ustar = text(header, 257, 5) === "ustar" && header[262] === 0;
  const prefix = ustar ? text(header, 345, 155) : "";
  return (prefix && `${prefix}/`) + text(header, 0, 100);
}

/** Parses pax records: "<length> <key>=<value>\n". */
function attributes(contents: Bytes): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0, count = 0; at < contents.length && count < MAX_RECORDS; count++) {
    const space = contents.subarray(at, at + MAX_DIGITS + 1).indexOf(0x20) + at;
    const digits = text(contents, at, space - at);
    const length = Number(digits);
    if (!/^\d+$/.test(digits) || length <= digits.length + 1) break;
    const [key, ...value] = text(contents, space + 1, at + length - space - 2).split("=");
    found.set(key, value.join("="));
    at += length;
  }
  return found;
}
