import { signalRule } from "../core/abort.ts";
import { checkArgument, checkOptions, counted, type Rule } from "../core/check.ts";
import { framesRule } from "../core/checkFrame.ts";
import type { DepthFrame } from "../core/frame.ts";
import { readBox } from "./box.ts";
import { type BoxReading, noBox } from "./boxReading.ts";
import { readChange } from "./change.ts";
import { faces, findFloor, mayBeWall, planeAt } from "./find.ts";
import type { PlaneFit } from "./plane.ts";
import { angleBetween, type PlaneReading, readPlane } from "./planeReading.ts";
import { cannotTell, type Reading, TWO_SIDED_95, underAssumption } from "./reading.ts";
import { type RegionReading, readRegion } from "./region.ts";
import { Resting } from "./resting.ts";
import type { Pixel, Region, Scene } from "./scene.ts";
import { StillScene } from "./still.ts";
import { offTape, scaleBy, scaled } from "./tape.ts";
import { type FoundThings, nothingAfter, thingsOn } from "./things.ts";
import { readVolume } from "./volume.ts";

/** The things to measure. Pixels are those of the depth image, from 0. */
export interface MeasureOptions {
  /** A pixel on each box to be measured. */
  readonly boxes?: readonly Pixel[] | undefined;
  /** A pixel on each thing whose volume over the floor is to be measured. */
  readonly volumes?: readonly Pixel[] | undefined;
  /** Whether every thing on the floor is to be found by itself and measured as a box. */
  readonly all?: boolean | undefined;
  /** The things of an earlier answer: with `all`, those that are found again keep their ids. */
  readonly known?: FoundThings | undefined;
  /** A pixel on each plane to be measured. */
  readonly planes?: readonly Pixel[] | undefined;
  /** Parts of the image to be measured. */
  readonly regions?: readonly Region[] | undefined;
  /** The floor: found by itself ("auto", if not given), or the plane that this pixel sees. */
  readonly floor?: "auto" | Pixel | undefined;
  /**
   * The share of all distances by which the camera may be wrong as a whole, in 95 of 100 cases: .01 for 1 %. If it is not given, each ±
   * includes the usual error of this kind of camera (systematic.ts).
   */
  readonly accuracy?: number | undefined;
  /**
   * The camera's distance from the floor by a tape, along the floor's normal, mm: all depths are scaled so that the floor lies there. A
   * camera whose depth is wrong by a share measures right then; the tape's own error belongs into `accuracy`.
   */
  readonly floorMm?: number | undefined;
  /**
   * What the same camera, from the same place, saw before: frames, or what `SceneBuilder` made of them. In each of the regions, or in the
   * whole image if there are none, the volume that came since then is measured.
   */
  readonly before?: readonly DepthFrame[] | Scene | undefined;
  /** The seed of the search for planes; 1 if not given. */
  readonly seed?: number | undefined;
  /** If it is aborted before the call, nothing is measured, and its reason is thrown. A call that has begun does not look at it again. */
  readonly signal?: AbortSignal | undefined;
}

/** A volume over the floor. */
export interface VolumeReading extends Pixel {
  /** The volume, litres. */
  readonly volume: Reading;
}

/** What was added in a part of the image since the earlier frame. */
export interface ChangeReading extends Region {
  /** The volume over the floor that was added, litres; below 0 the volume that was taken away. */
  readonly volume: Reading;
}

/** Everything that was measured. */
export interface Measurements {
  /** The number of frames that the readings are the mean of. */
  readonly frames: number;
  /** The share of pixels that have a depth, over these frames. */
  readonly validShare: number;
  /** The sensor's noise in words; `null` if it could not be measured. */
  readonly noise: string | null;
  /** The factor by which depths were scaled, since the floor's distance by a tape was given; else 1. */
  readonly scale: number;
  /** The floor; `null` if there is none, or if no reading needs it. */
  readonly floor: PlaneReading | null;
  /** The boxes, in the order in which they were asked for. */
  readonly boxes: readonly BoxReading[];
  /** All things on the floor, the largest first, if they were asked for. */
  readonly found: FoundThings;
  /** The volumes, in the order in which they were asked for. */
  readonly volumes: readonly VolumeReading[];
  /** What came since before, in the order of the regions; none where nothing from before was given. */
  readonly changes: readonly ChangeReading[];
  /** The planes; one that is `null` could not be found. */
  readonly planes: readonly (PlaneReading | null)[];
  /** The angle of each plane with the floor, degrees. */
  readonly angles: readonly Reading[];
  /** The angle of each plane but the first with the plane before it, degrees. */
  readonly between: readonly Reading[];
  /** The regions, in the order in which they were asked for. */
  readonly regions: readonly RegionReading[];
  /** The reasons to doubt the readings, in words. */
  readonly warnings: readonly string[];
}

const isPixel = (value: unknown): boolean =>
  typeof value === "object" && value !== null && ["x", "y"].every((name) => Number.isFinite(Reflect.get(value, name)));
