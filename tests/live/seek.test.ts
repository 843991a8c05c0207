import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { openRecording } from "../../sources/index.ts";
import { defaultStages, registry } from "../../stages/registry.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { replay } from "../../viewer/replay/replay.ts";
import { chooseStages } from "../../viewer/replay/settings.ts";
import { tumZip } from "../browser/recordings.ts";
import { useFolder } from "../sources/fixtures.ts";

// To go to a frame in the viewer is to see that frame: its filtered depth, read back, is to the last bit what replay writes.

const disk = useFolder();
const FRAMES = 7;

async function recordingOnDisk() {
  const path = join(disk.root, "tiny.zip");
  writeFileSync(path, tumZip(FRAMES));
  return openRecording(path);
}

/** What replay says of frames. */
async function replayed(names: readonly string[], start: number, frames: number): Promise<string[]> {
  const recording = await recordingOnDisk();
  const request = {
    recording: recording.name,
    chosen: chooseStages(names, undefined),
    backend: "cpu",
    noise: "off",
    adapter: "auto",
    timeEvery: 1,
    policy: "lossless",
    start,
    frames,
    loop: 1,
    out: undefined,
    force: false,
    ply: false,
    raw: false,
    outputs: true,
    viewSize: undefined,
    orbit: undefined,
  } as const;
  const listener = { warn() {}, progress() {}, stop: new AbortController().signal };
  const { outputs } = await replay(recording, request, listener);
  await recording.close();
  return [...outputs].map(({ depthSha256 }) => depthSha256);
}

/** Goes to frames one after the other, as the timeline does, through a pipeline as the viewer's; what was read back of each. */
async function sought(names: readonly string[], order: readonly number[]): Promise<string[]> {
  const recording = await recordingOnDisk();
  const player = new Player();
  const pipeline = await createPipeline({ stages: chooseStages(names, undefined).stages, backend: "cpu" });
  const shown: { index: number; sha: Promise<string> }[] = [];
  const stream = player.frames$.pipe(pipeline.process("latest", { inFlight: 1 })).subscribe((frame) => {
    const sha = frame.readDepth().then(({ data }) =>
      createHash("sha256")
        .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
        .digest("hex"),
    );
    shown.push({ index: frame.index, sha });
  });
  player.open(recording);
  const shas: string[] = [];
  for (const index of order) {
    const before = shown.length;
    player.seek(index);
    // What was on its way when it was sought comes first.
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
  test("without a memory: each is as in a replay of all of them", async () => {
    const names = ["despeckle", "median", "bilateralGrid", "compact"];
    const all = await replayed(names, 0, FRAMES);
    expect(new Set(all).size).toBe(FRAMES);
    expect(await sought(names, ORDER)).toEqual(ORDER.map((index) => all[index]));
  });

  test("with the stages that run by default, one of which remembers: each is as in a replay that starts there", async () => {
    // A picture is not what is compared, and costs most.
    const names = defaultStages().filter((name) => registry.get(name)?.role !== "picture");
    expect(names).toContain("temporal");
    const alone = await Promise.all(ORDER.map((index) => replayed(names, index, 1)));
    expect(await sought(names, ORDER)).toEqual(alone.flat());
  });
});
