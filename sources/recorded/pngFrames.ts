import { type ColorArray, type DepthFrame, image } from "../core/frame.ts";
import { SourceError } from "../core/source.ts";
import type { Decoder } from "../decode/index.ts";
import { type Fact, shareText } from "./facts.ts";
import type { Files } from "./files/files.ts";
import { type Frames, type Pose, withPoses } from "./format.ts";
import type { Meaning } from "./meaning.ts";

/** A frame whose images are PNG files. */
export interface PngFrame {
  readonly depth: string;
  readonly color?: string | undefined;
  /** In ms. */
  readonly timestamp: number;
  /** The file and line that name the images, for the message when an image is missing: "depth.txt, line 3". */
  readonly namedBy?: string;
}

/** The fact about colour, where some of `frames` have it. */
export function colorFact(frames: readonly PngFrame[], from: Fact["from"]): Fact {
  const some = frames.filter(({ color }) => color !== undefined).length;
  return { what: "colour", value: shareText(some, frames.length), from };
}

/** Makes frames from depth in PNG files, for all formats that have such. Reading appends to `warnings`, each fault once. */
export function pngFrames(
  files: Files,
  decoder: Decoder,
  frames: readonly PngFrame[],
  meaning: Meaning,
  colorFrom: Fact["from"],
  warnings: string[],
  pose: (index: number) => Promise<Pose | undefined> = async () => undefined,
): Frames {
  const posed = withPoses(pose, warnings);
  let warned = false;
  const invalid = new Uint8Array(65536);
  for (const value of meaning.invalid) invalid[value] = 1;
  const goWithout = (reason: string): undefined => {
    if (!warned) warnings.push(`${reason}; frames with this fault go without colour`);
    warned = true;
    return undefined;
  };

  const readDepth = async ({ depth: name, namedBy }: PngFrame) => {
    if (namedBy && !(await files.has(name))) throw missing(files, name, namedBy);
    const where = `${files.name}/${name}`;
    const image = await decoder.depth(await files.read(name), where);
    if (meaning.invalid.length > 0) forget(image.data, invalid);
    return image;
  };

  const readColor = async (name: string) => {
    const where = `${files.name}/${name}`;
    if (!(await files.has(name))) return goWithout(`${where} is not there`);
    const image = await decoder.color(await files.read(name), where);
    return typeof image === "string" ? goWithout(image) : { ...image, where };
  };

  return {
    length: frames.length,
    fps: meaning.fps,
    warnings,
    facts: [...meaning.facts, colorFact(frames, colorFrom)],
    timestampOf: (index) => frames[index].timestamp,
    pose,
    async read(index): Promise<DepthFrame> {
      const frame = frames[index];
      const halves = [readDepth(frame), frame.color === undefined ? undefined : readColor(frame.color)] as const;
      // If one of the two fails, the other is awaited as well, so that no read goes on after the error.
      await Promise.allSettled(halves);
      const [depth, picture] = await Promise.all(halves);
      const { width, height } = depth;
      let color: ColorArray | undefined;
      if (picture && picture.width === width && picture.height === height) {
        color = image(picture.data, [height, width, 4]);
      } else if (picture) {
        goWithout(
          `${picture.where} is ${picture.width}×${picture.height} and its depth ${width}×${height}, so they are not registered`,
        );
      }
      return posed({
        depth: image(depth.data, [height, width]),
        metresPerUnit: meaning.metresPerUnit,
        intrinsics: meaning.intrinsics(width, height),
        ...(color && { color }),
        timestamp: frame.timestamp,
        index,
      });
    },
  };
}

/**
 * Throws a `SourceError` for the first depth image that a list names and that is missing. An archive without a table of contents is not
 * checked.
 */
export async function checkNamed(files: Files, frames: readonly PngFrame[]): Promise<void> {
  if (!files.indexed) return;
  for (const { depth, namedBy } of frames)
    if (namedBy && !(await files.has(depth))) throw missing(files, depth, namedBy);
}

const missing = (files: Files, name: string, namedBy: string) =>
  new SourceError(`${files.name}/${namedBy}: it names ${name}, which is missing; add that file or remove the line`);

/** Maps the values that mean "no measurement" to 0; `invalid` has a 1 for each such value. */
function forget(data: Uint16Array, invalid: Uint8Array): void {
  for (let i = 0; i < data.length; i++) if (invalid[data[i]] === 1) data[i] = 0;
}
