import { messageOf } from "../../core/caught.ts";
import type { ExtrasReader } from "../../core/extras.ts";
import type { DepthFrame, Intrinsics } from "../../core/frame.ts";
import { isMotion } from "../../core/pose.ts";
import type { DepthTopic } from "../../core/severalTopics.ts";
import { SourceError } from "../../core/source.ts";
import { wayOf, withWay } from "../../core/way.ts";
import type { Decoder } from "../decode/index.ts";
import type { ByteFile, Files } from "../files/files.ts";

/**
 * Options for opening a recording. Each takes precedence over the recording's `recording.json`, which takes precedence over the format's
 * defaults.
 */
export interface OpenOptions {
  /** The name of a format ("tum", "7scenes", "png"): only this one is tried. If not given, the contents decide. */
  readonly format?: string | undefined;
  /** Metres per unit of depth. */
  readonly metresPerUnit?: number | undefined;
  /**
   * Formats of your own, which are asked before Depthloom's. A recording that one of them knows is read on the calling thread, where
   * neither `maxSeconds` nor `maxMegabytes` can end the reading, since a worker cannot be handed a format.
   */
  readonly formats?: readonly Format[] | undefined;
  /** Values of depth, in its units, that mean "no measurement", besides 0. */
  readonly invalid?: readonly number[] | undefined;
  /**
   * Leaves out the depth pixels whose confidence is below this number. The images in a folder called confidence tell it (ARKit's 0, 1 and
   * 2, or up to 255). If not given, confidence is not read.
   */
  readonly minConfidence?: number | undefined;
  /** The depth camera's focal lengths and principal point in pixels of the depth image. */
  readonly intrinsics?: Pinhole | undefined;
  /** Frames per second, for recordings without time stamps. */
  readonly fps?: number | undefined;
  /** What counts only where the recording does not say it, in place of millimetres, 30 frames per second or a lens of 58°. */
  readonly assume?: Pick<OpenOptions, "metresPerUnit" | "fps" | "intrinsics"> | undefined;
  /**
   * The name of the depth topic to open, for a file with several. A recording whose format has no topics warns that the topic is ignored.
   */
  readonly topic?: string | undefined;
  /** false leaves colour images unread; true if not given. */
  readonly color?: boolean | undefined;
  /**
   * false leaves the two infrared images of a bag, `.db3` or MCAP file unread, from which the stage `stereo` matches depth; true if not
   * given. A recording that has images and no depth warns unless true is given.
   */
  readonly pair?: boolean | undefined;
  /** The most megapixels (of 2^20 pixels) of an image; larger ones are refused before they are unpacked. 16 if not given, 256 at most. */
  readonly maxMegapixels?: number | undefined;
  /**
   * Reading is given up after this many seconds in which no byte is read and no frame comes: 20 if not given; while a file of less than 16
   * MiB is opened, 4 and one more for each MiB of the file. Reading a long file that makes progress is never given up.
   */
  readonly maxSeconds?: number | undefined;
  /**
   * In Node, reading is given up when the process takes this many MiB more than before it was asked to open the recording or to read a
   * frame; 1024 if not given. (In a page the browser limits memory.)
   */
  readonly maxMegabytes?: number | undefined;
  /** Whether Node reads in a worker; true if not given. On the calling thread neither `maxSeconds` nor `maxMegabytes` can end reading. */
  readonly worker?: boolean | undefined;
  /** Aborting it ends opening: `openRecording` rejects with the signal's reason. Ignored once the recording is open. */
  readonly signal?: AbortSignal | undefined;
}

/** Options as Depthloom's own readers get them. The caller's own formats have been asked before; `own` has only their names. */
export type ReadOptions = Omit<OpenOptions, "formats"> & { readonly own?: readonly string[] | undefined };

/** A pinhole camera without its image size: focal lengths and principal point in pixels, and distortion. */
export type Pinhole = Pick<Intrinsics, "fx" | "fy" | "cx" | "cy" | "distortion" | "distortionModel">;

/** A camera's pose: the 4×4 matrix that maps the camera's frame to the world's, row-major, in metres. */
export type Pose = readonly number[];

/** Makes a function that adds the first line that it is given to `warnings`, and no other. */
export function warnOnce(warnings: string[]): (line: string) => undefined {
  let warned = false;
  return (line) => {
    if (!warned) warnings.push(line);
    warned = true;
    return undefined;
  };
}

/** The pose of a frame. Throws a `SourceError` where the pose has a scale, is a mirror, or is no turn at all. */
export function motionOf(pose: Pose | undefined, index: number): Pose | undefined {
  if (!pose || isMotion(pose)) return pose;
  const axes = [0, 4, 8].map((at) => Number(Math.hypot(...pose.slice(at, at + 3)).toPrecision(3))).join(", ");
  throw new SourceError(`the pose of frame ${index} is no motion of a camera: the axes of its matrix are ${axes} long`);
}

/** Makes a function that gives frames their poses. A pose that cannot be read is a warning, once, and no error: the depth is there. */
export function withPoses(poseOf: (index: number) => Promise<Pose | undefined>, warnings: string[]) {
  const warn = warnOnce(warnings);
  return async (frame: DepthFrame): Promise<DepthFrame> => {
    const pose = await poseOf(frame.index)
      .then((found) => motionOf(found, frame.index))
      .catch((error) => warn(`${messageOf(error)} (the frame has no pose)`));
    return pose ? { ...frame, pose } : frame;
  };
}

/** The text of the warning about a fault in data beside depth, which are optional. */
export function reasonOf(error: unknown): string {
  if (error instanceof SourceError) return error.message;
  throw error;
}

