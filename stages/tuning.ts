/** Values of `override` constants by kernel: what a stage's kernels are compiled with. */
export type Overrides = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** What a device is, as far as an untuned default goes by it: its vendor; "otherwise" stands for all the rest. */
export type DeviceClass = "nvidia" | "amd" | "intel" | "apple" | "arm" | "qualcomm" | "otherwise";

/** One choice that a kernel leaves open. What comes out of the stage does not depend on it. */
export interface Knob {
  /** All the values that can be chosen. */
  readonly values: readonly number[];
  /** The value where nobody measured: one for all, or by class of device. */
  readonly initial: number | (Readonly<Partial<Record<DeviceClass, number>>> & { readonly otherwise: number });
  /** One line for a person. */
  readonly summary: string;
}

/** What can be chosen in a stage, kernel by kernel, as plain data. */
export interface TuningSpace {
  /** Kernel → override → knob. A name that is no kernel's holds what the stage itself chooses between dispatches. */
  readonly knobs: Readonly<Record<string, Readonly<Record<string, Knob>>>>;
  /** Whether a device can run a combination, where the values alone do not tell. */
  fits?(overrides: Overrides, limits: Pick<GPUSupportedLimits, "maxComputeWorkgroupStorageSize">): boolean;
  /** Parameters to measure under, one set after the other; their times are added up. None: the stage's own. */
  readonly workloads?: readonly Readonly<Record<string, unknown>>[];
  /** The stages that have to run before it, with their defaults. */
  readonly after?: readonly string[];
}

/** The class of a device. Browsers from before 2025 do not tell: "otherwise". */
export function classOf({ adapterInfo }: Pick<GPUDevice, "adapterInfo">): DeviceClass {
  const vendor = adapterInfo?.vendor.toLowerCase() ?? "";
  const known: readonly DeviceClass[] = ["nvidia", "amd", "intel", "apple", "arm", "qualcomm"];
  return known.find((name) => vendor.includes(name)) ?? "otherwise";
}

/** Every knob as a list: its kernel, its name, itself. */
export function knobsOf({ knobs }: TuningSpace) {
  return Object.entries(knobs).flatMap(([kernel, own]) =>
    Object.entries(own).map(([name, knob]) => ({ kernel, name, knob })),
  );
}

/** The untuned choice for a device. */
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

/** `base` with one value changed. */
export function withValue(base: Overrides, kernel: string, name: string, value: number): Overrides {
  return { ...base, [kernel]: { ...base[kernel], [name]: value } };
}

/**
 * `given` laid over the default. What the space does not know, or a device cannot run, is an error that says so: a typo
 * would otherwise be measured as if it were a variant.
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

/** Overrides that a stage does not have, or that a device cannot run. */
export class TuningError extends Error {
  override readonly name = "TuningError";
}

/** "order.LANES=128 order.CAPACITY=512": the same choice gives the same text. */
export function textOf(overrides: Overrides): string {
  const parts = Object.entries(overrides).flatMap(([kernel, values]) =>
    Object.entries(values).map(([name, value]) => `${kernel}.${name}=${value}`),
  );
  return parts.sort().join(" ");
}

/** What a choice has other than `base`, as `textOf`. */
export function changesFrom(base: Overrides, overrides: Overrides): string {
  const changes: Record<string, Record<string, number>> = {};
  for (const [kernel, values] of Object.entries(overrides)) {
    const changed = Object.entries(values).filter(([name, value]) => base[kernel]?.[name] !== value);
    if (changed.length > 0) changes[kernel] = Object.fromEntries(changed);
  }
  return textOf(changes);
}
