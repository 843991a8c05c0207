import { availableParallelism, cpus } from "node:os";
import { keepCeilings, knownCeilings } from "depthloom-bench/ceilings/known";
import type { Ceilings } from "depthloom-bench/ceilings/types";
import { ceilingRows } from "depthloom-bench/ceilings/words";
import { version } from "../package.json";
import { adapterOf } from "../pipeline/device/adapter.ts";
import { type AdapterChoice, AdapterError, type Gpu } from "../pipeline/device/gpu.ts";
import { RequestError } from "../run/report/failure.ts";
import { openAny } from "../run/report/gpu.ts";
import { print, say, table } from "../run/report/terminal.ts";

/** `info` without a path: describes this machine, its limits and its speed as measured before, or with `measure` as measured now. */
export async function tellDevice(adapter: AdapterChoice, json: boolean, measure: boolean): Promise<void> {
  const gpu = await open(adapter);
  try {
    if (measure && !gpu)
      throw new RequestError("--ceilings measures a GPU, and there is none: --adapter software takes the software GPU");
    const ceilings = gpu && (measure ? await measureAndKeep(gpu) : ((await knownCeilings(gpu)) ?? null));
    const info = infoOf(gpu, ceilings);
    await print([json ? `${JSON.stringify(info, null, 2)}\n` : textOf(info)]);
  } finally {
    await gpu?.destroy();
  }
}

async function measureAndKeep(gpu: Gpu): Promise<Ceilings> {
  const { measureCeilings } = await import("depthloom-bench/ceilings/measure");
  // On a software GPU the numbers are the processor's, and nobody waits for the last few percent.
  const ceilings = await measureCeilings(gpu, {
    quick: gpu.software,
    progress: (line, share) => say(`${Math.round(share * 100)} %: ${line}`),
  });
  for (const note of ceilings.notes) say(note);
  if (!ceilings.checked) process.exitCode = 1;
  say(`kept in ${await keepCeilings(gpu, ceilings)}`);
  return ceilings;
}

/** Opens the GPU; null on a machine without a GPU if the user asked for no particular one. */
async function open(choice: AdapterChoice): Promise<Gpu | null> {
  try {
    return await openAny(choice);
  } catch (error) {
    if (choice === "auto" && error instanceof AdapterError) return null;
    throw error;
  }
}

const UNMEASURED: [string, string] = ["speed", "not measured yet: depthloom info --ceilings measures it"];

type Info = ReturnType<typeof infoOf>;

/** The document of `info`. Features and limits are those of the device as Depthloom opens it. */
function infoOf(gpu: Gpu | null, ceilings: Ceilings | null) {
  const limits: Record<string, number> = {};
  // The limits are getters of the prototype, so the object itself has no entries.
  for (const name in gpu?.device.limits) {
    const value: unknown = Reflect.get(gpu.device.limits, name);
    if (typeof value === "number") limits[name] = value;
  }
  return {
    version,
    node: process.version,
    cpu: `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} threads`,
    /** The backend that `replay` uses by default. */
    backend: gpu && !gpu.software ? "webgpu" : "cpu",
    adapter: gpu && adapterOf(gpu),
    timestamps: gpu?.timestamps ?? false,
    clockResolutionUs: gpu?.clockResolutionUs ?? null,
    features: [...(gpu?.device.features ?? [])].sort(),
    limits,
    ceilings,
  };
}

function textOf({
  version,
  node,
  cpu,
  backend,
  adapter,
  timestamps,
  clockResolutionUs,
  features,
  limits,
  ceilings,
}: Info): string {
  const rows: [string, string][] = [
    ["depthloom", `${version}, Node ${node}`],
    ["CPU", cpu],
    ["GPU", adapter ? `${adapter.description}${adapter.software ? " (software)" : ""}` : "none"],
    ["replay takes", backend === "webgpu" ? "the GPU" : "the CPU (faster than a software GPU)"],
  ];
  if (adapter) {
    rows.push(["clock", timestamps ? `the GPU's, in steps of ${clockResolutionUs} µs` : "wall"]);
    rows.push(["features", features.join(", ")]);
    rows.push(...(ceilings ? ceilingRows(ceilings) : [UNMEASURED]));
    rows.push(...Object.entries(limits).map(([name, value]): [string, string] => [name, String(value)]));
  }
  return table(rows);
}
