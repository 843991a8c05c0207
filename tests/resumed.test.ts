import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Writable } from "node:stream";
import { NEVER } from "rxjs";
import { expect, onTestFinished, test } from "vitest";
import type { DepthFrame } from "../core/frame.ts";
import { convert } from "../run/convert/convert.ts";
import { RawSink } from "../run/filter/sink.ts";
import { publish } from "../run/publish/index.ts";
import { openRecording, SourceError } from "../sources/index.ts";
import { flatFrame } from "./pipeline/fakes.ts";
import { useFolder } from "./sources/fixtures.ts";

// What goes on after a stop or a fault keeps to what was begun.

const disk = useFolder();
const metresOf = ({ depth, metresPerUnit }: DepthFrame) => Number((depth.data[20] * metresPerUnit).toFixed(4));

/** A recording in memory, of one metre everywhere. */
function made(frames: readonly DepthFrame[], pose?: (index: number) => Promise<never>) {
  const read = async (index: number) => frames[index];
  const about = {
    name: "made",
    format: "made",
    fps: 30,
    length: frames.length,
    warnings: [],
    facts: [],
    topics: undefined,
  };
  return { ...about, read, timestampOf: (i: number) => 33 * i, close: async () => {}, ...(pose && { pose }) };
}

/** Converts; stops after `stopAt` frames. */
async function converted(
  recording: ReturnType<typeof made>,
  kind: string,
  out: string,
  codec = "zstd",
  stopAt = Infinity,
) {
  const stop = new AbortController();
  const onFrame = (done: number) => done >= stopAt && stop.abort(new Error("stopped"));
  const request = { input: "/nowhere", out, kind, codec, start: 0, frames: undefined, force: false };
  return convert(recording as never, request as never, { signal: stop.signal, onResume() {}, onFrame });
}

test.each([
  ["png", "zstd", "folder"],
  ["mcap", "v2", "packed.mcap"],
  ["mcap", "zstd", "plain.mcap"],
])(
  "a conversion to %s (%s) that goes on among frames of another unit keeps the first frame's",
  async (kind, codec, name) => {
    const fine = (i: number) => ({ ...flatFrame(i, 10_000, 16, 8), metresPerUnit: 0.0001 });
    const recording = made([0, 1, 2, 3, 4, 5].map((i) => (i < 3 ? flatFrame(i, 1000, 16, 8) : fine(i))));
    const out = join(disk.root, name);
    const { done } = await converted(recording, kind, out, codec, 4);
    expect(done).toBeLessThan(6);
    await converted(recording, kind, out, codec);
    const back = await openRecording(out);
    const read = [];
    for (let i = 0; i < back.length; i++) read.push(metresOf(await back.read(i)));
    await back.close();
    expect(read).toEqual(Array(6).fill(1));
  },
);

test.each(["png", "tum", "ply"])(
  "a pose that cannot be read costs a conversion to %s that pose alone",
  async (kind) => {
    const pose = async (i: number) =>
      (i === 1 ? Promise.reject(new SourceError("damaged")) : rightBy(i)) as Promise<never>;
    const out = join(disk.root, `posed-${kind}`);
    expect(
      await converted(
        made(
          [0, 1, 2].map((i) => flatFrame(i)),
          pose,
        ),
        kind,
        out,
      ),
    ).toMatchObject({ done: 3, of: 3 });
    const text = readFileSync(join(out, kind === "tum" ? "groundtruth.txt" : "times.csv"), "utf8");
    const lines = text
      .trimEnd()
      .split("\n")
      .slice(kind === "tum" ? 2 : 1);
    expect(lines.map((line) => Number(line.split(/[ ,]/)[1] || NaN))).toEqual(kind === "tum" ? [0, 2] : [0, NaN, 2]);
  },
);

const rightBy = (x: number) => [1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

test("the raw stream leaves out frames of another size than its first, and says so", async () => {
  let bytes = 0;
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      bytes += chunk.length;
      done();
    },
  });
  const sink = new RawSink(
    stream,
    () => {},
    undefined,
    (line) => lines.push(line),
  );
  for (const frame of [flatFrame(0), flatFrame(1, 1000, 8, 6), flatFrame(2)]) await sink.frame(frame);
  expect([bytes, lines]).toEqual([
    60,
    [expect.stringMatching(/5 × 3 pixels: those of another size \(8 × 6\) are left out/)],
  ]);
  expect(sink.told()).toBe("standard output: 2 frames written; 1 frame of another size left out");
});

test("publish ends by its signal while a server does not answer", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as { port: number };
  const stop = new AbortController();
  const publishing = publish(NEVER, { url: `ws://127.0.0.1:${port}`, signal: stop.signal });
  setTimeout(() => stop.abort(new Error("left")), 50);
  await expect(publishing).rejects.toThrow("left");
});
