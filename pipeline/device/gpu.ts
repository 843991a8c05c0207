import { type Abortable, signalRule } from "../../core/abort.ts";
import { oneOf, type Rule } from "../../core/check.ts";

/** Which adapter to use. "auto" takes a hardware adapter or none, since the CPU twins are faster than a software GPU. */
export type AdapterChoice = "auto" | "hardware" | "software";

export const adapterRule: Rule = oneOf("auto", "hardware", "software");

/** A WebGPU device and facts about it for people to read. */
export interface Gpu {
  /** The device, for buffers and pipelines of your own. */
  readonly device: GPUDevice;
  /** The vendor, as WebGPU names it: "nvidia"; empty where the browser does not tell. */
  readonly vendor: string;
  /** The adapter's and driver's description; empty where the browser does not tell. */
  readonly description: string;
  /** Whether this is a software GPU (SwiftShader, lavapipe), which computes right but slowly. */
  readonly software: boolean;
  /** Whether the GPU can time passes on its own clock (feature `timestamp-query`). */
  readonly timestamps: boolean;
  /** The resolution of that clock as we receive it, in microseconds. In browsers it is not measured: Chrome's is given, 100. */
  readonly clockResolutionUs: number;
  /** Destroys the device. Resolves when all objects of the device are gone. */
  destroy(): Promise<void>;
}

/** There is no adapter of the kind asked for. */
export class AdapterError extends Error {
  /** Names the class where `instanceof` cannot: across workers and copies of the library. */
  override readonly name = "AdapterError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_ADAPTER";
}

/** Settings of `openGpu` beside the adapter. */
export interface GpuOptions extends Abortable {
  /** Dawn toggles to enable, in Node only: for measurements, such as "disable_robustness". */
  readonly enabledToggles?: readonly string[];
}

/** The accepted values of `openGpu`'s arguments. */
export const gpuRules = {
  adapter: adapterRule,
  enabledToggles: { expects: "a list of names", holds: (value: unknown) => Array.isArray(value) },
  signal: signalRule,
} satisfies Record<keyof GpuOptions | "adapter", Rule>;

/** Provides `requestAdapter`. In Node, `release` drops the last reference to Dawn, so that the process can exit. */
export interface GpuEntry {
  readonly gpu: GPU;
  readonly clockResolutionUs: number;
  /** Registers the device that was opened, until `release`. */
  use?(device: GPUDevice): void;
  /** How WebGPU looked for an adapter, as text for an error; the text begins with a blank. */
  found?(): string;
  release(): void;
}
