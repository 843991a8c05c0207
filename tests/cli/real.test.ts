import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../sources/write/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { type Document, replayed, root } from "./command.ts";

// Real recordings beside the checkout. Tests of absent recordings are shown as skipped.
const data = join(root, "../shared/data");
const disk = useFolder();

/** Format, size, share of valid pixels and the beginning of the SHA-256 of the first frame, as it was recorded. */
const RECORDINGS = [
  ["tum_fr1_xyz", "tum", 640, 480, 0.7483, "8cbd088929afa873"],
  ["gotpd_kinect2_overhead", "png", 512, 424, 0.9037, "705ea155344e6579"],
  ["redwood_noisy", "png", 640, 480, 0.9176, "1572b550e47208d5"],
  ["redwood_clean", "png", 640, 480, 0.9776, "ed581fadb597715b"],
  ["xtion_icsl_square", "png", 640, 480, 0.843, "e85f767e4f27282b"],
  ["sr305_hand", "png", 640, 480, 0.2312, "6547f17b40b38fa3"],
  // Its 65535 also mean "no measurement" and become 0, so that depth differs from the recorded bytes.
  ["aims_realsense", "png", 640, 480, 0.9027, ""],
] as const;

const FILTERED = "passes median and bilateralGrid without a pixel lost or made";

async function filtered(recording: string): Promise<Document["outputs"]> {
  const { outputs } = await replayed(recording, "--stages", "median,bilateralGrid,compact", "--frames", "3");
  for (const { validIn, validOut, points } of outputs) expect([validOut, points]).toEqual([validIn, validIn]);
  expect(outputs).toHaveLength(3);
  expect(outputs[0]?.validIn).toBeGreaterThan(0);
  return outputs;
}

describe.each(RECORDINGS)("%s", (name, format, width, height, share, sha) => {
  const recording = join(data, name);

  test.skipIf(!existsSync(recording))("is read as it was recorded", async () => {
    const document = await replayed(recording, "--stages", "compact", "--frames", "1", "--backend", "cpu");
    expect(document).toMatchObject({
      recording,
      format,
      width,
      height,
      frames: 1,
      dropped: 0,
      backend: "cpu",
      adapter: null,
    });
    const [first] = document.outputs;
    expect(first?.validIn).toBe(first?.validOut);
    expect(first?.points).toBe(first?.validOut);
    expect((first?.validIn ?? 0) / (width * height)).toBeCloseTo(share, 4);
    expect(first?.depthSha256.slice(0, sha.length)).toBe(sha);
  });

  test.skipIf(!existsSync(recording))(FILTERED, async () => {
    await filtered(recording);
  });
});

test(`a synthetic room ${FILTERED}, with the same result twice`, async () => {
  const recording = join(disk.root, "room");
  await writePngFolder(syntheticRoom({ width: 320, height: 240, frames: 3 }), recording, { truth: false });
  expect(await filtered(recording)).toEqual(await filtered(recording));
});

test.skipIf(!existsSync(join(data, "azure_kinect.mkv")))("replay plays an Azure Kinect's own recording", async () => {
  const document = await replayed(join(data, "azure_kinect.mkv"), "--backend", "cpu", "--stages", "median,compact");
  expect(document).toMatchObject({ format: "mkv", width: 640, height: 576, frames: 1, unreadable: 0 });
});
