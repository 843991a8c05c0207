import type { Spool } from "./spool.ts";
import { openPrivateSpool } from "./spoolWeb.ts";

/** Opens temporary storage of the platform. Throws a `SourceError` that begins with the archive's name if there is no such storage. */
export async function openSpool(archive: string): Promise<Spool> {
  if (import.meta.env.SSR) return (await import("./spoolNode.ts")).openNodeSpool(archive);
  return openPrivateSpool(archive);
}
