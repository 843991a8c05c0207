import { writeFileSync } from "node:fs";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import { openGpu } from "../../pipeline/device/open.ts";
import type { BenchOptions } from "../cli/bench.ts";
import { UsageError } from "../report/failure.ts";
import type { Case } from "./cases.ts";
import { adapterOf, machineHere } from "./machine.ts";
import { checkLane } from "./measure/check.ts";
import { timeOnCpu } from "./measure/cpu.ts";
import type { Effort } from "./measure/effort.ts";
import { filmed } from "./measure/film.ts";
import { timeOnGpu } from "./measure/gpu.ts";
import { buildLanes } from "./measure/lanes.ts";
import { peersIn, runPeers } from "./peers.ts";
import { effortOf, planOf, timesTwins } from "./plan.ts";
import { ratiosOf } from "./ratios.ts";
import { htmlOf } from "./report/html.ts";
import { tableOf } from "./report/table.ts";
import type { Input, Log, Mode, PeerResult, Report, Result } from "./types.ts";

export { runAtomics } from "./atomics/run.ts";
export { runCompaction } from "./compaction/run.ts";
export { runFidelity } from "./fidelity/run.ts";
export { runPoses } from "./poses/run.ts";

const TOGGLES: Readonly<Record<Mode, readonly string[]>> = {
  robust: [],
  unchecked: ["disable_robustness", "disable_workgroup_init"],
};
const LARGE_PIXELS = 4e6;

interface OpenGpu {
  readonly mode: Mode;
  readonly gpu: Gpu;
}

/**
 * Runs the benchmark; prints the table, or the JSON with the table on standard error; writes the files asked for. The exit status is 1 if
 * an output was wrong. Throws a `UsageError` or an `AdapterError` before anything is measured.
 */
export async function runBench(options: BenchOptions, log: Log): Promise<number> {
  if (options.stage === "dof") return (await loadDof()).runDof(options, log);
  if (options.stage === "splats") return (await import("./splats.ts")).runSplats(options, log);
  const gpus = await openGpus(options);
  for (const { gpu } of gpus) {
    gpu.device.addEventListener("uncapturederror", ({ error }) => log(`WebGPU: ${error.message}`));
  }
  try {
    const report = await measureAll(options, gpus, log);
    if (options.json) log(tableOf(report));
    process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : `${tableOf(report)}\n`);
    return report.results.every(({ checked }) => checked) ? 0 : 1;
  } finally {
    for (const { gpu } of gpus) gpu.destroy();
  }
}

/** Three.js and the metrics are development dependencies, so an installed package cannot measure depth of field. */
async function loadDof() {
  try {
    return await import("./dof/run.ts");
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    throw missing ? new UsageError("bench dof needs the packages of a checkout of Depthloom: run npm ci there") : error;
  }
}

async function openGpus({ adapter, backend, mode }: BenchOptions): Promise<OpenGpu[]> {
  const gpus: OpenGpu[] = [];
  if (backend === "cpu") return gpus;
  for (const one of mode === "both" ? (["robust", "unchecked"] as const) : [mode]) {
    const toggles = { enabledToggles: TOGGLES[one] };
    // Elsewhere "auto" prefers the twins to a software GPU; here the kernels are what is measured.
    const gpu = (await openGpu(adapter, toggles)) ?? (await openGpu("software", toggles));
    if (gpu) gpus.push({ mode: one, gpu });
  }
  return gpus;
}

async function measureAll(options: BenchOptions, gpus: readonly OpenGpu[], log: Log): Promise<Report> {
  const [first] = gpus;
  const slow = first?.gpu.software ?? true;
  const effort = effortOf(options, slow);
  const results: Result[] = [];
  const peers: PeerResult[] = [];
  const notes: string[] = [];
  const note = (line: string) => {
    if (notes.includes(line)) return;
    notes.push(line);
    log(line);
  };
  const folder = options.peers;
  if (folder && peersIn(folder).length === 0) note(`no peer is built in ${folder}: see viewer/bench/peers/build.sh`);
  const report = (): Report => ({
    machine: machineHere(),
    adapter: first ? adapterOf(first.gpu) : null,
    mode: options.mode,
    results,
    peers,
    ratios: ratiosOf(results, peers),
    notes,
  });
  for (const { label, cases, open } of planOf(options, slow)) {
    log(`${label}: ${cases.map(({ stage }) => stage).join(", ")}`);
    const input = await open();
    if (folder) peers.push(...runPeers(folder, input, effort.trials, note));
    for (const one of cases) {
      const images = filmed(one, input);
      for (const gpu of gpus) results.push(...(await measureOnGpu(one, images, gpu, effort, note)));
      if (timesTwins(options, input) && one.stage !== "empty") results.push(measureOnCpu(one, images, effort));
    }
    // Written again after every input, so that an interrupted run leaves its results so far.
    if (options.out) writeFileSync(options.out, `${JSON.stringify(report(), null, 1)}\n`);
    if (options.html) writeFileSync(options.html, htmlOf(report()));
  }
  return report();
}

const identity = ({ stage, variant }: Case, { data, shape, images }: Input) => {
  const { width, height } = shape.intrinsics;
  return { stage, variant, width, height, elements: width * height, data, images: images.length };
};

async function measureOnGpu(one: Case, input: Input, { mode, gpu }: OpenGpu, effort: Effort, note: Log) {
  const row = identity(one, input);
  const where = `${row.stage} (${row.variant}), ${row.width}x${row.height} ${row.data}, ${mode}`;
  const lanes = await buildLanes(gpu, one, input).catch((error: unknown) => {
    // A frame that exceeds the device's limits or memory is left out; the other frames go on.
    note(`${where}: left out: ${error instanceof Error ? error.message : error}`);
  });
  if (!lanes) return [];
  try {
    const timings = await timeOnGpu(gpu, lanes, effort);
    // Checks the first and the last image; of a large frame, for which a twin takes long, only the first.
    const count = row.elements < LARGE_PIXELS ? 2 : 1;
    const ends = [...new Set([lanes[0], lanes.at(-1)])].filter((lane) => lane !== undefined).slice(0, count);
    const verdicts = [];
    for (const lane of ends) verdicts.push(await checkLane(gpu, input.shape, lane, lanes));
    const faults = verdicts.flatMap((verdict) => verdict.faults);
    for (const fault of faults) note(`${where}: WRONG: ${fault}`);
    const common = { bytes: verdicts[0]?.bytes ?? 0, checked: faults.length === 0, backend: "webgpu", mode } as const;
    return timings.map((timing) => ({ ...row, ...timing, ...common }));
  } finally {
    for (const lane of lanes) lane.destroy();
  }
}

function measureOnCpu(one: Case, input: Input, effort: Effort): Result {
  const timing = timeOnCpu(one, input, effort);
  return { ...identity(one, input), ...timing, clock: "wall", backend: "cpu", mode: null, method: "twin", repeats: 1 };
}
