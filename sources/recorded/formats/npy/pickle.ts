/** Whether a file begins as Python's pickle does: protocol 2 to 5, or a NumPy array in the text of protocol 0. */
export const isPickle = (head: Uint8Array): boolean =>
  (head[0] === 0x80 && head[1] >= 2 && head[1] <= 5) || /^c?numpy\.?/.test(String.fromCharCode(...head.subarray(0, 8)));

/** The advice about a pickle. Reading a pickle would run the code in it, so this library reads none. */
export const PICKLE_ADVICE =
  'reading a pickle would run the code in it; load it in Python where you trust it, and save depth as an array: numpy.save("depth.npy", depth, allow_pickle=False)';
