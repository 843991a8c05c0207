import { SourceError } from "../source.ts";
import { jpegWeb } from "./jpegWeb.ts";
import type { Order, Reply } from "./messages.ts";
import { decodePicture } from "./picture.ts";
import { decodeDepth } from "./png.ts";

/** The browser's decoding thread: one order in, one reply out, memory handed over rather than copied. */
self.onmessage = async ({ data }: MessageEvent<Order>) => {
  const { id, kind, bytes, where } = data;
  try {
    const result = await (kind === "depth" ? decodeDepth(bytes, where) : decodePicture(bytes, where, jpegWeb));
    reply({ id, result }, typeof result === "string" ? [] : [result.data.buffer]);
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    reply({ id, failure, forUser: error instanceof SourceError }, []);
  }
};

const reply = (message: Reply, transfer: Transferable[]) => self.postMessage(message, { transfer });
