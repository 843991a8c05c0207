import type { Given } from "../files/dropped.ts";
import type { OpenOptions } from "../format/format.ts";
import { lookInto } from "./containers.ts";
import { closeOnFailure, type Opened, openGiven } from "./given.ts";
import { firstOf, Held } from "./held.ts";

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
    const held = new Held(input, options.maxMegapixels);
    return closeOnFailure(held, async () => {
      const found = await firstOf(own, input, options, held.decoder);
      if (found) return held.opened(found);
      await held.close();
      return undefined;
    });
  });
}
