/** Uniform numbers from 0 to below 1, the same for the same seed: a linear congruential generator, whose high bits are good. */
export function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Uniform numbers from 0 to below 1, all of whose bits are good (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Normally distributed numbers (Box and Muller). */
export function normal(seed: number): () => number {
  const random = seeded(seed);
  // Never 0, whose logarithm is infinite.
  const open = () => (random() * 2 ** 32 + 1) / (2 ** 32 + 1);
  return () => Math.sqrt(-2 * Math.log(open())) * Math.cos(2 * Math.PI * open());
}
