import type { Checked, Fault } from "./checked.ts";
import { MODELS, type Model, type Usual } from "./models.ts";
import type { Noted } from "./noted.ts";
import { type Reading, spellReading } from "./reading.ts";

/** Above these something is wrong: shares of frames and of pixels, shares of the distance, multiples of what is usual. */
const MOST = {
  missing: 0.02,
  blind: 0.95,
  unseen: 0.1,
  drift: 0.004,
  bowl: 0.01,
  noise: 2,
  rimLost: 0.3,
  rimNoise: 2.5,
  grain: 1.5,
  colourPx: 1.5,
} as const;
/**
 * Names what is wrong. `sigmaMm` is the noise that was measured at the wall's distance. A blurred lens takes detail: matching then finds
 * less, and finds that less well; depth by time of flight gets alike over several pixels. Little light makes depth
 * noisier, or takes pixels.
 */
export function faultsOf(
  { wall, tool, validShare, missing, driftMm, bowlMm, frames, rim, grain, colour }: Omit<Checked, "faults">,
  model: Model | undefined,
  sigmaMm: number,
): Fault[] {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const dropped: Fault = {
    name: "dropped",
    says: `${percent(missing)} of the frames are missing: use a USB 3 port of its own, a shorter cable, a lower rate or size`,
  };
  const faults = missing > MOST.missing && missing * frames > 1 ? [dropped] : [];
  const say = (name: Fault["name"], says: string) => faults.push({ name, says });
  const isBlind = 1 - validShare > MOST.blind;
  if (isBlind)
    say(
      "blind",
      `only ${percent(validShare)} of the picture have a depth: uncover the lens, switch the laser on, and see that what it looks at is neither too near nor too far`,
    );
  const beside = ({ value, plusMinus }: Reading) => Math.abs(value ?? 0) > MOST.colourPx + (plusMinus ?? 0);
  if (colour && (beside(colour.x) || beside(colour.y)))
    say(
      "colour",
      `colour lies ${spellReading(colour.x)} to the right of depth and ${spellReading(colour.y)} below it: calibrate the one to the other, and see that both are of one moment`,
    );
  // So few pixels say nothing else.
  if (!wall || isBlind) return faults;
  const { distanceMm, rmsMm, usualRmsMm } = wall;
  const isNoisy = usualRmsMm !== null && rmsMm > MOST.noise * usualRmsMm;
  const unseen = 1 - tool.fillRate / 100;
  const hasHoles = unseen > MOST.unseen;
  const usual: Usual | undefined = model && MODELS[model];
  const coarser = (grain ?? 0) / (usual?.grain ?? Number.POSITIVE_INFINITY);
  const times = isNoisy
    ? `${(rmsMm / usualRmsMm).toFixed(1)} times what the model ${model} has at ${(distanceMm / 1000).toFixed(2)} m`
    : "";
  const noise = `the rms of ${rmsMm.toFixed(1)} mm is ${times}`;
  const holes = `${percent(unseen)} of the wall have no depth`;
  if (coarser > MOST.grain)
    say(
      "blur",
      `noise is ${coarser.toFixed(1)} times as coarse as usual for the model ${model}: the lens is dirty or out of focus, or a filter is on`,
    );
  else if (isNoisy && hasHoles)
    say("blur", `${noise}, and ${holes}: clean the lens, focus it, calibrate; else raise the laser`);
  else if (isNoisy) say("laser", `${noise}: raise the laser, clean its window and the lens, calibrate`);
  else if (hasHoles)
    say("laser", `${holes}: raise the laser, clean its window, or choose a wall that is not glossy or black`);
  if (driftMm !== null && Math.abs(driftMm) > MOST.drift * distanceMm)
    say("drift", `the distance drifted by ${driftMm.toFixed(1)} mm: let the camera warm up, and hold it still`);
  if (bowlMm !== null && Math.abs(bowlMm) > Math.max(MOST.bowl * distanceMm, 3 * sigmaMm))
    say(
      "lens",
      `the wall bends by ${bowlMm.toFixed(1)} mm towards the corners: the intrinsics or the distortion are another lens’s, or the camera needs calibration`,
    );
  if (rim && (rim.lost > MOST.rimLost || rim.noisier > MOST.rimNoise)) {
    const how =
      rim.lost > MOST.rimLost ? `lacks ${percent(rim.lost)} more depth` : `is ${rim.noisier.toFixed(1)} times as noisy`;
    say(
      "rim",
      `the ${rim.side} of the picture ${how} than the middle: clean the rim of the lens, and see that nothing covers it`,
    );
  }
  return faults;
}

/** A laser below this share of its usual power is weak. */
const WEAK = 0.5;

/**
 * Names what the camera itself notes and depth does not show: on a wall with texture of its own, matching finds as much without the laser's
 * dots, and depth of a dark place is as good as the gain lets it.
 */
export function notedFaults(
  { laserMw, exposureUs, gain }: Noted,
  model: Model | undefined,
  told: readonly Fault[],
): Fault[] {
  const usual: Usual | undefined = model && MODELS[model];
  const isWeak = laserMw !== null && usual?.laserMw !== undefined && laserMw < WEAK * usual.laserMw;
  const power = laserMw === 0 ? "a laser that is off" : `a laser of ${laserMw} mW`;
  const faults: Fault[] = [];
  if (isWeak && !told.some(({ name }) => name === "laser" || name === "blur"))
    faults.push({
      name: "laser",
      says: `the camera notes ${power}, and ${usual?.laserMw} mW are usual: on walls without texture it will see less; raise it`,
    });
  const light = (says: string) => faults.push({ name: "light", says: `the camera notes ${says}` });
  if (gain !== null && usual?.gain && gain >= usual.gain[1])
    light(
      `a gain of ${gain}, the most that it has: it is too dark for the camera; light the scene, or raise the laser`,
    );
  else if (exposureUs !== null && usual?.exposureUs && exposureUs >= usual.exposureUs[1])
    light(`an exposure of ${exposureUs} µs, the longest that it has: it is too dark for the camera; light the scene`);
  else if (exposureUs !== null && usual?.exposureUs && exposureUs <= usual.exposureUs[0])
    light(
      `an exposure of ${exposureUs} µs, the shortest that it has: it is too bright; keep the sun off, lower the laser`,
    );
  return faults;
}
