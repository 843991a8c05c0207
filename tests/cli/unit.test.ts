import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FrameOutput } from "../../run/replay/outputLog.ts";
import { openRecording } from "../../sources/index.ts";
import { depthPng, useFolder } from "../sources/fixtures.ts";
import { type Document, depthloom } from "./command.ts";

// Filtered depth has a finer unit than a recording of whole millimetres: one unit for the whole run, stated wherever depth is written.

const disk = useFolder();
const [WIDTH, HEIGHT] = [40, 30];
const FAR = WIDTH * 15 + 21;

/** A wall at about a metre, whose farthest pixel in each frame is at `farMm`. */
function recording(...farMm: readonly number[]): string {
  const frames = farMm.map((far, index) => {
    const data = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) =>
      i % 9 === 0 ? 0 : 1000 + (i % WIDTH) * 2 + ((i * 7919 + index * 104729) % 13),
    );
    data[FAR] = far;
    return [`depth/${String(index).padStart(6, "0")}.png`, depthPng(data, WIDTH, HEIGHT)] as const;
  });
  const about = { metresPerUnit: 0.001, fps: 5, intrinsics: { fx: 50, fy: 50, cx: 19.5, cy: 14.5 } };
  return disk.folder({ ...Object.fromEntries(frames), "recording.json": JSON.stringify(about) });
}

async function replay(place: string, stages: string, ...more: readonly string[]) {
  const args = ["--json", "--backend", "cpu", "--stages", stages, ...more];
  const { status, stdout, stderr } = await depthloom("replay", place, ...args);
  expect([status, stderr.includes("failed")]).toEqual([0, false]);
  return { document: JSON.parse(stdout) as Document, stderr };
}

/** The filtered depth that was written, in metres. */
async function written(place: string) {
  const opened = await openRecording(place);
  try {
    const frames = await Promise.all(Array.from({ length: opened.length }, (_, i) => opened.read(i)));
    return frames.map(({ depth, metresPerUnit }) => ({
      metresPerUnit,
      metres: Array.from(depth.data, (value) => value * metresPerUnit),
    }));
  } finally {
    await opened.close();
  }
}

const hashes = (outputs: readonly FrameOutput[]) => outputs.map(({ depthSha256 }) => depthSha256);

describe("the unit of filtered depth", () => {
  test("is finer if a stage smooths, and the recording's if none does", async () => {
    const place = recording(1200, 1200);
    expect((await replay(place, "bilateralGrid")).document.metresPerUnit).toBe(0.0002);
    expect((await replay(place, "despeckle,median")).document.metresPerUnit).toBe(0.001);
  });

  test.each(["auto", "off"])(
    "is that of frame 0 wherever the run starts, so that a frame's hash stays the same (--noise %s)",
    async (noise) => {
      const place = recording(15_000, 1200, 1200);
      const all = (await replay(place, "bilateralGrid", "--noise", noise)).document;
      const last = (await replay(place, "bilateralGrid", "--noise", noise, "--start", "2")).document;
      expect([all.metresPerUnit, last.metresPerUnit]).toEqual([0.001 / 3, 0.001 / 3]);
      expect(hashes(last.outputs)).toEqual(hashes(all.outputs).slice(2));
    },
  );

  test.each(["out", "out.mcap"])("is read back from %s to the last digit", async (name) => {
    const out = join(disk.folder({}), name);
    const { document } = await replay(recording(1200, 1200), "bilateralGrid", "--out", out);
    const frames = await written(out);
    expect(frames.map(({ metresPerUnit }) => metresPerUnit)).toEqual([0.0002, 0.0002]);
    expect(frames[0]?.metres.some((z) => Math.abs(z * 1000 - Math.round(z * 1000)) > 0.1)).toBe(true);
    const again = await replay(out, "threshold");
    expect(hashes(again.document.outputs)).toEqual(hashes(document.outputs));
  });
});

describe("a later frame that reaches farther than the unit", () => {
  test.each(["out", "out.mcap"])(
    "restarts the run with one note: all of %s has one unit, and no pixel is lost",
    async (name) => {
      const place = recording(1200, 1200, 20_000, 1200);
      const out = join(disk.folder({}), name);
      const { document, stderr } = await replay(place, "bilateralGrid,temporal", "--out", out);
      expect(document).toMatchObject({ metresPerUnit: 0.0005, frames: 4, dropped: 0 });
      expect(document.outputs.map(({ index, validIn, validOut }) => [index, validIn - validOut])).toEqual([
        [0, 0],
        [1, 0],
        [2, 0],
        [3, 0],
      ]);
      expect(stderr.match(/frame 2 reaches farther than 13\.1 m/g)).toHaveLength(1);
      const frames = await written(out);
      expect(frames.map(({ metresPerUnit }) => metresPerUnit)).toEqual([0.0005, 0.0005, 0.0005, 0.0005]);
      expect(frames.map(({ metres }) => Number(metres[FAR]?.toFixed(3)))).toEqual(
        [1.2, 1.2, 20, 1.2].map((z) => expect.closeTo(z, 1)),
      );
    },
  );

  test("restarts `filter --to FILE.mcap`, too, where nothing else was given the frames", async () => {
    const out = join(disk.folder({}), "out.mcap");
    const args = ["--backend", "cpu", "--stages", "bilateralGrid", "--to", out];
    const { status, stderr } = await depthloom("filter", recording(1200, 1200, 20_000, 1200), ...args);
    expect([status, stderr.match(/frame 2 reaches farther than 13\.1 m/g)]).toEqual([0, expect.any(Array)]);
    expect(stderr).not.toMatch(/too far/);
    const frames = await written(out);
    expect(frames.map(({ metresPerUnit }) => metresPerUnit)).toEqual([0.0005, 0.0005, 0.0005, 0.0005]);
    expect(frames.map(({ metres }) => metres[FAR])).toEqual([1.2, 1.2, 20, 1.2].map((z) => expect.closeTo(z, 1)));
  });
});
