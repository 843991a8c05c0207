import { countValid } from "../../../core/frame.ts";
import { openRecording } from "../../../sources/index.ts";
import { McapRecorder } from "../../../write/recorder.ts";
import { zstdChunks } from "../../../write/zstd.ts";
import { framesOf, type Whole } from "../formats/whole.ts";

const open = () => {
  const input = document.getElementById("files");
  return openRecording(input instanceof HTMLInputElement ? [...(input.files ?? [])] : []);
};

const page = {
  /** Every frame of the chosen file, or the error of reading the file. */
  async whole(): Promise<Whole[] | string> {
    try {
      return await framesOf(await open());
    } catch (error) {
      return String(error);
    }
  },
  /** Records the chosen file in the page as MCAP: the size of the new recording, and every frame read from it. */
  async recorded() {
    const recording = await open();
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let size = 0n;
    const write = async (bytes: Uint8Array) => {
      parts.push(bytes.slice());
      size += BigInt(bytes.length);
    };
    const compressChunk = await zstdChunks();
    const recorder = new McapRecorder({ write, position: () => size }, { compressChunk });
    for (let i = 0; i < recording.length; i++) await recorder.frame(await recording.read(i));
    await recorder.end();
    await recording.close();
    return { size: Number(size), frames: await framesOf(await openRecording(new File(parts, "own.mcap"))) };
  },
  /** Hash, colour sums and facts of the first frame of a large file. */
  async hashed() {
    const recording = await open();
    const { format, length, warnings } = recording;
    const { depth, color, metresPerUnit } = await recording.read(0);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", Uint16Array.from(depth.data)));
    const colorSums = [0, 0, 0, 0];
    for (const [i, value] of (color?.data ?? []).entries()) colorSums[i % 4] += value;
    await recording.close();
    return {
      ...{ format, length, metresPerUnit, colorSums, warnings: [...warnings], size: depth.shape },
      hash: [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
      valid: countValid(depth) / depth.data.length,
    };
  },
};

export type WholePage = typeof page;
Object.assign(window, { page });
