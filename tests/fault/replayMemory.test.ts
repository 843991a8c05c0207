import { join } from "node:path";
import { expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writeTum } from "../../write/index.ts";
import { type Document, start } from "../cli/command.ts";
import { useFolder } from "../sources/fixtures.ts";

const disk = useFolder();
const TELL =
  "process.on('exit', () => process.stderr.write('maxRSS ' + process.resourceUsage().maxRSS / 1024 + '\\n'))";

/** The number of frames replayed, and the process's peak memory in MB (which begins at that of its parent process). */
async function replayedIn(recording: string, ...args: string[]): Promise<{ frames: number; megabytes: number }> {
  const { ended } = start(["replay", recording, "--json", ...args], ["--import", `data:text/javascript,${TELL}`]);
  const { status, stdout, stderr } = await ended;
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^maxRSS [\d.]+\n$/)]);
  return { frames: (JSON.parse(stdout) as Document).frames, megabytes: Number(stderr.slice("maxRSS ".length)) };
}

test.each([
  ["the CPU", ["--backend", "cpu", "--stages", "median,compact"]],
  ["the software GPU", ["--adapter", "software", "--stages", "median"]],
])(
  "replay does not take more memory for a longer recording, on %s",
  async (place, args) => {
    const recording = join(disk.root, `room of ${place}`);
    // A frame takes 0.46 MB with its colour, so 200 frames kept in memory would show.
    await writeTum(syntheticRoom({ width: 320, height: 240, frames: 4 }), recording);
    const out = ["--out", join(disk.root, `out of ${place}`)];
    const short = await replayedIn(recording, ...args, ...out, "--loop", "5");
    const long = await replayedIn(recording, ...args, ...out, "--force", "--loop", "60");
    expect([short.frames, long.frames]).toEqual([20, 240]);
    expect(long.megabytes).toBeLessThan(400);
    expect(long.megabytes - short.megabytes).toBeLessThan(80);
  },
  180_000,
);
