import { createDecoder, type Decoder, directDecoder } from "../decode/index.ts";
import type { Format, Found, Input, OpenOptions } from "../format/format.ts";
import type { Opened } from "./given.ts";

/** An input and the decoder of its images, which are closed together. */
export class Held {
  readonly #of;
  readonly decoder: Decoder;

  constructor(input: Input, maxMegapixels: number | undefined) {
    this.#of = input.kind === "files" ? input.files : input.file;
    // In a page the input is read by a worker, which decodes by itself where the machine has no threads to spare.
    const decodes = import.meta.env.SSR || navigator.hardwareConcurrency > 2;
    this.decoder = (decodes ? createDecoder : directDecoder)(maxMegapixels);
  }

  async close(): Promise<void> {
    this.decoder.close();
    await this.#of.close();
  }

  /** The recording that was found in the input. */
  opened(found: Found): Opened {
    const close = async () => {
      await found.frames.close?.();
      await this.close();
    };
    return { ...found, name: this.#of.name, close };
  }
}

/** Opens an input by the first of `formats` that accepts it. */
export async function firstOf(
  formats: readonly Format[],
  input: Input,
  options: OpenOptions,
  decoder: Decoder,
): Promise<Found | undefined> {
  const from = options.format === undefined ? "files" : "option";
  for (const format of formats) {
    const frames = await format.open(input, options, decoder);
    if (frames) return { format: { what: "format", value: format.name, from }, frames };
  }
  return undefined;
}
