import { plain } from "../../core/check.ts";
import { isAssumed } from "../../sources/format/format.ts";
import {
  type CameraOptions,
  type Fact,
  isAddress,
  isCamera,
  isLive,
  type LiveOptions,
  type OpenOptions,
  openCamera,
  openLive,
  openRecording,
  rawSource,
  type Source,
} from "../../sources/index.ts";
import { UsageError } from "./failure.ts";

/** The name for standard input. */
export const STDIN = "-";

/** A source's properties and their origins: a live stream's are known with its first frame. */
export const factsOf = (source: Source & { readonly facts?: readonly Fact[] }): readonly Fact[] => source.facts ?? [];

/** The advice for a property that a live stream does not tell. */
const GIVES: Readonly<Partial<Record<Fact["what"], string>>> = {
  unit: "--depth-scale gives it",
  intrinsics: "--intrinsics gives them",
  fps: "--fps gives it",
};

/** A line for each thing that is assumed of a source, and for what else is wrong with a recording. There may be more of them later. */
export function warningsOf(source: Source & { readonly warnings?: readonly string[] }): readonly string[] {
  if (!isLive(source)) return source.warnings ?? [];
  return factsOf(source)
    .filter(isAssumed)
    .map(
      ({ what, value }) =>
        `the stream does not tell its ${what}: assumed, ${value}${GIVES[what] ? ` (${GIVES[what]})` : ""}`,
    );
}

/** Whether what a command line names has no end and no beginning: a live stream, a camera, or standard input. */
export const isLivePlace = (place: string): boolean => isAddress(place) || isCamera(place) || place === STDIN;

/** A camera of another package, which `--use` names: `camera:NAME` opens it, or `camera:NAME:WHICH`. */
export interface OwnCamera {
  readonly name: string;
  /** Opens the camera; `which` is the first one if it is `undefined`. Its frames keep coming, and the newest one wins. */
  open(which: string | undefined, options: Omit<PlaceOptions, "formats">): Promise<Source>;
}

const cameras = new Map<string, OwnCamera>();

/** Adds the cameras of another package. */
export function addCameras(own: readonly OwnCamera[]): void {
  for (const camera of own) cameras.set(camera.name, camera);
}

/** How to open what a command line names. */
export type PlaceOptions = OpenOptions &
  Pick<LiveOptions, "waitMs" | "infrared"> &
  Pick<CameraOptions, "size" | "controls">;

/** The options that say how files are read, and their names on the command line. */
const FILE_OPTIONS = [
  ["format", "--format"],
  ["maxMegapixels", "--max-megapixels"],
  ["maxSeconds", "--max-seconds"],
  ["maxMegabytes", "--max-megabytes"],
] as const;

/** Throws a `UsageError` where an option does not apply to what is opened. */
export function checkPlace(place: string, options: PlaceOptions): void {
  const { size, controls, waitMs, topic, infrared } = options;
  const named = plain(place);
  if (place === STDIN && !size) {
    throw new UsageError("-: the size of the frames on standard input is missing: --size 640x480");
  }
  if (size && place !== STDIN && !isCamera(place)) {
    throw new UsageError(`--size applies to cameras and to standard input, and ${named} is neither: leave it out`);
  }
  if (controls && Object.keys(controls).length > 0 && !isCamera(place)) {
    throw new UsageError(`--control applies to cameras, and ${named} is none: leave it out`);
  }
  if (topic !== undefined && (place === STDIN || isCamera(place))) {
    throw new UsageError(`--topic applies to recordings and live streams, and ${named} is neither: leave it out`);
  }
  if (infrared && !(isAddress(place) || isCamera(place))) {
    throw new UsageError(`--infrared applies to cameras and live streams, and ${named} is neither: leave it out`);
  }
  const ofFiles = isLivePlace(place) ? FILE_OPTIONS.find(([name]) => options[name] !== undefined) : undefined;
  if (ofFiles) throw new UsageError(`${ofFiles[1]} applies to recordings, and ${named} is none: leave it out`);
  if (waitMs === undefined || isAddress(place) || isCamera(place)) return;
  throw new UsageError(`--wait applies only to live streams and cameras, and ${named} is none: leave it out`);
}

/** Opens a recording, a live stream, a camera, or standard input. */
export async function openPlace(place: string, options: PlaceOptions): Promise<Source> {
  if (isAddress(place)) return openLive(place, options);
  if (isCamera(place)) {
    const [, name = "", ...which] = place.split(":");
    return cameras.get(name)?.open(which.join(":") || undefined, options) ?? openCamera(place, options);
  }
  if (place !== STDIN) return openRecording(place, options);
  const { size, metresPerUnit, intrinsics, fps, invalid } = options;
  if (!size) throw new UsageError("-: the size of the frames on standard input is missing: --size 640x480");
  return rawSource(process.stdin, "standard input", { size, metresPerUnit, intrinsics, fps, invalid });
}
