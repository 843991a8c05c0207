import { chained, extrinsicsFrom, inverse, SAME_PLACE } from "../../core/calibration/extrinsics.ts";
import {
  type Extrinsics,
  type Registration,
  registration,
  tooLargeToRegister,
} from "../../core/calibration/register.ts";
import { type DepthFrame, type Intrinsics, image, sameLens } from "../../core/frame.ts";
import { SourceError } from "../../core/source.ts";
import type { Size } from "../../core/view.ts";
import { isSwapped, swapBytes } from "../decode/byteOrder.ts";
import type { Decoder } from "../decode/index.ts";
import { unitReader } from "../decode/pixels.ts";
import type { DecodedColor } from "../decode/png.ts";
import type { Files } from "../files/files.ts";
import { type DepthFormat, type FormatLens, isNearLens, scaledLens } from "../format/depthFormat.ts";
import { type Fact, type Frames, type Pose, shareText, warnOnce, withPoses } from "../format/format.ts";
import { rayTurner } from "../format/rays.ts";
import { type Confidence, readConfidence } from "./beside/confidence.ts";
import type { LensOf } from "./beside/ownLens.ts";
import { readDepthFile } from "./depthFile.ts";
import { colorsOf } from "./formats/npy/color.ts";

/** The warning about depth whose bytes are in the wrong order. */
export const SWAPPED =
  "the two bytes of each value are in the wrong order, as some programs write 16-bit PNGs: they are swapped back; export it again to be rid of this line";

/** A frame whose images are files: depth a PNG, PGM, TIFF, OpenEXR or .npy, colour a PNG or JPEG. */
interface PngFrame {
  readonly depth: string;
  readonly color?: string | undefined;
  /** The index of the other frame that `color` belongs to, if this frame has no colour of its own; the poses tell how that frame stood. */
  readonly colorOf?: number | undefined;
  /** Images that say how sure each pixel of depth is. */
  readonly confidence?: readonly Confidence[] | undefined;
  /** In ms. */
  readonly timestamp: number;
  /** The file and line that name the images, for the message when an image is missing: "depth.txt, line 3". */
  readonly namedBy?: string;
}

/** What all formats of images have. */
interface Images {
  readonly files: Files;
  readonly decoder: Decoder;
  readonly frames: readonly PngFrame[];
  readonly meaning: DepthFormat;
  /** What says that there is colour. */
  readonly colorFrom: Fact["from"];
  /** Reading appends to it, each fault once. */
  readonly warnings: string[];
}

/** The parts that only some formats have. */
export interface More {
  readonly pose?: ((index: number) => Promise<Pose | undefined>) | undefined;
  /**
   * The colour camera's lens, where colour has another size than depth: by it, colour is registered as if both cameras were in one place.
   */
  readonly color?: FormatLens | undefined;
  /** The lens of a frame that has one of its own. */
  readonly lensOf?: LensOf | undefined;
  /** Turns a value's bits, as the file stores them, into depth. */
  readonly meant?: (value: number) => number;
  /** For each pixel the depth along the axis per unit of its value; it takes precedence over `isRay`. */
  readonly along?: Float32Array | undefined;
  /** Whether values are lengths of rays, which the lens turns into depth along the axis. */
  readonly isRay?: boolean;
  /** The program that packed depth into the bytes of colours. */
  readonly maker?: string | undefined;
}

/** The fact about colour, where some of `frames` have it. */
function colorFact(frames: readonly PngFrame[], from: Fact["from"]): Fact {
  const some = frames.filter(({ color }) => color !== undefined).length;
  return { what: "colour", value: shareText(some, frames.length), from };
}

/** Gives the registration of two cameras in one place; tables are made anew only for other lenses, so mostly once for a recording. */
function registrations(): (depth: Intrinsics, color: Intrinsics) => Registration {
  let last: { depth: Intrinsics; color: Intrinsics; by: Registration } | undefined;
  return (depth, color) => {
    if (!last || !sameLens(last.depth, depth) || !sameLens(last.color, color))
      last = { depth, color, by: registration(depth, color, SAME_PLACE) };
    return last.by;
  };
}

