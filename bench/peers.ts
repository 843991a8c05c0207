import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compareWithOurs } from "./agreement.ts";
import type { Input, PeerResult } from "./types.ts";

/**
 * For each program, the kinds of data that change its time or make its output comparable; programs for the CPU are slow on large frames.
 */
const PROGRAMS: readonly { readonly name: string; readonly leavesOut: RegExp; readonly mostPixels: number }[] = [
  { name: "cub", leavesOut: /^filled$/, mostPixels: Number.POSITIVE_INFINITY },
  { name: "npp", leavesOut: /^(random.*|filled)$/, mostPixels: Number.POSITIVE_INFINITY },
  { name: "opencv", leavesOut: /^(random.*|filled)$/, mostPixels: 1920 * 1080 },
  { name: "pcl", leavesOut: /^random/, mostPixels: 1920 * 1080 },
];

interface Line extends Pick<PeerResult, "name" | "stage" | "medianUs" | "p10Us" | "p90Us" | "bytes"> {
  /** How to interpret `output`, a file beside the input; empty where there is nothing to compare. */
  readonly kind: string;
  readonly output: string;
}

/** The programs that are built in a folder. */
export const peersIn = (folder: string): string[] =>
  PROGRAMS.map(({ name }) => name).filter((name) => existsSync(join(folder, name)));

/**
 * Runs the peers in `folder` on the input's images and compares their results with ours. A peer that fails (no GPU, a missing library) is
 * noted and left out.
 */
export function runPeers(folder: string, input: Input, trials: number, note: (line: string) => void): PeerResult[] {
  const results: PeerResult[] = [];
  const { width, height } = input.shape.intrinsics;
  const scratch = mkdtempSync(join(tmpdir(), "depthloom-bench-"));
  try {
    const frames = join(scratch, "frames.bin");
    writeFrames(frames, input);
    for (const { name: program, leavesOut, mostPixels } of PROGRAMS) {
      const path = resolve(folder, program);
      if (!existsSync(path) || leavesOut.test(input.data) || width * height > mostPixels) continue;
      const run = spawnSync(path, [frames, scratch, String(trials)], { encoding: "utf8", maxBuffer: 1 << 24 });
      if (run.status !== 0) {
        const why = run.error?.message ?? (run.stderr.trim() || `ended with ${run.status ?? run.signal}`);
        note(`${program}: left out: ${why.split("\n")[0]}`);
        continue;
      }
      for (const line of run.stderr.split("\n").filter((text) => text !== "")) note(`${program}: ${line}`);
      const { peers } = JSON.parse(run.stdout) as { peers: Line[] };
      for (const { kind, output, ...line } of peers) {
        const bytes = output ? readFileSync(join(scratch, output)) : undefined;
        const compared = compareWithOurs(kind, line.name, bytes, input);
        if (compared.agrees === false) note(`${line.name}: does not agree with us: ${compared.comparison}`);
        results.push({ ...line, ...compared, program, data: input.data, width, height, elements: width * height });
      }
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return results;
}

/** Writes the input file in the format that peers/peer.hpp describes. */
function writeFrames(path: string, { shape, images }: Input): void {
  const { fx, fy, cx, cy, width, height } = shape.intrinsics;
  const header = Buffer.alloc(64);
  header.write("DLB1");
  for (const [i, n] of [width, height, images.length].entries()) header.writeUInt32LE(n, 4 + i * 4);
  for (const [i, x] of [shape.metresPerUnit, fx, fy, cx, cy].entries()) header.writeFloatLE(x, 16 + i * 4);
  writeFileSync(path, header);
  for (const image of images) writeFileSync(path, image, { flag: "a" });
}
