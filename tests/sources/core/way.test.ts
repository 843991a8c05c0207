import { expect, test } from "vitest";
import { wayOf } from "../../../core/way.ts";
import { timed } from "../../../viewer/live/source/readings.ts";
import { tumContents, useFolder, zipOf } from "../fixtures.ts";
import { mcapOf } from "../logs/files.ts";
import { ros2Depth } from "../logs/messages.ts";

const disk = useFolder();

const zip = async () => zipOf(tumContents(3));
/** Raw images in packed chunks: a library unpacks them, and no image decoder runs. */
const mcap = () =>
  mcapOf(
    [0, 1].map((i) => {
      const message = ros2Depth(i, "eye");
      return { topic: "/depth", time: 1000 + i * 40, message };
    }),
    { compression: "zstd" },
  );

test.each([
  [true, "way.zip", zip],
  [false, "way.zip", zip],
  [false, "way.mcap", mcap],
] as const)(
  "how long a frame of a recording was decoded is known of each frame, and is not counted as reading (worker: %s, %s)",
  async (worker, name, make) => {
    const recording = await disk.open(disk.file(`${worker}-${name}`, await make()), { worker });
    const readings: { readMs: number; decodeMs: number }[] = [];
    const played = timed(recording, (reading) => readings.push(reading));
    const startMs = performance.now();
    const frames = [await played.read(0), await played.read(1)];
    const tookMs = performance.now() - startMs;
    for (const frame of frames) expect(wayOf(frame)?.decodeMs).toBeGreaterThan(0);
    for (const { readMs, decodeMs } of readings) expect(readMs + decodeMs).toBeLessThanOrEqual(tookMs);
    expect(readings).toHaveLength(2);
  },
);
