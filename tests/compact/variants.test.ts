import { expect, test } from "vitest";
import { variants } from "../../stages/compact/gpu.ts";
import { createDepthImage, POINT_ARGS, pointArgs } from "../../stages/core/resources.ts";
import { defaultsFor, withValue } from "../../stages/core/tuning.ts";
import { compact } from "../../stages/index.ts";
import { fillWords, readWords, runFrame, useGpu } from "../gpu.ts";
import { camera } from "./cloud.ts";

const gpu = useGpu();

test("compact's default is one pass, which looks back, on NVIDIA's GPUs, and two passes on others", () => {
  const passesOn = (vendor: string) =>
    defaultsFor(variants, { adapterInfo: { vendor } as GPUAdapterInfo }).compact?.PASSES;
  expect(["nvidia", "apple", "google"].map(passesOn)).toEqual([1, 2, 2]);
});

test("compact's tuning does not try knobs that the chosen number of passes ignores", () => {
  const untuned = defaultsFor(variants, {} as GPUDevice);
  const chosen = (passes: number, kernel: string, name: string, value: number) =>
    variants.fits(withValue(withValue(untuned, "compact", "PASSES", passes), kernel, name, value));
  expect(chosen(1, "lookBack", "SPINS", 256)).toBe(true);
  expect(chosen(1, "move", "WORKGROUP", 64)).toBe(false);
  expect(chosen(2, "lookBack", "SPINS", 256)).toBe(false);
  expect(chosen(2, "move", "WORKGROUP", 64)).toBe(true);
});

test("compact writes a dispatch of two rows for 256 × 65537 points, too many workgroups for one row", async () => {
  const [width, height] = [256, 65537];
  const shape = camera([width, height]);
  const depth = createDepthImage(gpu.device, "test", width, height);
  fillWords(gpu.device, depth.buffer, 0x00090009);
  const input = { depth, color: undefined, points: undefined, picture: undefined };
  const built = await compact().build({ device: gpu.device, shape, input });
  const { points } = built.output;
  if (!points) throw new Error("the stage leaves no points");
  runFrame(gpu.device, built);
  const args = [...(await readWords(gpu.device, points.args))];
  built.destroy();
  depth.buffer.destroy();
  expect(args.slice(POINT_ARGS.dispatch / 4)).toEqual([32769, 2, 1, width * height]);
  expect([...pointArgs(width * height)]).toEqual(args);
  expect([...pointArgs(65535 * 256)].slice(POINT_ARGS.dispatch / 4)).toEqual([65535, 1, 1, 65535 * 256]);
});
