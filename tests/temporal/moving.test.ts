import { describe, expect, test } from "vitest";
import type { DepthArray, FrameShape } from "../../core/frame.ts";
import { turned } from "../../core/pose.ts";
import { POSE_BYTES, packPose } from "../../stages/core/packPose.ts";
import { type CameraPose, POSE_STATE } from "../../stages/core/pose.ts";
import { createDepthImage, type FrameContext } from "../../stages/core/resources.ts";
import type { CpuFrame, Twin } from "../../stages/core/stage.ts";
import { temporalTwin } from "../../stages/temporal/cpu.ts";
import { temporal } from "../../stages/temporal/index.ts";
import { expectImage, fillWords, image, padded, readWords, runFrame, useGpu } from "../gpu.ts";
import { lensOf, type Seen, strolled } from "./moving.ts";
import { at } from "./scenes.ts";

// temporal's memory moves with the camera.

const plainTwin = (shape: FrameShape, stage = temporal()) =>
  temporalTwin(shape, stage.parameters as unknown as Parameters<typeof temporalTwin>[1]);

function outOf(twin: Twin, depth: DepthArray, pose: CameraPose | undefined, context: FrameContext): Uint16Array {
  const frame: CpuFrame = { depth, color: undefined, points: undefined, picture: undefined, pose };
  twin.run(frame, context);
  return frame.depth.data.slice();
}

/** Root mean square difference in units, where both are valid. */
function rmsOf(got: Uint16Array, truth: Uint16Array): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < got.length; i++) {
    if (got[i] === 0) continue;
    sum += Math.min(50, Math.abs(got[i] - truth[i])) ** 2;
    count++;
  }
  return Math.sqrt(sum / count);
}

describe("temporal, while the camera moves,", () => {
  const shape = lensOf(160, 120, 0.0002);
  const frames = strolled(shape, 14);

  test("halves the noise by moving its memory along, and cannot do so without the pose", () => {
    const [along, without] = [temporal().twin(shape), temporal().twin(shape)];
    let [raw, moved, unmoved] = [0, 0, 0];
    for (const [i, { depth, clean, pose }] of frames.entries()) {
      const [a, b] = [outOf(along, depth, pose, at(i)), outOf(without, depth, undefined, at(i))];
      [raw, moved, unmoved] = [rmsOf(depth.data, clean.data), rmsOf(a, clean.data), rmsOf(b, clean.data)];
    }
    expect(moved).toBeLessThan(0.5 * raw);
    expect(unmoved).toBeGreaterThan(0.7 * raw);
  });

  test("keeps invalid pixels invalid and valid pixels valid", () => {
    const twin = temporal().twin(shape);
    for (const [i, { depth, pose }] of frames.entries()) {
      const out = outOf(twin, depth, pose, at(i));
      expect(out.findIndex((value, k) => (value === 0) !== (depth.data[k] === 0))).toBe(-1);
    }
  });

  test("with a wrong pose, moves no pixel by four sigma from its measurement and adds at most 20 % noise", () => {
    const twin = temporal().twin(shape);
    const wrong = turned([0.004, -0.004, 0.002], [0.008, -0.008, 0.008]);
    let rms = 0;
    for (const [i, { depth, clean, pose }] of frames.entries()) {
      const out = outOf(twin, depth, { ...pose, toBefore: wrong }, at(i));
      rms = rmsOf(out, clean.data);
      // Sigma is 1 mm + 1 mm per m²; a unit is 0.2 mm.
      const jumped = out.findIndex(
        (value, k) => Math.abs(value - depth.data[k]) > 20 * (1 + (depth.data[k] / 5000) ** 2) + 1,
      );
      expect(jumped, `frame ${i}`).toBe(-1);
    }
    expect(rms).toBeLessThan(1.2 * rmsOf(frames[13].depth.data, frames[13].clean.data));
  });

  test("gives the same bits for a camera that is still as without a pose", () => {
    const [posed, plain] = [temporal().twin(shape), temporal().twin(shape)];
    for (const [i, { depth, pose }] of frames.entries()) {
      const expected = outOf(plain, depth, undefined, at(i));
      const out = outOf(posed, depth, { ...pose, state: POSE_STATE.still }, at(i));
      expectImage(out, expected, { width: 160, name: `frame ${i}` });
    }
  });

  test("begins anew when the camera is lost", () => {
    const twins = [temporal().twin(shape), plainTwin(shape)];
    for (const [i, { depth, pose }] of frames.entries()) {
      const state = i === 6 ? POSE_STATE.lost : pose.state;
      for (const twin of twins) {
        const out = outOf(twin, depth, { ...pose, state }, at(i));
        if (i === 6) expectImage(out, depth.data, { width: 160, name: `frame ${i}` });
        else if (i > 0) expect(out).not.toEqual(depth.data);
      }
    }
  });

  test.each([
    [1, 1],
    [7, 3],
    [8, 9],
    [64, 5],
    [131, 47],
  ])("in vectors equals the plain twin at %i × %i, to the last bit", (width, height) => {
    const lens = lensOf(width, height);
    const [plain, vectors] = [plainTwin(lens), temporal().twin(lens)];
    for (const [i, { depth, pose }] of strolled(lens, 6).entries()) {
      for (const context of [at(i), { ...at(i), fresh: false }]) {
        const expected = outOf(plain, depth, pose, context);
        expectImage(outOf(vectors, depth, pose, context), expected, { width, name: `frame ${i}` });
      }
    }
  });
});

