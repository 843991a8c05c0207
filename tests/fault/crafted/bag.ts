import { lz4 } from "../../sources/logs/compress.ts";
import { fields, record, u64 } from "../../sources/logs/files.ts";
import { ros1Depth } from "../../sources/logs/messages.ts";
import { Bytes } from "../../sources/makers/bytes.ts";
import { BitWriter } from "./bits.ts";
import { type Crafted, MiB, refused, repeated, tooMuch } from "./crafted.ts";

// ROS 1 bags, byte by byte.

const depth = ros1Depth(0);

const message = (conn: number, data: Uint8Array) => record(2, { conn, time: u64(1) }, data);
const connection = (conn: number, topic: string, definition: Uint8Array | string = depth.definition) =>
  record(7, { conn, topic }, fields({ topic, type: depth.schema, md5sum: "*", message_definition: definition }));
const chunk = (packed: Uint8Array, compression = "none", size = packed.length) =>
  record(5, { compression, size }, packed);
const START = new TextEncoder().encode("#ROSBAG V2.0\n");

/** A bag that was not closed. */
const open = (...parts: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([START, record(3, { index_pos: u64(0), conn_count: 0, chunk_count: 0 }), ...parts]);

/** A bag with an index: `body` holds the chunks and their lists, `places` the chunks' offsets as the index states them. */
function closed(body: Uint8Array, connections: readonly Uint8Array[], places: readonly number[]): Uint8Array {
  const head = (at: number) =>
    record(3, { index_pos: u64(at), conn_count: connections.length, chunk_count: places.length });
  const begin = START.length + head(0).length;
  const infos = places.map((place) => record(6, { ver: 1, chunk_pos: u64(begin + place), count: 0 }));
  return Buffer.concat([START, head(begin + body.length), body, ...connections, ...infos]);
}

/** bzip2's checksum of a byte 1: the usual polynomial, the highest bit first. */
let ONE = 0xfe000000;
for (let bit = 0; bit < 8; bit++) ONE = ONE & 0x80000000 ? (ONE << 1) ^ 0x04c11db7 : ONE << 1;
ONE = ~((0xffffff << 8) ^ ONE);

/** bzip2's blocks, `count` of them, each of one byte and with six tables of all symbols. */
function blocks(count: number): Uint8Array {
  const bits = new BitWriter().bytes("BZh9");
  for (let i = 0; i < count; i++) {
    // The checksum is that of the byte 1.
    bits.put(0x314159, 24).put(0x265359, 24).put(ONE, 32).put(0, 1).put(0, 24);
    bits.put(0xffff, 16);
    for (let row = 0; row < 16; row++) bits.put(0xffff, 16);
    bits.put(6, 3).put(1, 15).put(0, 1);
    for (let table = 0; table < 6; table++) bits.put(9, 5).put(0, 129).put(0, 129);
    // The symbols 2 and 257: the second byte of the alphabet, and the block's end.
    bits.put(2, 9).put(257, 9);
  }
  // The end, and a checksum of all blocks, which the reader does not check.
  return bits.put(0x177245, 24).put(0x385090, 24).put(0, 32).done();
}

/** A chunk of LZ4 that unpacks to `count` copies of `part`, which is a block of up to 4 MiB. */
function packed(part: Uint8Array, count: number): Uint8Array {
  const frame = lz4(part);
  const block = frame.slice(7, -4);
  const whole = Buffer.concat([frame.subarray(0, 7), repeated(block, count), frame.subarray(-4)]);
  return chunk(whole, "lz4", part.length * count);
}

/** A bag whose index places `count` chunks at one offset. */
function alike(count: number): Uint8Array {
  return closed(packed(new Uint8Array(4 * MiB), 1), [connection(0, "/depth")], new Array(count).fill(0));
}

/** A bag of 3,000 connections, each with a list behind the first chunk, and 3,000 more chunks. */
function connections(): Uint8Array {
  const inside = message(0, depth.data);
  const list = (conn: number) => record(4, { ver: 1, conn, count: 1 }, new Uint8Array(12));
  const ids = Array.from({ length: 3000 }, (_, i) => i);
  const small = chunk(inside.subarray(0, 8));
  const first = Buffer.concat([chunk(inside), ...ids.map(list)]);
  const body = Buffer.concat([first, repeated(small, 3000)]);
  const places = [0, ...ids.map((i) => first.length + i * small.length)];
  return closed(
    body,
    ids.map((id) => connection(id, "/depth", "uint8[] data")),
    places,
  );
}

export const bag: readonly Crafted[] = [
  tooMuch("messages.bag", () =>
    open(connection(0, "/depth"), packed(repeated(message(0, new Uint8Array()), 80_000), 15)),
  ),
  refused("small.bag", () =>
    open(chunk(Buffer.concat([connection(0, "/depth"), repeated(message(0, new Uint8Array()), 18_000)]))),
  ),
  refused("connections.bag", connections),
  refused("alike.bag", () => alike(8000)),
  refused("chunks.bag", () => open(repeated(packed(new Uint8Array(4 * MiB), 12), 4))),
  tooMuch("definitions.bag", () => open(repeated(packed(connection(0, "/depth", new Uint8Array(3 * MiB)), 15), 4))),
  refused("bzip2.bag", () => open(chunk(blocks(3800), "bz2", 3800))),
  refused("lies.bag", () => open(repeated(chunk(blocks(1), "bz2", 60 * MiB), 2000))),
  refused("tiny.bag", () => open(repeated(record(9, {}), 50_000))),
  refused("names.bag", () => {
    // Fields of one letter, a thousand in a header.
    const many = new Bytes();
    for (let i = 0; i < 680; i++) many.u32(2).text("a=");
    const header = new Bytes().u32(4).text("op=").u8(9).bytes(many.done()).done();
    return open(repeated(new Bytes().u32(header.length).bytes(header).u32(0).done(), 240));
  }),
];
