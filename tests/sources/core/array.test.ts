import fc from "fast-check";
import ndarray, { type NdArray } from "ndarray";
import { expect, test } from "vitest";
import { image } from "../../../core/frame.ts";

// The arrays of image() against the package ndarray, whose type they have.

type Numbers = NdArray<Uint16Array>;
type Step = (array: Numbers) => Numbers;

const place = fc.option(fc.integer({ min: -1, max: 3 }), { nil: undefined });
const places = fc.array(place, { maxLength: 4 });
/** The package accepts undefined arguments, which its types do not allow. */
const gaps = (list: (number | undefined)[]) => list as number[];

const inside = (array: Numbers) => (at: number | null, axis: number) => at && at % Math.max(1, array.shape[axis] ?? 1);

/** A method with arguments, to apply to any array; lengths are limited to the array's own. */
const steps: fc.Arbitrary<Step> = fc.oneof(
  places.map((list) => (a: Numbers) => a.hi(...gaps(list.map((n, axis) => n && Math.min(n, a.shape[axis] ?? 0))))),
  places.map((list) => (a: Numbers) => a.lo(...gaps(list.map((n, axis) => n && Math.min(n, a.shape[axis] ?? 0))))),
  fc
    .array(fc.constantFrom(-3, -2, -1, 1, 2, 3, undefined), { maxLength: 4 })
    .map((list) => (a: Numbers) => a.step(...gaps(list))),
  fc
    .shuffledSubarray([0, 1, 2, 3], { minLength: 4 })
    .map((axes) => (a: Numbers) => a.transpose(...axes.filter((axis) => axis < a.dimension))),
  fc
    .array(fc.option(fc.nat(3)), { maxLength: 3 })
    .map((list) => (a: Numbers) => a.pick(...list.slice(0, Math.max(0, a.dimension - 1)).map(inside(a)))),
);

/** All properties and values of an array, as plain data. */
function facts(array: Numbers) {
  const { data, shape, stride, offset, dtype, size, dimension, order } = array;
  const seen: number[] = [];
  const [a = 1, b = 1, c = 1, d = 1] = shape;
  for (let i = 0; i < a; i++) {
    for (let j = 0; j < b; j++) {
      for (let k = 0; k < c; k++) {
        for (let l = 0; l < d; l++) {
          const at = [i, j, k, l].slice(0, dimension);
          seen.push(array.index(...at), array.get(...at));
        }
      }
    }
  }
  // Axes with equal strides may come in either order.
  const strides = order.map((axis) => Math.abs(stride[axis]));
  return { data: [...data], shape, stride, offset, dtype, size, dimension, strides, seen };
}

const shapes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
const filled = (shape: number[]) =>
  new Uint16Array(shape.reduce((size, length) => size * length, 1)).map((_, i) => 7 * i + 3);

test("an array of image() is as one of ndarray after any chain of methods", () => {
  fc.assert(
    fc.property(shapes, fc.array(steps, { maxLength: 4 }), (shape, chain) => {
      const run = (array: Numbers) => facts(chain.reduce((now, step) => step(now), array));
      expect(run(image(filled(shape), shape))).toEqual(run(ndarray(filled(shape), shape)));
    }),
    { numRuns: 1000 },
  );
});

test.each([Uint8Array, Uint8ClampedArray, Int8Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array])(
  "the dtype of an array of image() has ndarray's name for %o",
  (Kind) => {
    expect(image(new Kind(4)).dtype).toBe(ndarray(new Kind(4)).dtype);
  },
);

test("image() works where a content security policy forbids eval, and ndarray does not", () => {
  const compile = globalThis.Function;
  globalThis.Function = function refuse() {
    throw new EvalError("unsafe-eval");
  } as unknown as FunctionConstructor;
  try {
    expect(() => ndarray(new Int8Array(30), [5, 3, 2])).toThrow(EvalError);
    const array = image(new Int8Array(30).fill(4), [5, 3, 2]);
    expect(array.lo(1).hi(2, 2).step(1, -1).transpose(1, 0).pick(0).get(1, 1)).toBe(4);
  } finally {
    globalThis.Function = compile;
  }
});
