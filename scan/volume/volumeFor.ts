import type { SigmaOfDepth } from "./pixelPlanes.ts";
import { type Fusable, Volume, type VolumeOptions } from "./volume.ts";

/** How fine a volume is, how far it reaches, and how large it may grow. */
export interface Fineness {
  /** The edge of a voxel, m. */
  readonly voxelM: number;
  /** Depth beyond this is not used, m; `undefined`: where a pixel is as wide as 1.5 voxels. */
  readonly farM: number | undefined;
  /** The most memory of the model, MiB. */
  readonly mostMegabytes: number;
}

/** The noise of depth where a recording does not show it: that of a good camera after filtering. */
const USUAL_NOISE: SigmaOfDepth = { a: 1, b: 1 };
/** A model is made anew if it has a frame farther from its corrected place than this share of a voxel. */
const OFF = 0.25;
export const isFarOff = (offM: number, { voxelM }: Pick<Fineness, "voxelM">): boolean => offM > OFF * voxelM;

/** A pixel may be as wide as this many voxels. */
const WIDEST = 1.5;

/** The options of a volume for frames like this one, and with colour where any frame has some. */
export function optionsFor(
  { intrinsics, color }: Fusable,
  fineness: Fineness,
  sigma = USUAL_NOISE,
  hasColour = color !== undefined,
): VolumeOptions {
  const { voxelM, mostMegabytes, farM = WIDEST * voxelM * intrinsics.fx } = fineness;
  const pixels = intrinsics.width * intrinsics.height;
  return { voxelM, pixels, hasColour, mostBytes: mostMegabytes * 2 ** 20, farM, sigma };
}

/** Makes a volume for frames like this one. */
export const volumeFor = (frame: Fusable, fineness: Fineness, sigma?: SigmaOfDepth): Volume =>
  new Volume(optionsFor(frame, fineness, sigma));
