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
import { RequestError } from "./failure.ts";

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

/** Opens a recording, a live stream, a camera, or standard input. */
export async function openPlace(place: string, options: PlaceOptions): Promise<Source> {
  if (isAddress(place)) return openLive(place, options);
  if (isCamera(place)) {
    const [, name = "", ...which] = place.split(":");
    return cameras.get(name)?.open(which.join(":") || undefined, options) ?? openCamera(place, options);
  }
  if (place !== STDIN) return openRecording(place, options);
  const { size, metresPerUnit, intrinsics, fps, invalid } = options;
  if (!size) throw new RequestError("-: the size of the frames on standard input is missing", "size");
  return rawSource(process.stdin, "standard input", { size, metresPerUnit, intrinsics, fps, invalid });
}
