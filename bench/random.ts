/** Marsaglia's xorshift32: whole numbers of 32 bits, fast, and the same on every machine. */
export function xorshift(seed = 0x9e3779b9): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
