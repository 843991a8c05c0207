/**
 * Unpacks TIFF's LZW (TIFF 6.0, section 13): codes of 9 to 12 bits, the high bit first; 256 begins a new table, 257 ends the data. Stops
 * when `out` is full. Returns the number of bytes unpacked, or -1 for an impossible code.
 *
 * A new entry consists of the last text and the first byte of the text after it. Both stand side by side in `out` already, so an entry is
 * stored as a position in `out` and a length. An entry that is used at once is copied while it is being completed.
 */
export function unpackLzw(bytes: Uint8Array, out: Uint8Array): number {
  const places = new Uint32Array(4096);
  const lengths = new Uint32Array(4096);
  let [entries, width, bits, held, count] = [258, 9, 0, 0, 0];
  let [place, length] = [0, 0];
  for (let at = 0; count < out.length; ) {
    while (bits < width) {
      if (at === bytes.length) return count;
      held = ((held << 8) | bytes[at++]) & 0xffffff;
      bits += 8;
    }
    bits -= width;
    const code = (held >> bits) & ((1 << width) - 1);
    if (code === 257) return count;
    if (code === 256) {
      [entries, width, length] = [258, 9, 0];
      continue;
    }
    if (length > 0 && entries < 4096) {
      places[entries] = place;
      lengths[entries++] = length + 1;
    }
    if (code >= entries) return -1;
    const from = places[code];
    place = count;
    length = code < 256 ? 1 : lengths[code];
    const end = Math.min(count + length, out.length);
    if (code < 256) out[count++] = code;
    else for (let i = from; count < end; i++) out[count++] = out[i];
    // TIFF widens its codes one entry earlier than needed.
    if (entries >= (1 << width) - 1 && width < 12) width++;
  }
  return count;
}
