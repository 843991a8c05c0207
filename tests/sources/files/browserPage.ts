import { openRecording, type RecordedSource, type RecordingInput } from "../../../sources/index.ts";
import { gpuDepth } from "./gpuDepth.ts";

/** The page's description of a recording that it opened, read and closed. */
export interface Told {
  readonly format: string;
  readonly name: string;
  readonly frames: readonly { readonly depth: readonly number[]; readonly color: number }[];
  readonly openMs: number;
  /** The middle one of the times that reading a frame took. */
  readonly readMs: number;
}

async function tell(input: RecordingInput): Promise<Told | string> {
  let recording: RecordedSource | undefined;
  try {
    const start = performance.now();
    recording = await openRecording(input);
    const openMs = performance.now() - start;
    const frames = [];
    const times = [];
    for (let i = 0; i < recording.length; i++) {
      const begin = performance.now();
      const { depth, color } = await recording.read(i);
      times.push(performance.now() - begin);
      frames.push({ depth: [...depth.data.subarray(0, 50)], color: color?.data.length ?? 0 });
    }
    times.sort((a, b) => a - b);
    return { format: recording.format, name: recording.name, frames, openMs, readMs: times[times.length >> 1] };
  } catch (error) {
    return String(error);
  } finally {
    await recording?.close();
  }
}

const page = {
  gpuDepth,
  chosen(id: "files" | "folder"): Promise<Told | string> {
    const input = document.getElementById(id);
    return tell(input instanceof HTMLInputElement ? [...(input.files ?? [])] : []);
  },
  /** Copies the chosen files into the page's private storage and opens that folder's handle, in place of a dropped folder. */
  async handle(): Promise<Told | string> {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("dropped", { create: true });
    const input = document.getElementById("folder");
    for (const file of (input instanceof HTMLInputElement && input.files) || []) {
      const path = file.webkitRelativePath.split("/").slice(1, -1);
      let into = folder;
      for (const part of path) into = await into.getDirectoryHandle(part, { create: true });
      const writable = await (await into.getFileHandle(file.name, { create: true })).createWritable();
      await writable.write(file);
      await writable.close();
    }
    const told = await tell(folder);
    await root.removeEntry("dropped", { recursive: true });
    return told;
  },
  /** The names in the page's private storage. */
  async stored(): Promise<string[]> {
    const names = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
    return names;
  },
};

export type Page = typeof page;
Object.assign(window, { page });
