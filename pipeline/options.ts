import { type Abortable, signalRule } from "../core/abort.ts";
import { between, callable, checkOptions, flag, OptionError, oneOf, type Rule, whole } from "../core/check.ts";
import { isPlain } from "../stages/core/define.ts";
import type { Stage } from "../stages/core/stage.ts";
import { type AdapterChoice, adapterRule, type Gpu } from "./device/gpu.ts";
import { foreignToWorker } from "./errors.ts";
import type { StageWorker } from "./run/remote/link.ts";

/** How a pipeline's filters follow a sensor's noise; see `PipelineOptions.noise`. */
export type NoiseMode = "follow" | "measured" | "none";

/** The options of `createPipeline`. Only `stages` is required. */
export interface PipelineOptions extends Abortable {
  /** The stages, in the order in which they run. Each needs a name of its own. */
  readonly stages: readonly Stage[];
  /** "auto" takes WebGPU on a hardware adapter if one exists, else the CPU twins. */
  readonly backend?: "auto" | "webgpu" | "cpu";
  /** Which kind of GPU adapter to use. "auto" takes hardware only, never a software GPU. */
  readonly adapter?: AdapterChoice;
  /** A device that the caller has opened already, such as a viewer's. The caller remains responsible for destroying it. */
  readonly gpu?: Gpu | undefined;
  /**
   * With `gpu`: opens another device after a loss, or gives `null` if none can be opened. Without `reopen`, losing the caller's device ends
   * the stream.
   */
  readonly reopen?: () => Promise<Gpu | null>;
  /** The time that one frame may take, in ms. Default: 33.3, for 30 frames a second. */
  readonly budgetMs?: number;
  /** How many of the newest times of each kind are kept for the percentiles. Default: 512. */
  readonly timesKept?: number;
  /**
   * Every `timeEvery`-th frame is timed. Default: 8; with 1 every frame is timed. Timing slows a frame down: each stage then becomes a
   * compute pass.
   */
  readonly timeEvery?: number;
  /** Whether the kernels use the overrides that `depthloom tune` found fastest on this device. Default: true. */
  readonly tuned?: boolean;
  /**
   * Called with one line of text when the device, or the worker of `worker`, was lost. The line says what replaces it: another device or
   * worker, or (backend "auto") the CPU. A "lossless" stream loses no frame by this.
   */
  readonly onDeviceLost?: (notice: string) => void;
  /**
   * Called with one line of text, once for each kind, when the pairs of a stream cannot be right where a stage matches depth from them: a
   * frame has none, an image is blank, a camera repeats its image, or (recordings) next to nothing is found in both images.
   * Pairs that are out of step by a frame end a recording's stream with a `SourceError`.
   */
  readonly onWarning?: ((line: string) => void) | undefined;
  /**
   * Whether stages that make pictures lower their quality, step by step, while frames take longer than the budget; see `Pipeline.governor`.
   * Default: false, so that the output depends on the frames alone.
   */
  readonly governor?: boolean;
  /**
   * How parameters that nobody has set follow the sensor's noise in a stream, where a stage has such parameters. "follow" does as
   * `depthloom replay`: a recording begins with the noise of its first frames, whichever frames are played; then noise is measured again
   * from time to time, which takes some 40 ms of every 32nd frame of 640×480. "measured" stops at the first noise that is known. "none"
   * leaves the stages as they are, and looks at no pairs of first frames. Default: "follow".
   */
  readonly noise?: NoiseMode | undefined;
  /**
   * Opens a worker in which the CPU backend runs the stages, so that the page's own thread stays free; pass `stageWorker`. Only the
   * library's own stages can run there. Frames are copied to the worker and back in reused blocks of memory. A worker that dies is
   * replaced. Default: the stages run on the calling thread.
   */
  readonly worker?: () => StageWorker;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isStage = (value: unknown) => isObject(value) && "build" in value && "twin" in value;

/** The accepted values of each option. */
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
  onWarning: callable,
  governor: flag,
  noise: oneOf("follow", "measured", "none"),
  worker: callable,
  signal: signalRule,
} satisfies Record<keyof PipelineOptions, Rule>;

/** Throws an `OptionError` for options that no pipeline can have. */
export function checkPipeline(options: PipelineOptions): void {
  checkOptions("createPipeline", options, pipelineRules);
  if (options.stages === undefined) throw new OptionError("createPipeline: stages are needed");
  const names = options.stages.map((stage) => stage.name);
  const own = options.worker && options.stages.find((stage) => !isPlain(stage));
  if (own) throw new OptionError(foreignToWorker(own.name));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new OptionError(`two stages of the pipeline are called ${twice}: give one another name`);
}

/** The accepted values of a stage's switches, and of the policy and options of `process`. */
export const switchRules = { enabled: flag, onCpu: flag };
export const processRules = {
  policy: oneOf("latest", "lossless"),
  before: callable,
  inFlight: whole(1, 8),
  unitFrom: { expects: "a depth frame", holds: (value: unknown) => isObject(value) && "depth" in value },
};