/** Makes frames from depth in files of one image each, for all formats that have such. */
export function pngFrames(images: Images & More): Frames {
  const { files, decoder, frames, meaning, colorFrom, warnings, lensOf, along, isRay = false } = images;
  const { pose = async () => undefined } = images;
  const posed = withPoses(pose, warnings);
  const [turnRays, tellOfLens] = [rayTurner(), warnOnce(warnings)];
  const depthOf = depthReader(images);
  const colors = colorReader(images);
  return {
    length: frames.length,
    fps: meaning.fps,
    ahead: decoder.threads,
    warnings,
    facts: [...meaning.facts, colorFact(frames, colorFrom)],
    timestampOf: (index) => frames[index].timestamp,
    pose,
    async read(index): Promise<DepthFrame> {
      const frame = frames[index];
      const halves = [depthOf(frame), frame.color === undefined ? undefined : colors.read(frame.color)] as const;
      // If one of the two fails, the other is awaited as well, so that no read goes on after the error.
      await Promise.allSettled(halves);
      const [depth, picture] = await Promise.all(halves);
      const { width, height } = depth;
      for (const { name, least } of frame.confidence ?? []) {
        const sure = await readConfidence(files, name, decoder, depth);
        for (let i = 0; i < depth.data.length; i++) if (!(sure(i) >= least)) depth.data[i] = 0;
      }
      const usual = meaning.intrinsics(width, height);
      const own = await lensOf?.(index, depth);
      const isOwn = own !== undefined && !isNearLens(own, usual);
      if (isOwn)
        tellOfLens(
          `${files.name}: the lens changes in the recording, as at frame ${index}: each frame has the lens of its own`,
        );
      const intrinsics = isOwn ? own : usual;
      if (along?.length === depth.data.length)
        for (let i = 0; i < along.length; i++) depth.data[i] = Math.round(depth.data[i] * along[i]);
      else if (isRay) turnRays(depth.data, intrinsics);
      const between = frame.colorOf === undefined ? SAME_PLACE : await betweenPoses(pose, index, frame.colorOf);
      const photo = picture && isOwn && colors.isOf(usual, picture) ? await lensOf?.(index, picture) : undefined;
      const color = picture && between && colors.registered(depth, intrinsics, picture, between, photo);
      return posed({
        depth: image(depth.data, [height, width]),
        metresPerUnit: meaning.metresPerUnit,
        intrinsics,
        ...(color && { color: image(color, [height, width, 4]) }),
        timestamp: frame.timestamp,
        index,
      });
    },
  };
}

/** The transform from the camera at frame `index` to the camera at frame `other`; `undefined` where a pose is missing. */
async function betweenPoses(
  pose: (index: number) => Promise<Pose | undefined>,
  index: number,
  other: number,
): Promise<Extrinsics | undefined> {
  const [here, there] = [await pose(index), await pose(other)];
  return here && there && chained(extrinsicsFrom(here), inverse(extrinsicsFrom(there)));
}

/** A depth image in the recording's units. */
interface Units {
  readonly width: number;
  readonly height: number;
  /** Whether the file gives metres, as floats. */
  readonly metric: boolean;
  readonly data: Uint16Array;
}

/** Reads depth images, and puts right the bytes of a recording whose bytes are swapped. */
function depthReader({ files, decoder, frames, meaning, warnings, meant, maker }: Images & More) {
  const unitsIn = unitReader(meaning, files.name, warnings);
  const read = async ({ depth: name, namedBy }: PngFrame): Promise<Units> => {
    if (namedBy && !(await files.has(name))) throw missing(files, name, namedBy);
    const image = await readDepthFile(files, name, decoder, maker);
    const { width, height } = image;
    return { width, height, metric: image.data instanceof Float32Array, data: unitsIn(image.data) };
  };
  /** The first frame decides for all frames whether bytes are swapped, so that a frame's depth does not depend on the order of reading. */
  let swapped: boolean | undefined;
  return async (frame: PngFrame) => {
    const image = await read(frame);
    if (swapped === undefined) {
      const first = frame === frames[0] ? image : await read(frames[0]).catch(() => undefined);
      const found = first !== undefined && !first.metric && isSwapped(first.data, first.width);
      if (found && swapped === undefined) warnings.push(`${files.name}: ${SWAPPED}`);
      swapped = found;
    }
    if (swapped && !image.metric) swapBytes(image.data);
    if (meant) for (let i = 0; i < image.data.length; i++) image.data[i] = meant(image.data[i]);
    meaning.forget(image.data);
    return image;
  };
}

