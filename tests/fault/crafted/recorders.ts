import { deflateSync } from "node:zlib";
import { CdrWriter } from "@foxglove/cdr";
import { depthPng, depthValues, zipOf } from "../../sources/fixtures.ts";
import { bagOf, db3Of, type Entry, mcapOf } from "../../sources/logs/files.ts";
import * as made from "../../sources/logs/frames.ts";
import { ros2Compressed, ros2Image, ros2Transform, type Written } from "../../sources/logs/messages.ts";
import { Bytes } from "../../sources/makers/bytes.ts";
import { pagedTiff } from "../../sources/makers/still.ts";
import {
  lensText,
  oak,
  oakFrame,
  orbbecImage,
  orbbecProfile,
  orbbecProperty,
  ros2Text,
} from "../../sources/makers/vendors.ts";
import { type Crafted, MiB, opened, refused, repeated } from "./crafted.ts";

// Recordings of camera makers, robots and data sets whose texts, transforms, tables and counts are out of all proportion.

const at = (topic: string, message: Written, time = 1): Entry => ({ topic, time, message });
const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const depth = () => made.rows16(made.depthUnits(0));
const [D, C] = ["/device_0/sensor_0/Depth_0", "/device_0/sensor_1/Color_0"];
const rsImages = () => [
  at(`${D}/image/data`, ros2Image({ encoding: "mono16", data: depth() })),
  at(`${C}/image/data`, ros2Image({ encoding: "rgb8", data: made.colorValues(0) })),
  at(`${D}/camera_info`, lensText()),
  at(`${C}/camera_info`, lensText()),
];
const rsTexts = (count: number, text: (i: number) => string): Entry[] =>
  times(count, (i) => [
    at(`${D}/tf/ref_${i}`, ros2Text(text(i))),
    at(`${C}/tf/ref_${count + i}`, ros2Text(text(i))),
  ]).flat();

const image = (frameId: string, i = 0) =>
  at("/depth", ros2Image({ encoding: "16UC1", data: depth(), frameId }), 1000 + i);

/** A message with a transform for each pair of frames. */
function transforms(pairs: readonly (readonly [parent: string, child: string])[]): Written {
  const writer = new CdrWriter({ size: 96 * pairs.length + 512 }).sequenceLength(pairs.length);
  for (const [i, [parent, child]] of pairs.entries()) {
    writer.int32(1).uint32(i).string(parent).string(child);
    for (const value of [0, 0, 0, 0, 0, 0, 1]) writer.float64(value);
  }
  return { ...ros2Transform("a", "b", [0, 0, 0], [0, 0, 0, 1]), data: writer.data };
}
const RING = [
  ["lens", "a"],
  ["a", "b"],
  ["b", "lens"],
] as const;
const STAR = ["a", "lens"] as const;
const robot = (...more: readonly Entry[]) =>
  mcapOf([image("lens"), ...more], { compression: "zstd", chunkSize: 2 ** 24 });

/** A square image of packed depth in which each pixel has the depth 1, or whose block is left out. */
function packed(side: number, hasBlock: boolean, i: number): Entry {
  const pixels = side ** 2;
  const block = new Uint8Array(hasBlock ? 2 + pixels / 8 + 2 * pixels : 0).fill(255, 2, 2 + pixels / 8);
  block[0] = 1;
  const head = new Bytes().text("DLD2").u8(1).u8(0).u16(1).u16(side).u16(side).u32(pixels);
  const bytes = head.bytes(hasBlock ? deflateSync(block) : block).done();
  return at("/packed", ros2Compressed("16UC1; depthloom.depth.v2", bytes), 1000 + i);
}

/** A zip of one depth image and these texts. */
const texts = (named: Readonly<Record<string, string | Uint8Array>>) =>
  zipOf({ "depth/0.png": depthPng(depthValues(0)), ...named });

