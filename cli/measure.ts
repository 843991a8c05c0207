import { type Command, InvalidArgumentError } from "commander";
import { shownAddress } from "../core/address.ts";
import { plain } from "../core/check.ts";
import type { MeasureOptions, Scene } from "../measure/index.ts";
import { RequestError } from "../run/report/failure.ts";
import { notes, print, say, table } from "../run/report/terminal.ts";
import type { DepthFrame } from "../sources/index.ts";
import { positive, wholeFrom, wholes } from "./arguments.ts";
import { everyFrame } from "./everyFrame.ts";
import { addLive, addOpening, type LiveFlags, type OpenFlags } from "./opening.ts";

type Places<T> = readonly T[] | undefined;
interface MeasureFlags extends OpenFlags, LiveFlags, Pick<MeasureOptions, "floor" | "accuracy" | "floorMm"> {
  readonly box: Places<{ x: number; y: number }>;
  readonly volume: Places<{ x: number; y: number }>;
  readonly plane: Places<{ x: number; y: number }>;
  readonly region: Places<ReturnType<typeof region>>;
  readonly all?: true;
  readonly divisor?: number;
  readonly before?: string;
  readonly start: number;
  readonly frames: number;
  readonly json?: true;
}

const NOTES = `
The camera must stand: the readings are of the frames' mean. Each has its ± (95 %), from the sensor's noise as it was measured; what cannot
be told says why. Pixels are those of the depth image, column and row from 0. --box wants a pixel on the box; the floor is found by itself,
or is the plane that --floor x,y sees. Each ± has what the kind of camera usually errs by, too. A camera that is wrong by 1 % as a whole is
so in every length: --accuracy 1 puts that in its place, and --floor-mm 1500, the camera's distance from the floor by a tape, square to the
floor, takes that out. What is no box has the smallest cuboid around it, which is said. With --divisor the exit status tells whether a weight
can be charged: 0 if each thing that was asked for has its three sides, 1 if one cannot be told or nothing was found.
Example: depthloom measure parcel.bag --box 320,240 --json`;

/** How many frames are averaged if nobody says. */
const FRAMES = 30;

function pixel(text: string, shape = "column,row, such as 320,240") {
  const [x, y] = wholes(text, 2, shape);
  return { x, y };
}

/** Parses "300,200,40,80": a part of the image. */
export function rect(text: string) {
  const shape = "column,row,width,height, such as 300,200,40,80";
  const [x, y, width, height] = wholes(text, 4, shape);
  if (!width || !height) throw new InvalidArgumentError(`It must be ${shape}.`);
  return { x, y, width, height };
}

/** Parses a part of the image: a rectangle, or the corners of an outline "10,20,60,25,40,70". */
function region(text: string) {
  const numbers = wholes(text);
  if (numbers.length < 6 || numbers.length % 2 === 1) return rect(text);
  return { outline: numbers.flatMap((x, k) => (k % 2 === 0 ? [{ x, y: numbers[k + 1] }] : [])) };
}

const several =
  <T>(parse: (text: string) => T) =>
  (text: string, before: readonly T[] = []): readonly T[] => [...before, parse(text)];

function percent(text: string): number {
  const number = text.replace(/%$/, "");
  const value = Number(number);
  if (number !== "" && value >= 0 && value < 100) return value / 100;
  throw new InvalidArgumentError("It must be a percentage from 0 to below 100, such as 0.5.");
}

