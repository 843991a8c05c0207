import { crc32, deflateSync } from "node:zlib";
import { depthPng, depthValues, zipOf } from "../../sources/fixtures.ts";
import { pngOf } from "../png.ts";
import { type Crafted, MiB, opened, refused } from "./crafted.ts";

// Archives whose lists and descriptions are far larger unpacked than packed.

const good = depthPng(depthValues(0));
const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");

export const lists: readonly Crafted[] = [
  refused("equal.zip", () =>
    zipOf({ "depth.txt": "1.5 0.png\n".repeat(490_000), "rgb.txt": "1.5 0.png\n".repeat(490_000), "0.png": good }),
  ),
  opened("most.zip", () => {
    const list = "1.5 0.png\n".repeat(20_000);
    return zipOf({
      "depth.txt": list,
      "rgb.txt": list,
      "groundtruth.txt": "1 1 2 3 0 0 0 1\n".repeat(20_000),
      "0.png": good,
    });
  }),
  refused("newlines.zip", { slow: true }, () =>
    zipOf({ "depth.txt": new Uint8Array(60 * MiB).fill(10), "0.png": good }),
  ),
  refused("words.zip", () => zipOf({ "depth.txt": `1 ${"a ".repeat(2 * MiB)}`, "0.png": good })),
  opened("poses.zip", () =>
    zipOf({ "depth.txt": "1.5 0.png", "groundtruth.txt": "1 1 2 3 0 0 0 1\n".repeat(490_000), "0.png": good }),
  ),
  refused("odometry.zip", () =>
    zipOf({ "odometry.csv": lines(400_000, (i) => `1,${i},0,0,0,0,0,0,1`), "depth/000000.png": good }),
  ),
  refused("pairs.zip", () =>
    zipOf({ "associations.txt": "0 depth/0.png 0 rgb/0.png\n".repeat(200_000), "depth/0.png": good }),
  ),
  opened("rays.zip", () => zipOf({ "scene_00_0000.depth": "1 ".repeat(10 * MiB) })),
  opened("fields.zip", () =>
    zipOf({ "recording.json": `{${lines(40_000, (i) => `"x${i}":1`).replaceAll("\n", ",")}}`, "0.png": good }),
  ),
  refused("nested.zip", () =>
    zipOf({ "recording.json": `{"fps":${"[".repeat(500_000)}${"]".repeat(500_000)}}`, "0.png": good }),
  ),
  refused("comments.zip", () =>
    zipOf({ "d-1.0-1.pgm": `P5${" #".repeat(126)}!`, "r-1.0-1.ppm": `P6${" #".repeat(126)}!` }),
  ),
  opened("grey.zip", { frames: 32 }, () =>
    zipOf({ "d-1.0-1.pgm": Buffer.concat([Buffer.from("P5 4096 4096 65535\n"), new Uint8Array(2 ** 25)]) }),
  ),
  opened("poses7.zip", { slow: true }, () =>
    zipOf({ "frame-000000.depth.png": good, "frame-000000.pose.txt": new Uint8Array(90 * MiB) }),
  ),
  opened("both.zip", { frames: 96 }, () => {
    const side = 4096;
    const rgba = Buffer.from(pngOf(side, side, deflateSync(new Uint8Array(side * (4 * side + 1)))));
    // The header says four channels of 8 bits, so its checksum is computed again.
    rgba.set([8, 6], 24);
    rgba.writeUInt32BE(crc32(rgba.subarray(12, 29)), 29);
    return zipOf({
      "recording.json": '{"depth":"depth/*.png","color":"color/*.png","registered":true}',
      "depth/0.png": pngOf(side, side, deflateSync(new Uint8Array(side * (2 * side + 1)))),
      "color/0.png": rgba,
    });
  }),
];
