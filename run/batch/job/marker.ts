import { OutputError } from "../../report/failure.ts";
import type { BatchSettings } from "../settings.ts";
import { at, textAt } from "./files.ts";
import { MARKER } from "./place.ts";

/** The marker in the results' folder: the settings and version of its results. */
export interface Marker {
  readonly version: string;
  readonly identity: string;
  readonly settings: BatchSettings;
}

/** The marker of a results' folder; `undefined` where there is none. Throws an `OutputError` for a damaged one. */
export async function readMarker(out: string): Promise<Marker | undefined> {
  const path = at(out, MARKER);
  const text = await textAt(path);
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Partial<Marker> | null;
    const { version, identity, settings } = { ...value };
    if (typeof version === "string" && typeof identity === "string" && typeof settings === "object" && settings)
      return { version, identity, settings };
  } catch {}
  throw new OutputError(`${path}: it is damaged; with force it is written again, and results that suit are kept`);
}
