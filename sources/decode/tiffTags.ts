/** The bytes of a value by its type. Only BYTE, SHORT and LONG occur in the tags that are read. */
const SIZES: Readonly<Record<number, 1 | 2 | 4>> = { 1: 1, 3: 2, 4: 4 };
/** The most values of a tag: 16 megapixels in tiles of 32 × 32 have as many; no program writes more strips or tiles. */
const MOST_VALUES = 2 ** 14;
const ENTRY = 12;

/** Gives the numbers of one of the image's tags; none where the tag is missing. */
export type Tags = (tag: number) => readonly number[];

/** The most images of a file. */
const MOST_PAGES = 10_000;

/** The positions of the directories of a TIFF's images, in their order; a list that leads back, or out of the file, ends there. */
export function tiffPages(bytes: Uint8Array): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = bytes[0] === 0x49;
  const pages = new Set<number>();
  let at = view.getUint32(4, little);
  while (at > 0 && at + 2 <= bytes.length && !pages.has(at) && pages.size < MOST_PAGES) {
    pages.add(at);
    const next = at + 2 + ENTRY * view.getUint16(at, little);
    at = next + 4 <= bytes.length ? view.getUint32(next, little) : 0;
  }
  return [...pages];
}

/**
 * Opens the tags of one of a TIFF's images, the first where no `directory` is named (TIFF 6.0, section 2); each is read when it is asked
 * for. (The package `tiff` reads all tags and trusts their lengths: 20,000 tags that share their bytes took gigabytes.) Throws a
 * `RangeError` for a tag that leads out of the file.
 *
 *     II or MM, 42, position | … | count, (tag, type, how many, values or position) …
 */
export function tiffTags(bytes: Uint8Array, directory?: number): Tags {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = bytes[0] === 0x49;
  const start = directory ?? view.getUint32(4, little);
  const places = new Map<number, number>();
  const count = view.getUint16(start, little);
  for (let i = 0, at = start + 2; i < count; i++, at += ENTRY) {
    const tag = view.getUint16(at, little);
    if (!places.has(tag)) places.set(tag, at);
  }
  return (tag) => {
    const at = places.get(tag);
    if (at === undefined) return [];
    const size = SIZES[view.getUint16(at + 2, little)];
    const length = view.getUint32(at + 4, little);
    if (size === undefined) return [];
    if (length > MOST_VALUES)
      throw new RangeError(`its tag ${tag} has ${length} values, and ${MOST_VALUES} at most are read`);
    const values = size * length <= 4 ? at + 8 : view.getUint32(at + 8, little);
    const valueAt = (place: number) =>
      size === 1 ? view.getUint8(place) : size === 2 ? view.getUint16(place, little) : view.getUint32(place, little);
    return Array.from({ length }, (_, i) => valueAt(values + size * i));
  };
}
