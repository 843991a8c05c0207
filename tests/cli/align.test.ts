import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { turned, within } from "../../sources/synthetic/geometry.ts";
import { LENS, randomRigs, roomFrames, wrongBy } from "../measure/rigs.ts";
import { depthPng, useFolder } from "../sources/fixtures.ts";
import { depthloom } from "./command.ts";

const disk = useFolder();

interface Aligned {
  readonly cameras: readonly {
    toFirst: number[] | null;
    partner: number | null;
    plusMinusMm: number[];
    overlap: number;
    clock: { why?: string };
  }[];
}

test("depthloom align tells where cameras stand, and writes their transforms, their cloud and how far they disagree", async () => {
  const [[first, second] = []] = [...randomRigs(1, 2, 1)];
  if (!first || !second) throw new Error("there is no such rig");
  const rig = [first, second, within(second, turned([-0.3, 0.1, 0.2], [0, 1, 0], 0.2))];
  const { fx, fy, cx, cy, width, height } = LENS;
  const paths = rig.map((camera, seed) => {
    const frames = roomFrames(camera, { seed, count: 4 });
    const files = frames.map(({ depth }, k) => [`depth/${k}.png`, depthPng(depth.data, width, height)] as const);
    const text = JSON.stringify({ intrinsics: { fx, fy, cx, cy }, fps: 30 });
    return disk.folder({ ...Object.fromEntries(files), "recording.json": text });
  });
  const results = disk.folder({});
  const [tf, cloud, picture] = ["places.sh", "room.ply", "off.png"].map((name) => join(results, name)) as [
    string,
    string,
    string,
  ];
  const { status, stdout, stderr } = await depthloom(
    "align",
    ...paths,
    "--json",
    "--tf",
    tf,
    "--out",
    cloud,
    "--picture",
    picture,
  );
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
  expect(cameras[1]).toMatchObject({ clock: { why: expect.stringContaining("fewer than 30 frames") } });
  expect(readFileSync(tf, "utf8")).toMatch(
    /static_transform_publisher --x -?\d+\.\d{6} .* --qw -?[\d.]+ --frame-id camera_1 --child-frame-id camera_2 &/,
  );
  expect(readFileSync(cloud).toString("latin1", 0, 200)).toMatch(/element vertex [1-9]\d{5}\n/);
  expect([existsSync(picture), readFileSync(picture).readUInt32BE(16)]).toEqual([true, 640]);
  const again = await depthloom("align", ...paths, "--tf", tf);
  expect([again.status, again.stderr]).toEqual([2, expect.stringContaining("it exists already")]);
});
