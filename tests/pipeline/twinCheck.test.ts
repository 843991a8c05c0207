import ndarray from "ndarray";
import { expect, test } from "vitest";
import { differencesOf, TOLERANCES } from "../../pipeline/tune/twinCheck.ts";
import type { CpuFrame } from "../../stages/core/stage.ts";

// What kernels leave is held against the twin's: an image of 100 × 100 of which so many pixels are off by so much.

const stage = { name: "some", depthTolerance: 0 };
const [WIDTH, PIXELS] = [100, 10_000];
const most = TOLERANCES.share * PIXELS;

function frame(pixels = 0, by = 0): CpuFrame {
  const bytes = new Uint8Array(PIXELS * 4).fill(100);
  for (let p = 0; p < pixels; p++) bytes[4 * 7 * p + (p % 3)] = 100 + by;
  return {
    depth: ndarray(new Uint16Array(PIXELS), [WIDTH, WIDTH]),
    color: ndarray(bytes, [WIDTH, WIDTH, 4]),
    points: undefined,
    picture: {
      width: WIDTH,
      height: WIDTH,
      rgba: new Uint8ClampedArray(bytes.buffer),
      depth: new Float32Array(PIXELS).fill(1),
    },
  };
}

// A stage's output names what is to be compared; what it is does not matter here.
const outputs = [
  ["colour", { color: {} }],
  ["picture", { picture: {} }],
] as const;

test.each(outputs)("a %s that is off is seen, and a step or two are not", (_, output) => {
  const said = (found: CpuFrame) => differencesOf(stage, frame(), found, output as never);
  expect(said(frame())).toEqual([]);
  expect(said(frame(PIXELS / 10, TOLERANCES.steps))).toEqual([]);
  expect(said(frame(most, TOLERANCES.steps + 1))).toEqual([]);
  expect(said(frame(most + 1, TOLERANCES.steps + 1))).toEqual([
    `some: ${most + 1} of ${PIXELS} pixels have another colour than the twin's, in x 0…70, y 0…0`,
  ]);
});

test("a colour that is not there is seen", () => {
  const found = { ...frame(), color: undefined };
  expect(differencesOf(stage, frame(), found, { color: {} as never })).toEqual(["some: there is no colour"]);
});

test("a distance that is off is seen", () => {
  const found = frame();
  found.picture?.depth.fill(1.001, 0, 50);
  found.picture?.depth.fill(0, 50, 70);
  expect(differencesOf(stage, frame(), found, { picture: {} as never })).toEqual([
    `some: 70 of ${PIXELS} pixels have another distance than the twin's, in x 0…69, y 0…0; 20 of ${PIXELS} pixels are drawn by only one of the two, in x 50…69, y 0…0`,
  ]);
});