/** Reads colour images, and registers to depth those of another size whose lens is known. A frame's fault leaves its colour out. */
function colorReader({ files, decoder, meaning, warnings, color: colorLens }: Images & More) {
  const warn = warnOnce(warnings);
  const goWithout = (reason: string) => warn(`${reason}; frames with this fault go without colour`);
  const registrationOf = registrations();
  const lensAt = (own: FormatLens, { width, height }: Size) => scaledLens({ width, height, ...own }, width, height);
  return {
    /** Whether one lens takes the depth, by the recording's lens `depth`, and a picture. */
    isOf: (depth: Intrinsics, picture: Size) =>
      isLensOf(colorLens, picture) &&
      isNearLens(scaledLens(lensAt(colorLens, picture), depth.width, depth.height), depth),
    async read(name: string) {
      const where = `${files.name}/${name}`;
      if (!(await files.has(name))) return goWithout(`${where} is not there`);
      const bytes = await files.read(name);
      const image = /\.npy$/i.test(name) ? arrayOf(bytes, where) : await decoder.color(bytes, where);
      return typeof image === "string" ? goWithout(image) : { ...image, where };
    },
    /** `photo` is the picture's lens where that frame has a lens of its own. */
    registered(
      depth: Units,
      intrinsics: Intrinsics,
      picture: DecodedColor & { where: string },
      between: Extrinsics,
      photo?: Intrinsics,
    ) {
      const { width, height } = depth;
      const isHere = between === SAME_PLACE;
      if (picture.width === width && picture.height === height && isHere) return picture.data;
      if (!isLensOf(colorLens, picture) || tooLargeToRegister(depth))
        return goWithout(
          `${picture.where} is ${picture.width}×${picture.height} and its depth ${width}×${height}, so they are not registered`,
        );
      const lens = photo ?? lensAt(colorLens, picture);
      const by = isHere ? registrationOf(intrinsics, lens) : registration(intrinsics, lens, between);
      return by.register(depth.data, meaning.metresPerUnit, picture.data);
    },
  };
}

function arrayOf(bytes: Uint8Array, where: string) {
  const found = colorsOf(bytes);
  if (found?.frames !== 1) return `${where} is no image of colour: H×W×3 of bytes is`;
  return { width: found.width, height: found.height, data: found.at(0) };
}

/**
 * Warns of depth images that a list names and that are missing: their frames cannot be read. Where half of them are missing, throws a
 * `SourceError` that names the first of these. An archive without a table of contents is not checked.
 */
export async function checkNamed(files: Files, frames: readonly PngFrame[], warnings: string[]): Promise<void> {
  if (!files.indexed) return;
  const absent: SourceError[] = [];
  for (const { depth, namedBy } of frames)
    if (namedBy && !(await files.has(depth))) absent.push(missing(files, depth, namedBy));
  if (absent.length === 0) return;
  if (2 * absent.length >= frames.length) throw absent[0];
  const more = absent.length > 1 ? `, and ${absent.length - 1} more are missing` : "";
  warnings.push(`${absent[0].message}${more}; ${absent.length === 1 ? "that frame" : "those frames"} cannot be read`);
}

const missing = (files: Files, name: string, namedBy: string) =>
  new SourceError(`${files.name}/${namedBy}: it names ${name}, which is missing; add that file or remove the line`);

/** Whether a lens belongs to images of these proportions: by the size that comes with it, else by its principal point. */
function isLensOf(
  lens: FormatLens | undefined,
  { width, height }: Pick<Intrinsics, "width" | "height">,
): lens is FormatLens {
  if (!lens) return false;
  const { width: w, height: h } = lens;
  if (w !== undefined && h !== undefined) return Math.abs((w * height) / (h * width) - 1) < 0.03;
  return Math.abs((2 * lens.cx) / width - 1) < 0.2 && Math.abs((2 * lens.cy) / height - 1) < 0.2;
}
