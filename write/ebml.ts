/** Text as an element's content. */
export const text = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value);

/** The parts, one after the other. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A whole number of at least 0 in as few big-endian bytes as possible. */
export function number(value: number): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (let left = value; left > 0 || bytes.length === 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return Uint8Array.from(bytes);
}

/** An element of Matroska and WebM (EBML, RFC 8794) of less than 256 MiB: its id, its size in four bytes, its content. */
export function element(id: number, ...contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const inside = concat(...contents);
  const size = Uint8Array.of(0x10 | (inside.length >>> 24), inside.length >>> 16, inside.length >>> 8, inside.length);
  return concat(number(id), size, inside);
}
