import { countValid, type Intrinsics } from "../../sources/frame.ts";
import { openRecording } from "../../sources/index.ts";

/** A frame with every value. */
export interface Whole {
  readonly depth: readonly number[];
  readonly color: readonly number[];
  readonly timestamp: number;
  readonly metresPerUnit: number;
  readonly intrinsics: Intrinsics;
}

const open = () => {
  const input = document.getElementById("files");
  return openRecording(input instanceof HTMLInputElement ? [...(input.files ?? [])] : []);
};

const page = {
  /** Every frame of the chosen file, or why it could not be read. */
  async whole(): Promise<Whole[] | string> {
    try {
      const recording = await open();
      const frames: Whole[] = [];
      for (let i = 0; i < recording.length; i++) {
        const { depth, color, timestamp, metresPerUnit, intrinsics } = await recording.read(i);
        frames.push({ depth: [...depth.data], color: [...(color?.data ?? [])], timestamp, metresPerUnit, intrinsics });
      }
      await recording.close();
      return frames;
    } catch (error) {
      return String(error);
    }
  },
  /** What the first frame of a large file is. */
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
