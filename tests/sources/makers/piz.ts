import { Bytes } from "./bytes.ts";

// The encoder of OpenEXR's PIZ compression, after the library's ImfPizCompressor, ImfHuf and ImfWav.

/** Packs a block: `words` are the 16-bit halves of float samples, in `planes` channels of `width` × `height`, one after the other. */
export function packPiz(words: Uint16Array, width: number, height: number, planes: number): Uint8Array {
  const occurs = [...new Set([0, ...words])].sort((a, b) => a - b);
  const numbers = new Map(occurs.map((value, number) => [value, number]));
  const values = words.map((value) => numbers.get(value) ?? 0);
  const wide = occurs.length - 1 >= 1 << 14;
  for (let plane = 0; plane < planes; plane++) {
    for (const half of [0, 1]) doWavelet(values, plane * width * height * 2 + half, width, height, wide);
  }
  const map = new Uint8Array(8192);
  for (const value of occurs) if (value > 0) map[value >> 3] |= 1 << (value & 7);
  const first = map.findIndex((byte) => byte !== 0);
  const last = map.findLastIndex((byte) => byte !== 0);
  const packed = packHuffman(values);
  const out = first < 0 ? new Bytes().u16(8191, 0) : new Bytes().u16(first, last);
  return out
    .bytes(map.slice(Math.max(first, 0), last + 1))
    .u32(packed.length)
    .bytes(packed)
    .done();
}

/** The transform of every second value from `start` on, in place, from the finest grid to the coarsest. */
function doWavelet(values: Uint16Array, start: number, width: number, height: number, wide: boolean): void {
  const at = (x: number, y: number) => start + 2 * (y * width + x);
  const split = (i: number, j: number) => {
    if (wide) {
      const [a, b] = [(values[i] + 0x8000) & 0xffff, values[j]];
      const mean = (a + b) >> 1;
      values[i] = a < b ? mean + 0x8000 : mean;
      values[j] = a - b;
    } else {
      const [a, b] = [(values[i] << 16) >> 16, (values[j] << 16) >> 16];
      values[i] = (a + b) >> 1;
      values[j] = a - b;
    }
  };
  for (let near = 1; 2 * near <= Math.min(width, height); near *= 2) {
    let y = 0;
    for (; y + 2 * near <= height; y += 2 * near) {
      let x = 0;
      for (; x + 2 * near <= width; x += 2 * near) {
        split(at(x, y), at(x + near, y));
        split(at(x, y + near), at(x + near, y + near));
        split(at(x, y), at(x, y + near));
        split(at(x + near, y), at(x + near, y + near));
      }
      if (width & near) split(at(x, y), at(x, y + near));
    }
    if (height & near) for (let x = 0; x + 2 * near <= width; x += 2 * near) split(at(x, y), at(x + near, y));
  }
}

/** Huffman's code of the values and of runs of up to 255 repeats. */
function packHuffman(values: Uint16Array): Uint8Array {
  const first = values.reduce((a, b) => Math.min(a, b));
  const run = values.reduce((a, b) => Math.max(a, b)) + 1;
  const counts = new Map<number, number>([[run, 1]]);
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const lengths = lengthsOf(counts);
  const codes = codesOf(lengths);
  const data = new Bits();
  const put = (symbol: number) => data.put(codes.get(symbol) ?? 0n, lengths.get(symbol) ?? 0);
  for (let i = 0; i < values.length; ) {
    let same = 0;
    while (same < 255 && values[i + 1 + same] === values[i]) same++;
    put(values[i]);
    // A run is written if it takes fewer bits than its values.
    if ((lengths.get(run) ?? 0) + 8 < same * (lengths.get(values[i]) ?? 0)) {
      put(run);
      data.put(BigInt(same), 8);
    } else {
      for (let more = 0; more < same; more++) put(values[i]);
    }
    i += 1 + same;
  }
  const table = new Bits();
  for (let symbol = first; symbol <= run; ) {
    let none = 0;
    while (symbol + none <= run && !lengths.has(symbol + none) && none < 261) none++;
    if (none >= 6) table.put(63n, 6).put(BigInt(none - 6), 8);
    else if (none >= 2) table.put(BigInt(59 + none - 2), 6);
    else table.put(BigInt(lengths.get(symbol) ?? 0), 6);
    symbol += Math.max(none, 1);
  }
  const head = new Bytes().u32(first, run, table.done().length, data.length, 0);
  return head.bytes(table.done()).bytes(data.done()).done();
}

/** The lengths of Huffman's code, from two ascending queues of symbols and of pairs. */
function lengthsOf(counts: ReadonlyMap<number, number>): Map<number, number> {
  interface Node {
    readonly count: number;
    readonly symbol?: number;
    readonly pair?: readonly [Node, Node];
  }
  const leaves: Node[] = [...counts].map(([symbol, count]) => ({ symbol, count })).sort((a, b) => a.count - b.count);
  const pairs: Node[] = [];
  let [leaf, next] = [0, 0];
  const least = () =>
    next >= pairs.length || leaves[leaf]?.count <= pairs[next].count ? leaves[leaf++] : pairs[next++];
  for (let i = 1; i < leaves.length; i++) {
    const pair = [least(), least()] as const;
    pairs.push({ count: pair[0].count + pair[1].count, pair });
  }
  const lengths = new Map<number, number>();
  const open: (readonly [Node, number])[] = [[pairs[pairs.length - 1], 0]];
  for (let one = open.pop(); one; one = open.pop()) {
    const [{ symbol, pair }, length] = one;
    if (symbol !== undefined) lengths.set(symbol, length);
    for (const child of pair ?? []) open.push([child, length + 1]);
  }
  return lengths;
}

/** The canonical code: the longest codes begin with 0, and codes of one length ascend with their symbols. */
function codesOf(lengths: ReadonlyMap<number, number>): Map<number, bigint> {
  const codes = new Map<number, bigint>();
  const sorted = [...lengths].sort(([a, x], [b, y]) => y - x || a - b);
  let [code, before] = [0n, sorted[0][1]];
  for (const [symbol, length] of sorted) {
    if (length < before) code >>= BigInt(before - length);
    before = length;
    codes.set(symbol, code++);
  }
  return codes;
}

/** Writes bits, the highest of each byte first. */
class Bits {
  readonly #bytes: number[] = [];
  length = 0;

  put(value: bigint, count: number): this {
    for (let bit = count - 1; bit >= 0; bit--) {
      if ((this.length & 7) === 0) this.#bytes.push(0);
      if ((value >> BigInt(bit)) & 1n) this.#bytes[this.length >> 3] |= 128 >> (this.length & 7);
      this.length++;
    }
    return this;
  }

  done = () => Uint8Array.from(this.#bytes);
}
