import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { encode as encodePng } from "fast-png";
import { encode } from "jpeg-js";
import { describe, expect, test } from "vitest";
import { readers } from "../../../config/wasm.ts";
import { convert } from "../../../run/convert/convert.ts";
import type { Kind } from "../../../run/convert/kinds.ts";
import { packetOf } from "../../../sources/decode/video.ts";
import { openRecording } from "../../../sources/index.ts";
import { syntheticRoom } from "../../../sources/synthetic/index.ts";
import { type DepthCodec, recordMcap } from "../../../write/mcap.ts";
import { depthValues, HEIGHT, useFolder, WIDTH, zipOf } from "../fixtures.ts";
import { framesOf, type Whole } from "../formats/whole.ts";
import { zstandard } from "../logs/compress.ts";
import { db3Of, type Entry, mcapOf } from "../logs/files.ts";
import * as write from "../logs/messages.ts";
import { littleEndian } from "../makers/bytes.ts";
import { exrOf, pizExr } from "../makers/exr.ts";
import { calibrationJson, mkvOf } from "../makers/mkv.ts";
import { oniOf } from "../makers/oni.ts";
import { sensOf } from "../makers/sens.ts";
import { floats, npyOf, tiffOf } from "../makers/still.ts";
import type { WholePage } from "./filesPage.ts";
import { usePage } from "./tab.ts";

declare const page: WholePage;

/** Five pictures of 64×48 in one colour each by x264, a key frame at the first and the fourth. */
const H264 = [
  "AAAAAWdkAAqsTCIj0IAAAAMAgAAAHkeJEwjAAAAAAWjoQw8siwAAAWWIggJf/ujJ/MsqzJnUViOJffmVpxzCPR0j/rkHZkvIIcFiwQ==",
  "AAAAAUGaHHNA/DoPgSg+Bggv//7aqhY=",
  "AAAAAUGaKTwQQQZDEg+CkccEwBAYPgkBBX+peP3CPrgTWyrGiJTiU4fwKNx5GBGEpIyjyMBZDve5",
  "AAAAAWdkAAqsTCIj0IAAAAMAgAAAHkeJEwjAAAAAAWjoQw8siwAAAWWIgQCn//70858Cmijtzw7b4svf70YfuFJ7OvrTjpseiNJmowfxXdAqrkqbC9KuyFPzhetP2A==",
  "AAAAAUGaHGPB8FIHwE4JgH4gv//+2qoX",
];

const bag: Entry[] = [0, 1].map((i) => ({
  topic: "/depth/image_rect_raw",
  time: 1_650_000_000_000 + 40 * i,
  message: write.ros2Depth(i),
}));
const packedBag = zstandard(await db3Of(bag));

