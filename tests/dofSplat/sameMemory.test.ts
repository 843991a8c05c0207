import { afterEach, expect, test, vi } from "vitest";
import { AGAIN } from "../../stages/core/frameContext.ts";
import type { CpuFrame, Twin } from "../../stages/core/stage.ts";
import { compact, dofSplat } from "../../stages/index.ts";
import { painted } from "../bilateralGrid/frames.ts";

// When the window's size changes, a new twin takes over the memory of the twin before it, whose leftovers must not show.

afterEach(() => void vi.unstubAllGlobals());

const [WIDTH, HEIGHT] = [48, 36];
const shape = {
  metresPerUnit: 0.001,
  intrinsics: { fx: 45, fy: 45, cx: 23.5, cy: 17.5, width: WIDTH, height: HEIGHT },
};

function drawn(twin: Twin, seed: number) {
  const depth = painted(WIDTH, HEIGHT, (x, y) => ((x * 7 + y * 3 + seed) % 13 ? 700 + 9 * x + (x > 20 ? 600 : 0) : 0));
  const frame: CpuFrame = { depth, color: undefined, points: undefined, picture: undefined };
  compact().twin(shape).run(frame, AGAIN);
  twin.run(frame, AGAIN);
  const { picture } = frame;
  return picture && [picture.width, picture.height, [...picture.rgba], [...picture.depth]];
}

test("dofSplat's twin in another twin's memory draws the picture of a fresh twin", () => {
  const stage = dofSplat({ width: 200, height: 150, focusM: 1, fNumber: 1.4 });
  let before: Twin | undefined;
  const notches = [
    {},
    { width: 170, height: 128, maxReachPx: 20 },
    { width: 100, height: 75 },
    { blades: 5 },
    { width: 210 },
  ];
  for (const [seed, notch] of notches.entries()) {
    stage.set(notch);
    const [twin, fresh] = [stage.twin(shape, before), stage.twin(shape)];
    expect(drawn(twin, seed), JSON.stringify(notch)).toEqual(drawn(fresh, seed));
    before = twin;
  }
});

test("dofSplat's twin draws the same picture in memory full of arbitrary bits", () => {
  const stage = dofSplat({ width: 200, height: 150, focusM: 1, fNumber: 1.4 });
  const fresh = drawn(stage.twin(shape), 1);
  for (const byte of [0x7f, 0xff]) {
    const memories: ArrayBuffer[] = [];
    const construct = (real: typeof WebAssembly.Memory, [descriptor]: [WebAssembly.MemoryDescriptor]) => {
      const memory = new real(descriptor);
      memories.push(memory.buffer);
      return memory;
    };
    const seen = new Proxy(WebAssembly.Memory, { construct });
    vi.stubGlobal("WebAssembly", Object.create(WebAssembly, { Memory: { value: seen } }));
    const before = stage.twin(shape);
    for (const memory of memories) new Uint8Array(memory).fill(byte);
    expect(memories).toHaveLength(1);
    expect(drawn(stage.twin(shape, before), 1), `${byte}`).toEqual(fresh);
    expect(memories, "that one's, and what makes the points has its own").toHaveLength(2);
  }
});
