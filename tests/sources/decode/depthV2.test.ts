import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { filter, firstValueFrom } from "rxjs";
import { expect, test } from "vitest";
import { image } from "../../../core/frame.ts";
import { InflateError } from "../../../sources/decode/codec.ts";
import { depthOfBlock, packDepth, packedDepth } from "../../../sources/decode/depthV2/index.ts";
import { unpackDepth } from "../../../sources/decode/depthV2/unpack.ts";
import { loadCodec } from "../../../sources/decode/platform.ts";
import { openLive } from "../../../sources/index.ts";
import { depthMessage } from "../../../sources/live/depth.ts";
import { depthV2Encoder } from "../../../write/depthV2.ts";
import { randomOf } from "../../fault/mutate.ts";
import { LONG } from "../../mode.ts";
import { useFolder } from "../fixtures.ts";
import { plainServer, pretend } from "../live/liveServer.ts";

// depthloom.depth.v2: exact, the same bytes from WebAssembly and its twin, bounded whatever comes, and small.

const disk = useFolder();
const { inflate } = await loadCodec();
const packs = { none: (block: Uint8Array) => block, deflate: (block: Uint8Array) => deflateSync(block, { level: 1 }) };

/** Expects the same bytes; the test library takes a minute for the elements of an image. */
const expectSame = (a: Uint16Array | Uint8Array, b: Uint16Array | Uint8Array) =>
  expect(Buffer.compare(bytesOf(a), bytesOf(b))).toBe(0);
const bytesOf = ({ buffer, byteOffset, byteLength }: Uint16Array | Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);

const next = randomOf(5);
const random = () => next(1 << 30) / (1 << 30);
const some = (length: number, of: () => number) => Uint16Array.from({ length }, of);
const IMAGES: readonly (readonly [what: string, width: number, height: number, depth: Uint16Array])[] = [
  ["one pixel without a measurement", 1, 1, Uint16Array.of(0)],
  ["one pixel", 1, 1, Uint16Array.of(65535)],
  ["nothing measured", 17, 5, new Uint16Array(85)],
  ["all values at random", 320, 240, some(76800, () => Math.floor(random() * 65536))],
  ["every value once", 256, 256, Uint16Array.from({ length: 65536 }, (_, i) => (i * 40503) & 0xffff)],
  ["the ends of the range", 9, 7, some(63, () => [0, 1, 65535][Math.floor(random() * 3)] ?? 0)],
  ["a slope with holes", 63, 65, Uint16Array.from({ length: 4095 }, (_, i) => (i % 11 === 0 ? 0 : 900 + i))],
  ["one row", 300, 1, some(300, () => Math.floor(random() * 900))],
  ["one column", 1, 300, some(300, () => Math.floor(random() * 900))],
];

test.each(IMAGES)(
  "depth of %s comes back exactly, packed alike by WebAssembly and its twin",
  async (_, width, height, depth) => {
    for (const packing of ["none", "deflate"] as const) {
      const bytes = packDepth(depth, width, height, packing, packs[packing]);
      expectSame(packDepth(depth, width, height, packing, packs[packing], false), bytes);
      expectSame(await unpackDepth(bytes, inflate), depth);
      const about = packedDepth(bytes);
      const block = packing === "none" ? about.packed : inflateSync(about.packed);
      expectSame(depthOfBlock(block, about, false), depth);
    }
    const zstd = await depthV2Encoder();
    expectSame(await unpackDepth(zstd(image(depth, [height, width])), inflate), depth);
  },
);

test("damaged bytes give an error or some image of the declared size, alike in both forms", async () => {
  const rounds = LONG ? 20_000 : 400;
  const depth = some(48 * 31, () => (random() < 0.2 ? 0 : 700 + Math.floor(random() * 60)));
  const outcome = (bytes: Uint8Array, wasm: boolean) => {
    try {
      const about = packedDepth(bytes);
      return depthOfBlock(about.packed, about, wasm);
    } catch (error) {
      if (error instanceof InflateError) return error.message;
      throw error;
    }
  };
  const sound = {
    none: packDepth(depth, 48, 31, "none", packs.none),
    zstd: (await depthV2Encoder())(image(depth, [31, 48])),
  };
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const bytes = sound.none.slice(0, round % 7 === 0 ? Math.floor(random() * sound.none.length) : undefined);
    for (let i = 0; i <= round % 4; i++) bytes[Math.floor(random() * (round % 2 ? 16 : bytes.length))] = random() * 256;
    const mine = outcome(bytes, true);
    expect(outcome(bytes, false)).toEqual(mine);
    if (typeof mine === "string") refused++;
    const packed = sound.zstd.slice();
    packed[4 + Math.floor(random() * (packed.length - 4))] = random() * 256;
    await unpackDepth(packed, inflate).catch((error) => expect(error).toBeInstanceOf(InflateError));
  }
  expect(refused).toBeGreaterThan(rounds / 10);
});

test("a header of a few bytes that declares a huge image is refused before memory is taken", async () => {
  const bytes = packDepth(Uint16Array.of(7), 1, 1, "none", packs.none);
  const view = new DataView(bytes.buffer);
  for (const side of [8, 10]) view.setUint16(side, 65535, true);
  await expect(unpackDepth(bytes, inflate)).rejects.toThrow(InflateError);
  for (const side of [8, 10]) view.setUint16(side, 8000, true);
  for (const packing of [0, 1, 2]) {
    view.setUint8(4, packing);
    await expect(unpackDepth(bytes, inflate)).rejects.toThrow(InflateError);
  }
});

test("the Python reader of the examples reads the same depth", () => {
  const [, width, height, depth] = IMAGES[6] ?? ["", 0, 0, new Uint16Array()];
  const path = join(disk.root, "frame.dld2");
  writeFileSync(path, packDepth(depth, width, height, "deflate", packs.deflate));
  const reader = join(import.meta.dirname, "../../../docs/examples/read_depth_v2.py");
  const told = execFileSync("python3", [reader, path], { encoding: "utf8" });
  const sum = depth.reduce((all, value) => all + value, 0);
  expect(told.trim()).toBe(`${path} ${width} ${height} ${depth.filter((value) => value > 0).length} ${sum}`);
});

test("packed depth (depthloom.depth.v2) is taken from a server that speaks it, and damaged depth counts as malformed", async () => {
  const infrared = { width: 3, height: 1, data: Uint8Array.of(1, 2, 255), from: "Infrared 1" };
  const frame = { ...(await pretend(3, 100, 1 / 5000).read(2)), metadata: [["Gain Level", "16"] as const], infrared };
  const pack = await depthV2Encoder();
  const about = { index: 4, timestamp: 1000, sent: 1000 };
  const message = (packed: Uint8Array) => Buffer.concat(depthMessage(frame, about, packed));
  const bad = pack(frame.depth);
  bad.fill(255, 16);
  const { address } = await plainServer("depthloom.depth.v2", (send) => {
    setInterval(() => [bad, pack(frame.depth)].map((packed) => send(message(packed))), 10).unref();
  });
  await using source = await openLive(address);
  const good = await firstValueFrom(source.frames$.pipe(filter(({ fault }) => !fault)));
  expect(good.depth.data).toEqual(frame.depth.data);
  expect([good.color?.data, good.metresPerUnit, good.metadata]).toEqual([frame.color?.data, 1 / 5000, frame.metadata]);
  expect(good.infrared).toEqual(infrared);
  await expect.poll(() => source.report.malformed).toBeGreaterThan(0);
});
