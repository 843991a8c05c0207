import { Subject } from "rxjs";
import { expect, test, vi } from "vitest";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import { Governor } from "../../pipeline/time/governor.ts";
import type { DepthFrame } from "../../sources/index.ts";
import { compact, dofSplat, paint, split } from "../../stages/index.ts";
import { Player } from "../../viewer/live/source/player.ts";
import {
  files,
  HEIGHT,
  make,
  ORANGE,
  pipeline,
  pointsIn,
  savedBytes,
  saveIntoMemory,
  saverOf,
  WIDTH,
  wall,
} from "./savedFiles.ts";

// A saved file holds what its name in the menu promises, whatever the viewer shows at that moment.

saveIntoMemory();

/** A saver of a pipeline through which one frame has gone, and a canvas that shows the last picture. */
async function saving(coloured: boolean) {
  const shown$ = new Subject<ProcessedFrame>();
  const player = new Player();
  const shown = { width: 0, height: 0, index: -1 };
  const show = (frame: ProcessedFrame | null) => {
    if (!frame) return;
    const { width, height } = frame.cpu?.picture ?? {};
    Object.assign(shown, { width, height, index: frame.index });
    shown$.next(frame);
  };
  // As the presenter does: an outdated picture is drawn again soon, unless the test has ended.
  const invalidate = () => void pipeline.redraw().then(show, () => {});
  const { saver, said: errors } = saverOf(player, shown$, shown, invalidate);
  const frame = wall(0, coloured);
  const run = async (next: DepthFrame) => show(await pipeline.run(next));
  await run(frame);
  return { saver, player, errors, shown, run };
}

test("saved points have the camera's colours while the view is lit, and the view stays lit", async () => {
  await make({ stages: [split({ at: 0.5 }), paint({ by: "lit" }), compact()] });
  const { saver, errors } = await saving(true);
  await saver.points();
  expect(errors).toEqual([]);
  const { header, colours } = pointsIn(await savedBytes());
  expect(header).toContain("comment colours: the camera's, grey by distance where it saw none\n");
  expect(colours).toHaveLength(WIDTH * HEIGHT);
  expect(new Set(colours[0]).size).toBe(1);
  for (const colour of colours.slice(1)) expect(colour).toEqual([...ORANGE]);
  expect(["split", "paint"].map((name) => pipeline.isEnabled(name))).toEqual([true, true]);
});

/** Pretends a canvas: the copied picture is a text with its size and the number of its frame. `encoded` ends the encoding. */
function copying(
  shown: { readonly width: number; readonly height: number; readonly index: number },
  encoded?: Promise<void>,
) {
  class Copy {
    #index = -1;
    constructor(
      readonly width: number,
      readonly height: number,
    ) {}
    getContext() {
      const drawImage = () => {
        this.#index = shown.index;
      };
      return { drawImage };
    }
    async convertToBlob() {
      await encoded;
      return new Blob([`${this.width} × ${this.height}, frame ${this.#index}`]);
    }
  }
  vi.stubGlobal("OffscreenCanvas", Copy);
  vi.stubGlobal("devicePixelRatio", 2);
}

test("a picture is saved at the size that was set while the governor has it drawn smaller", async () => {
  await make({
    stages: [compact(), dofSplat({ width: 64, height: 48 })],
    budgetMs: 300,
    governor: true,
  });
  const { saver, errors, shown } = await saving(true);
  const { governor } = pipeline;
  if (!(governor instanceof Governor)) throw new Error("a pipeline's governor is told times");
  for (let nowMs = 0; governor.snapshot().level < 2; nowMs += 500) governor.frame(500, nowMs);
  await pipeline.redraw();
  copying(shown);
  Object.assign(shown, { width: 45, height: 34 });
  await saver.picture();
  expect(errors).toEqual([]);
  expect(await files[0]?.content.text()).toBe("64 × 48, frame 0");
  await vi.waitFor(() => expect(shown.width).toBe(45), 20_000);
});

test("a picture of fewer pixels than the screen has is saved at the screen's size", async () => {
  await make({ stages: [compact(), dofSplat({ width: 64, height: 48 })] });
  const { saver, errors, shown } = await saving(true);
  copying(Object.assign(shown, { clientWidth: 128, clientHeight: 96 }));
  await saver.picture();
  expect([errors, await files[0]?.content.text()]).toEqual([[], "256 × 192, frame 0"]);
});

test("a picture that is saved while frames play carries the number of the frame that is in it", async () => {
  await make({ stages: [compact(), dofSplat({ width: 64, height: 48 })] });
  const { saver, player, errors, shown, run } = await saving(true);
  vi.spyOn(player, "playing", "get").mockReturnValue(true);
  let end = () => {};
  copying(
    shown,
    new Promise<void>((resolve) => {
      end = resolve;
    }),
  );
  const saved = saver.picture();
  // The player is ahead of the screen, and other frames are shown before the picture is encoded.
  vi.spyOn(player, "index", "get").mockReturnValue(9);
  for (const index of [3, 4, 5]) await run(wall(index, true));
  end();
  await saved;
  expect(errors).toEqual([]);
  expect([files[0]?.name, await files[0]?.content.text()]).toEqual(["recording-000003-view.png", "64 × 48, frame 3"]);
});

test("where a paused camera has no frame yet, its recording ends and closes the file", async () => {
  const orders: object[] = [];
  vi.stubGlobal(
    "Worker",
    class extends EventTarget {
      postMessage(order: object) {
        orders.push(order);
      }
    },
  );
  await make({ stages: [compact()] });
  const { saver, player, errors } = await saving(false);
  player.open({ name: "camera", format: "camera", fps: 30, frames$: new Subject(), close: async () => {} } as never);
  player.pause();
  vi.spyOn(pipeline, "redraw").mockResolvedValue(null);
  await saver.record(true);
  expect([errors.length, orders.at(-1)]).toEqual([2, { end: true }]);
});
