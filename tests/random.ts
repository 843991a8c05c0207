import { randomBy } from "../measure/propose.ts";

/** Uniform numbers from 0 to below 1, the same for the same seed: a linear congruential generator, whose high bits are good. */
export function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Normally distributed numbers (Box and Muller). */
export function normal(seed: number): () => number {
  const random = randomBy(seed);
  // Never 0, whose logarithm is infinite.
  const open = () => (random() * 2 ** 32 + 1) / (2 ** 32 + 1);
  return () => Math.sqrt(-2 * Math.log(open())) * Math.cos(2 * Math.PI * open());
}
