import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { openRecording } from "../../sources/index.ts";
import { defaultNames, registry } from "../../stages/registry.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { tumZip } from "../browser/recordings.ts";
import { replayHere, requestOf } from "../cli/replayHere.ts";
import { depthHash, useFolder } from "../sources/fixtures.ts";

// A frame that the viewer seeks to has, bit for bit, the filtered depth that `replay` writes of it.

const disk = useFolder();
const FRAMES = 7;

/** A camera's recording, on machines that have it. */
const REAL = "../shared/data/gotpd_kinect2_overhead";

function tiny(): string {
  const path = join(disk.root, "tiny.zip");
  writeFileSync(path, tumZip(FRAMES));
  return path;
}

/** The frames' hashes as `replay` prints them. */
async function replayed(path: string, names: readonly string[], start: number, frames: number): Promise<string[]> {
  await using recording = await openRecording(path);
  const request = requestOf({ chosen: chooseStages(names, undefined), start, frames });
  const { outputs } = await replayHere(recording, request);
  return [...outputs].map(({ depthSha256 }) => depthSha256);
}

/** Seeks to frames one after the other, as the timeline does, through the viewer's kind of pipeline; the hashes of their depth. */
async function sought(path: string, names: readonly string[], order: readonly number[]): Promise<string[]> {
  const recording = await openRecording(path);
  const player = new Player();
  const pipeline = await createPipeline({ stages: chooseStages(names, undefined).stages, backend: "cpu" });
  const shown: { index: number; sha: Promise<string> }[] = [];
  const stream = player.frames$.pipe(pipeline.process("latest", { inFlight: 1 })).subscribe((frame) => {
    shown.push({ index: frame.index, sha: frame.readDepth().then(({ data }) => depthHash(data)) });
  });
  player.open(recording);
  const shas: string[] = [];
  for (const index of order) {
    const before = shown.length;
    player.seek(index);
    // A frame that was in flight when `seek` was called may come before.
    await expect.poll(() => shown.slice(before).some((frame) => frame.index === index)).toBe(true);
    shas.push((await shown.at(-1)?.sha) ?? "");
  }
  stream.unsubscribe();
  player.pause();
  await recording.close();
  await pipeline.destroy();
  return shas;
}

const ORDER = [4, 1, 6, 0, 0];

describe("seeking to a frame", () => {
  test("through stages without a memory gives the depth of a replay of the whole recording", async () => {
    const names = ["median", "bilateralGrid", "compact"];
    const path = tiny();
    const all = await replayed(path, names, 0, FRAMES);
    expect(new Set(all).size).toBe(FRAMES);
    expect(await sought(path, names, ORDER)).toEqual(ORDER.map((index) => all[index]));
  });

  describe.each([
    { name: "a tiny recording", real: false, order: ORDER },
    { name: "a camera's recording", real: true, order: [17, 3] },
  ])("in $name", ({ real, order }) => {
    test.skipIf(real && !existsSync(REAL))(
      "through the default stages, some with a memory, gives the depth of a replay that starts at the frame",
      async () => {
        const path = real ? REAL : tiny();
        // Stages that draw a picture are left out: only depth is compared, and they cost most.
        const names = defaultNames().filter((name) => registry.get(name)?.role !== "picture");
        expect(names).toContain("temporal");
        const alone = await Promise.all(order.map((index) => replayed(path, names, index, 1)));
        expect(await sought(path, names, order)).toEqual(alone.flat());
      },
    );
  });
});
