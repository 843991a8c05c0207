import { expect, test } from "vitest";
import { ours, RAW } from "../../../bench/fidelity/chains.ts";
import { figuresOf, measureCurved } from "../../../bench/fidelity/curved.ts";
import { curvedScenes, THINGS } from "../../../bench/fidelity/curvedScene.ts";

// Curved things before simulated cameras: figures of known errors, and filters that leave curved things rounder than raw depth.

const [close] = curvedScenes();

test("figuresOf gives the truth no error, and depth that is 1 mm off an RMS of 1 mm", () => {
  const { truth } = close;
  const exact = figuresOf(close, truth);
  for (const thing of THINGS) expect(exact[thing]).toEqual({ rms: 0, bend: 0 });
  const off = figuresOf(close, { ...truth, mm: truth.mm.map((z) => z + 1) });
  for (const thing of THINGS) expect(off[thing].rms).toBeCloseTo(1, 4);
});

test("raw depth has the camera's noise, and the default chain leaves balls and faces rounder", () => {
  const [raw, filtered] = measureCurved([RAW, ours()[0]], close).map(({ things }) => things);
  // 0.0025 z²: the ball's middle is 0.5 to 0.6 m away.
  expect(raw.ball.rms).toBeGreaterThan(0.6);
  expect(raw.ball.rms).toBeLessThan(0.9);
  expect(filtered.ball.rms).toBeLessThan(0.3 * raw.ball.rms);
  expect(filtered.face.rms).toBeLessThan(0.5 * raw.face.rms);
  expect(filtered.ball.bend).toBeLessThan(0.2 * raw.ball.bend);
});
