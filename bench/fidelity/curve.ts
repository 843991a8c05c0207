import { type Chain, ours, PEERS, peerOf } from "./chains.ts";
import { measureSet } from "./measure.ts";
import { bilateral } from "./peers/bilateral.ts";
import { fastBilateral } from "./peers/fastBilateral.ts";
import { keptOf, SHAPE, type Wall, walls, wavy } from "./relief.ts";

/** One setting of a filter: how much jitter it leaves, and how much small detail it keeps. */
export interface CurvePoint {
  readonly family: string;
  readonly setting: string;
  /** Jitter on a still wall as a share of raw's. */
  readonly jitter: number | null;
  /** The share that is kept of waves of the kind `WAVE`. */
  readonly kept: number;
}

export const WAVE = { heightSigma: 5, lengthPx: 12 } as const;
const FRAMES = 14;

/** Chains by family, from weak to strong. */
function families(): (readonly [family: string, setting: string, chain: Chain])[] {
  const own = [2, 4, 6, 8, 12, 16].flatMap((px) =>
    ours((stage) => {
      if (stage.name === "bilateralGrid") stage.set({ sigmaSpacePx: px });
    }).map((chain) => [chain.name, `σ ${px} px`, chain] as const),
  );
  const direct = [3, 5, 9, 17].map(
    (d) => ["OpenCV bilateral", `d ${d}`, peerOf("", "", bilateral(d, 50, d / 2))] as const,
  );
  const fast = [4, 8, 15].map(
    (px) => ["PCL fast bilateral", `${px} px`, peerOf("", "", fastBilateral(px, 50))] as const,
  );
  const vendor = PEERS.slice(2).map((chain) => [chain.name, "default", chain] as const);
  return [...own, ...direct, ...fast, ...vendor].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Measures jitter against kept detail, on a wall seen by each of the cameras. */
export function measureCurves(): { readonly wall: string; readonly points: readonly CurvePoint[] }[] {
  return walls().map((wall) => ({ wall: wall.name, points: measureCurve(wall) }));
}

function measureCurve(wall: Wall): CurvePoint[] {
  const { metres } = wavy(wall.awayM, 0, WAVE.lengthPx);
  const raw = Array.from({ length: FRAMES }, (_, t) => wall.look(metres, t));
  const still = { ...SHAPE, raw, truth: undefined, fixed: true, name: wall.name };
  return families().map(([family, setting, chain]) => {
    const [row] = measureSet(still, [chain]).rows;
    const kept = keptOf(chain, wall, WAVE.heightSigma, WAVE.lengthPx);
    return { family, setting, jitter: row.figures.still?.jitterRatio ?? null, kept };
  });
}
