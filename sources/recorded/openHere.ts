import { counted } from "../../core/check.ts";
import { WorkClock, withWay } from "../../core/way.ts";
import type { Bytes } from "../decode/codec.ts";
import type { Given } from "../files/dropped.ts";
import type { ByteFile, Files } from "../files/files.ts";
import { type Frames, type Input, motionOf, type ReadOptions } from "../format/format.ts";
import { bagIn, lookInto } from "./containers.ts";
import { findFormat } from "./find.ts";
import { fileFormats } from "./formats/files.ts";
import { formats } from "./formats/folders.ts";
import { closeOnFailure, type Opened, openGiven } from "./given.ts";
import { Held } from "./held.ts";

/** Opens a recording on the calling thread. `onFile` gets the size in bytes where the recording is one file. */
export async function openHere(
  given: Given,
  options: ReadOptions,
  onFile: (size: number) => void = () => {},
): Promise<Opened> {
  const opened = await openGiven(given, options.maxSeconds);
  const found = "list" in opened ? ((await bagIn(opened)) ?? opened) : opened;
  if ("size" in found) onFile(found.size);
  return closeOnFailure(found, async () =>
    openInput("list" in found ? { kind: "files", files: found } : await lookInto(found), options),
  );
}

/** Finds the format of an opened input. */
export async function openInput(input: Input, options: ReadOptions = {}): Promise<Opened> {
  const held = new Held(input, options.maxMegapixels);
  return closeOnFailure(held, async () => {
    const clock = new WorkClock();
    const known = input.kind === "files" ? formats : [...formats, ...fileFormats];
    const once = input.kind === "files" ? readOnce(input.files) : undefined;
    const asked = once ? ({ kind: "files", files: once.files } as const) : input;
    const found = await findFormat(timed(asked, clock), options, known, held.decoder);
    once?.forget();
    // The formats make the list, and append to it while frames are read.
    const warnings = found.frames.warnings as string[];
    if (input.kind === "files") warnings.push(...(input.files.warnings ?? []));
    const frames = withPlausibleUnit(found.frames, warnings);
    const { name } = input.kind === "files" ? input.files : input.file;
    warnings.push(...timesBack(name, frames));
    const read = async (index: number) => {
      const [startMs, before] = [performance.now(), clock.ms];
      const frame = await frames.read(index);
      return withWay(frame, { decodeMs: performance.now() - startMs - (clock.ms - before) });
    };
    const pose = async (index: number) => motionOf(await frames.pose(index), index);
    return held.opened({ ...found, frames: { ...frames, read, pose } });
  });
}

/** The most bytes that opening keeps of files. */
const MOST_KEPT = 2 ** 24;

/** Files whose bytes are kept until `forget`: several formats and questions look at the same ones while a recording is opened. */
function readOnce(files: Files): { readonly files: Files; forget(): void } {
  const kept = new Map<string, Bytes>();
  let left = MOST_KEPT;
  const read = async (name: string) => {
    const known = kept.get(name) ?? (await files.read(name));
    if (!kept.has(name) && known.length <= left) {
      left -= known.length;
      kept.set(name, known);
    }
    // A decoder's thread may take the bytes over.
    return kept.has(name) ? known.slice() : known;
  };
  const forget = () => {
    kept.clear();
    left = -1;
  };
  return { files: { ...files, read }, forget };
}

/** Says how many times run back, since such a recording is two that were joined, or its frames are out of order. */
function timesBack(name: string, frames: Frames): string[] {
  const { length } = frames;
  let [count, first] = [0, 0];
  let before = Number.NaN;
  for (let i = 0; i < length; i++) {
    const time = frames.timestampOf(i);
    if (time < before && count++ === 0) first = i;
    before = time;
  }
  if (count === 0) return [];
  return [
    `${name}: the times of ${count} of ${counted(length, "frame")} run back, first at frame ${first}: frames come in the files' order, and what goes by time (speed, poses, a filter's memory) may be wrong there`,
  ];
}

/**
 * The input; `clock` measures how long its bytes are read. All other time of a frame counts as decoding, also that of a library that
 * unpacks chunks.
 */
const timed = (input: Input, clock: WorkClock): Input =>
  input.kind === "files"
    ? { ...input, files: timedFiles(input.files, clock) }
    : { ...input, file: timedFile(input.file, clock) };

function timedFiles(files: Files, clock: WorkClock): Files {
  const { file } = files;
  return {
    ...files,
    read: (name) => clock.during(() => files.read(name)),
    ...(file && { file: async (name: string) => timedFile(await file(name), clock) }),
  };
}

const timedFile = (file: ByteFile, clock: WorkClock): ByteFile => ({
  ...file,
  read: (offset, length) => clock.during(() => file.read(offset, length)),
});

/** Scenes of which everything is nearer than the first of these, or farther than the second, in metres, are rarely recorded. */
const [NEAR_M, FAR_M] = [0.5, 10];
/** Depth whose values have a common divisor from here on, of so many different values, may be stored in a finer unit. */
const [LEAST_DIVISOR, FEWEST_VALUES] = [4, 100];
/** Where a unit comes from that nothing in the recording says. */
const GUESSES: readonly string[] = ["assumed", "ROS default"];

/** The frames, with a warning where a unit is a guess and the first frame with depth makes it unlikely. */
function withPlausibleUnit(frames: Frames, warnings: string[]): Frames {
  const guessed = frames.facts.some(({ what, from }) => what === "unit" && GUESSES.includes(from));
  if (!guessed) return frames;
  let looked = false;
  return {
    ...frames,
    async read(index) {
      const frame = await frames.read(index);
      const values = looked ? [] : [...new Set(frame.depth.data)].filter((value) => value > 0);
      looked ||= values.length > 0;
      const doubt = doubtOf(values, frame.metresPerUnit, `in frame ${index}`);
      if (doubt) warnings.push(`${doubt} (metresPerUnit)`);
      return frame;
    },
  };
}

/** Why the different values of a frame are unlikely in their unit; `undefined` where they are not. */
function doubtOf(values: readonly number[], metresPerUnit: number, where: string): string | undefined {
  if (values.length === 0) return undefined;
  const [nearest, farthest] = [Math.min, Math.max].map((best) => values.reduce((a, b) => best(a, b)) * metresPerUnit);
  const far = (metres: number) => `${Number(metres.toPrecision(2))} m by ${UNSAID}`;
  if (farthest < NEAR_M)
    return `nothing ${where} is farther than ${far(farthest)}: if the scene is larger, give its unit`;
  if (nearest > FAR_M)
    return `nothing ${where} is nearer than ${far(nearest)}, as where numbers are the bits of half floats: if the scene is smaller, give its unit`;
  const divisor = values.reduce(divisorOf);
  return divisor >= LEAST_DIVISOR && values.length >= FEWEST_VALUES
    ? `all depth ${where} is a multiple of ${divisor} in ${UNSAID}: if the scene is ${divisor} times smaller, give its unit`
    : undefined;
}

const UNSAID = "a unit that nothing in the recording says";
const divisorOf = (a: number, b: number): number => (b === 0 ? a : divisorOf(b, a % b));
