import { messageOf } from "../../core/caught.ts";
import { SourceError } from "../../core/source.ts";
import { jpegWeb } from "./jpegWeb.ts";
import type { Order, Reply } from "./messages.ts";
import { decodePicture } from "./picture.ts";
import { decodeDepth } from "./png.ts";

/** The browser's decoding worker: it answers each order with one reply and transfers memory instead of copying it. */
self.onmessage = async ({ data }: MessageEvent<Order>) => {
  const { id, kind, bytes, where, maxMegapixels } = data;
  try {
    const result = await (kind === "depth"
      ? decodeDepth(bytes, where, maxMegapixels)
      : decodePicture(bytes, where, jpegWeb, maxMegapixels));
    reply({ id, result }, typeof result === "string" ? [] : [result.data.buffer]);
  } catch (error) {
    reply({ id, failure: messageOf(error), forUser: error instanceof SourceError }, []);
  }
};

const reply = (message: Reply, transfer: Transferable[]) => self.postMessage(message, { transfer });
