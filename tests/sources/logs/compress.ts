import zstd from "@foxglove/wasm-zstd";

/** A frame of LZ4 with one block, packed by a simple rule: each match is the last place of the next four bytes. */
export function lz4(bytes: Uint8Array): Uint8Array {
  const block = lz4Block(bytes);
  // Independent blocks of up to 4 MiB, no checksums; 0x73 is the header's own.
  const frame = new Uint8Array(7 + 4 + block.length + 4);
  frame.set([0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73]);
  new DataView(frame.buffer).setUint32(7, block.length, true);
  frame.set(block, 11);
  return frame;
}

function lz4Block(bytes: Uint8Array): Uint8Array {
  const out: number[] = [];
  const seen = new Map<number, number>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const put = (literals: Uint8Array, match?: { offset: number; length: number }) => {
    const more = (match?.length ?? 4) - 4;
    out.push((Math.min(15, literals.length) << 4) | Math.min(15, more));
    const rest = (value: number) => {
      for (let left = value - 15; left >= 0; left -= 255) out.push(Math.min(255, left));
    };
    rest(literals.length);
    out.push(...literals);
    if (!match) return;
    out.push(match.offset & 255, match.offset >> 8);
    rest(more);
  };
  let from = 0;
  // The last five bytes are literals, and no match begins in the last twelve.
  for (let at = 0; at < bytes.length - 12; ) {
    const key = view.getUint32(at, true);
    const before = seen.get(key);
    seen.set(key, at);
    if (before === undefined || at - before > 65535) {
      at++;
      continue;
    }
    let length = 4;
    while (at + length < bytes.length - 5 && bytes[before + length] === bytes[at + length]) length++;
    put(bytes.subarray(from, at), { offset: at - before, length });
    at += length;
    from = at;
  }
  put(bytes.subarray(from));
  return Uint8Array.from(out);
}

await zstd.isLoaded;
export const zstandard = (bytes: Uint8Array): Uint8Array => new Uint8Array(zstd.compress(bytes, 3));
