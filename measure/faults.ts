import { counted } from "../core/check.ts";
import type { Checked, Fault } from "./checked.ts";
import { MODELS, type Model, type Usual } from "./models.ts";
import type { Noted } from "./noted.ts";
import { type Known, TOOL_FRAMES } from "./quality.ts";
import { type Reading, spellReading } from "./reading.ts";

/** Above these something is wrong: shares of frames and of pixels, shares of the distance (in a second), multiples of what is usual. */
const MOST = {
  missing: 0.02,
  blind: 0.95,
  unseen: 0.1,
  drift: 0.0015,
  driftSteps: 1.5,
  driftSpeed: 0.004,
  bowl: 0.008,
  scale: 0.7,
  bump: 0.005,
  bumpTimes: 3.5,
  bumpNoise: 0.9,
  stuck: 10,
  stripes: 0.5,
  rimLost: 0.3,
  rimNoise: 2.5,
  grain: 1.5,
  colourPx: 1.5,
} as const;
/** With fewer frames a camera that stands cannot be told from one that moves, and so noise cannot be told from structure. */
const FEWEST_FRAMES = 3;

/** Whether a wall's distance drifts: "slowly" as sensors that warm up, over minutes, or "fast" as a camera that somebody moves. */
export function driftOver(driftMm: number | null, seconds: number, distanceMm: number, stepMm: number) {
  const drift = Math.abs(driftMm ?? 0);
  if (!(drift > Math.max(MOST.drift * distanceMm, MOST.driftSteps * stepMm))) return undefined;
  return drift > MOST.driftSpeed * distanceMm * seconds ? "fast" : "slowly";
}

/**
 * Names what is wrong. `sigmaMm` is the noise that was measured at the wall's distance. A blurred lens takes away detail, so matching finds
 * less depth, and finds it less well; depth by time of flight becomes similar over several pixels. Little light makes depth noisier, or
 * costs pixels.
 */
export function faultsOf(
  found: Omit<Checked, "faults" | "unknown">,
  model: Model | undefined,
  sigmaMm: number,
  stepMm: number,
): Fault[] {
  const { wall, tool, validShare, missing, driftMm, bowlMm, sidewaysMm, frames, rim, grain, colour } = found;
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
  // With so few pixels or frames nothing else can be said.
  if (!wall || isBlind || frames < FEWEST_FRAMES) return faults;
  const { distanceMm, rmsMm, usualRmsMm } = wall;
  // Stripes are noise of another origin, and coarse.
  const isStriped = (found.stripes ?? 0) > MOST.stripes;
  const unseen = 1 - tool.fillRate / 100;
  const hasHoles = unseen > MOST.unseen;
  const usual: Usual | undefined = model && MODELS[model];
  const isNoisy = usual !== undefined && usualRmsMm !== null && rmsMm > usual.times * usualRmsMm && !isStriped;
  const coarser = (grain ?? 0) / (usual?.grain ?? Number.POSITIVE_INFINITY);
  const times = isNoisy
    ? `${(rmsMm / usualRmsMm).toFixed(1)} times what the model ${model} has at ${(distanceMm / 1000).toFixed(2)} m`
    : "";
  const noise = `the rms of ${rmsMm.toFixed(1)} mm is ${times}`;
  const holes = `${percent(unseen)} of the wall have no depth`;
  if (coarser > MOST.grain && !isStriped)
    say(
      "blur",
      `noise is ${coarser.toFixed(1)} times as coarse as usual for the model ${model}: the lens is dirty or out of focus, or a filter is on`,
    );
  else if (isNoisy && hasHoles)
    say("blur", `${noise}, and ${holes}: clean the lens, focus it, calibrate; else raise the laser`);
  else if (isNoisy) say("laser", `${noise}: raise the laser, clean its window and the lens, calibrate`);
  else if (hasHoles)
    say("laser", `${holes}: raise the laser, clean its window, or choose a wall that is not glossy or black`);
  if (driftOver(driftMm, Number.POSITIVE_INFINITY, distanceMm, stepMm))
    say("drift", `the distance drifted by ${driftMm?.toFixed(1)} mm: let the camera warm up, and hold it still`);
  const bends = (mm: number | null) => mm !== null && Math.abs(mm) > Math.max(MOST.bowl * distanceMm, 3 * sigmaMm);
  const lens = "the intrinsics or the distortion are another lens’s, or the camera needs calibration";
  if (bends(bowlMm)) say("lens", `the wall bends by ${bowlMm?.toFixed(1)} mm towards the corners: ${lens}`);
  else if (bends(sidewaysMm))
    say("lens", `the wall bends by ${sidewaysMm?.toFixed(1)} mm from one side to the other: ${lens}`);
  for (const fault of partFaults(found, distanceMm, usualRmsMm ?? rmsMm)) faults.push(fault);
  if (rim && (rim.lost > MOST.rimLost || rim.noisier > MOST.rimNoise)) {
    const how =
      rim.lost > MOST.rimLost
        ? `lacks ${percent(rim.lost)} more depth than`
        : `is ${rim.noisier.toFixed(1)} times as noisy as`;
    say(
      "rim",
      `the ${rim.side} of the picture ${how} the middle: clean the rim of the lens, and see that nothing covers it`,
    );
  }
  return faults;
}

