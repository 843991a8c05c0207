/** Which adapter to take. "auto" is a hardware adapter or none: the CPU twins are faster than a software GPU. */
export type AdapterChoice = "auto" | "hardware" | "software";

/** A WebGPU device and what a person should be told of it. */
export interface Gpu {
  readonly device: GPUDevice;
  readonly vendor: string;
  readonly description: string;
  /** A software GPU (SwiftShader, lavapipe): right, and slow. */
  readonly software: boolean;
  /** Whether passes can be timed on the GPU's own clock (`timestamp-query`). */
  readonly timestamps: boolean;
  /** The step of that clock as it reaches us, in microseconds. */
  readonly clockResolutionUs: number;
  /** Resolves when all of it is gone. */
  destroy(): Promise<void>;
}

/** No adapter of the kind asked for. */
export class AdapterError extends Error {
  override readonly name = "AdapterError";
}

export interface GpuOptions {
  /** Dawn toggles, in Node only: "disable_robustness" … for measurements. */
  readonly enabledToggles?: readonly string[];
}

/** Where `requestAdapter` comes from. `release` lets a Node process exit. */
export interface GpuEntry {
  readonly gpu: GPU;
  readonly clockResolutionUs: number;
  release(): void;
}