export const recorders: readonly Crafted[] = [
  opened("places.db3", { slow: true }, () => db3Of([...rsImages(), ...rsTexts(700, () => "rotation=1;translation=1")])),
  opened("longTexts.db3", () => db3Of([...rsImages(), ...rsTexts(1, () => "rotation=;".repeat(40_000))])),
  opened("settings.bag", () =>
    bagOf([
      at("/cam/sensor_3/frameType_3", orbbecImage("z16", depth())),
      at("/cam/streamProfileType_3", orbbecProfile(new Array(8).fill(1e300), 99)),
      ...times(1500, (i) => at("/cam/property", orbbecProperty(176, Float32Array.of(Number.NaN)), i)),
    ]),
  ),
  opened("matrices.mcap", () => {
    const rows = { arrays: times(3, () => ({ values: times(20_000, () => 1) })) };
    const frame = {
      ...oakFrame(14, depth(), 2),
      transformation: { sourceIntrinsicMatrix: rows, transformationMatrix: rows },
    };
    return mcapOf([at("depth", oak("img_frame.ImgFrame", frame))]);
  }),
  // Images of packed depth: some unpack from a few bytes to 16 megapixels; of others, only the headers claim so many.
  opened("v2.mcap", { slow: true, frames: 96 }, () => mcapOf(times(3, (i) => packed(2 ** 12, true, i)))),
  opened("v2Empty.mcap", () => mcapOf(times(3000, (i) => packed(2 ** 12, false, i)))),
  opened("ring.mcap", () => robot(at("/tf", transforms(RING)))),
  opened("chain.mcap", () =>
    robot(at("/tf", transforms(times(9000, (i) => [`f${i}`, i ? `f${i - 1}` : "lens"] as const)))),
  ),
  opened("star.mcap", () => robot(...times(60, (i) => at("/tf_static", transforms(times(300, () => STAR)), i)))),
  opened("packedTransforms.mcap", { slow: true }, () => {
    const many = transforms(times(1000, () => STAR));
    return robot(...times(150, (i) => at("/tf", many, i)));
  }),
  opened("numberTexts.zip", { slow: true }, () =>
    texts(Object.fromEntries(times(40, (i) => [`${"abcdefgh"[i % 8]}${"xyzuv"[i >> 3]}.txt`, "1 ".repeat(MiB / 4)]))),
  ),
  opened("yaml.zip", { slow: true }, () => {
    const text = `${"a.b.c.d.e.f.g.h: [1, 2, 3".repeat(300)}\n`.repeat(500);
    return texts(Object.fromEntries(times(40, (i) => [`${"abcdefgh"[i % 8]}${"xyzuv"[i >> 3]}.yaml`, text])));
  }),
  opened("json.zip", { slow: true }, () =>
    texts({ "k.json": `[${"[1],".repeat(MiB)}[1]]`, "t.json": `{"frames":[${"{},".repeat(MiB)}{}]}` }),
  ),
  opened("objects.zip", () => texts({ "camera.json": `{"a":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}` })),
  opened("pages.tiff", () =>
    pagedTiff(
      { width: 1, height: 1, bits: 16 },
      times(4000, () => Uint8Array.of(1, 1)),
    ),
  ),
  refused("parts.zip", () => zipOf(Object.fromEntries(times(4000, (i) => [`rec_${i}.mcap`, Uint8Array.of(0x89)])))),
  opened("confidence.zip", () => {
    const large = depthPng(new Uint16Array(4000 * 3000), 4000, 3000);
    const named = times(3, (i) => [
      [`depth/${i}.png`, depthPng(depthValues(i))],
      [`confidence/${i}.png`, large],
    ]);
    return zipOf(Object.fromEntries(named.flat()));
  }),
  opened("packets.mcap", () => {
    const packet = (i: number) =>
      ros2Compressed("h264", Uint8Array.of(0, 0, 1, i % 40 ? 1 : 0x67, 0, 0, 1, i % 40 ? 1 : 5));
    return robot(...times(20_000, (i) => at("/color/image/video", packet(i), 2000 + i)));
  }),
  opened("units.mcap", () =>
    robot(
      ...times(4, (i) =>
        at("/color/image/video", ros2Compressed("h264", repeated(Uint8Array.of(0, 0, 1), 2 * MiB)), 2000 + i),
      ),
    ),
  ),
  opened("deepFolders.zip", () =>
    zipOf({
      [`${"a/".repeat(2000)}depth/0.png`]: depthPng(depthValues(0)),
      "b/c/d/e/f/g/h/i/j/depth/0.png": depthPng(depthValues(0)),
    }),
  ),
];