/** Names the faults that single pixels and parts of the picture of a wall show, and a wrong scale, which a tape shows. */
function partFaults(
  { tool, bump, stuck, deadLines, stripes }: Omit<Checked, "faults" | "unknown">,
  distanceMm: number,
  rmsMm: number,
): Fault[] {
  const faults: Fault[] = [];
  const say = (name: Fault["name"], says: string) => faults.push({ name, says });
  const off = tool.zAccuracyPercent;
  if (off !== null && Math.abs(off) > MOST.scale)
    say(
      "scale",
      `the camera measures ${Math.abs(off).toFixed(1)} % too ${off > 0 ? "far" : "near"} against the tape: calibrate it, or scale by the tape (measure’s floorMm)`,
    );
  const leastMm = Math.max(MOST.bump * distanceMm, MOST.bumpNoise * rmsMm);
  if (bump && Math.abs(bump.mm) > Math.max(leastMm, MOST.bumpTimes * bump.usualMm))
    say(
      "bump",
      `around pixel ${Math.round(bump.x)},${Math.round(bump.y)} the wall lies ${Math.abs(bump.mm).toFixed(1)} mm too ${bump.mm > 0 ? "far" : "near"}: clean the lens there, or calibrate; see that the wall is flat`,
    );
  const pixels = [
    ...(stuck !== null && stuck >= MOST.stuck ? [`${stuck} pixels that always tell the same wrong depth`] : []),
    ...(deadLines !== null && deadLines > 0 ? [`${counted(deadLines, "whole line")} of pixels without depth`] : []),
  ];
  if (pixels.length > 0)
    say(
      "pixels",
      `the picture has ${pixels.join(", and ")}: the sensor is damaged; leave them out, or have it replaced`,
    );
  if (stripes !== null && stripes > MOST.stripes)
    say(
      "stripes",
      `${(100 * stripes).toFixed(0)} % of the noise comes in stripes: another camera’s light or a lamp that flickers interferes; switch it off, or synchronize the cameras`,
    );
  return faults;
}

/** Says what a check could not tell, and what it takes. */
export function unknownOf(
  { wall, moves, moved, temporal, driftMm, frames }: Omit<Checked, "faults" | "unknown">,
  known: Known & { readonly model?: Model | undefined },
): string[] {
  if (moves)
    return [
      "the camera or something before it moves: hold it still before a flat wall; only frames, depth and colour were judged",
    ];
  if (!wall)
    return [
      "no flat wall fills the region (80 % of it on one plane, rms up to 2 % of the distance): only frames, depth and colour were judged",
    ];
  return [
    ...(moved > 0
      ? [`the camera or something before it moved (${counted(moved, "frame")}): noise and drift are those since then`]
      : []),
    ...(frames < FEWEST_FRAMES
      ? [`faults of the wall's depth take ${FEWEST_FRAMES} frames of a camera that stands`]
      : []),
    ...(temporal.frames < TOOL_FRAMES
      ? [`temporal noise is that of ${TOOL_FRAMES} frames, and there are ${temporal.frames}`]
      : []),
    ...(driftMm === null ? ["drift takes 8 frames"] : []),
    ...(known.truthMm === undefined ? ["a wall cannot show a wrong scale: give its distance by a tape"] : []),
    ...(known.baselineMm !== undefined || (known.model && "gain" in MODELS[known.model])
      ? [
          "of a stereo camera a wall cannot show a focal length that is wrong by a few percent: measure a thing of known width",
        ]
      : []),
  ];
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
