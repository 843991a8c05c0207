import { openRecording, SeveralTopicsError } from "../../../sources/index.ts";

/** The page's description of a file that it opened and read. */
export interface Told {
  readonly format: string;
  readonly frames: number;
  readonly fps: number;
  readonly warnings: readonly string[];
  /** Of each frame: the SHA-256 of depth and of colour, and the time. */
  readonly hashes: readonly string[];
  readonly colors: readonly string[];
  readonly times: readonly number[];
  readonly fx: number;
  readonly metresPerUnit: number;
  readonly openMs: number;
  readonly seekMs: readonly number[];
}

async function hash(array: Uint16Array | Uint8Array | undefined): Promise<string> {
  if (!array) return "";
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength),
  );
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const page = {
  /** Opens the chosen file and reads some of its frames, or all. */
  async tell(indices?: number[], topic?: string): Promise<Told | string> {
    const input = document.getElementById("file");
    const [file] = (input instanceof HTMLInputElement && input.files) || [];
    try {
      const start = performance.now();
      const recording = await openRecording(file, { topic });
      const openMs = performance.now() - start;
      const [hashes, colors, times, seekMs]: [string[], string[], number[], number[]] = [[], [], [], []];
      let [fx, unit] = [0, 0];
      for (const index of indices ?? Array.from({ length: recording.length }, (_, i) => i)) {
        const begin = performance.now();
        const { depth, color, timestamp, intrinsics, metresPerUnit } = await recording.read(index);
        seekMs.push(performance.now() - begin);
        hashes.push(await hash(depth.data));
        colors.push(await hash(color?.data));
        times.push(timestamp);
        [fx, unit] = [intrinsics.fx, metresPerUnit];
      }
      const { format, fps, length: frames } = recording;
      const warnings = [...recording.warnings];
      await recording.close();
      return { format, frames, fps, warnings, hashes, colors, times, fx, metresPerUnit: unit, openMs, seekMs };
    } catch (error) {
      const several = error instanceof SeveralTopicsError ? `${error.topics.length} topics, ` : "";
      return `${several}${error}`;
    }
  },
};

export type FilePage = typeof page;
Object.assign(window, { page });
