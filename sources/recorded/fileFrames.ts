import { type DepthFrame, image } from "../frame.ts";
import { type Fact, shareText } from "./facts.ts";
import type { Frames, Pose } from "./format.ts";
import type { Meaning } from "./meaning.ts";

/** What a recording that is one file has to say for its frames; all of them have one size. */
export interface FileParts {
  readonly width: number;
  readonly height: number;
  readonly meaning: Meaning;
  readonly warnings: string[];
  /** In ms, of each frame. */
  readonly times: readonly number[];
  /** `width` × `height` values. */
  depth(index: number): Promise<Uint16Array>;
  readonly color?: Colors | undefined;
  /** Whether the user wants none. */
  readonly colorRefused?: boolean;
  pose?(index: number): Promise<Pose | undefined>;
}

/** The colour of some frames. */
export interface Colors {
  /** How many frames have it. */
  readonly count: number;
  /** What it is and who registers it: "JPEG, registered by …". */
  readonly kind: string;
  /** RGBA registered to `depth`; a sentence where it cannot be had: it is warned of, once. */
  read(index: number, depth: Uint16Array): Promise<Uint8Array | string | undefined>;
}

/** The frames of a file. */
export function fileFrames(parts: FileParts): Frames {
  const { width, height, meaning, warnings, times, color } = parts;
  let warned = false;
  const colorOf = async (index: number, depth: Uint16Array) => {
    const found = await color?.read(index, depth);
    if (typeof found !== "string") return found;
    if (!warned) warnings.push(`${found}; frames go without colour where it is so`);
    warned = true;
    return undefined;
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
      const rgba = await colorOf(index, depth);
      for (const value of meaning.invalid) {
        for (let i = 0; i < depth.length; i++) if (depth[i] === value) depth[i] = 0;
      }
      return {
        depth: image(depth, [height, width]),
        metresPerUnit: meaning.metresPerUnit,
        intrinsics: meaning.intrinsics(width, height),
        ...(rgba && { color: image(rgba, [height, width, 4]) }),
        timestamp: times[index],
        index,
      };
    },
  };
}

function colorFact({ color, colorRefused = false, times }: FileParts): Fact {
  const kind = color && color.count > 0 ? `, ${color.kind}` : "";
  return {
    what: "colour",
    value: shareText(color?.count ?? 0, times.length) + kind,
    from: colorRefused ? "option" : "files",
  };
}

/** Frames per second by the middle one of the steps between times, if they tell; a usual one to two digits. */
export function rateOf(times: readonly number[]): number | undefined {
  const steps = times.slice(1).map((time, i) => time - times[i]);
  const middle = steps.sort((a, b) => a - b)[steps.length >> 1];
  const rate = 1000 / middle;
  return middle > 0 && Number.isFinite(rate) ? Number(rate.toPrecision(3)) : undefined;
}
