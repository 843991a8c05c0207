import type { Rigid } from "../../core/pose.ts";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import { dispatchesOf, openPassTimer } from "../../pipeline/tune/stopwatch.ts";
import { GpuMesh } from "../../scan/mesh/gpuMesh.ts";
import { GpuVolume } from "../../scan/volume/gpuVolume.ts";
import type { Fusable } from "../../scan/volume/volume.ts";
import { volumeFor } from "../../scan/volume/volumeFor.ts";
import { type SceneName, syntheticRoom } from "../../sources/synthetic/index.ts";
import { reachFullClock, Stopwatch } from "../measure/stopwatch.ts";
import { CHECKED, SPREAD, tableOf } from "../report/page.ts";
import type { Part, Scope, Study } from "../study.ts";
import { type Log, type Spread, spreadOf } from "../types.ts";
import { differencesOf, trianglesIn } from "./differences.ts";

/** Views of a way that takes 20 s, and of a quick run; the size of frames. */
const VIEWS = 40;
const QUICK = 8;
const WIDTH = 640;
const HEIGHT = 480;
/** The most memory of bricks. */
const MOST_MEGABYTES = 1024;
/** The most bytes of the mesh. */
const MESH_BYTES = 2 ** 28;
/** The largest share of bricks and voxels in which kernels and twin may differ: rounded to another pixel or another brick. */
const DIFFERENT = 0.002;
/** The largest share by which the size of the whole mesh may differ from that of the twin's mesh. */
const MESH_DIFFERENT = 0.01;

/** The time of a kernel, or of all kernels in one pass ("frame"), over the frames of a walk whose bricks exist already. */
interface FusionRow extends Spread {
  readonly scene: SceneName;
  readonly voxelMm: number;
  readonly kernel: string;
  /** Bricks of the volume, and those that a frame changed, on average. */
  readonly bricks: number;
  readonly listed: number;
  readonly checked: boolean;
}

interface FusionTimes {
  readonly rows: readonly FusionRow[];
  readonly notes: readonly string[];
}

/** How long a frame takes to be added to a scan's volume, and its bricks to be meshed. */
export const fusion: Study<FusionTimes> = {
  name: "fusion",
  title: "Fusion into a volume",
  question: "How long does a frame take to be added to a scan's volume, and what it changed to be meshed?",
  unit: "volumes",
  parts,
  figures: ({ rows }) =>
    Object.fromEntries(
      rows
        .filter(({ kernel, checked }) => kernel === "frame" && checked)
        .map((row) => [`${row.scene}, ${row.voxelMm} mm`, `${(row.medianUs / 1000).toFixed(3)} ms a frame`]),
    ),
  sections: ({ rows }) =>
    tableOf<FusionRow>("Fusion: measurements", rows, {
      scene: ({ scene }) => scene,
      "voxel, mm": ({ voxelMm }) => String(voxelMm),
      kernel: ({ kernel }) => kernel,
      ...SPREAD,
      bricks: ({ bricks }) => String(bricks),
      "changed in a frame": ({ listed }) => listed.toFixed(0),
      ...CHECKED,
    }),
};

interface View {
  readonly frame: Fusable;
  readonly pose: Rigid;
}

function parts({ gpu, quick }: Scope): Part<FusionTimes>[] {
  const scenes: readonly SceneName[] = quick ? ["room"] : ["room", "desk"];
  return scenes.flatMap((scene) => {
    let views: Promise<View[]> | undefined;
    return (quick ? [10] : [5, 10]).map((voxelMm) => ({
      label: `${scene}, ${voxelMm} mm`,
      async measure(log: Log, signal: AbortSignal) {
        views ??= viewsOf(scene, quick ? QUICK : VIEWS);
        return measureFusion(gpu, { scene, voxelMm }, await views, log, signal);
      },
    }));
  });
}

/** What a camera in the hand sees on its way. */
async function viewsOf(scene: SceneName, count: number): Promise<View[]> {
  const sensor = scene === "room" ? "kinect-v1" : "azure-kinect";
  const room = syntheticRoom({ scene, sensor, cameraMotion: "handheld", width: WIDTH, height: HEIGHT });
  const views: View[] = [];
  for (let i = 0; i < count; i++) {
    const index = Math.floor((i * room.length) / count);
    const pose = Float64Array.from((await room.pose(index)).slice(0, 12));
    views.push({ frame: await room.read(index), pose });
  }
  return views;
}

/** Plays the views three times: to make the bricks, to time each kernel, and to time whole frames. The twin sees the same. */
async function measureFusion(
  gpu: Gpu,
  { scene, voxelMm }: Pick<FusionRow, "scene" | "voxelMm">,
  views: readonly View[],
  log: Log,
  signal: AbortSignal,
): Promise<FusionTimes> {
  const twin = volumeFor(views[0].frame, { voxelM: voxelMm / 1000, farM: undefined, mostMegabytes: MOST_MEGABYTES });
  const stopwatch = new Stopwatch(gpu);
  const timer = openPassTimer(gpu);
  const volume = await GpuVolume.open(gpu.device, twin.options);
  const mesh = await GpuMesh.create(volume, MESH_BYTES);
  const encode = (pass: GPUComputePassEncoder) => {
    volume.encode(pass);
    mesh.encode(pass);
  };
  const times = new Map<string, number[]>();
  const note = (kernel: string, us: number) => times.set(kernel, [...(times.get(kernel) ?? []), us]);
  const ways = [
    async () => volume.submit(),
    async () => {
      const dispatches = dispatchesOf({ encode });
      const micros = await timer.time(dispatches.map(({ work }) => work));
      for (const [i, us] of micros.entries()) note(dispatches[i].name.replace("scan/", ""), us);
    },
    async () => {
      const us = await stopwatch.repeat(1, encode);
      if (us !== null) note("frame", us);
    },
  ];
  try {
    let listed = 0;
    for (const way of ways) {
      for (const { frame, pose } of views) {
        signal.throwIfAborted();
        volume.send(frame, pose);
        twin.add(frame, pose);
        await reachFullClock(stopwatch);
        await way();
        if (way === ways[2]) listed += (await volume.counted()).listed / views.length;
      }
    }
    const { count: bricks } = await volume.counted();
    const { voxels, ...shares } = differencesOf(await volume.read(), twin);
    await stopwatch.repeat(1, (pass) => mesh.encodeAll(pass, bricks));
    const { triangles, isFull } = await mesh.counted();
    const meshed = Math.abs(triangles / trianglesIn(twin) - 1);
    const isRight = !isFull && meshed < MESH_DIFFERENT;
    const checked = isRight && voxels > 0 && Object.values(shares).every((share) => share < DIFFERENT);
    const all = Object.entries({ ...shares, "triangles of the mesh": meshed });
    const found = all.map(([what, share]) => `${what} ${(100 * share).toFixed(4)} %`);
    const notes = [`${scene}, ${voxelMm} mm: ${voxels} voxels, beside the twin: ${found.join(", ")}`];
    log(`${scene}, ${voxelMm} mm: ${bricks} bricks, ${listed.toFixed(0)} of them in a frame, ${triangles} triangles`);
    const about = { scene, voxelMm, bricks, listed, checked };
    return { rows: [...times].map(([kernel, all]) => ({ ...about, kernel, ...spreadOf(all) })), notes };
  } finally {
    mesh.destroy();
    volume.destroy();
    twin.destroy();
    stopwatch.destroy();
    timer.destroy();
  }
}