const isRect = (value: unknown): boolean =>
  isPixel(value) && ["width", "height"].every((name) => Number(Reflect.get(value as object, name)) > 0);
const isRegion = (value: unknown): boolean => {
  const outline: unknown = isRect(value) ? Reflect.get(value as object, "outline") : null;
  return outline === undefined || (Array.isArray(outline) && outline.length >= 3 && outline.every(isPixel));
};
const isScene = (value: unknown): boolean => typeof value === "object" && value !== null && "rays" in value;
/** Accepts what is measured in. */
const seenRule: Rule = { expects: "frames or a scene", holds: (value) => framesRule.holds(value) || isScene(value) };
const listOf = (what: string, holds: (value: unknown) => boolean): Rule => ({
  expects: `a list of ${what}`,
  holds: (value) => Array.isArray(value) && value.every(holds),
});
const PIXELS = listOf("pixels { x, y }", isPixel);
const RULES: Readonly<Record<keyof MeasureOptions, Rule>> = {
  ...{ boxes: PIXELS, volumes: PIXELS, planes: PIXELS },
  regions: listOf("regions { x, y, width, height, outline? }", isRegion),
  floor: { expects: '"auto" or a pixel { x, y }', holds: (value) => value === "auto" || isPixel(value) },
  all: { expects: "true or false", holds: (value) => typeof value === "boolean" },
  known: {
    expects: "what findThings gave before",
    holds: (value) => typeof value === "object" && value !== null && "things" in value && "nextId" in value,
  },
  accuracy: { expects: "a share from 0 to below 1", holds: (value) => Number(value) >= 0 && Number(value) < 1 },
  floorMm: { expects: "a number of millimetres above 0", holds: (value) => Number(value) > 0 && Number(value) < 1e6 },
  before: seenRule,
  seed: { expects: "a whole number", holds: Number.isSafeInteger },
  signal: signalRule,
};

/**
 * Measures in frames of a camera that stands, unfiltered (`frame.source` of a pipeline's frame): regions, planes, the floor, boxes on it,
 * and volumes over it, each with its ± (95 %). The readings are of the frames' mean; where the camera or a thing moves slowly, or for more
 * than three frames, they are of the first frame alone, with a warning. A reading without a value says why. Throws an `OptionError` for a
 * wrong option.
 *
 * @example
 * const { boxes: [parcel] } = measure(frames, { boxes: [{ x: 320, y: 240 }] });
 * console.log(parcel.length.value, parcel.length.plusMinus); // mm
 */
export function measure(frames: readonly DepthFrame[] | Scene, options: MeasureOptions = {}): Measurements {
  return measureFor("measure", frames, options, new Resting(undefined, ""));
}

function measureFor(
  who: string,
  frames: readonly DepthFrame[] | Scene,
  options: MeasureOptions,
  resting: Resting,
): Measurements {
  checkArgument(who, "the first argument", seenRule, frames);
  checkOptions(who, options, RULES);
  options.signal?.throwIfAborted();
  if (!("length" in frames)) return measureIn(frames, options, resting);
  const { scene, left } = sceneOf(frames, frames[0] && resting.noiseOf(frames[0]));
  if (!scene) return { ...EMPTY, warnings: ["there is no frame to measure in"] };
  return measureIn(scene, options, resting, movedWarning(left));
}

/**
 * Finds every thing that rises from the floor, such as parcels, bins, or people seen from above, and measures each as a box; what is no
 * box has the smallest cuboid around it. A camera that stands gives one frame after the other, each with what it gave before as `known`:
 * things then keep their ids. Where no floor is found there are no things, and `warnings` says why; a floor that the camera faces may be a
 * wall, which `warnings` says until `floor` names one of its pixels. Throws an `OptionError` for a wrong option.
 *
 * @example
 * let found = findThings([first]);
 * found = findThings([second], { known: found });
 * const people = found.things.filter(({ highest }) => (highest.value ?? 0) > 1200); // mm
 */
export function findThings(
  frames: readonly DepthFrame[] | Scene,
  options: MeasureOptions = {},
): FoundThings & Pick<Measurements, "warnings"> {
  const { known, before: _, signal: __, ...asked } = options;
  const resting = new Resting(known, asked);
  const { found, warnings } = measureFor("findThings", frames, { ...options, all: true }, resting);
  const answer = { ...found, warnings };
  // A tape's length scales all depths by the floor of each call.
  if (options.floorMm === undefined) resting.keep(answer);
  return answer;
}

/** The mean of frames, and how many of them see something else than the first. */
function sceneOf(frames: readonly DepthFrame[], noise?: Scene["noise"]) {
  const still = new StillScene(noise);
  for (const frame of frames) still.add(frame);
  return { scene: still.build(), left: still.left };
}

const EMPTY: Measurements = {
  ...{ frames: 0, validShare: 0, noise: null, scale: 1, floor: null, boxes: [], found: nothingAfter() },
  ...{ volumes: [], changes: [], planes: [], angles: [], between: [], regions: [], warnings: [] },
};

