/** A value in mm, measured at a distance from `count` pixels. */
export interface Sample {
  readonly atM: number;
  readonly mm: number;
  readonly count: number;
}

/** Fits a + b·z² with a, b ≥ 0 to the samples: least sum of relative errors by iteratively reweighted least squares, weighted by √count. */
export function curveThrough(samples: readonly Sample[]): [a: number, b: number] {
  let [a, b] = [0, 0];
  for (let round = 0; round < 30; round++) {
    let [w, wx, wxx, wy, wxy] = [0, 0, 0, 0, 0];
    for (const { atM, mm, count } of samples) {
      const x = atM * atM;
      const off = round === 0 ? 1 : Math.max(0.02, Math.abs(a + b * x - mm) / mm);
      const weight = Math.sqrt(count) / (mm * mm * off);
      w += weight;
      wx += weight * x;
      wxx += weight * x * x;
      wy += weight * mm;
      wxy += weight * x * mm;
    }
    const determinant = w * wxx - wx * wx;
    b = determinant > 1e-9 * w * wxx ? (w * wxy - wx * wy) / determinant : 0;
    if (b < 0) b = 0;
    a = (wy - b * wx) / (w || 1);
    if (a < 0) [a, b] = [0, wxy / wxx];
  }
  return [a, b];
}

/**
 * The curve c · (1 + z²) through the samples, which is typical of sensors, for samples whose distances are too similar to tell a from b.
 */
export function usualThrough(samples: readonly Sample[]): [a: number, b: number] {
  const [sum, weight] = samples.reduce(
    ([s, w], { atM, mm, count }) => [s + (count * mm) / (1 + atM * atM), w + count],
    [0, 0],
  );
  return [sum / weight, sum / weight];
}

/** The distances in metres below which a tenth and nine tenths of the pixels lie. */
export function placesOf(samples: readonly Sample[]): [nearM: number, farM: number] {
  const sorted = samples.toSorted((p, q) => p.atM - q.atM);
  const all = sorted.reduce((sum, { count }) => sum + count, 0);
  const at = (share: number) => {
    let seen = 0;
    const found =
      sorted.find(({ count }) => {
        seen += count;
        return seen >= share * all;
      })?.atM ?? 1;
    return found < 1 ? Math.max(0.1, Math.round(found * 10) / 10) : Math.round(found * 2) / 2;
  };
  return [at(0.1), at(0.9)];
}
