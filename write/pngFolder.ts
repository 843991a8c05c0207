import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { oneOf } from "../core/check.ts";
import type { DepthArray } from "../core/frame.ts";
import { DESCRIPTION } from "../sources/format/description.ts";
import { describe, type Target, targetOf } from "./folder.ts";
import {
  checkWrite,
  eachFrame,
  fileName,
  type Meaning,
  meaning,
  TIMES,
  type Writable,
  type WriteOptions,
  writeTime,
  writeTruth,
} from "./frames.ts";
import { depthNpy, depthTiff } from "./plain.ts";
import { colorPng, depthPng } from "./png.ts";
import { inUnits } from "./units.ts";

/** The unit of the frames that an earlier run wrote. */
const unitIn = async (path: string): Promise<number | undefined> => {
  const text = await readFile(join(path, DESCRIPTION), "utf8").catch(() => "{}");
  return (JSON.parse(text) as Partial<Meaning>).metresPerUnit;
};

/** The kinds of depth images in a folder. */
const DEPTHS = { png: depthPng, npy: depthNpy, tiff: depthTiff };

/** What `writePngFolder` writes. */
export interface FolderOptions extends WriteOptions {
  /** The kind of depth's files; "png" if not given. */
  readonly images?: keyof typeof DEPTHS | undefined;
}

/**
 * Writes a recording as a folder of 16-bit PNGs, or of .npy or .tiff files, as `images` says:
 *
 *     recording.json         unit, intrinsics, frame rate (from the first frame)
 *     depth/000000.png       in the recording's own unit, 0 for no measurement
 *     color/000000.png       where there is colour; named in recording.json if the first frame has it
 *     times.csv              one row for each frame: the frame's time in ms and, if known, the camera's pose; recording.json names the file
 *     truth/…                the same without noise, where it is known
 *
 * Returns the number of frames. Throws a `SourceError` where `target` is the path of a folder with contents.
 *
 * @example
 * const frames = await writePngFolder(await openRecording("d435.bag"), "arrays", { images: "npy" });
 */
export async function writePngFolder(
  recording: Writable,
  target: string | Target,
  options: FolderOptions = {},
): Promise<number> {
  checkWrite("writePngFolder", recording, options, { images: oneOf(...Object.keys(DEPTHS)) });
  const { images = "png" } = options;
  const folder = await targetOf(target);
  let unit = options.done ? await unitIn(folder.path) : undefined;
  return eachFrame(recording, options, async (frame, position) => {
    const name = fileName(position);
    unit ??= frame.metresPerUnit;
    options.losses?.lens(frame);
    if (position === 0) {
      const color = frame.color && { color: "color/*.png", registered: true };
      await describe(folder, {
        depth: `depth/*.${images}`,
        ...color,
        times: TIMES,
        ...meaning(recording.fps, frame.intrinsics, unit),
      });
    }
    const write = async (depth: DepthArray) =>
      folder.write(`depth/${name.replace(/png$/, images)}`, await DEPTHS[images](depth));
    await Promise.all([
      write(inUnits(frame, unit, options.losses)),
      frame.color && colorPng(frame.color, { alpha: true }).then((png) => folder.write(`color/${name}`, png)),
      options.truth !== false && writeTruth(folder, recording, frame, position, unit, options.losses),
    ]);
    await writeTime(folder, recording, frame, position);
  });
}