/** Says that frames were left out. */
export const movedWarning = (left: number): string[] =>
  left > 0 ? [`left out ${counted(left, "frame")} after the first: the camera or a thing moved; hold both still`] : [];

function measureIn(seen: Scene, options: MeasureOptions, resting: Resting, warnings: string[] = []): Measurements {
  const { boxes = [], volumes = [], planes = [], regions = [], floor: wanted, floorMm, seed = 1 } = options;
  const then = options.before && "length" in options.before ? sceneOf(options.before).scene : options.before;
  const known = resting.withBumps({ ...seen, isStated: options.accuracy !== undefined });
  const standsOnIt = floorMm !== undefined || boxes.length + volumes.length > 0 || !!options.all;
  const needsFloor = standsOnIt || wanted !== undefined || !!then;
  const auto = needsFloor ? resting.floor(known, () => floorIn(known, wanted, seed)) : undefined;
  // A caller who names a thing on a plane knows that the plane is a floor.
  const isNamed = standsOnIt || typeof wanted === "object";
  const isDoubtful = auto !== undefined && !isNamed && mayBeWall(known, auto);
  const raw = isDoubtful ? undefined : auto;
  const { scale, error, isOff } = scaleBy(raw, floorMm);
  const scene = scaled(known, scale);
  const floor = scale === 1 ? raw : floorIn(scene, wanted, seed);
  const accuracy = Math.hypot(options.accuracy ?? 0, TWO_SIDED_95 * error);
  const changed = then ? changesIn(scaled(then, scale), scene, wanted, seed, regions, accuracy) : [];
  const noFloor = isDoubtful ? MAY_BE_WALL : "no floor was found: name a pixel of it, or show more of it";
  const fits = planes.map(({ x, y }) => planeAt(scene, x, y, seed));
  const boxOf = ({ x, y }: Pixel): BoxReading =>
    floor ? readBox(scene, floor, x, y, accuracy) : noBox({ x, y }, noFloor);
  const angleOf = (fit: PlaneFit | undefined) =>
    floor && fit ? angleBetween(floor, fit) : cannotTell("deg", floor ? "no plane was found there" : noFloor);
  const found = {
    floor: floor ? readPlane(floor, accuracy) : null,
    boxes: boxes.map(boxOf),
    found:
      floor && options.all ? thingsOn(scene, floor, accuracy, options.known, resting) : nothingAfter(options.known),
    volumes: volumes.map(({ x, y }) => ({
      x,
      y,
      volume: floor ? readVolume(scene, floor, x, y, accuracy) : cannotTell("l", noFloor),
    })),
    changes: changed,
    planes: fits.map((fit) => (fit ? readPlane(fit, accuracy) : null)),
    angles: needsFloor ? fits.map(angleOf) : [],
    between: fits.slice(1).map((fit, k) => {
      const before = fits[k];
      return before && fit ? angleBetween(before, fit) : cannotTell("deg", "no plane was found there");
    }),
  };
  return {
    frames: scene.frames,
    validShare: scene.validShare,
    noise: scene.noise?.text ?? null,
    scale,
    ...underAssumption(found, scene.assumed),
    regions: regions.map((rect) => readRegion(scene, rect, accuracy)),
    warnings: [
      ...warnings,
      ...(options.before && !then ? ["there is no frame from before: no change is told"] : []),
      ...(needsFloor && !floor ? [noFloor] : []),
      ...(raw && isOff ? [offTape(raw, floorMm)] : []),
      ...(floor && typeof wanted !== "object" ? doubtOf(floor) : []),
    ],
  };
}

/** What came in each region, over the floor as it was seen before: a heap may hide it now. */
function changesIn(
  before: Scene,
  now: Scene,
  wanted: MeasureOptions["floor"],
  seed: number,
  regions: readonly Region[],
  accuracy: number,
): readonly ChangeReading[] {
  const floor = floorIn(before, wanted, seed);
  const all = regions.length > 0 ? regions : [{ x: 0, y: 0, width: now.width, height: now.height }];
  return all.map(({ x, y, width, height, outline }) => {
    const region = { x, y, width, height, ...(outline && { outline }) };
    const none = cannotTell("l", "no floor was found before: name a pixel of it");
    return { ...region, volume: floor ? readChange(before, now, floor, region, accuracy) : none };
  });
}

/** The beginning of warnings about a floor that may be none. */
const WALL = "this may be a wall";

const doubtOf = (plane: PlaneFit): string[] =>
  faces(plane) ? [`${WALL}, unless the camera looks down: name a pixel of the floor`] : [];

const MAY_BE_WALL = `${WALL}, which fills the picture: if it is the floor, name a pixel of it`;

/** The floor, found by itself or by a pixel. */
const floorIn = (scene: Scene, wanted: MeasureOptions["floor"] = "auto", seed = 1): PlaneFit | undefined =>
  wanted === "auto" ? findFloor(scene, seed) : planeAt(scene, wanted.x, wanted.y, seed);
