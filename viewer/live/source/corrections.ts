import type { Fact, Pinhole, RecordedSource, RecordingInput, Source } from "../../../sources/index.ts";

/** Facts that a recording does not state and that the user has entered. */
export interface Corrections {
  readonly metresPerUnit?: number;
  readonly fps?: number;
  readonly intrinsics?: Pick<Pinhole, "fx" | "fy" | "cx" | "cy">;
}

/** What a recording can leave unsaid, and nobody else knows. */
const ASSUMABLE = ["unit", "intrinsics", "fps"] as const;
export type Assumable = (typeof ASSUMABLE)[number];

/** What of a source was assumed, as `facts` have it; also what a format takes for a lens where a recording names none. */
export function assumedFacts(source: Source & Partial<Pick<RecordedSource, "facts">>): Fact[] {
  return (source.facts ?? []).filter(
    ({ what, from }) =>
      ASSUMABLE.some((name) => name === what) &&
      (from === "assumed" || (what === "intrinsics" && from.endsWith(" default"))),
  );
}

/** Of a recording's name and size, by which it is known again. */
export function keyOf(input: RecordingInput): string {
  if (typeof input === "string") return input;
  if (input instanceof Blob) return spellFiles([input]);
  if (Symbol.iterator in input) return spellFiles([...input]);
  return input.name;
}

/** A browser looks on the disk for each size that it is asked for, and the page waits: 20,000 files take seconds. */
const MOST_SIZES = 100;

/** A folder's files know the folder's name. */
function spellFiles(files: readonly Blob[]): string {
  const [first] = files;
  const name = first instanceof File ? (first.webkitRelativePath?.split("/")[0] || first.name).slice(0, 200) : "";
  return `${name} ${files.length} ${files.slice(0, MOST_SIZES).reduce((sum, { size }) => sum + size, 0)}`;
}

const PREFIX = "depthloom.assumed.";
/** Recordings that are remembered. */
const MOST = 100;

/** The corrections of a recording; `undefined` if the user made none, or if this browser stores nothing. */
export function loadCorrections(key: string, store: Storage | undefined = storage()): Corrections | undefined {
  try {
    return checked(JSON.parse(store?.getItem(PREFIX + key) ?? "null"));
  } catch {
    return undefined;
  }
}

/** Keeps it, or with nothing forgets it. */
export function saveCorrections(
  key: string,
  corrections: Corrections | undefined,
  store: Storage | undefined = storage(),
): void {
  if (!store) return;
  try {
    store.removeItem(PREFIX + key);
    const kept = Array.from({ length: store.length }, (_, i) => store.key(i) ?? "").filter((k) => k.startsWith(PREFIX));
    for (const old of kept.slice(0, Math.max(0, kept.length - MOST + 1))) store.removeItem(old);
    if (corrections) store.setItem(PREFIX + key, JSON.stringify(corrections));
  } catch {
    // Full, or not allowed: it holds for as long as the page is open.
  }
}

/** A browser can forbid even to ask. */
function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

/** What is allowed, as `openRecording` has it: what was kept may be anybody's. */
export const LIMITS = {
  metresPerUnit: [1e-9, 1],
  fps: [1e-6, 1e6],
  fx: [0.01, 1e6],
  fy: [0.01, 1e6],
  cx: [-1e6, 1e6],
  cy: [-1e6, 1e6],
} as const;

function checked(value: unknown): Corrections | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { metresPerUnit, fps, intrinsics } = value as Record<string, unknown>;
  const good = (name: keyof typeof LIMITS, x: unknown): x is number =>
    typeof x === "number" && x >= LIMITS[name][0] && x <= LIMITS[name][1];
  const { fx, fy, cx, cy } = (typeof intrinsics === "object" && intrinsics ? intrinsics : {}) as Record<
    string,
    unknown
  >;
  return {
    ...(good("metresPerUnit", metresPerUnit) && { metresPerUnit }),
    ...(good("fps", fps) && { fps }),
    ...(good("fx", fx) && good("fy", fy) && good("cx", cx) && good("cy", cy) && { intrinsics: { fx, fy, cx, cy } }),
  };
}
