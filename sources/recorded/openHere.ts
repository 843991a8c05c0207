import { WorkClock, withWay } from "../core/way.ts";
import { createDecoder, type Decoder, directDecoder } from "../decode/index.ts";
import { bagIn, lookInto } from "./containers.ts";
import type { Given } from "./files/dropped.ts";
import { findFormat } from "./find.ts";
import type { Input, ReadOptions } from "./format.ts";
import { fileFormats } from "./formats/files.ts";
import { formats } from "./formats/folders.ts";
import { closeOnFailure, type Opened, openGiven } from "./given.ts";
import { withPlausibleUnit } from "./plausible.ts";

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
  const held = input.kind === "files" ? input.files : input.file;
  return closeOnFailure(held, async () => {
    const clock = new WorkClock();
    const decoder = timed((import.meta.env.SSR ? createDecoder : directDecoder)(options.maxMegapixels), clock);
    const known = input.kind === "files" ? formats : [...formats, ...fileFormats];
    const found = await findFormat(input, options, known, decoder);
    // The formats make the list, and append to it while frames are read.
    const frames = withPlausibleUnit(found.frames, found.frames.warnings as string[]);
    const read = async (index: number) => {
      const before = clock.ms;
      const frame = await frames.read(index);
      return withWay(frame, { decodeMs: clock.ms - before });
    };
    return {
      ...found,
      frames: { ...frames, read },
      name: held.name,
      async close() {
        found.frames.close?.();
        decoder.close();
        await held.close();
      },
    };
  });
}

/** The decoder, whose work `clock` measures. */
const timed = ({ depth, color, close }: Decoder, clock: WorkClock): Decoder => ({
  depth: (bytes, where) => clock.during(() => depth(bytes, where)),
  color: (bytes, where) => clock.during(() => color(bytes, where)),
  close,
});
