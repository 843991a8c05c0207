import { expect, test, vi } from "vitest";
import { rigid } from "../../core/pose.ts";
import { inverseRoot, reciprocal } from "../../stages/core/exact.ts";
import { diagonalise, improve, newMixes, newSolving } from "../../stages/track/solve.ts";

// track solves its equations by eigenvectors where the scene hardly determines a direction.

test("diagonalise finds a symmetric matrix's eigenvalues and eigenvectors, which are at right angles", () => {
  const a = Float32Array.from({ length: 36 }, (_, i) => Math.sin(1 + Math.floor(i / 6)) * Math.sin(1 + (i % 6)));
  for (let i = 0; i < 36; i += 7) a[i] += 0.3 * i + 0.5;
  const [values, vectors] = [a.slice(), new Float32Array(36)];
  diagonalise([values, new Float32Array(36)], [vectors, new Float32Array(36)], newMixes());
  for (let p = 0; p < 6; p++) {
    for (let i = 0; i < 6; i++) {
      let [product, dot] = [0, 0];
      for (let j = 0; j < 6; j++) {
        product += a[6 * i + j] * vectors[6 * j + p];
        dot += vectors[6 * j + p] * vectors[6 * j + i];
      }
      expect(product).toBeCloseTo(values[7 * p] * vectors[6 * i + p], 4);
      expect(dot).toBeCloseTo(i === p ? 1 : 0, 5);
    }
  }
});

test("a camera that turns before a scene that hides the motion to the side turns on the spot, not around the scene", () => {
  const sums = new Float64Array(34);
  // The matrix is diagonal: turns about x, y and z, then shifts, of which the one along x hardly shows.
  // The right side asks for a turn about y.
  for (const at of [0, 6, 11, 18, 20]) sums[at] = 1e6;
  sums[15] = 10;
  sums[22] = 1e6 * 80;
  sums.set([5000, 0, 0, 0, 5000 * 512], 27);
  sums[33] = 5000;
  const extent = { centre: Float64Array.of(0.1, 0, 2), radius: 1 };
  const found = { pose: rigid(), extent, held: 0, partners: 0, doubt: 0 };
  improve(newSolving(), found, sums, 1e-3, 1);
  expect(found.held).toBe(1);
  expect(found.pose[2]).toBeGreaterThan(0.02);
  expect(Math.abs(found.pose[3])).toBeLessThan(0.002);
});

test("diagonalise makes no garbage", async () => {
  // The module is loaded anew, because V8 has compiled the shared one for the kinds of arrays that other tests gave to it.
  vi.resetModules();
  const { diagonalise, newMixes } = await import("../../stages/track/solve.ts");
  const a = Float32Array.from({ length: 36 }, (_, i) => Math.sin(1 + Math.floor(i / 6)) * Math.sin(1 + (i % 6)));
  const pair = () => [new Float32Array(36), new Float32Array(36)] as const;
  const [values, vectors, mixes] = [pair(), pair(), newMixes()];
  const times = (count: number) => {
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < count; i++) {
      values[0].set(a);
      diagonalise(values, vectors, mixes);
    }
    return process.memoryUsage().heapUsed - before;
  };
  // V8's numbers are objects until it has compiled the loops.
  times(3000);
  // A collection of garbage in between makes a difference negative. V8 compiles on a thread of its own, and takes longer on a busy machine.
  await vi.waitFor(() => {
    const bytes = Array.from({ length: 50 }, () => Math.max(0, times(20)) / 20);
    expect(bytes.sort((x, y) => x - y)[25]).toBeLessThan(1000);
  }, 10_000);
});

test("reciprocals and inverse roots are at most two units of the last place off", () => {
  for (let i = 0; i < 20_000; i++) {
    const x = Math.fround(2 ** (40 * Math.sin(i)) * (1 + (i % 977) / 977));
    const [exact, exactRoot] = [1 / x, 1 / Math.sqrt(x)];
    expect(Math.abs(reciprocal(x) / exact - 1), `1 / ${x}`).toBeLessThan(2 ** -22);
    expect(Math.abs(inverseRoot(x) / exactRoot - 1), `1 / √${x}`).toBeLessThan(2 ** -22);
    if (reciprocal(-x) !== -reciprocal(x)) expect.fail(`1 / ${-x}`);
  }
});
