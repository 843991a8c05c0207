import { expect, test } from "vitest";
import { compact, dofSplat } from "../../stages/index.ts";
import { AGAIN } from "../../stages/moment.ts";
import type { CpuFrame, Twin } from "../../stages/stage.ts";
import { painted } from "../bilateralGrid/frames.ts";

// A window that changes its size makes the twin anew, on the memory of the one before it: what that left must not show.

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

test("the same picture as of a twin with memory of its own", () => {
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
