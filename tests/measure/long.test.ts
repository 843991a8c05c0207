import { expect, test } from "vitest";
import { compose, invert, rigid } from "../../core/pose.ts";
import { fitted } from "../../measure/align/fit.ts";
import { sightOf } from "../../measure/align/sight.ts";
import { SceneBuilder } from "../../measure/scene.ts";
import { PROMISED, randomBoxes, summaryOf, tryBox } from "./boxes.ts";
import { randomRigs, rigidOf, roomColor, roomFrames, wrongBy } from "./rigs.ts";
import type { Seer } from "./world.ts";

// The truth of `measure` (random boxes before simulated cameras) and a rig whose place colours show.
// `npm run test:rest` takes four boxes for each camera;
// `BOXES=100 npx vitest run --mode long tests/measure/long.test.ts` takes a hundred, and prints a table.

const COUNT = Number(process.env.BOXES ?? 4);
const SEED = Number(process.env.SEED ?? 11);
const FRAMES = COUNT > 20 ? 10 : 4;

test.each(Object.keys(PROMISED))("%s sees boxes as large as they are", (sensor) => {
  let seed = 0;
  const tried = [...randomBoxes(COUNT, SEED)].flatMap((box) => tryBox(box, sensor as Seer, FRAMES, ++seed));
  const { told, all, median, p95, most, inside } = summaryOf(tried);
  if (COUNT > 20) {
    const mm = [median, p95, most].map((value) => value.toFixed(2)).join(" | ");
    console.log(`| ${sensor} | ${told} of ${all} | ${mm} | ${(100 * inside).toFixed(1)} % |`);
  }
  // One of the first four boxes is cut off by the edge of the picture: its length and width are refused.
  expect(told / all).toBeGreaterThan(COUNT > 20 ? 0.9 : 0.8);
  expect(COUNT > 20 ? p95 : most).toBeLessThan(PROMISED[sensor] ?? 0);
  expect(inside).toBeGreaterThan(0.8);
});

test("cameras of a rig have a place that colours show better than depth, but none where the colours repeat, as tiles do", () => {
  const told = (
    [
      [2, true],
      [2, false],
      [6, true],
    ] as const
  ).map(([seed, isColored]) => {
    const [rig = []] = [...randomRigs(1, 2, seed)];
    const [a, b] = rig.map((camera, k) => {
      const scene = new SceneBuilder();
      for (const frame of roomFrames(camera, { seed: 10 * seed + k, count: 10 })) scene.add(frame);
      const built = scene.build();
      return built && sightOf(built, isColored ? roomColor(camera, 0.8 + 0.5 * k) : undefined);
    });
    if (!a || !b) throw new Error("a camera sees nothing");
    const fit = fitted(a, b, [compose(rigid(), invert(rigid(), rigidOf(rig[0])), rigidOf(rig[1]))]);
    return typeof fit === "string" ? fit : wrongBy([...fit.motion], rig[0], rig[1]).mm < (isColored ? 2 : 5);
  });
  expect(told).toEqual([true, true, expect.stringMatching(/they fit elsewhere, too, as tiles do/)]);
});