/** A recording's frames, as its format's reader gives them. */
export interface Frames {
  /** Number of frames. */
  readonly length: number;
  /** Nominal frames per second. */
  readonly fps: number;
  /** One line for each assumption or fault. Reading may append lines. */
  readonly warnings: readonly string[];
  /** The facts about the recording, without its format and length. */
  readonly facts: readonly Fact[];
  /** Every depth stream of a file that can have several. */
  readonly topics?: readonly DepthTopic[];
  /** The name of the depth stream that was opened. */
  readonly topic?: string;
  /** Decodes frame `index`, which lies within the recording. It reads no other frame. */
  read(index: number): Promise<DepthFrame>;
  /** How many frames may be read side by side, because several threads decode them; 1 if not given. */
  readonly ahead?: number | undefined;
  /** The time stamp in ms that `read` will give a frame; reads nothing. */
  timestampOf(index: number): number;
  /** The camera's pose at a frame, if the recording has one. */
  pose(index: number): Promise<Pose | undefined>;
  /** Reads what the recording holds beside depth and colour, if it holds something. */
  readonly extras?: ExtrasReader | undefined;
  /** Frees what reading needs. The code that opened the file closes it. */
  close?(): void | Promise<void>;
}

/** A recording whose format is known. */
export interface Found {
  readonly format: Fact;
  readonly frames: Frames;
}

/** The input that a format's reader examines: many files, or one file that is no archive. */
export type Input =
  | {
      /** A folder or an archive. */
      readonly kind: "files";
      /** The files in the folder or archive. */
      readonly files: Files;
    }
  | {
      /** One file that is no archive. */
      readonly kind: "file";
      /** The file. */
      readonly file: ByteFile;
      /** Its first bytes. */
      readonly head: Uint8Array;
    };

/**
 * A format of recordings. A format of your own goes into `openRecording`'s option `formats`; one of Depthloom's has a folder in formats/
 * and a line in formats/folders.ts (folders and archives of images) or formats/files.ts (a single file, of which `open` looks at `head`
 * before it imports its reader).
 */
export interface Format {
  /** Short, lower case: what `OpenOptions.format` names. */
  readonly name: string;
  /** The files that the format's reader looks for, as messages list them where no format fits. */
  readonly sign: string;
  /** Matches names of files that only this format's recordings have, to tell a folder of several recordings from one recording. */
  readonly mark?: RegExp;
  /**
   * Whether the names in a folder and two levels below it are those of one recording that begins in this folder. If not given, a name in
   * the folder itself that `mark` matches says so.
   */
  begins?(names: readonly string[]): boolean;
  /** Opens the input; `undefined` if it has another format. Reads no frame. */
  open(input: Input, options: OpenOptions, decoder: Decoder): Promise<Frames | undefined>;
}

/**
 * The origin of a fact about a recording. "files" are the recording's own lists, names and time stamps; "assumed" means that nothing says
 * it. The rest names an option, a camera's driver, a topic of a message log, a file's header, or a file attached to it or lying beside it.
 */
export type Origin =
  | "option"
  | "recording.json"
  | "files"
  | "assumed"
  | "synthetic"
  | `${string} default`
  | `topic ${string}`
  | "header"
  | "driver"
  | `file ${string}`;

/** One property of a recording, written for people to read. */
export interface Fact {
  /** The property. */
  readonly what:
    | "format"
    | "topic"
    | "frames"
    | "unit"
    | "invalid"
    | "fps"
    | "intrinsics"
    | "colour"
    | "poses"
    | "pair";
  /** Its value, with the unit. */
  readonly value: string;
  /** Where the value comes from. */
  readonly from: Origin;
}

/** Whether nothing says a property, so that it may be wrong. A lens that a format takes by default counts as assumed, too. */
export const isAssumed = ({ what, from }: Pick<Fact, "what" | "from">): boolean =>
  from === "assumed" || (what === "intrinsics" && from.endsWith(" default"));

const ASSUMED = { intrinsics: "lens", unit: "unit", fps: "rate" } as const;

/** Marks a frame with what was assumed, by the facts of its source. */
export function withAssumed(frame: DepthFrame, facts: readonly Fact[]): DepthFrame {
  const guesses = facts.filter(isAssumed).map(({ what }) => what);
  const assumed = Object.entries(ASSUMED).flatMap(([what, name]) =>
    guesses.includes(what as Fact["what"]) ? [name] : [],
  );
  return assumed.length > 0 ? withWay({ ...frame, assumed }, wayOf(frame)) : frame;
}

export interface WithOrigin<T> {
  readonly value: T;
  readonly from: Origin;
  /** One line for the user, where the value is a guess. */
  readonly warning?: string;
}

/** Writes a unit as "0.2 mm". Six digits suffice: 1/5000 m has no exact binary fraction. */
export const unitText = (metresPerUnit: number): string => `${Number((metresPerUnit * 1000).toPrecision(6))} mm`;

export const cameraText = (lens: { fx: number; fy: number; cx: number; cy: number }): string => {
  const [fx, fy, cx, cy] = [lens.fx, lens.fy, lens.cx, lens.cy].map((px) => Number(px.toPrecision(7)));
  return `fx ${fx}, fy ${fy}, cx ${cx}, cy ${cy}`;
};

/** Writes how many frames have something: "all frames", "3 of 40 frames", "none". */
export const shareText = (some: number, all: number): string =>
  some === 0 ? "none" : some === all ? "all frames" : `${some} of ${all} frames`;
