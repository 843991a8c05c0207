/**
 * Unpacks OpenNI's depth code "16z". After the first value each value is coded as its difference from the one before, in half bytes:
 *
 *     0x0 … 0xc      the value before, less (n - 6)
 *     0xf            a larger step: a next byte from 0x80 gives (n - 192) to subtract; else this byte and the next are the value itself
 *     0xd            nothing: fills the last byte
 *     0xe0 … 0xef    a whole byte: the same value again, two times (n - 0xe0)
 *
 * A high half of 0xf fills its byte (0xff). With a table, the code gives positions in the list of values that occur. Returns the number of
 * values unpacked, fewer than `out` holds where the data ends early; `undefined` where there are more, or where the code makes no sense.
 */
export function unpack16z(bytes: Uint8Array, out: Uint16Array, withTable: boolean): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries = withTable && bytes.length >= 2 ? view.getUint16(0, true) : 0;
  let at = withTable ? 2 + 2 * entries : 0;
  if (bytes.length < at + 2) return 0;
  const table = new Uint16Array(entries).map((_, i) => view.getUint16(2 + 2 * i, true));
  let value = view.getUint16(at, true);
  let count = 0;
  let sound = true;
  at += 2;
  const put = () => {
    if (count === out.length || (withTable && value >= entries)) sound = false;
    else out[count++] = withTable ? table[value] : value;
  };
  const far = () => {
    const first = bytes[at++];
    if (first >= 0x80) value -= first - 192;
    else value = (first << 8) | bytes[at++];
    value &= 0xffff;
    if (at <= bytes.length) put();
  };
  put();
  while (sound && at < bytes.length) {
    const byte = bytes[at++];
    if (byte === 0xff) far();
    else if (byte >= 0xf0) return undefined;
    else if (byte >= 0xe0) {
      for (let again = 2 * (byte - 0xe0); again > 0; again--) put();
    } else {
      value = (value - ((byte >> 4) - 6)) & 0xffff;
      put();
      const low = byte & 15;
      if (low === 0xf) far();
      else if (low !== 0xd) {
        value = (value - (low - 6)) & 0xffff;
        put();
      }
    }
  }
  return sound ? count : undefined;
}
