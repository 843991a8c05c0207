import { firstFiles } from "../../../core/handles.ts";
import { isAssumed } from "../../../sources/format/format.ts";
import type { Fact, Pinhole, RecordedSource, RecordingInput, Source } from "../../../sources/index.ts";

/** Facts that a recording does not state and that the user has entered, and what the user leaves out of its depth. */
export interface Corrections {
  readonly metresPerUnit?: number;
  readonly fps?: number;
  readonly intrinsics?: Pick<Pinhole, "fx" | "fy" | "cx" | "cy">;
  /** Values that mean "no measurement", besides 0. */
  readonly invalid?: readonly number[];
  readonly minConfidence?: number;
}

/** The options that corrections make: facts count only where the source does not say them itself. */
export const optionsOf = ({ invalid, minConfidence, ...assume }: Corrections = {}) => ({
  invalid,
  minConfidence,
  assume,
});

/** The facts that a recording may leave out. */
const ASSUMABLE = ["unit", "intrinsics", "fps"] as const;
export type Assumable = (typeof ASSUMABLE)[number];

/** The facts of a source that were assumed. */
export function assumedFacts(source: Source & Partial<Pick<RecordedSource, "facts">>): Fact[] {
  return (source.facts ?? []).filter((fact) => ASSUMABLE.some((name) => name === fact.what) && isAssumed(fact));
}

/** Browsers read each file's size from the disk while the page waits: 20,000 sizes would take seconds. */
const MOST_SIZES = 100;
/** So many of the last bytes of the first file tell apart recordings of one name and size. */
const END = 4096;

/** The key by which the viewer knows a recording again: its name, the number and size of its (first) files, and the first one's end. */
export async function keyOf(input: RecordingInput): Promise<string> {
  if (typeof input === "string") return input;
  const files =
    filesOf(input) ?? (await firstFiles(input as FileSystemHandle | FileSystemEntry, MOST_SIZES).catch(() => []));
  const end = await files[0]
    ?.slice(-END)
    .arrayBuffer()
    .catch(() => undefined);
  const sum = new Uint8Array(end ?? []).reduce((sum, byte) => (Math.imul(sum, 31) + byte) >>> 0, 0);
  return `${nameOf(input)} ${files.length} ${files.slice(0, MOST_SIZES).reduce((sum, { size }) => sum + size, sum)}`;
}

/** A recording's name: the folder's, which each file of a folder has, or the first file's. */
export function nameOf(input: RecordingInput): string {
  if (typeof input === "string") return input;
  const [first = input] = filesOf(input) ?? [];
  const path = first instanceof File ? first.webkitRelativePath?.split("/")[0] : "";
  return (path || ("name" in first ? String(first.name) : "a recording")).slice(0, 200);
}

function filesOf(input: RecordingInput): readonly Blob[] | undefined {
  if (typeof input === "string") return undefined;
  if (input instanceof Blob) return [input];
  return Symbol.iterator in input ? [...input] : undefined;
}

const PREFIX = "depthloom.assumed.";
/** The viewer stores the corrections of this many recordings. */
const MOST = 100;

/** The corrections of a recording; `undefined` if the user made none, or if this browser stores nothing. */
export function loadCorrections(key: string, store: Storage | undefined = storage()): Corrections | undefined {
  try {
    return checked(JSON.parse(store?.getItem(PREFIX + key) ?? "null"));
  } catch {
    return undefined;
  }
}

/** Stores the corrections of a recording, or deletes them if there are none. */
export function saveCorrections(
  key: string,
  corrections: Corrections | undefined,
  store: Storage | undefined = storage(),
): void {
  if (!store) return;
  try {
    store.removeItem(PREFIX + key);
    const kept = Array.from({ length: store.length }, (_, i) => store.key(i) ?? "").filter((k) => k.startsWith(PREFIX));
    // Browsers list keys in an order of their own.
    const at = (k: string) => Number(/"at":(\d+)/.exec(store.getItem(k) ?? "")?.[1] ?? 0);
    const oldest = kept.toSorted((a, b) => at(a) - at(b)).slice(0, Math.max(0, kept.length - MOST + 1));
    for (const old of oldest) store.removeItem(old);
    if (corrections) store.setItem(PREFIX + key, JSON.stringify({ ...corrections, at: Date.now() }));
  } catch {
    // The storage is full or forbidden: the corrections last until the page is closed.
  }
}

/** The browser's storage; `undefined` if the browser forbids its use. */
function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

/** The accepted values, as `openRecording` has them. Stored values are checked, since anything may have written them. */
export const LIMITS = {
  metresPerUnit: [1e-9, 1],
  fps: [1e-6, 1e6],
  fx: [0.01, 1e6],
  fy: [0.01, 1e6],
  cx: [-1e6, 1e6],
  cy: [-1e6, 1e6],
  minConfidence: [0, 255],
} as const;

/** The values of depth in a text, "65535, 2047", each once. */
export const valuesIn = (text: string): readonly number[] => [
  ...new Set((text.match(/\d+/g) ?? []).map(Number).filter((value) => value <= 65535)),
];

function checked(value: unknown): Corrections | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { metresPerUnit, fps, intrinsics, invalid, minConfidence } = value as Record<string, unknown>;
  const values = Array.isArray(invalid) ? valuesIn(invalid.slice(0, 100).join()) : [];
  const good = (name: keyof typeof LIMITS, x: unknown): x is number =>
    typeof x === "number" && x >= LIMITS[name][0] && x <= LIMITS[name][1];
  const { fx, fy, cx, cy } = (typeof intrinsics === "object" && intrinsics ? intrinsics : {}) as Record<
    string,
    unknown
  >;
  return {
    ...(good("metresPerUnit", metresPerUnit) && { metresPerUnit }),
    ...(good("fps", fps) && { fps }),
    ...(values.length > 0 && { invalid: values }),
    ...(good("minConfidence", minConfidence) && { minConfidence }),
    ...(good("fx", fx) && good("fy", fy) && good("cx", cx) && good("cy", cy) && { intrinsics: { fx, fy, cx, cy } }),
  };
}
