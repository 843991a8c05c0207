import type { Codec } from "./codec.ts";
import { codec as webCodec } from "./codecWeb.ts";

/** The codec of the platform this runs on. */
export async function loadCodec(): Promise<Codec> {
  return import.meta.env.SSR ? (await import("./codecNode.ts")).codec : webCodec;
}
