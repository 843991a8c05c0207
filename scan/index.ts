// The entry "depthloom/scan", for Node: one mesh of what a moving camera saw.

import { signalRule, untilAborted } from "../core/abort.ts";
import { callable, checkArgument, checkOptions, flag, oneOf, or, type Rule, whole } from "../core/check.ts";
import { type Source, sourceRule } from "../core/source.ts";
import { openGpu } from "../pipeline/index.ts";
import { scanHere } from "./here.ts";
import type { Scan } from "./keep.ts";
import { type Box, boxRule } from "./mesh/tidy.ts";
import { scanAside } from "./thread.ts";

export type { Vec3 } from "../core/geometry.ts";
export type { Scan, ScanPose } from "./keep.ts";
export { MESH_FORMATS, type MeshFormat, meshFile } from "./mesh/files.ts";
export type { Mesh } from "./mesh/mesh.ts";
export { meshOfFrame } from "./mesh/ofFrame.ts";
export { type Box, cropped, type Simplified, simplified, withoutFlecks } from "./mesh/tidy.ts";
export type { WayQuality } from "./place/way.ts";
export type { Axis } from "./turntable/axis.ts";
export type { Turned } from "./turntable/turntable.ts";

/** How a scan is made. */
export interface ScanOptions {
  /**
   * A thing turned on a turntable before a camera that stood: the turning is found, and the table and all that stands are cut away. It
   * takes a recording, which is read twice. Rejects with a `SourceError` where nothing is seen to turn, or the camera moved.
   */
  readonly turntable?: boolean;
  /** The edge of a voxel in metres; 0.005 if not given. */
  readonly voxelM?: number;
  /**
   * Depth beyond this is not used, neither for the model nor to find the camera's place, in metres; if not given, the model ends where a
   * pixel is as wide as 1.5 voxels.
   */
  readonly farM?: number;
  /** The most memory of the model in MiB; 1024 if not given. */
  readonly mostMegabytes?: number;
  /** The box outside of which the mesh is cut off, in the axes of the first camera. */
  readonly crop?: Box;
  /** Pieces of fewer triangles are left out; 300 if not given. `Infinity` keeps the largest piece alone. */
  readonly leastPiece?: number;
  /** The most triangles of the mesh; 500,000 if not given, which programs and pages open everywhere. `Infinity` keeps all. */
  readonly triangles?: number;
  /** The backend that runs the filters and grows the model; "auto" if not given. */
  readonly backend?: "auto" | "webgpu" | "cpu";
  /** Aborting it ends the scan, which rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called as frames are added. */
  readonly onProgress?: (done: number, of: number) => void;
  /** Called with what is amiss while the scan goes on. */
  readonly onWarning?: (line: string) => void;
}

const above0: Rule = { expects: "a number above 0", holds: (value) => Number(value) > 0 };
const rules = {
  turntable: flag,
  voxelM: above0,
  farM: above0,
  mostMegabytes: above0,
  crop: boxRule,
  leastPiece: or(whole(0), Infinity),
  triangles: or(whole(0), Infinity),
  backend: oneOf("auto", "webgpu", "cpu"),
  signal: signalRule,
  onProgress: callable,
  onWarning: callable,
} satisfies Record<keyof ScanOptions, Rule>;

/**
 * Scans what a moving camera saw, with the filters and the tracking of the default chain. The frames' own poses are used where they have
 * any. It works on a thread of its own, to which it sends a copy of each frame, or, where a GPU runs the filters, on the calling one. Where
 * the camera comes back to what it saw, a recording's frames are added anew from corrected places; a stream cannot be read
 * again, so its mesh stays as it is, and `onWarning` says how far off. Rejects where no frame could be placed, with the error that ended
 * the frames if there is one.
 *
 * @example
 * const { mesh } = await scan(await openRecording("chair.mcap"), { voxelM: 0.004 });
 * await writeFile("chair.glb", meshFile(mesh, "glb"));
 */
export async function scan(source: Source, options: ScanOptions = {}): Promise<Scan> {
  checkArgument("scan", "the source", sourceRule, source);
  checkOptions("scan", options, rules);
  const { signal, onWarning = () => {}, onProgress = () => {}, ...numbers } = options;
  signal?.throwIfAborted();
  const { backend = "auto" } = numbers;
  const gpu = backend === "cpu" ? null : await openGpu(backend === "auto" ? "auto" : "hardware", { signal });
  await gpu?.destroy();
  const stop = signal ?? new AbortController().signal;
  const listener = { warn: onWarning, note() {}, progress: onProgress, stop };
  // A GPU's drivers want the thread that calls, and on a GPU little is computed there.
  const aside = gpu ? undefined : scanAside(source, numbers, listener);
  try {
    const made = aside && (await untilAborted(signal, () => aside.made));
    return made ?? (await scanHere(source, numbers, listener));
  } finally {
    aside?.end();
    signal?.throwIfAborted();
  }
}
