import type { Codec } from "./codec.ts";
import { codec as webCodec } from "./codecWeb.ts";

/** Loads the codec for the platform: Node or a browser. */
export async function loadCodec(): Promise<Codec> {
  return import.meta.env.SSR ? (await import("./codecNode.ts")).codec : webCodec;
}