describe("temporal on the GPU", () => {
  const gpu = useGpu();

  /** Runs twin and kernels, each frame twice: they leave the same depth, to the last bit. */
  async function expectTwin(frames: readonly Seen[], shape: FrameShape) {
    const { device } = gpu;
    const { width, height } = shape.intrinsics;
    const depth = createDepthImage(device, "test", width, height);
    const { STORAGE, COPY_DST } = GPUBufferUsage;
    const buffer = device.createBuffer({ label: "test pose", size: POSE_BYTES, usage: STORAGE | COPY_DST });
    const stage = temporal();
    const input = { depth, color: undefined, points: undefined, picture: undefined, pose: { buffer } };
    const built = await stage.build({ device, shape, input });
    const { depth: output } = built.output;
    if (!output) throw new Error("the stage leaves no depth");
    const twin = stage.twin(shape);
    for (const [i, frame] of frames.entries()) {
      for (const context of [at(i), { ...at(i), fresh: false }]) {
        device.queue.writeBuffer(depth.buffer, 0, padded(frame.depth));
        device.queue.writeBuffer(buffer, 0, packPose(frame.pose));
        fillWords(device, output.buffer, 0xabcdabcd);
        runFrame(device, built, context);
        const got = new Uint16Array((await readWords(device, output.buffer)).buffer);
        const expected = padded({ ...frame.depth, data: outOf(twin, frame.depth, frame.pose, context) } as DepthArray);
        expectImage(got, expected, { width: depth.stride, name: `frame ${i}` });
      }
    }
    built.destroy();
    depth.buffer.destroy();
    buffer.destroy();
  }

  // A workgroup warps 128 pixels of a row; tiles of the mean are 32 × 16.
  test.each([
    [1, 1],
    [63, 15],
    [127, 17],
    [128, 16],
    [129, 33],
    [320, 240],
  ])("equals the twin at %i × %i while the camera moves", async (width, height) => {
    const shape = lensOf(width, height);
    await expectTwin(strolled(shape, 5), shape);
  });

  test("equals the twin to the last bit while the camera stands, and when it is lost", async () => {
    const shape = lensOf(131, 47);
    const frames = strolled(shape, 5, { shift: [0, 0, 0], turn: 0, state: POSE_STATE.still });
    const { depth, clean, pose } = frames[3];
    frames[3] = { depth, clean, pose: { ...pose, state: POSE_STATE.lost } };
    await expectTwin(frames, shape);
  });

  test("equals the twin where the camera before looked nearly across a pixel's ray", async () => {
    const shape = lensOf(63, 47);
    const angle = (75 / 180) * Math.PI;
    const toBefore = turned([0, angle, 0], [-Math.sin(angle), 0, 1 - Math.cos(angle)]);
    const frames = strolled(shape, 2).map(({ pose, ...others }, i): Seen => {
      const data = Uint16Array.from({ length: 63 * 47 }, (_, at) => 1000 + i * (Math.floor(at / 63) % 7));
      return { ...others, depth: image(data, 63), pose: i === 0 ? pose : { ...pose, toBefore } };
    });
    await expectTwin(frames, shape);
  });
});
