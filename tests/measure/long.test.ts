import { expect, test } from "vitest";
import { PROMISED, randomBoxes, summaryOf, tryBox } from "./boxes.ts";
import type { Seer } from "./world.ts";

// The truth of `measure`: random boxes before simulated cameras. `npm run test:rest` takes four for each camera;
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
  expect(told / all).toBeGreaterThan(0.9);
  expect(COUNT > 20 ? p95 : most).toBeLessThan(PROMISED[sensor] ?? 0);
  expect(inside).toBeGreaterThan(0.8);
});
