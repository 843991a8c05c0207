import type { BuiltStage, CpuFrame, CpuPicture, CpuPoints, Stage } from "../../stages/stage.ts";

/** x and y of a point, as a share of its distance: products of floats, which a GPU may contract. z and order are exact. */
const POSITION = 1e-5;
/** At most `share` of a picture's pixels may be off by more than `steps` of 255, or miss a distance. */
const PICTURE = { steps: 3, share: 0.003 };

/**
 * What a stage's kernels left that is not what its twin left for the same input, in words; nothing if all is right. Depth may
 * be `stage.depthTolerance` units off; valid stays valid and invalid stays invalid in any case.
 */
export function differencesOf(
  { name, depthTolerance }: Pick<Stage, "name" | "depthTolerance">,
  expected: CpuFrame,
  found: CpuFrame,
  output: BuiltStage["output"],
): string[] {
  const width = expected.depth.shape[1];
  const said = [
    output.depth && depthDifference(expected.depth.data, found.depth.data, width, depthTolerance),
    output.points && pointDifference(expected.points, found.points),
    output.picture && pictureDifference(expected.picture, found.picture),
  ];
  return said.flatMap((difference) => (difference ? [`${name}: ${difference}`] : []));
}

function depthDifference(expected: Uint16Array, found: Uint16Array, width: number, tolerance: number) {
  let wrong = 0;
  let first = "";
  for (let i = 0; i < expected.length; i++) {
    const [a, b] = [expected[i] ?? 0, found[i] ?? 0];
    if (a === b || (a !== 0 && b !== 0 && Math.abs(a - b) <= tolerance)) continue;
    if (wrong++ === 0) first = `the first at (${i % width}, ${Math.floor(i / width)}): ${b}, not ${a}`;
  }
  return wrong > 0 ? `${wrong} of ${expected.length} pixels differ from the twin's, ${first}` : undefined;
}

/** What is not as it should be in a list of points, in words. */
export function pointDifference(expected: CpuPoints | undefined, found: CpuPoints | undefined): string | undefined {
  if (!expected || !found) return "there are no points";
  if (expected.count !== found.count) return `${found.count} points, not ${expected.count}`;
  let [wrong, first] = [0, 0];
  for (let i = 0; i < expected.count * 4; i += 4) {
    const z = expected.floats[i + 2] ?? 0;
    const near = (k: number) => {
      const [a, b] = [expected.floats[k] ?? 0, found.floats[k] ?? 0];
      return Math.abs(a - b) <= POSITION * (z + Math.abs(a));
    };
    if (near(i) && near(i + 1) && z === found.floats[i + 2] && expected.words[i + 3] === found.words[i + 3]) continue;
    if (wrong++ === 0) first = i / 4;
  }
  return wrong > 0 ? `${wrong} of ${expected.count} points differ from the twin's, the first is ${first}` : undefined;
}

function pictureDifference(expected: CpuPicture | undefined, found: CpuPicture | undefined): string | undefined {
  if (!expected || !found) return "there is no picture";
  const { steps, share } = PICTURE;
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
