import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DepthArray } from "../core/frame.ts";
import { AGAIN } from "../stages/core/resources.ts";
import { despeckleTwin } from "../stages/despeckle/cpu.ts";
import { despeckle } from "../stages/despeckle/index.ts";
import { runTwin, shapeFor } from "./filter.ts";
import { expectTwin } from "./formFrames.ts";
import { firstFrame, testOnFrames, unitOf } from "./fullFrames.ts";
import { cook, expectImage, image, recipes, useGpu } from "./gpu.ts";

type Options = Parameters<typeof despeckle>[0];
const SEED = 20260401;

/** The output of the twin that the CPU backend runs, in WebAssembly's vectors. */
const clean = (depth: DepthArray, options: Options = {}, metresPerUnit = 0.001) =>
  runTwin(despeckle(options), depth, shapeFor(depth, metresPerUnit)).depth.data;

/** The output of the twin that works a pixel at a time. */
function plainly(depth: DepthArray, options: Options, metresPerUnit: number) {
  const frame = { depth, color: undefined, points: undefined, picture: undefined };
  const parameters = despeckle(options).parameters as unknown as Parameters<typeof despeckleTwin>[1];
  despeckleTwin(shapeFor(depth, metresPerUnit), parameters).run(frame, AGAIN);
  return frame.depth.data;
}

/** The definition, pair by pair, in plain numbers. */
function reference({ data, shape: [height, width] }: DepthArray, options: Options, metresPerUnit: number) {
  const { stepPercent = 2, stepMm = 5, stepPerM2Mm = 10, islandPx = 3, action = "drop" } = options ?? {};
  const at = (x: number, y: number) => (x < 0 || y < 0 || x >= width || y >= height ? 0 : data[y * width + x]);
  const f = Math.fround;
  return data.map((z, i) => {
    if (z === 0) return 0;
    const [x, y] = [i % width, Math.floor(i / width)];
    const least = f(stepMm / 1000 / metresPerUnit);
    const noise = f(f((stepPerM2Mm / 1000) * metresPerUnit) * f(z * z));
    const step = Math.trunc(Math.min(65535, Math.max(least, f(f(stepPercent / 100) * z), noise)));
    const alike = (reach: number) => {
      let count = 0;
      for (let v = y - 2; v <= y + 2; v++) {
        for (let u = x - 2; u <= x + 2; u++) if (at(u, v) !== 0 && Math.abs(at(u, v) - z) <= reach) count++;
      }
      return count;
    };
    const surfaces: number[] = [];
    for (const [dx, dy] of [
      [2, 0],
      [0, 2],
      [2, 2],
      [-2, 2],
    ] as const) {
      const [a, b, a2, b2] = [
        at(x - dx, y - dy),
        at(x + dx, y + dy),
        at(x - 2 * dx, y - 2 * dy),
        at(x + 2 * dx, y + 2 * dy),
      ];
      if (a === 0 || b === 0) continue;
      const known = [Math.abs(a2 - a), Math.abs(b2 - b)].filter((_, k) => [a2, b2][k] !== 0);
      const mean = known.reduce((sum, one) => sum + one, 0) / known.length;
      const isBetween = (a < z && z < b) || (b < z && z < a);
      const hangs = isBetween && Math.min(Math.abs(z - a), Math.abs(z - b)) > step;
      if (hangs && Math.abs(b - a) > 3 * step && Math.abs(b - a) > 4 * mean) surfaces.push(a, b);
    }
    if (surfaces.length > 0 && alike(step / 2) < 9) {
      surfaces.sort((a, b) => Math.abs(a - z) - Math.abs(b - z) || a - b);
      return action === "snap" ? surfaces[0] : 0;
    }
    return alike(step) < islandPx ? 0 : z;
  });
}

/** An image of `width` × `height` by a function of the pixel. */
const draw = (width: number, height: number, value: (x: number, y: number) => number) =>
  image(
    Array.from({ length: width * height }, (_, i) => Math.round(value(i % width, Math.floor(i / width)))),
    width,
  );

/** The changed pixels of an image, as "x,y". */
const changes = (depth: DepthArray, out: Uint16Array) =>
  [...depth.data].flatMap((z, i) => (out[i] === z ? [] : [`${i % depth.shape[1]},${Math.floor(i / depth.shape[1])}`]));

