import { type DepthFrame, type Intrinsics, image } from "../../core/frame.ts";
import type { Size } from "../../core/view.ts";
import type { Bytes } from "../decode/codec.ts";
import type { Decoder } from "../decode/index.ts";
import { packedColor } from "../decode/pixels.ts";
import type { DepthFormat } from "../format/depthFormat.ts";
import { type Fact, type Frames, type Pose, reasonOf, shareText, warnOnce, withPoses } from "../format/format.ts";

/** The facts that a format's reader gives for a recording in one file, all of whose frames have one size. */
interface FileParts {
  readonly width: number;
  readonly height: number;
  readonly meaning: DepthFormat;
  readonly warnings: string[];
  /** Each frame's time stamp in ms. */
  readonly times: readonly number[];
  /** Decodes the `width` × `height` depth values of a frame. */
  depth(index: number): Promise<Uint16Array>;
  /** `false` where the user wants none. */
  readonly color?: Colors | false | undefined;
  /** The lens of a frame whose lens is not that of `meaning`. */
  readonly lensOf?: ((index: number) => Promise<Intrinsics | undefined>) | undefined;
  readonly pose?: ((index: number) => Promise<Pose | undefined>) | undefined;
}

/** The colour images of some frames. */
export interface Colors {
  /** The number of frames that have colour. */
  readonly count: number;
  /** The images' kind and the way they are registered: "JPEG, registered by …". */
  readonly kind: string;
  /** RGBA bytes registered to `depth`; a sentence where a frame has no usable colour. The first such sentence becomes a warning. */
  read(index: number, depth: Uint16Array): Promise<Uint8Array | string | undefined>;
}

/**
 * Decodes colour of a known size to RGBA: rows without padding in the pixel format `encoding`, a compressed image where there is none. A
 * sentence says why there is no colour.
 */
export async function colorOfSize(
  { width, height }: Size,
  bytes: Bytes,
  where: string,
  decoder: Decoder,
  encoding?: string,
): Promise<Bytes | string> {
  if (encoding !== undefined) return packedColor(encoding, bytes, width, height, where);
  const picture = await decoder.color(bytes, where);
  if (typeof picture === "string") return picture;
  if (picture.width === width && picture.height === height) return picture.data;
  return `${where} is ${picture.width}×${picture.height}, not ${width}×${height}`;
}

/** Makes frames from the parts that a format's reader gives. */
export function fileFrames(parts: FileParts): Frames {
  const { width, height, meaning, warnings, times, color } = parts;
  const posed = withPoses(async (index) => parts.pose?.(index), warnings);
  const warn = warnOnce(warnings);
  const colorOf = async (index: number, depth: Uint16Array) => {
    const found = color ? await color.read(index, depth).catch(reasonOf) : undefined;
    return typeof found === "string" ? warn(`${found}; frames with this fault go without colour`) : found;
  };
  return {
    length: times.length,
    fps: meaning.fps,
    warnings,
    facts: [...meaning.facts, colorFact(parts)],
    timestampOf: (index) => times[index],
    pose: async (index) => parts.pose?.(index),
    async read(index): Promise<DepthFrame> {
      const depth = await parts.depth(index);
      const lens = await parts.lensOf?.(index);
      const rgba = await colorOf(index, depth);
      meaning.forget(depth);
      return posed({
        depth: image(depth, [height, width]),
        metresPerUnit: meaning.metresPerUnit,
        intrinsics: lens ?? meaning.intrinsics(width, height),
        ...(rgba && { color: image(rgba, [height, width, 4]) }),
        timestamp: times[index],
        index,
      });
    },
  };
}

function colorFact({ color, times }: FileParts): Fact {
  const { count, kind } = color || { count: 0, kind: "" };
  const value = shareText(count, times.length) + (count > 0 ? `, ${kind}` : "");
  return { what: "colour", value, from: color === false ? "option" : "files" };
}
