import { afterEach, expect, test, vi } from "vitest";
import { AGAIN } from "../../stages/core/frameContext.ts";
import type { Twin } from "../../stages/core/stage.ts";
import { bilateralGrid } from "../../stages/index.ts";
import { painted } from "./frames.ts";

afterEach(() => void vi.unstubAllGlobals());

// A twin that is made anew when a slider moves takes over the memory of the twin before it, whose leftovers must not show.

const shapeOf = ([width, height]: readonly [number, number]) => ({
  metresPerUnit: 0.001,
  intrinsics: { fx: 60, fy: 60, cx: width / 2, cy: height / 2, width, height },
});

/** Slanted, with steps, noise and holes. */
const depthOf = (width: number, height: number, seed: number) =>
  painted(width, height, (x, y) =>
    (x * 7 + y * 3 + seed) % 11 ? 700 + 3 * x + (x > 20 ? 400 : 0) + ((x * y + seed) % 9) : 0,
  );

const run = (twin: Twin, [width, height]: readonly [number, number], seed: number) => {
  const frame = { depth: depthOf(width, height, seed), color: undefined, points: undefined, picture: undefined };
  twin.run(frame, AGAIN);
  return frame.depth.data.slice();
};

/** A notch, and the frames' size. */
const turns: readonly (readonly [object, readonly [number, number]])[] = [
  [{ sigmaDepthMm: 40 }, [48, 32]],
  [{ sigmaDepthMm: 42 }, [48, 32]],
  [{ sigmaDepthPerM2Mm: 1 }, [48, 32]],
  [{ sigmaSpacePx: 16 }, [48, 32]],
  [{}, [33, 17]],
  [{ maxDepthM: 1, sigmaSpacePx: 4 }, [64, 48]],
  [{}, [48, 32]],
];

test.each(["plane", "constant"] as const)(
  "bilateralGrid's twin in another twin's memory gives the depth of a fresh twin (fit %s)",
  (fit) => {
    const stage = bilateralGrid({ fit });
    let before: Twin | undefined;
    for (const [i, [notch, view]] of turns.entries()) {
      stage.set({ ...notch });
      const shape = shapeOf(view);
      const twin = stage.twin(shape, before);
      const fresh = stage.twin(shape);
      for (const seed of [i, i + 1]) {
        expect(run(twin, view, seed), `${JSON.stringify(notch)}, ${view}`).toEqual(run(fresh, view, seed));
      }
      before = twin;
    }
  },
);

test.each(["plane", "constant"] as const)(
  "bilateralGrid's twins share one memory while a slider moves (fit %s)",
  (fit) => {
    const stage = bilateralGrid({ fit });
    const memories: number[] = [];
    const construct = (real: typeof WebAssembly.Memory, [descriptor]: [WebAssembly.MemoryDescriptor]) => {
      memories.push(descriptor.initial);
      return new real(descriptor);
    };
    const counted = new Proxy(WebAssembly.Memory, { construct });
    vi.stubGlobal("WebAssembly", Object.create(WebAssembly, { Memory: { value: counted } }));
    let before: Twin | undefined;
    for (const sigmaDepthMm of [40, 41, 42, 43, 44, 60]) {
      stage.set({ sigmaDepthMm });
      before = stage.twin(shapeOf([48, 32]), before);
    }
    expect(memories).toHaveLength(1);
    stage.set({ sigmaDepthMm: 5 });
    stage.twin(shapeOf([480, 320]), before);
    expect(memories, "more than there is").toHaveLength(2);
  },
);
