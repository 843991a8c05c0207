import type { BuiltStage, CpuFrame, CpuPicture, CpuPoints } from "../stages/stage.ts";

/** How far a variant's output may be from the twin's. Valid stays valid and invalid stays invalid in any case. */
export const TOLERANCE = {
  /** Depth, in units of the frame. */
  depthUnits: 1,
  /** x and y of a point, as a share of its distance: products of floats, which a GPU may contract. z and order are exact. */
  position: 1e-5,
  /** At most `share` of a picture's pixels may be off by more than `steps` of 255, or miss a distance. */
  picture: { steps: 3, share: 0.003 },
} as const;

/** What a stage left that is not what its twin left, in words; `undefined` if all is right. */
export function differenceOf(
  expected: CpuFrame | undefined,
  found: CpuFrame,
  { depth, points, picture }: BuiltStage["output"],
): string | undefined {
  if (!expected) return "there is no twin to compare with";
  return (
    (depth && depthDifference(expected.depth.data, found.depth.data)) ||
    (points && pointDifference(expected.points, found.points)) ||
    (picture && pictureDifference(expected.picture, found.picture)) ||
    undefined
  );
}

function depthDifference(expected: Uint16Array, found: Uint16Array): string | undefined {
  const far = (a: number, b: number) => a !== b && (a === 0 || b === 0 || Math.abs(a - b) > TOLERANCE.depthUnits);
  const wrong = expected.reduce((sum, a, i) => sum + (far(a, found[i] ?? 0) ? 1 : 0), 0);
  return wrong > 0 ? `${wrong} of ${expected.length} pixels differ from the twin's` : undefined;
}

function pointDifference(expected: CpuPoints | undefined, found: CpuPoints | undefined): string | undefined {
  if (!expected || !found) return "there are no points";
  if (expected.count !== found.count) return `${found.count} points, not ${expected.count}`;
  let wrong = 0;
  for (let i = 0; i < expected.count * 4; i += 4) {
    const z = expected.floats[i + 2] ?? 0;
    const near = (k: number) => {
      const [a, b] = [expected.floats[k] ?? 0, found.floats[k] ?? 0];
      return Math.abs(a - b) <= TOLERANCE.position * (z + Math.abs(a));
    };
    if (!near(i) || !near(i + 1) || z !== found.floats[i + 2] || expected.words[i + 3] !== found.words[i + 3]) wrong++;
  }
  return wrong > 0 ? `${wrong} of ${expected.count} points differ from the twin's` : undefined;
}

function pictureDifference(expected: CpuPicture | undefined, found: CpuPicture | undefined): string | undefined {
  if (!expected || !found) return "there is no picture";
  const { steps, share } = TOLERANCE.picture;
  const pixels = expected.depth.length;
  let [colours, distances] = [0, 0];
  for (let p = 0; p < pixels; p++) {
    let most = 0;
    for (let c = 4 * p; c < 4 * p + 4; c++) {
      most = Math.max(most, Math.abs((expected.rgba[c] ?? 0) - (found.rgba[c] ?? 0)));
    }
    if (most > steps) colours++;
    if ((expected.depth[p] ?? 0) > 0 !== (found.depth[p] ?? 0) > 0) distances++;
  }
  const said = [
    colours > share * pixels ? `${colours} of ${pixels} pixels differ from the twin's by more than ${steps}` : "",
    distances > share * pixels ? `${distances} of ${pixels} pixels have a distance where the twin's have none` : "",
  ];
  return said.filter(Boolean).join(", ") || undefined;
}