describe("despeckle's CPU twin", () => {
  test.each([
    ["vertical", (x: number, _: number) => x],
    ["horizontal", (_: number, y: number) => y],
    ["rising diagonal", (x: number, y: number) => x + y - 8],
    ["falling diagonal", (x: number, y: number) => x - y + 8],
  ] as const)("drops the pixels that hang between the two sides of a %s edge, and no others", (_, along) => {
    // Near, then one pixel in the air, then far.
    const edge = draw(17, 17, (x, y) => (along(x, y) < 8 ? 1000 : along(x, y) === 8 ? 1400 : 2000));
    const hanging = [...edge.data].flatMap((z, i) => (z === 1400 ? [`${i % 17},${Math.floor(i / 17)}`] : []));
    // Where a diagonal runs out of the image there are no two sides to hang between.
    const inner = hanging.filter((place) => place.split(",").every((n) => Number(n) >= 2 && Number(n) <= 14));
    const changed = changes(edge, clean(edge));
    expect(inner.filter((place) => !changed.includes(place))).toEqual([]);
    expect(changed.filter((place) => !hanging.includes(place))).toEqual([]);
  });

  test("snaps a hanging pixel to the surface nearer in depth, and to the front one if both are equally near", () => {
    const row = (value: number) => image([1000, 1000, 1000, 1000, value, 2000, 2000, 2000, 2000], 9);
    const at = (value: number) => clean(row(value), { action: "snap", islandPx: 1 })[4];
    expect([1200, 1499, 1500, 1501, 1900].map(at)).toEqual([1000, 1000, 1000, 2000, 2000]);
  });

  // On a plane 1/z is linear in the image: z = d / (n · ray). The plane ends at 6 m.
  const slants = [30, 50, 70].flatMap((degrees) => [0, 45, 90, 135].map((turn) => [degrees, turn] as const));
  test.each(slants)(
    "keeps a plane slanted by %i° (turned by %i°), also at holes and at the border",
    (degrees, turn) => {
      const [slant, angle] = [(degrees * Math.PI) / 180, (turn * Math.PI) / 180];
      for (const focal of [260, 365, 525]) {
        const plane = draw(160, 120, (x, y) => {
          const along = (Math.cos(angle) * (x - 80) + Math.sin(angle) * (y - 60)) / focal;
          const z = 1500 / (1 - Math.tan(slant) * along);
          const isHole = (x * 7 + y * 13) % 31 === 0 || (x > 60 && x < 68 && y > 30 && y < 40);
          return isHole || z < 0 || z > 6000 ? 0 : z;
        });
        expect(changes(plane, clean(plane)), `focal length ${focal}`).toEqual([]);
      }
    },
  );

  test.each([1, 2, 3])("keeps wires %i px thick in front of a wall, and a finger", (thick) => {
    const wires = [
      (x: number, _: number) => x - 20,
      (_: number, y: number) => y - 20,
      (x: number, y: number) => x - y,
      (x: number, y: number) => x + y - 40,
    ];
    for (const [i, across] of wires.entries()) {
      const scene = draw(41, 41, (x, y) => (across(x, y) >= 0 && across(x, y) < thick ? 900 : 2500));
      expect(changes(scene, clean(scene)), `wire ${i}`).toEqual([]);
    }
    // Six pixels thick, round, with its tip in the image, in front of a palm 40 mm behind and a wall.
    const finger = draw(41, 41, (x, y) => {
      if (Math.abs(x - 20) < 3 && y > 8) return 600 + 2 * (x - 20) ** 2;
      return y > 25 ? 640 : 2000;
    });
    expect(changes(finger, clean(finger))).toEqual([]);
  });

  test("drops islands of fewer pixels than islandPx", () => {
    const wall = (size: number, around: number) =>
      draw(13, 13, (x, y) => (y === 6 && x >= 5 && x < 5 + size ? 700 : around));
    for (const around of [0, 2000]) {
      for (const size of [1, 2, 3, 4, 5]) {
        const depth = wall(size, around);
        expect(changes(depth, clean(depth)).length, `${size} px in front of ${around}`).toBe(size < 3 ? size : 0);
        expect(changes(depth, clean(depth, { islandPx: 1 }))).toEqual([]);
      }
    }
  });

  test("only drops pixels: makes none valid and changes no depth", () => {
    fc.assert(
      fc.property(recipes, (recipe) => {
        const depth = cook(recipe);
        expect(clean(depth).every((z, i) => z === 0 || z === depth.data[i])).toBe(true);
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  const options = fc.record({
    stepPercent: fc.constantFrom(0, 0.1, 2, 7),
    stepMm: fc.constantFrom(0, 1, 5),
    stepPerM2Mm: fc.constantFrom(0, 0.01, 10),
    islandPx: fc.constantFrom(1, 4, 9),
    action: fc.constantFrom("drop", "snap"),
  });
  test("equals the definition on any frame, a pixel at a time and in vectors", () => {
    fc.assert(
      fc.property(recipes, options, fc.constantFrom(0.001, 0.0002, 0.01), (recipe, chosen, unit) => {
        const depth = cook(recipe);
        const expected = reference(depth, chosen, unit);
        expectImage(plainly(depth, chosen, unit), expected, { ...recipe, name: "plainly" });
        expectImage(clean(depth, chosen, unit), expected, { ...recipe, name: "in vectors" });
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  testOnFrames(
    "drops at most 2 of 1000 pixels of a full frame of %s, which has no flying pixels",
    (name) => {
      const depth = firstFrame(name);
      const out = clean(depth, {}, unitOf(name));
      const valid = depth.data.filter((z) => z !== 0).length;
      expect(changes(depth, out).length / valid).toBeLessThan(0.002);
    },
    1,
  );
});

test("a change of despeckle's parameters asks for no rebuild", () => {
  const stage = despeckle();
  const { revision } = stage;
  stage.set({ action: "snap", stepPercent: 1, stepMm: 1, stepPerM2Mm: 1, islandPx: 9 });
  expect(stage.revision).toBe(revision);
});

const gpu = useGpu();

test("a flying pixel as far from a nearer as from a farther surface snaps to the nearer, in twins and kernel", async () => {
  const depth = image(new Uint16Array(12 * 12), 12);
  for (const [k, far] of [0, 2, 4, 6, 8].entries()) {
    depth.data[4 * 12 + far] = [900, 900, 1000, 1300, 1300][k];
    depth.data[far * 12 + 4] = [700, 700, 1000, 1100, 1100][k];
  }
  const options = { action: "snap", islandPx: 1 } as const;
  expect([clean(depth, options)[4 * 12 + 4], plainly(depth, options, 0.001)[4 * 12 + 4]]).toEqual([900, 900]);
  const frame = { depth, color: undefined, points: undefined, picture: undefined };
  await expectTwin(gpu.device, despeckle(options), shapeFor(depth), [frame], "a tie");
});
