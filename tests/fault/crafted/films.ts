import { deflateSync } from "node:zlib";
import { concat, text } from "../../../write/ebml.ts";
import { Bytes } from "../../sources/makers/bytes.ts";
import { mkvOf } from "../../sources/makers/mkv.ts";
import { oniOf } from "../../sources/makers/oni.ts";
import { sensOf } from "../../sources/makers/sens.ts";
import { type Crafted, opened, refused, repeated } from "./crafted.ts";

const values = Uint16Array.from({ length: 4 }, (_, i) => 500 + i);
const film = { width: 2, height: 2, depth: [values, values] };
const VOID = Uint8Array.of(0xec, 0x80);

/** A Matroska element whose size is written in four bytes. */
const element = (id: readonly number[], ...contents: readonly Uint8Array[]): Uint8Array => {
  const inside = concat(...contents);
  const size = new DataView(new ArrayBuffer(4));
  size.setUint32(0, 0x10000000 + inside.length);
  return concat(Uint8Array.from(id), new Uint8Array(size.buffer), inside);
};
const SEGMENT = [0x18, 0x53, 0x80, 0x67];
const segment = (...contents: readonly Uint8Array[]) =>
  concat(element([0x1a, 0x45, 0xdf, 0xa3], text("x")), element(SEGMENT, ...contents));
const TAGS = [0x12, 0x54, 0xc3, 0x67];
const tag = (...simple: readonly Uint8Array[]) =>
  element(TAGS, element([0x73, 0x73], element([0x67, 0xc8], ...simple)));

/** A good Matroska file with `more` elements at the start of its segment. */
function withMore(more: Uint8Array): Uint8Array {
  const whole = mkvOf({ ...film, unfinished: true });
  const at = whole.findIndex((_, i) => SEGMENT.every((byte, k) => whole[i + k] === byte)) + 12;
  return concat(whole.subarray(0, at), more, whole.subarray(at));
}

/** An ONI record of a kind, with fields and without the payload that its header states. */
const record = (kind: number, fields: Uint8Array, payload = 0) =>
  new Bytes()
    .u32(0x0052494e, kind, 1, 28 + fields.length, payload)
    .u64(0)
    .bytes(fields)
    .done();

/** A good ONI file with `more` records at its end. */
const oniWith = (more: Uint8Array) => concat(oniOf({ ...film, unfinished: true }), more);

/** A ScanNet file of `frames` frames without colour, all with the same packed depth. */
function sensWith(frames: number, size: { width: number; height: number }, packed: Uint8Array): Uint8Array {
  const one = sensOf({ ...size, depth: [new Uint16Array(1)], step: 1 });
  const start = one.length - 8 - 96 - deflateSync(new Uint8Array(2)).length;
  const head = one.slice(0, start);
  new DataView(head.buffer).setBigUint64(start - 8, BigInt(frames), true);
  const entry = new Bytes().bytes(new Uint8Array(64)).u64(0, 0, 0, packed.length).bytes(packed).done();
  return concat(head, repeated(entry, frames));
}

export const films: readonly Crafted[] = [
  refused("voids.mkv", () => segment(repeated(VOID, 500_000))),
  opened("voidsBefore.mkv", () => withMore(repeated(VOID, 500_000))),
  refused("clusters.mkv", () => segment(repeated(element([0x1f, 0x43, 0xb6, 0x75]), 130_000))),
  refused("openClusters.mkv", () => segment(repeated(Uint8Array.of(0x1f, 0x43, 0xb6, 0x75, 0xff), 200_000))),
  refused("blocks.mkv", () =>
    segment(element([0x1f, 0x43, 0xb6, 0x75], repeated(Uint8Array.of(0xa3, 0x84, 0x81, 0, 0, 0), 170_000))),
  ),
  refused("groups.mkv", () =>
    segment(element([0x1f, 0x43, 0xb6, 0x75], repeated(Uint8Array.of(0xa0, 0x86, 0xa1, 0x84, 0x81, 0, 0, 0), 120_000))),
  ),
  refused("tags.mkv", () => segment(repeated(tag(Uint8Array.of(0x45, 0xa3, 0x81, 65)), 35_000))),
  refused("names.mkv", () => segment(tag(repeated(Uint8Array.of(0x45, 0xa3, 0x81, 65), 250_000)))),
  refused("tracks.mkv", () =>
    segment(element([0x16, 0x54, 0xae, 0x6b], repeated(Uint8Array.of(0xae, 0x83, 0xd7, 0x81, 1), 200_000))),
  ),
  opened("onePixel.mkv", () =>
    mkvOf({ width: 1, height: 1, depth: Array.from({ length: 36_000 }, () => new Uint16Array(1)) }),
  ),
  opened("records.oni", () => oniWith(repeated(record(0x20, new Uint8Array(0)), 37_000))),
  opened("frames.oni", () => oniWith(repeated(record(0x0a, new Bytes().u64(5).u32(1).done()), 26_000))),
  opened("properties.oni", () =>
    oniWith(
      concat(
        ...Array.from({ length: 20_000 }, (_, i) =>
          record(
            3,
            new Bytes()
              .u32(6)
              .text(`${100_000 + i}`)
              .u32(0)
              .done(),
          ),
        ),
      ),
    ),
  ),
  refused("nodes.oni", () =>
    oniWith(repeated(record(2, new Bytes().u32(1).text("\0").u32(2).text("NONE").done()), 24_000)),
  ),
  opened("large.oni", { frames: 3 * 32 }, () =>
    oniOf({ width: 4096, height: 4096, depth: [values, values, values], codec: "NONE" }),
  ),
  opened("frames.sens", () => sensWith(9000, { width: 1, height: 1 }, deflateSync(new Uint8Array(2)))),
  opened("colored.sens", { slow: true, frames: 32 }, () => {
    const size = { width: 4096, height: 4096 };
    const color = { kind: 0, width: 2, height: 2, frames: [new Uint8Array(12)] };
    return sensOf({ ...size, depth: [new Uint16Array(4096 * 4096).fill(900)], color });
  }),
  opened("large.sens", { slow: true, frames: 3 * 32 }, () =>
    sensWith(20, { width: 4096, height: 4096 }, deflateSync(new Uint8Array(2 ** 25))),
  ),
];
