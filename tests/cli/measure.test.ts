import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { turned, within } from "../../core/geometry.ts";
import type { ByteFile } from "../../sources/files/files.ts";
import { openPath } from "../../sources/files/node.ts";
import type { DepthFrame } from "../../sources/index.ts";
import { placementByFrames, staticFrames } from "../../sources/messages/placement.ts";
import { openMcapLog } from "../../sources/recorded/formats/mcap/log.ts";
import { randomRigs, roomFrames, wrongBy } from "../measure/rigs.ts";
import { CAMERA, cameraAt, FULL, floor, framesOf, parcel } from "../measure/world.ts";
import { QUICK, slowTest } from "../mode.ts";
import { depthPng, useFolder } from "../sources/fixtures.ts";
import { npyOf } from "../sources/makers/still.ts";
import { depthloom, root } from "./command.ts";

const disk = useFolder();

/** A recording of these frames, 30 a second, with its camera's lens. */
function recorded(frames: readonly DepthFrame[]): string {
  const { fx = 0, fy = 0, cx = 0, cy = 0, width = 0, height = 0 } = frames[0]?.intrinsics ?? {};
  const files = frames.map(({ depth }, k) => [`depth/${k}.png`, depthPng(depth.data, width, height)] as const);
  const about = JSON.stringify({ intrinsics: { fx, fy, cx, cy }, fps: 30 });
  return disk.folder({ ...Object.fromEntries(files), "recording.json": about });
}

