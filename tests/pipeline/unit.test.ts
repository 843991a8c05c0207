import { from } from "rxjs";
import { afterAll, describe, expect, test } from "vitest";
import { type DepthFrame, image } from "../../core/frame.ts";
import { createPipeline, type Pipeline, type ProcessedFrame } from "../../pipeline/index.ts";
import { bilateralGrid, despeckle, median, temporal, threshold } from "../../stages/index.ts";
import { useGpu } from "../gpu.ts";

// If a stage smooths, all stages work in a finer unit than the source's, and no pixel of a later frame is lost by that.

const [WIDTH, HEIGHT] = [50, 38];
const FAR = WIDTH * 20 + 25;

/** A slanted wall at about a metre with noise and holes; `farMm` in one pixel. */
function wall(index: number, farMm = 0, metresPerUnit = 0.001): DepthFrame {
  const data = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) =>
    i % 11 === 0 ? 0 : 1000 + (i % WIDTH) * 2 + ((i * 7919 + index * 104729) % 13),
  );
  if (farMm) data[FAR] = farMm;
  const intrinsics = { fx: 60, fy: 60, cx: 24.5, cy: 18.5, width: WIDTH, height: HEIGHT };
  return { depth: image(data, [HEIGHT, WIDTH]), metresPerUnit, intrinsics, timestamp: index * 33, index };
}

const mmOf = ({ shape }: ProcessedFrame) => Number((shape.metresPerUnit * 1000).toPrecision(6));

describe.each(["cpu", "webgpu"] as const)("on the backend %s", (backend) => {
  const gpu = useGpu();
  const made: Pipeline[] = [];
  const pipelineOf = async (...stages: Pipeline["stages"]) => {
    const pipeline = await createPipeline({ stages, backend, ...(backend === "webgpu" && { gpu: gpu.gpu }) });
    made.push(pipeline);
    return pipeline;
  };
  afterAll(async () => {
    for (const pipeline of made) await pipeline.destroy();
  });

  test("the source's unit stays if no stage smooths", async () => {
    const pipeline = await pipelineOf(threshold(), median());
    const frame = await pipeline.run(wall(0));
    const depth = await frame.readDepth();
    expect(mmOf(frame)).toBe(1);
    expect(depth.data.every((value) => value <= 1200)).toBe(true);
  });

  test("smoothed depth has the finer unit, and the frame says so", async () => {
    const pipeline = await pipelineOf(bilateralGrid());
    const [mm, fine] = [await pipelineOf(bilateralGrid()), wall(0, 0, 0.0002)];
    for (let i = 0; i < fine.depth.data.length; i++) fine.depth.data[i] *= 5;
    const frame = await pipeline.run(wall(0));
    expect([mmOf(frame), frame.source.metresPerUnit]).toEqual([0.2, 0.001]);
    // The depth equals that of a camera that measures in the finer unit.
    expect((await frame.readDepth()).data).toEqual((await (await mm.run(fine)).readDepth()).data);
    const { data } = await (await pipeline.run(wall(1))).readDepth();
    expect(data.some((value) => value % 5 !== 0)).toBe(true);
    expect(data.every((value, i) => (value === 0) === (i % 11 === 0))).toBe(true);
  });

  test("a frame that reaches too far loses no pixel, and the stages begin anew in a coarser unit", async () => {
    const pipeline = await pipelineOf(bilateralGrid(), temporal());
    const depths: [number, number][] = [];
    for (const [index, farMm] of [0, 0, 20_000, 0, 60_000, 0].entries()) {
      const frame = await pipeline.run(wall(index, farMm));
      const { data } = await frame.readDepth();
      const metres = Array.from(data, (value) => value * frame.shape.metresPerUnit);
      depths.push([mmOf(frame), farMm ? Math.round(metres[FAR]) : 0]);
      // A memory in the old unit would be far off.
      expect(metres.every((z, i) => (i % 11 === 0 ? z === 0 : i === FAR || Math.abs(z - 1.05) < 0.1))).toBe(true);
    }
    expect(depths).toEqual([
      [0.2, 0],
      [0.2, 0],
      [0.5, 20],
      [0.5, 0],
      [1, 60],
      [1, 0],
    ]);
  });

  test("a frame's depth is the same wherever its stream begins if `unitFrom` names the first frame", async () => {
    const all = [0, 1, 2].map((index) => wall(index, index === 0 ? 12_000 : 0));
    const run = async (start: number, unitFrom?: DepthFrame) => {
      const pipeline = await pipelineOf(median(), bilateralGrid());
      let last: [number, Uint16Array] | undefined;
      await new Promise<void>((resolve, reject) => {
        from(all.slice(start).map((frame) => ({ ...frame, waitUntil() {} })))
          .pipe(pipeline.process("lossless", { unitFrom }))
          .subscribe({
            next: (frame) =>
              frame.waitUntil(
                frame.readDepth().then(({ data }) => {
                  last = [mmOf(frame), data];
                }),
              ),
            complete: resolve,
            error: reject,
          });
      });
      return last;
    };
    const whole = await run(0);
    expect(whole?.[0]).toBe(0.25);
    expect(await run(2, all[0])).toEqual(whole);
    expect((await run(2))?.[0]).toBe(0.2);
  });

  test("a redraw uses the unit of the filters that are enabled", async () => {
    const pipeline = await pipelineOf(despeckle(), bilateralGrid());
    const read = async (frame: ProcessedFrame | null) =>
      frame && { mm: mmOf(frame), data: (await frame.readDepth()).data };
    const one = await read(await pipeline.run(wall(0)));
    const switched = async (enabled: boolean) => {
      pipeline.configure("bilateralGrid", { enabled });
      return read(await pipeline.redraw());
    };
    const plain = await switched(false);
    expect([one?.mm, plain?.mm]).toEqual([0.2, 1]);
    expect(plain?.data).toEqual((await (await (await pipelineOf(despeckle())).run(wall(0))).readDepth()).data);
    expect(await switched(true)).toEqual(one);
    expect((await read(await pipeline.run(wall(1))))?.mm).toBe(0.2);
  });

  test("a redraw repeats the last frame that ran, though stages have refused frames since", async () => {
    const pipeline = await pipelineOf(bilateralGrid());
    const [grid] = pipeline.stages;
    const read = async (frame: ProcessedFrame | null) => (await frame?.readDepth())?.data;
    const one = await read(await pipeline.run(wall(0, 25_000)));
    grid?.set({ sigmaDepthMm: 1, sigmaDepthPerM2Mm: 0, maxDepthM: 100 });
    for (const index of [1, 2, 3]) await expect(pipeline.run(wall(index, 25_000))).rejects.toThrow("too large");
    grid?.reset();
    expect(await read(await pipeline.redraw())).toEqual(one);
  });

  test("restart() chooses the unit anew for another recording", async () => {
    const pipeline = await pipelineOf(bilateralGrid());
    expect(mmOf(await pipeline.run(wall(0, 40_000)))).toBe(1);
    pipeline.restart();
    expect(mmOf(await pipeline.run(wall(1)))).toBe(0.2);
  });
});
