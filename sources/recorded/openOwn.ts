import { createDecoder, directDecoder } from "../decode/index.ts";
import { lookInto } from "./containers.ts";
import type { Given } from "./files/dropped.ts";
import type { OpenOptions } from "./format.ts";
import { closeOnFailure, type Opened, openGiven } from "./given.ts";

/**
 * Opens a recording by the caller's own formats (`options.formats`), on the calling thread. Returns nothing where none of them knows the
 * recording: the reading worker asks Depthloom's own formats then.
 */
export async function openOwn(given: Given, options: OpenOptions): Promise<Opened | undefined> {
  const own = options.formats?.filter(({ name }) => options.format === undefined || name === options.format) ?? [];
  if (own.length === 0) return undefined;
  const opened = await openGiven(given, options.maxSeconds);
  return closeOnFailure(opened, async () => {
    const input = "list" in opened ? ({ kind: "files", files: opened } as const) : await lookInto(opened);
    const held = input.kind === "files" ? input.files : input.file;
    const decoder = (import.meta.env.SSR ? createDecoder : directDecoder)(options.maxMegapixels);
    for (const format of own) {
      const frames = await format.open(input, options, decoder);
      if (!frames) continue;
      return {
        format: { what: "format", value: format.name, from: options.format === undefined ? "files" : "option" },
        frames,
        name: held.name,
        async close() {
          await frames.close?.();
          decoder.close();
          await held.close();
        },
      };
    }
    decoder.close();
    await held.close();
    return undefined;
  });
}