/** A box of 400 × 300 × 200 mm on the floor, from 1.4 m. */
const boxed = (lens = CAMERA) => {
  const things = [floor, parcel([0.4, 0.2, 0.3], 0.7)];
  return framesOf(things, cameraAt([0, 0, 0], 1.4, 0.3, 0.1), { sensor: "azure-kinect", count: 3, lens });
};

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
    const path = recorded(boxed(FULL));
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
      /^floor .*tilt 17\.\d.*\nbox 320,220 +length \d+\.\d+ ± [\d.]+ mm \(if the assumed unit is right\)\n +width .*\n +height .*mm \(.*\)\n$/m,
    );
    expect(words.stderr).toContain("unless the camera looks down");
  });

  test("tells the volume that came since the first frames, and the weight of all that stands there, or that nothing does", async () => {
    // Its first frame shows the empty floor, and the second one the box.
    const [empty] = framesOf([floor], cameraAt([0, 0, 0], 1.4, 0.3, 0.1), { sensor: "azure-kinect" });
    const path = recorded([...(empty ? [empty] : []), ...boxed()]);
    const { status, stdout, stderr } = await depthloom(
      ...["measure", path, "--start", "1", "--before", path, "--frames", "1", "--all", "--divisor", "5000", "--json"],
    );
    expect(status, stderr).toBe(0);
    const { changes, things } = JSON.parse(stdout) as {
      changes: { width: number; litres: number; plusMinusLitres: number }[];
      things: unknown[];
    };
    expect(changes).toMatchObject([{ width: 320 }]);
    expect(Math.abs((changes[0]?.litres ?? 0) - 24)).toBeLessThan(changes[0]?.plusMinusLitres ?? 0);
    expect(changes[0]?.plusMinusLitres).toBeLessThan(4.5);
    // 40 × 30 × 20 cm over 5000.
    expect(things).toMatchObject([{ id: 1, isCuboid: false, dimensionalKg: expect.closeTo(4.8, 0) }]);
    const none = await depthloom("measure", path, "--frames", "1", "--all", "--divisor", "5000");
    expect([none.status, none.stdout]).toEqual([1, expect.not.stringContaining("thing 1")]);
  });

  const plain = disk.folder({ "depth/0.png": depthPng(new Uint16Array(640 * 480).fill(1000), 640, 480) });
  test.each([
    [["--box", "640,2"], /pixel 640,2 lies outside of the image, which is 640x480/],
    [["--box", "64"], /It must be column,row, such as 320,240/],
    [["--region", "1,2,0,4"], /It must be column,row,width,height/],
    [["--accuracy", "100"], /a percentage from 0 to below 100/],
    [["--floor", "below"], /It must be auto, or column,row, such as 320,240/],
    [["--box", "left,2"], /It must be column,row, such as 320,240/],
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

slowTest("depthloom check tells the metrics of a wall, and with a fault ends with status 1", async () => {
  const path = recorded(framesOf([floor], cameraAt([0, 0, 0], 1, 0.1, 0), { sensor: "realsense", count: 3 }));
  const healthy = await depthloom("check", path, "--model", "d435", "--baseline", "50", "--truth", "1000");
  expect(healthy.stdout).toMatch(
    /^fill rate +\d.*\nplane fit rms +.*usually 6.0\d mm.*\n.*\nsub-pixel rms +0\.\d+ px\nZ accuracy +-?\d.*\n/m,
  );
  expect(healthy.status).toBe(0);
  // The same noise is far too coarse for a time-of-flight camera.
  const faulty = await depthloom("check", path, "--model", "azure-kinect", "--json");
  expect([faulty.status, JSON.parse(faulty.stdout)]).toEqual([
    1,
    expect.objectContaining({ faults: [expect.objectContaining({ name: "blur" })] }),
  ]);
  const page = join(disk.folder({}), "report.html");
  // A page of an earlier check is replaced.
  for (let run = 0; run < 2; run++)
    expect((await depthloom("check", path, "--model", "azure-kinect", "--html", page)).status).toBe(1);
  const html = readFileSync(page, "utf8");
  expect(html).toMatch(
    /<li>noise is [\d.]+ times as coarse as usual for the model azure-kinect[\s\S]*plane fit rms[\s\S]*<polyline points="0/,
  );
  // Nothing is loaded from elsewhere.
  expect(html).not.toMatch(/(src|href)=|url\(|@import/);
  const few = await depthloom("check", disk.file("few.npy", npyOf("<u2", [3, 1], new Uint8Array(6).fill(4))));
  expect(few.stdout).toMatch(/^fill rate +100 %.*\n(.*\n)*temporal noise +cannot tell: needs 2 frames/m);
  const outside = await depthloom("check", path, "--region", "300,0,40,40");
  expect([outside.status, outside.stderr]).toEqual([
    2,
    expect.stringContaining("--region lies outside of the image, which is 320x240"),
  ]);
});

const data = join(root, "../shared/data");
const HEALTHY = [
  "gotpd_kinect2_overhead",
  "redwood_noisy",
  "realsense_d435.bag",
  "azure_kinect.mkv",
  "tum_fr1_xyz",
  "xtion_icsl_square",
];
if (!QUICK) {
  test.skipIf(!existsSync(data)).each(HEALTHY)(
    "depthloom check finds no fault in the healthy recording %s",
    async (name) => {
      const { stdout } = await depthloom("check", join(data, name), "--frames", "12", "--json");
      expect((JSON.parse(stdout) as { faults: unknown[] }).faults).toEqual([]);
    },
  );
}

interface Aligned {
  readonly cameras: readonly {
    toFirst: number[] | null;
    partner: number | null;
    plusMinusMm: number[];
    overlap: number;
    clock: { why?: string };
  }[];
}

slowTest(
  "depthloom align tells where cameras stand, and writes their transforms, their cloud and how far they disagree",
  async () => {
    const [[first, second] = []] = [...randomRigs(1, 2, 1)];
    if (!first || !second) throw new Error("there is no such rig");
    const rig = [first, second, within(second, turned([-0.3, 0.1, 0.2], [0, 1, 0], 0.2))];
    const paths = rig.map((camera, seed) => recorded(roomFrames(camera, { seed, count: 4 })));
    const results = disk.folder({});
    const [tf, cloud, picture] = ["places.mcap", "room.ply", "off.png"].map((name) => join(results, name)) as [
      string,
      string,
      string,
    ];
    const asked = [...paths, "--json", "--tf", tf, "--out", cloud, "--picture", picture];
    const { status, stdout, stderr } = await depthloom("align", ...asked);
    expect(status, stderr).toBe(0);
    const { cameras } = JSON.parse(stdout) as Aligned;
    for (const [k, { toFirst, plusMinusMm, overlap }] of cameras.entries()) {
      const { mm, degrees, shift } = wrongBy(toFirst ?? [], first, rig[k] ?? first);
      expect(mm, `camera ${k}`).toBeLessThan(5);
      expect(degrees, `camera ${k}`).toBeLessThan(0.3);
      for (const [axis, off] of shift.entries())
        expect(Math.abs(off), `camera ${k}, axis ${axis}`).toBeLessThan(1.5 * (plusMinusMm[axis] ?? 0) + 0.001);
      expect(overlap).toBeGreaterThan(0.1);
    }
    expect(cameras[1]).toMatchObject({ clock: { why: expect.stringContaining("nothing moves") } });
    const file = (await openPath(tf)) as ByteFile;
    onTestFinished(() => file.close());
    const log = await openMcapLog(file);
    const { translation = [], rotation = [] } =
      placementByFrames(await staticFrames(log), "camera_2", "camera_1")?.extrinsics ?? {};
    const written = [0, 1, 2].flatMap((row) => [...rotation.slice(3 * row, 3 * row + 3), translation[row] ?? 0]);
    const { toFirst } = cameras[1] ?? {};
    expect(Math.max(...written.map((value, k) => Math.abs(value - (toFirst?.[k] ?? 9))))).toBeLessThan(1e-6);
    expect(readFileSync(cloud).toString("latin1", 0, 200)).toMatch(/element vertex [1-9]\d{5}\n/);
    expect([existsSync(picture), readFileSync(picture).readUInt32BE(16)]).toEqual([true, 640]);
    const again = await depthloom("align", ...paths, "--tf", tf);
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining("it exists already")]);
  },
  // Two cores take more than a minute for three pairs of views.
  300_000,
);
