import { writeFileSync } from "node:fs";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import { openGpu } from "../../pipeline/device/open.ts";
import { adapterOf } from "../adapter.ts";
import { machineHere } from "../machine.ts";
import type { BenchOptions } from "../options.ts";
import { Cache } from "./cache.ts";
import type { Rgba } from "./light.ts";
import { drawByKernels, drawByTwins } from "./ours.ts";
import { lensesFor, openPeer, type Peer } from "./peer.ts";
import { apart, bestOf, similarity } from "./quality.ts";
import { referencesOf } from "./references.ts";
import { type DofReport, type SceneReport, summaryOf, textOf } from "./report.ts";
import { difference, type Pictures, sheetOf } from "./sheet.ts";
import { largestRadius, sensor, shotOf } from "./shot.ts";
import { Exposure } from "./truth.ts";
import { VIEWS, type View, WORLDS } from "./views.ts";

const WIDTH = 480;
/** Rays per pixel; the truth uses twice as many. */
const RAYS = 256;
const QUICK_RAYS = 32;
const FOLDER = ".cache/dof";

type Log = (line: string) => void;

/**
 * Measures the quality of dofSplat on the fixed set: against a thin lens, against the single layer that a camera sees, and against
 * Three.js. Prints the table, or the JSON with the table on standard error; writes the files asked for.
 */
export async function runDof(options: BenchOptions, log: Log): Promise<number> {
  const gpu = options.backend === "cpu" ? null : ((await openGpu(options.adapter)) ?? (await openGpu("software")));
  gpu?.device.addEventListener("uncapturederror", ({ error }) => log(`WebGPU: ${error.message}`));
  const intrinsics = sensor(WIDTH);
  const peer = gpu && (await openPeer(gpu.device, intrinsics.width, intrinsics.height));
  try {
    const pictures = new Map<SceneReport, Pictures>();
    const exposures = new Map<string, Exposure>();
    for (const view of options.quick ? firstOfEachWorld() : VIEWS) {
      log(view.name);
      const exposure = exposures.get(view.world) ?? new Exposure(WORLDS[view.world](), intrinsics);
      exposures.set(view.world, exposure);
      const [scene, shown] = await measure(view, exposure, options.quick ? QUICK_RAYS : RAYS, gpu, peer);
      pictures.set(scene, shown);
    }
    const scenes = [...pictures.keys()];
    const report: DofReport = {
      machine: machineHere(),
      adapter: gpu && adapterOf(gpu),
      width: intrinsics.width,
      height: intrinsics.height,
      ...summaryOf(scenes),
      scenes,
    };
    if (options.out) writeFileSync(options.out, `${JSON.stringify(report, null, 1)}\n`);
    if (options.html) writeFileSync(options.html, sheetOf(report, pictures));
    if (options.json) log(textOf(report));
    process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : `${textOf(report)}\n`);
    return 0;
  } finally {
    peer?.destroy();
    gpu?.destroy();
  }
}

const firstOfEachWorld = () => VIEWS.filter(({ world }, i) => VIEWS.findIndex((view) => view.world === world) === i);

async function measure(
  view: View,
  exposure: Exposure,
  rays: number,
  gpu: Gpu | null,
  peer: Peer | null,
): Promise<[SceneReport, Pictures]> {
  const shot = shotOf(view, exposure);
  const cast = rays * (view.rays ?? 1);
  const { truth, half, bound } = referencesOf(shot, exposure, cast, new Cache(FOLDER));
  const ours = drawByTwins(shot);
  const theirs: Rgba[] = [];
  for (const lens of peer ? lensesFor(shot) : []) if (peer) theirs.push(await peer.draw(shot, lens));
  const scene: SceneReport = {
    name: view.name,
    focusM: view.focusM,
    fNumber: view.fNumber,
    ...similarity(bound, ours),
    largestRadiusPx: Number(largestRadius(shot).toFixed(1)),
    rays: 2 * cast,
    truth: similarity(truth, ours),
    singleLayer: similarity(truth, bound),
    errorBar: similarity(truth, half),
    kernels: gpu && apart(ours, await drawByKernels(gpu.device, shot)),
    peer: peer && { name: peer.name, ...bestOf(bound, theirs), truth: bestOf(truth, theirs) },
  };
  const shown = new Map([
    ["lens", truth],
    ["single layer", bound],
    ["dofSplat", ours],
    ["dofSplat − single layer, ×4", difference(ours, bound)],
  ]);
  const [best] = theirs.map((picture) => ({ picture, ...similarity(truth, picture) })).sort((a, b) => b.ssim - a.ssim);
  if (peer && best) shown.set(peer.name, best.picture);
  return [scene, shown];
}
