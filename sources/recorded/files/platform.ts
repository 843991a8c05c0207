import type { Spool } from "./spool.ts";
import { openPrivateSpool } from "./spoolWeb.ts";

/** Temporary storage of the platform this runs on. Throws a `SourceError` that begins with `archive` if there is none. */
export async function openSpool(archive: string): Promise<Spool> {
  if (import.meta.env.SSR) return (await import("./spoolNode.ts")).openNodeSpool(archive);
  return openPrivateSpool(archive);
}
