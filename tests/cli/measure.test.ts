import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CAMERA, cameraAt, floor, framesOf, parcel } from "../measure/world.ts";
import { depthPng, useFolder } from "../sources/fixtures.ts";
import { depthloom, root } from "./command.ts";

const disk = useFolder();

/** A recording of a box of 400 × 300 × 200 mm on the floor, from 1.4 m. */
function recorded(): string {
  const things = [floor, parcel([0.4, 0.2, 0.3], 0.7)];
  const frames = framesOf(things, cameraAt([0, 0, 0], 1.4, 0.3, 0.1), { sensor: "azure-kinect", count: 3 });
  const files = frames.map(({ depth }, k) => [`depth/00000${k}.png`, depthPng(depth.data, 640, 480)] as const);
  const { fx, fy, cx, cy } = CAMERA;
  return disk.folder({
    ...Object.fromEntries(files),
    "recording.json": JSON.stringify({ intrinsics: { fx, fy, cx, cy }, fps: 30 }),
  });
}

interface Measured {
  readonly frames: number;
  readonly floor: { readonly tiltDeg: number; readonly rmsMm: number };
  readonly boxes: readonly {
    lengthMm: number;
    widthMm: number;
    heightMm: number;
    plusMinusMm: number[];
    why?: string;
  }[];
  readonly planes: readonly { angleToFloor: { deg: number } }[];
  readonly regions: readonly { validShare: number; distanceMm: number; plusMinusMm: number }[];
}

describe("depthloom measure", () => {
  test("prints length, width and height of a box with their ±, and the floor", async () => {
    const path = recorded();
    const asked = ["--box", "320,220", "--floor", "auto", "--plane", "320,220", "--region", "20,20,60,40"];
    const { status, stdout, stderr } = await depthloom("measure", path, ...asked, "--json");
    expect(status, stderr).toBe(0);
    const found = JSON.parse(stdout) as Measured;
    expect(found.frames).toBe(3);
    const [box] = found.boxes;
    for (const [k, [value, truth]] of [
      [box?.lengthMm, 400],
      [box?.widthMm, 300],
      [box?.heightMm, 200],
    ].entries()) {
      expect(Math.abs((value ?? 0) - (truth ?? 0)), `side ${k}`).toBeLessThan(3);
      expect(box?.plusMinusMm[k]).toBeGreaterThan(0);
    }
    expect(found.floor.tiltDeg).toBeCloseTo((0.3 * 180) / Math.PI, 1);
    expect(found.planes[0]?.angleToFloor.deg).toBeLessThan(0.2);
    expect(found.regions[0]).toMatchObject({ validShare: 1, plusMinusMm: expect.any(Number) });
    const words = await depthloom("measure", path, "--box", "320,220");
    expect(words.stdout).toMatch(
      /^floor .*tilt 17\.\d.*\nbox 320,220 +length \d+\.\d+ ± [\d.]+ mm\n +width .*\n +height .*mm\n$/m,
    );
    expect(words.stderr).toContain("it is one only if the camera looks down");
  });

  const plain = disk.folder({ "depth/0.png": depthPng(new Uint16Array(640 * 480).fill(1000), 640, 480) });
  test.each([
    [["--box", "640,2"], /pixel 640,2 lies outside of the image, which is 640x480/],
    [["--box", "64"], /It must be column,row, such as 320,240/],
    [["--region", "1,2,0,4"], /It must be column,row,width,height/],
    [["--accuracy", "100"], /a percentage from 0 to below 100/],
    [["--floor", "below"], /It must be/],
  ])("refuses %j", async (args, message) => {
    const { status, stderr } = await depthloom("measure", plain, ...args);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  const real = join(root, "../shared/data/gotpd_kinect2_overhead");
  test.skipIf(!existsSync(real))("finds the floor under a camera on a ceiling", async () => {
    const { stdout } = await depthloom("measure", real, "--frames", "9", "--json");
    const { floor: found } = JSON.parse(stdout) as Measured & { floor: { distanceMm: number } };
    expect(found.tiltDeg).toBeLessThan(0.5);
    expect(Math.abs(found.distanceMm - 3343)).toBeLessThan(5);
  });
});
