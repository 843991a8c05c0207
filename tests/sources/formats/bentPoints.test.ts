import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type PlanePoint, unproject } from "../../../core/calibration/lens.ts";
import { bentWatch } from "../../../run/replay/bentWatch.ts";
import { compact, median, track, undistort } from "../../../stages/index.ts";
import { writePoints } from "../../../write/index.ts";
import { useFolder } from "../fixtures.ts";
import { pretend } from "../live/liveServer.ts";

// Points of a lens that bends rays: written where the rays go, and warned of where stages take the lens for a pinhole's.

const disk = useFolder();
const [WIDTH, HEIGHT] = [16, 12];
const bent = {
  ...{ width: WIDTH, height: HEIGHT, fx: 10, fy: 11, cx: 7, cy: 6 },
  ...({ distortion: [0.5, -0.1, 0.01, 0, 0.02, 0.8, 0.04, 0], distortionModel: "rational" } as const),
};

test.each(["ply", "pcd"] as const)("%s has each pixel's point on the pixel's ray", async (format) => {
  const plain = pretend(1);
  const read = async (index: number) => ({ ...(await plain.read(index)), intrinsics: bent });
  const folder = join(disk.root, format);
  await writePoints({ ...plain, read }, folder, { format });
  const bytes = readFileSync(join(folder, `points/000000.${format}`));
  const header = format === "ply" ? "end_header\n" : "DATA binary\n";
  const data = bytes.subarray(bytes.indexOf(header) + header.length);
  const step = data.length / (WIDTH * HEIGHT - (format === "ply" ? 1 : 0));
  const ray: PlanePoint = [0, 0];
  for (const pixel of [WIDTH - 1, 5 * WIDTH + 3, WIDTH * HEIGHT - 1]) {
    // The first pixel is invalid: a PLY leaves it out.
    const at = step * (pixel - (format === "ply" ? 1 : 0));
    unproject(bent, pixel % WIDTH, Math.floor(pixel / WIDTH), ray);
    const z = pixel / 1000;
    const found = [0, 4, 8].map((offset) => data.readFloatLE(at + offset));
    for (const [k, value] of [ray[0] * z, ray[1] * z, z].entries()) expect(found[k]).toBeCloseTo(value, 6);
    expect(Math.abs(ray[0] - ((pixel % WIDTH) - bent.cx) / bent.fx)).toBeGreaterThan(0.001);
  }
});

test.each([
  ["points", [median(), compact()], true],
  ["poses", [track()], true],
  ["depth alone", [median()], false],
])("stages that give %s warn of a bent lens, once, or not", (_, stages, warns) => {
  const lines: string[] = [];
  const watch = bentWatch(stages, (line) => lines.push(line));
  const shape = { intrinsics: bent, metresPerUnit: 0.001 };
  watch({ shape: undistort().leaves(shape) });
  expect(lines).toEqual([]);
  watch({ shape });
  watch({ shape });
  expect(lines.map((line) => /add the stage undistort/.test(line))).toEqual(warns ? [true] : []);
});
