import { describe, expect, test } from "vitest";
import { type Chain, PEERS, RAW } from "../../../bench/fidelity/chains.ts";
import { keptOf, walls } from "../../../bench/fidelity/relief.ts";
import { Field } from "../../../sources/synthetic/sensors/field.ts";

// The filters of other libraries behave as they are known to, and `keptOf` measures the share of a wave that a filter keeps.

const SIZE = { width: 96, height: 72 };
const INTRINSICS = { fx: 80, fy: 80, cx: 47.5, cy: 35.5, ...SIZE };
const noise = new Field(SIZE.width, SIZE.height, { near: 0.5, decay: 0.5 });

describe("the peers' filters", () => {
  const [bilateral, fast, spatial] = PEERS;
  const shape = { intrinsics: INTRINSICS, metresPerUnit: 0.001 };
  const again = (t: number) => ({ index: t, timestamp: t, fresh: true, follows: t > 0 });

  test("reduce noise, and librealsense's spatial filter lifts flat depth by more than 1 mm", () => {
    const { white } = noise.draw(1);
    const raw = Uint16Array.from(white, (e) => 1500 + Math.round(6 * e));
    const spread = (chain: Chain) => {
      const { mm } = chain.start(shape, [raw])(raw, again(0));
      const mean = mm.reduce((sum, z) => sum + z, 0) / mm.length;
      return { mean, sigma: Math.sqrt(mm.reduce((sum, z) => sum + (z - mean) ** 2, 0) / mm.length) };
    };
    for (const chain of [bilateral, fast, spatial]) expect(spread(chain).sigma).toBeLessThan(0.6 * spread(RAW).sigma);
    expect(Math.abs(spread(bilateral).mean - spread(RAW).mean)).toBeLessThan(0.1);
    expect(spread(spatial).mean - spread(RAW).mean).toBeGreaterThan(1);
  });
});

test("keptOf finds that raw keeps whole waves, and a bilateral filter long waves but not short ones", () => {
  for (const one of walls()) expect(Math.abs(keptOf(RAW, one, 5, 16) - 1)).toBeLessThan(0.06);
  const [white] = walls();
  const [bilateral] = PEERS;
  expect(keptOf(bilateral, white, 5, 6)).toBeLessThan(0.6);
  expect(keptOf(bilateral, white, 5, 64)).toBeGreaterThan(0.95);
});
