import { lastValueFrom, mergeMap, tap, toArray } from "rxjs";
import { afterEach, describe, expect, test } from "vitest";
import {
  createPipeline,
  OptionError,
  type Pipeline,
  PipelineDestroyedError,
  StageWorkerError,
  stageWorker,
} from "../../pipeline/index.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { compact, dofSplat, median } from "../../stages/index.ts";
import { adder, flatFrame, patientSource } from "./fakes.ts";
import { messageOf, StandIn } from "./standIn.ts";

// Stages in a worker: which stages a worker refuses, and how a worker ends.

const THIS_THREAD = "the stages go on on this thread, slower";

const open: Pipeline[] = [];
afterEach(async () => {
  for (const pipeline of open.splice(0)) await pipeline.destroy();
});

async function inWorker(stages: readonly Stage[], worker = new StandIn()) {
  const pipeline = await createPipeline({ stages, backend: "cpu", worker: () => worker });
  open.push(pipeline);
  return { pipeline, worker };
}

describe("a worker", () => {
  test.each([
    ["that is not the library's", () => adder("one")()],
    ["with a library stage's name", () => adder("median")()],
    ["that somebody wrapped", (): Stage => Object.create(median(), { twin: { value: () => ({ run() {} }) } })],
  ])("refuses a stage %s", async (_, make) => {
    const worker = new StandIn();
    const made = createPipeline({ stages: [make()], backend: "cpu", worker: () => worker });
    await expect(made).rejects.toThrow(OptionError);
    await expect(made).rejects.toThrow(/^createPipeline: the stage \w+ is not one of the library's own/);
  });

  test("is terminated after it refused a stage", async () => {
    const worker = new StandIn();
    await createPipeline({ stages: [adder("one")()], backend: "cpu", worker: () => worker }).catch(() => {});
    expect(worker.terminated).toBe(true);
  });
});

describe("with a worker for stages,", () => {
  test("createPipeline in Node refuses stageWorker, which is for pages, and a worker that is no function", async () => {
    await expect(createPipeline({ stages: [median()], backend: "cpu", worker: stageWorker })).rejects.toThrow(
      /stageWorker is for pages/,
    );
    const wrong = { stages: [median()], worker: true } as unknown as Parameters<typeof createPipeline>[0];
    await expect(createPipeline(wrong)).rejects.toThrow(/worker must be a function/);
  });

  test("createPipeline fails if the worker does not start", async () => {
    const worker = new StandIn();
    const made = createPipeline({ stages: [median()], backend: "cpu", worker: () => worker });
    // The worker dies before it answers.
    queueMicrotask(() => worker.die());
    await expect(made).rejects.toThrow(new StageWorkerError("it does not start"));
    expect(worker.terminated).toBe(true);
  });

  test.each([
    ["once", 1, ["another has taken its place"]],
    ["at each use", Number.POSITIVE_INFINITY, [...Array(4).fill("another has taken its place"), THIS_THREAD]],
  ])(
    "a pipeline replaces a worker that dies %s, at last by this thread, and loses no frame",
    async (_, deaths, instead) => {
      const notices: string[] = [];
      const workers: StandIn[] = [];
      let toDie = 0;
      const worker = () => {
        const made = new StandIn();
        const post = made.postMessage.bind(made);
        made.postMessage = (message, transfer) => {
          post(message, transfer);
          // The worker dies in a run only: one that dies while it opens counts as one that does not start.
          if ((message as { kind: string }).kind === "run" && toDie-- > 0)
            queueMicrotask(() => made.die("out of memory"));
        };
        workers.push(made);
        return made;
      };
      const pipeline = await createPipeline({
        ...{ stages: [median(), compact()], backend: "cpu", worker },
        onDeviceLost: (notice) => void notices.push(notice),
      });
      open.push(pipeline);
      const way$ = patientSource(9).frames$.pipe(
        pipeline.process("lossless"),
        tap(({ index }) => {
          if (index === 2) toDie = deaths;
        }),
        mergeMap(async (frame) => (await frame.readDepth()).get(2, 4)),
        toArray(),
      );
      expect(await lastValueFrom(way$)).toEqual(Array.from({ length: 9 }, (_, index) => 1000 + index));
      expect(notices).toEqual(instead.map((then) => `the stages' worker was lost (out of memory): ${then}`));
      expect(workers.map(({ terminated }) => terminated)).toEqual(workers.map((_, i) => i < instead.length));
    },
  );

  test.each([0, 1, 2, 3, 5, 8, 13])(
    "destroy() terminates the worker at any moment: after %i microtasks of a running frame",
    async (turns) => {
      const { pipeline, worker } = await inWorker([median(), compact(), dofSplat({ width: 32, height: 24 })]);
      await pipeline.run(flatFrame(0));
      const running = messageOf(pipeline.run(flatFrame(1)));
      const behind = messageOf(pipeline.redraw());
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await pipeline.destroy();
      expect(worker.terminated).toBe(true);
      const over = `PipelineDestroyedError: ${new PipelineDestroyedError().message}`;
      expect([over, "it went through"]).toContain(await running);
      expect(await behind).toBe(over);
      await expect(pipeline.run(flatFrame(2))).rejects.toThrow(PipelineDestroyedError);
      await pipeline.destroy();
    },
  );
});