export function addMeasure(program: Command): void {
  const command = program
    .command("measure <recording>")
    .description("measure boxes, the floor, planes, volumes and regions, each with its ±")
    .option("--box <x,y>", "length, width and height of the box that this pixel sees; may be repeated", several(pixel))
    .option("--all", "every thing on the floor, found by itself, measured as a box, with a number of its own")
    .option("--divisor <n>", "dimensional weight of boxes and things, kg: cm³ over this, such as 5000", positive)
    .option(
      "--volume <x,y>",
      "the volume over the floor of the thing that this pixel sees; may be repeated",
      several(pixel),
    )
    .option("--plane <x,y>", "tilt and flatness of the plane that this pixel sees; may be repeated", several(pixel))
    .option(
      "--region <x,y,w,h>",
      "valid share, distance, plane and area of a part of the image, or within an outline x,y,x,y,x,y…; may be repeated",
      several(region),
    )
    .option(
      "--floor <auto|x,y>",
      "the floor, found by itself, or as the plane that a pixel sees (default: auto)",
      (text) => (text === "auto" ? text : pixel(text, "auto, or column,row, such as 320,240")),
    )
    .option(
      "--accuracy <percent>",
      "by how much of the distance the camera may be wrong as a whole (95 %), instead of what its kind usually errs by",
      percent,
    )
    .option(
      "--floor-mm <mm>",
      "the camera's distance from the floor by a tape, by which all depths are scaled",
      positive,
    )
    .option(
      "--before <recording>",
      "what the camera saw before, from the same place, by its first frames: tells the volume that came in each region, or in the image",
    )
    .option("--start <n>", "the first frame, from 0", wholeFrom(0), 0)
    .option("--frames <n>", "of how many frames the mean is taken, at most", wholeFrom(1), FRAMES)
    .option("--json", "print one JSON document");
  addLive(addOpening(command)).addHelpText("after", notes(NOTES)).action(runMeasure);
}

async function runMeasure(recording: string, flags: MeasureFlags): Promise<void> {
  const { box: boxes, volume: volumes, plane: planes, accuracy, floorMm } = flags;
  const { all, divisor } = flags;
  const asked = [boxes, volumes, planes, flags.region, all].some((list) => list !== undefined);
  if (divisor !== undefined && !boxes && !all)
    throw new RequestError("--divisor weighs boxes: name one by --box, or take --all");
  // Without a question the answer is the floor.
  const floor = flags.floor ?? (asked && floorMm === undefined ? undefined : "auto");
  const { measure, regionOf, weightOf } = await import("../measure/index.ts");
  const regions = flags.region?.map((place) => ("outline" in place ? regionOf(place.outline) : place));
  const { documentOf, rowsOf } = await import("../measure/report.ts");
  let before: Scene | undefined;
  const keep = (scene: Scene, warnings: readonly string[]) => {
    before = scene;
    for (const line of warnings) say(`warning: before: ${plain(line)}`);
  };
  if (flags.before !== undefined) await withScene(flags.before, { ...flags, start: 0 }, keep);
  await withScene(recording, flags, (scene, warnings) => {
    const pixels = typeof floor === "object" ? [floor] : [];
    checkPixels(scene, [...(boxes ?? []), ...(volumes ?? []), ...(planes ?? []), ...pixels]);
    const found = measure(scene, { boxes, volumes, planes, regions, floor, floorMm, accuracy, before, all });
    const measured = { ...found, warnings: [...found.warnings, ...warnings] };
    for (const line of measured.warnings) say(`warning: ${plain(line)}`);
    const things = [...measured.boxes, ...measured.found.things];
    const isReady = things.length > 0 && things.every((box) => weightOf(box, 1).value !== null);
    if (divisor !== undefined && !isReady) process.exitCode = 1;
    const document = () => `${JSON.stringify(documentOf(shownAddress(recording), measured, divisor), null, 2)}\n`;
    return print([flags.json ? document() : table(rowsOf(measured, divisor))]);
  });
}

/** Calls `use` with the mean of a recording's frames. */
async function withScene(
  recording: string,
  flags: MeasureFlags,
  use: (scene: Scene, warnings: readonly string[]) => unknown,
): Promise<void> {
  const { StillScene } = await import("../measure/still.ts");
  const { movedWarning } = await import("../measure/measure.ts");
  const still = new StillScene();
  const take = (frame: DepthFrame) => still.add(frame);
  await everyFrame(recording, flags, take, () => {
    const scene = still.build();
    return scene && Promise.resolve(use(scene, movedWarning(still.left)));
  });
}

function checkPixels(
  { width, height }: { width: number; height: number },
  pixels: readonly { x: number; y: number }[],
): void {
  const out = pixels.find(({ x, y }) => x >= width || y >= height);
  if (out) throw new RequestError(`pixel ${out.x},${out.y} lies outside of the image, which is ${width}x${height}`);
}