/** Recordings of one file each: a page's worker reads the frames that Node reads. */
describe("openRecording in a browser", () => {
  const disk = useFolder();
  const tab = usePage("filesPage.html", readers);

  const inPage = async (path: string): Promise<Whole[] | string> => {
    await tab.now.setInputFiles("#files", path);
    return tab.now.evaluate(() => page.whole());
  };

  const inNode = async (path: string) => framesOf(await openRecording(path));

  test("colour in H.264 is decoded by the page, and named in Node", async () => {
    const [width, height] = [64, 48];
    const data = new Uint16Array(width * height).fill(900);
    const image = write.ros2Compressed("png", encodePng({ width, height, channels: 1, depth: 16, data }));
    const entries = H264.flatMap((packet, i) => [
      { topic: "/depth", time: 1000 + 33 * i, message: image },
      { topic: "/color", time: 1000 + 33 * i, message: write.ros2Video("h264", Buffer.from(packet, "base64")) },
    ]);
    const path = disk.file("video.mcap", await mcapOf(entries));
    const frames = await inPage(path);
    if (typeof frames === "string") throw new Error(frames);
    expect(H264.map((packet) => packetOf(Buffer.from(packet, "base64"), "h264"))).toEqual(
      [0, 1, 2, 0, 1].map((i) => ({ key: i === 0, codec: i === 0 ? "avc1.64000a" : undefined })),
    );
    // Red grows by 40 a frame; browsers differ by some levels in how they turn a video's colours into RGB.
    const red = frames.map(({ color }) => color[4 * (20 * width + 20)]);
    for (const [i, value] of red.entries())
      expect(Math.abs(value - (20 + 40 * i)), `frame ${i}: ${red}`).toBeLessThan(16);
    const node = await disk.open(path);
    expect((await node.read(0)).color).toBeUndefined();
    expect(node.warnings.join()).toMatch(/frames go without colour, which is not read here .*\/color \(h264\)/);
  });

  const depth = [0, 1].map((frame) => depthValues(frame));
  const size = { width: WIDTH, height: HEIGHT };
  const metres = [...depth[0]].map((value) => value / 1000);
  const pictures = [0, 1].map((i) => new Uint8Array(32).map((_, k) => i + 5 * k));
  const raw = { kind: "BGRA", width: 4, height: 2, frames: pictures };
  test.each<[string, Uint8Array]>([
    ["a.mkv", mkvOf({ ...size, depth, color: raw, calibration: calibrationJson() })],
    ["a.sens", sensOf({ ...size, depth })],
    ["a.oni", oniOf({ ...size, depth, codec: "16zT" })],
    ["a.npy", npyOf("<f4", [HEIGHT, WIDTH], floats(metres))],
    ["a.tif", tiffOf({ ...size, values: littleEndian(depth[0]), bits: 16, compression: 8, predictor: 2 })],
    ["a.exr", exrOf(WIDTH, HEIGHT, { Z: metres })],
    ["piz.exr", pizExr()],
    ["a.db3.zstd", packedBag],
  ])("reads %s as Node does, bit for bit", async (name, bytes) => {
    const path = disk.file(name, bytes);
    expect(await inPage(path)).toEqual(await inNode(path));
  });

  test("reads every kind that convert and the recorder write, bit for bit: depth, colour, times and lens", async () => {
    const room = syntheticRoom({ width: 24, height: 16, fps: 25, frames: 3, cameraMotion: "sway" });
    const bent = {
      distortion: [0.1, -0.02, 0.001, 0.002, 0.01, 0.1, 0.01, 0.001],
      distortionModel: "rational",
    } as const;
    const input = join(disk.root, "room.mcap");
    const { recorder, close } = await recordMcap(input, { codec: "png" });
    for (let i = 0; i < 3; i++) {
      const frame = await room.read(i);
      await recorder.frame({ ...frame, intrinsics: { ...frame.intrinsics, ...bent } });
    }
    await close();
    const written = await inNode(input);
    expect(written[2].depth).toEqual([...(await room.read(2)).depth.data]);
    expect(await inPage(input), "png.mcap").toEqual(written);
    for (const codec of ["zstd", "rvl"] as const) {
      expect(await inPage(await converted(input, `${codec}.mcap`, "mcap", codec)), codec).toEqual(written);
    }
    expect(await inPage(await converted(input, "room.zip", "zip")), "zip").toEqual(written);
    const folder = await converted(input, "tum", "tum");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name));
    const contents = Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name))]));
    // A TUM folder has units of 0.2 mm.
    const fifths = written.map((frame) => ({
      ...frame,
      metresPerUnit: 1 / 5000,
      depth: frame.depth.map((z) => 5 * z),
    }));
    expect(await inPage(disk.file("tum.zip", zipOf(contents))), "tum").toEqual(fifths);
    await tab.now.setInputFiles("#files", input);
    const own = await tab.now.evaluate(() => page.recorded());
    expect(own.frames, "recorded by the page").toEqual(written);
  });

  async function converted(input: string, name: string, kind: Kind, codec: DepthCodec = "zstd"): Promise<string> {
    const out = join(disk.root, name);
    await using recording = await openRecording(input);
    const request = { input, out, kind, codec, start: 0, frames: undefined, force: false };
    const listener = { signal: new AbortController().signal, onFrame() {}, onResume() {} };
    expect(await convert(recording, request, listener)).toMatchObject({ done: 3, of: 3 });
    return out;
  }

  test("refuses a film without depth with the message that Node gives", async () => {
    expect(await inPage(disk.file("a.mkv", mkvOf({ ...size, depth, trackName: "Video" })))).toContain(
      "SourceError: a.mkv: this is a Matroska film without a track of depth (it has Video)",
    );
  });

  test("decodes a JPEG within 6 levels of Node's decoder", async () => {
    const grey = { data: new Uint8Array(4 * 64 * 48).map((_, i) => 60 + ((i >> 2) % 64)), width: 64, height: 48 };
    const frames = [Uint8Array.from(encode(grey, 95).data)];
    const values = new Uint16Array(64 * 48).fill(900);
    const path = disk.file(
      "a.sens",
      sensOf({ width: 64, height: 48, depth: [values], color: { kind: 2, width: 64, height: 48, frames } }),
    );
    const [there, here] = [await inPage(path), await inNode(path)];
    if (typeof there === "string") throw new Error(there);
    expect(there[0].color.length).toBe(4 * values.length);
    expect(
      there[0].color.reduce((most, value, i) => Math.max(most, Math.abs(value - here[0].color[i])), 0),
    ).toBeLessThan(6);
  });
});
