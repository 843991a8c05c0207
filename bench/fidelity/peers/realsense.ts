/**
 * librealsense's filters at their defaults, for depth in whole units (without the conversion to disparity). They round inside their
 * recursions: the spatial filter to the nearest unit with halves up, the temporal filter downwards.
 */

/** The weight of the new value, in space and in time, and the greatest difference in units between depths of one surface. */
const SPATIAL = { alpha: 0.5, delta: 20, rounds: 2 } as const;
const TEMPORAL = { alpha: 0.4, delta: 20 } as const;

/**
 * The edge-preserving filter: a recursive mean along each row in both directions, then along each column, twice (Gastal and Oliveira 2011).
 */
export function realsenseSpatial(width: number): (units: Uint16Array) => Uint16Array {
  return (units) => {
    const image = units.slice();
    const height = image.length / width;
    const pass = (from: number, step: number, count: number) => {
      let before = image[from];
      for (let k = 1, i = from + step; k < count; k++, i += step) {
        const z = image[i];
        if (before > 0 && z > 0 && Math.abs(z - before) <= SPATIAL.delta) {
          image[i] = Math.trunc(z * SPATIAL.alpha + before * (1 - SPATIAL.alpha) + 0.5);
        }
        before = image[i];
      }
    };
    for (let round = 0; round < SPATIAL.rounds; round++) {
      for (let y = 0; y < height; y++) {
        pass(y * width, 1, width);
        pass((y + 1) * width - 1, -1, width);
      }
      for (let x = 0; x < width; x++) {
        pass(x, width, height);
        pass((height - 1) * width + x, -width, height);
      }
    }
    return image;
  };
}

/** A pixel valid in two of the last four frames keeps its last value while it is invalid. */
const PERSISTS = Array.from({ length: 16 }, (_, seen) => [1, 2, 4, 8].filter((bit) => seen & bit).length >= 2);

/** The temporal filter: a recursive mean of values within `delta`; a pixel that becomes invalid keeps its last value for a while. */
export function realsenseTemporal(size: number): (units: Uint16Array) => Uint16Array {
  const last = new Uint16Array(size);
  /** The earlier frames that had a value here, the latest in the lowest bit. */
  const seen = new Uint8Array(size);
  return (units) => {
    const image = units.slice();
    for (let i = 0; i < size; i++) {
      const [z, before] = [image[i], last[i]];
      if (z > 0) {
        const near = before > 0 && Math.abs(z - before) < TEMPORAL.delta;
        last[i] = near ? Math.trunc(TEMPORAL.alpha * z + (1 - TEMPORAL.alpha) * before) : z;
        image[i] = last[i];
      } else if (before > 0 && PERSISTS[seen[i] & 15]) {
        image[i] = before;
      }
      seen[i] = (seen[i] << 1) | (z > 0 ? 1 : 0);
    }
    return image;
  };
}
