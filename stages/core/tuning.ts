import type { ParameterValues } from "./parameters.ts";

/** Values of WGSL `override` constants: kernel → constant → value. A stage's kernels are compiled with them. */
export type Overrides = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The classes of devices that have defaults of their own, by vendor. "otherwise" stands for all the rest. */
export type DeviceClass = "nvidia" | "amd" | "intel" | "apple" | "arm" | "qualcomm" | "otherwise";

/** A constant of a kernel that can be tuned. The constant changes the kernel's speed, never its result. */
export interface Knob {
  /** All values to choose from. */
  readonly values: readonly number[];
  /** The default without tuning: one for all devices, or one per class. */
  readonly initial: number | (Readonly<Partial<Record<DeviceClass, number>>> & Readonly<Record<"otherwise", number>>);
  /** One line for people. */
  readonly summary: string;
}

/** The choices that a stage leaves to the tuner. */
export interface TuningSpace {
  /** Kernel → override → knob. An entry that names no kernel holds the stage's own choice between dispatches. */
  readonly knobs: Readonly<Record<string, Readonly<Record<string, Knob>>>>;
  /** Whether a device can run a combination of values; absent if it can run all. */
  fits?(overrides: Overrides, limits: Pick<GPUSupportedLimits, "maxComputeWorkgroupStorageSize">): boolean;
  /** Sets of parameters to measure with; their times are added. Default: the stage's own parameters. */
  readonly workloads?: readonly ParameterValues[];
  /** Stages to run before the stage that is tuned, with default parameters. */
  readonly after?: readonly string[];
}

/** The class of a device. Browsers from before 2025 do not report a vendor; they give "otherwise". */
function classOf({ adapterInfo }: Pick<GPUDevice, "adapterInfo">): DeviceClass {
  const vendor = adapterInfo?.vendor.toLowerCase() ?? "";
  const known: readonly DeviceClass[] = ["nvidia", "amd", "intel", "apple", "arm", "qualcomm"];
  return known.find((name) => vendor.includes(name)) ?? "otherwise";
}

/** All knobs as a list. */
export function knobsOf({ knobs }: TuningSpace) {
  return Object.entries(knobs).flatMap(([kernel, own]) =>
    Object.entries(own).map(([name, knob]) => ({ kernel, name, knob })),
  );
}

/** The default value of every knob on a device. */
export function defaultsFor(space: TuningSpace, device: Pick<GPUDevice, "adapterInfo">): Overrides {
  const group = classOf(device);
  let chosen: Overrides = {};
  for (const { kernel, name, knob } of knobsOf(space)) {
    const { initial } = knob;
    chosen = withValue(
      chosen,
      kernel,
      name,
      typeof initial === "number" ? initial : (initial[group] ?? initial.otherwise),
    );
  }
  return chosen;
}

/** A copy of `base` with one value changed. */
export function withValue(base: Overrides, kernel: string, name: string, value: number): Overrides {
  return { ...base, [kernel]: { ...base[kernel], [name]: value } };
}

/**
 * The device's defaults with `given` laid over them. Throws a `TuningError` for an unknown override, a value that is not among the knob's,
 * or a combination that the device cannot run: a typo would otherwise be measured as if it were a variant.
 */
export function choose(stage: string, space: TuningSpace | undefined, device: GPUDevice, given: Overrides): Overrides {
  const known = space ? defaultsFor(space, device) : {};
  let chosen = known;
  for (const [kernel, values] of Object.entries(given)) {
    for (const [name, value] of Object.entries(values)) {
      const knob = space?.knobs[kernel]?.[name];
      if (!knob) throw new TuningError(`${stage} has no override ${kernel}.${name} to choose`);
      if (!knob.values.includes(value)) {
        throw new TuningError(`${stage}: ${kernel}.${name} is one of ${knob.values.join(", ")}, not ${value}`);
      }
      chosen = withValue(chosen, kernel, name, value);
    }
  }
  if (space?.fits?.(chosen, device.limits) === false) {
    throw new TuningError(`${stage}: this device cannot run ${textOf(chosen)}`);
  }
  return chosen;
}

/** An override that a stage does not have, or a combination that a device cannot run. */
export class TuningError extends Error {
  override readonly name = "TuningError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_TUNING";
}

/** The overrides as text: "order.LANES=128 order.CAPACITY=512". Equal overrides give equal text. */
export function textOf(overrides: Overrides): string {
  const parts = Object.entries(overrides).flatMap(([kernel, values]) =>
    Object.entries(values).map(([name, value]) => `${kernel}.${name}=${value}`),
  );
  return parts.sort().join(" ");
}

/** The values that differ from `base`, as text. */
export function changesFrom(base: Overrides, overrides: Overrides): string {
  const changes: Record<string, Record<string, number>> = {};
  for (const [kernel, values] of Object.entries(overrides)) {
    const changed = Object.entries(values).filter(([name, value]) => base[kernel]?.[name] !== value);
    if (changed.length > 0) changes[kernel] = Object.fromEntries(changed);
  }
  return textOf(changes);
}
