import { between, callable, checkOptions, flag, OptionError, oneOf, type Rule, whole } from "../sources/check.ts";
import { isPlain } from "../stages/define.ts";
import type { Stage } from "../stages/stage.ts";
import type { AdapterChoice, Gpu } from "./device/gpu.ts";
import { foreignToWorker } from "./errors.ts";
import type { StageWorker } from "./run/remote/link.ts";

export interface PipelineOptions {
  /** In the order in which they run. A name may stand only once. */
  readonly stages: readonly Stage[];
  /** "auto": WebGPU on a hardware adapter, else the CPU twins. */
  readonly backend?: "auto" | "webgpu" | "cpu";
  /** Which GPU: "auto" takes hardware and no other. */
  readonly adapter?: AdapterChoice;
  /** A device that is open already (a viewer shares its own); it stays the caller's to destroy. */
  readonly gpu?: Gpu;
  /** With `gpu`: opens another where it is lost, the caller's too, `null` if there is none. Without it a loss ends the stream. */
  readonly reopen?: () => Promise<Gpu | null>;
  /** What a frame may take; 33.3 ms, of 30 a second, if not given. */
  readonly budgetMs?: number;
  /** How many times of each kind are kept for the percentiles: the newest 512 if not given. */
  readonly timesKept?: number;
  /** Every how many frames one is timed; 8 if not given, 1 times all. Timing costs: each stage becomes a pass of its own. */
  readonly timeEvery?: number;
  /** Whether the kernels are those that `depthloom tune` found best on this device; yes. */
  readonly tuned?: boolean;
  /**
   * Is told, in one line, that the device was lost and what goes on in its place: another, or with "auto" the CPU. So it is where
   * `worker`'s has died. No frame of a "lossless" stream is lost with it.
   */
  readonly onDeviceLost?: (notice: string) => void;
  /**
   * Whether the stages that make pictures give up quality, step by step, while frames take longer than the budget: see
   * `Pipeline.governor`. Not if not given: what comes out then depends on the frames alone.
   */
  readonly governor?: boolean;
  /**
   * On the CPU backend the stages run in this worker and the thread that asks stays free: give `stageWorker`, in a page. They must be
   * the library's own stages. Frames are copied there and back, in memory that is used again. One that dies is replaced. Not given:
   * on the same thread.
   */
  readonly worker?: () => StageWorker;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isStage = (value: unknown) => isObject(value) && "build" in value && "twin" in value;

export const adapterRule: Rule = oneOf("auto", "hardware", "software");

/** What each option may be. */
const pipelineRules = {
  stages: {
    expects: "a list of stages, such as [median(), compact()]",
    holds: (value) => Array.isArray(value) && Array.from(value).every(isStage),
  },
  backend: oneOf("auto", "webgpu", "cpu"),
  adapter: adapterRule,
  gpu: { expects: "what openGpu gives", holds: (value) => isObject(value) && "device" in value },
  reopen: callable,
  budgetMs: between(0.001, 1e6),
  timesKept: whole(1, 1e6),
  timeEvery: whole(1),
  tuned: flag,
  onDeviceLost: callable,
  governor: flag,
  worker: callable,
} satisfies Record<keyof PipelineOptions, Rule>;

/** Throws an `OptionError` for options that no pipeline can have. */
export function checkPipeline(options: PipelineOptions): void {
  checkOptions("createPipeline", options, pipelineRules);
  if (options.stages === undefined) throw new OptionError("createPipeline: stages are needed");
  const names = options.stages.map((stage) => stage.name);
  const own = options.worker && options.stages.find((stage) => !isPlain(stage));
  if (own) throw new OptionError(foreignToWorker(own.name));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new OptionError(`the stage ${twice} stands twice in the pipeline: give one a name of its own`);
}

/** What a stage's switches may be, and what goes with a policy. */
export const switchRules = { enabled: flag, onCpu: flag };
export const processRules = { policy: oneOf("latest", "lossless"), before: callable, inFlight: whole(1, 8) };
