import { writeFileSync } from "node:fs";
import { openGpu } from "../pipeline/device/open.ts";
import { adapterOf } from "./adapter.ts";
import type { Case } from "./cases.ts";
import { knownCeilings } from "./ceilings/known.ts";
import { machineHere } from "./machine.ts";
import { timeOnCpu } from "./measure/cpu.ts";
import { filmed } from "./measure/film.ts";
import { identity, measureOnGpu, type OpenGpu } from "./measure/onGpu.ts";
import type { Effort } from "./measure/stopwatch.ts";
import type { BenchOptions } from "./options.ts";
import { peersIn, runPeers } from "./peers.ts";
import { effortOf, planOf, timesTwins } from "./plan.ts";
import { ratiosOf } from "./ratios.ts";
import { stagePage, stageText } from "./report/stageReport.ts";
import type { Input, Log, Mode, PeerResult, Report, Result } from "./types.ts";

export { runReport } from "./deviceReport/run.ts";
export { runFidelity } from "./fidelity/run.ts";
export { runFusion } from "./fusion/run.ts";
export { runPoses } from "./poses/run.ts";

const TOGGLES: Readonly<Record<Mode, readonly string[]>> = { robust: [], unchecked: ["disable_robustness"] };

/**
 * Runs the benchmark; prints the table, or the JSON with the table on standard error; writes the files asked for. The exit status is 1 if
 * an output was wrong. Throws a `RequestError` or an `AdapterError` before anything is measured.
 */
export async function runBench(options: BenchOptions, log: Log): Promise<number> {
  const gpus = await openGpus(options);
  for (const { gpu } of gpus) {
    gpu.device.addEventListener("uncapturederror", ({ error }) => log(`WebGPU: ${error.message}`));
  }
  try {
    const report = await measureAll(options, gpus, log);
    if (options.json) log(stageText(report));
    process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : `${stageText(report)}\n`);
    return report.results.every(({ checked }) => checked) ? 0 : 1;
  } finally {
    for (const { gpu } of gpus) gpu.destroy();
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
  const known = first && (await knownCeilings(first.gpu));
  if (first && !known) note("no limits: this device's ceilings are not known (info --ceilings measures them)");
  const folder = options.peers;
  if (folder && peersIn(folder).length === 0) note(`no peer is built in ${folder}: see bench/peers/build.sh`);
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
      for (const gpu of gpus) results.push(...(await measureOnGpu(one, images, gpu, effort, note, known)));
      if (timesTwins(options, input) && one.stage !== "empty") results.push(measureOnCpu(one, images, effort));
    }
    // Written again after every input, so that an interrupted run leaves its results so far.
    if (options.out) writeFileSync(options.out, `${JSON.stringify(report(), null, 1)}\n`);
    if (options.html) writeFileSync(options.html, stagePage(report()));
  }
  return report();
}

function measureOnCpu(one: Case, input: Input, effort: Effort): Result {
  const timing = timeOnCpu(one, input, effort);
  return { ...identity(one, input), ...timing, clock: "wall", backend: "cpu", mode: null, method: "twin", repeats: 1 };
}
