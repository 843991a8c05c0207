import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";

// The rooms of the repository and the law of their imports: for tests/layout.test.ts, and for builds, which tell modules by their rooms.

/** What a room may import beside itself. */
interface Room {
  /** Other rooms of this table. */
  readonly imports: readonly string[];
  /** Whether it may import Node's own modules: true, or the files that may, each of which has a way around in a browser. */
  readonly node?: true | readonly string[];
}

const SOURCES = ["sources/decode", "sources/files", "sources/format", "sources/live", "sources/recorded"];

const TABLE = {
  core: { imports: [] },
  shaders: { imports: [] },
  "sources/decode": { imports: ["core"], node: true },
  "sources/files": { imports: ["core", "sources/decode"], node: true },
  "sources/format": { imports: ["core", "sources/decode", "sources/files"] },
  "sources/messages": { imports: ["core", "sources/decode", "sources/files", "sources/format"] },
  "sources/recorded": {
    imports: ["core", "sources/decode", "sources/files", "sources/format", "sources/messages"],
    node: true,
  },
  "sources/live": {
    imports: ["core", "sources/decode", "sources/format", "sources/messages", "sources/recorded"],
    node: ["sources/live/remote/streamNode.ts"],
  },
  "sources/camera": {
    imports: ["core", "sources/decode", "sources/format", "sources/live", "sources/messages"],
    node: true,
  },
  "sources/synthetic": { imports: ["core", "sources/format", "sources/recorded"] },
  sources: { imports: ["core", ...SOURCES, "sources/camera", "sources/synthetic"] },
  stages: { imports: ["core", "shaders"] },
  write: { imports: ["core", "sources/decode", "sources/format", "sources/recorded"], node: true },
  pipeline: {
    imports: ["core", "shaders", "stages"],
    node: ["pipeline/device/dawn.ts", "pipeline/device/vulkan.ts", "pipeline/tune/kept.ts"],
  },
  run: {
    imports: ["core", "stages", "sources", ...SOURCES, "sources/camera", "sources/messages", "write", "pipeline"],
    node: true,
  },
  scan: {
    imports: ["core", "shaders", "stages", "sources", "sources/recorded", "write", "pipeline", "run"],
    node: ["scan/poses.ts"],
  },
  measure: { imports: ["core", "stages", "write", "scan"] },
  viewer: {
    imports: [
      "core",
      "stages",
      "sources",
      "sources/format",
      "sources/live",
      "sources/synthetic",
      "write",
      "pipeline",
      "scan",
      "measure",
    ],
  },
  cli: {
    imports: [
      "core",
      "stages",
      "sources",
      "sources/camera",
      "sources/format",
      "sources/recorded",
      "sources/synthetic",
      "write",
      "pipeline",
      "run",
      "scan",
      "measure",
      "bench",
    ],
    node: true,
  },
  bench: {
    imports: ["core", "shaders", "stages", "sources", "sources/synthetic", "pipeline", "run", "scan", "config"],
    node: true,
  },
  config: { imports: [], node: true },
} as const satisfies Readonly<Record<string, Room>>;

export type RoomName = keyof typeof TABLE;
export const LAW: Readonly<Record<string, Room>> = TABLE;

/** The folders at the root that hold rooms; docs/ and tests/ hold none. */
export const ROOMS = [...new Set(Object.keys(LAW).map((room) => room.replace(/\/.*/, "")))].filter(
  (room) => room !== "config",
);

const longestFirst = Object.keys(TABLE).sort((a, b) => b.length - a.length);

/** The room of a path from the root: the longest name that it begins with, else its first folder; undefined for a package. */
export function roomOf(path: string): string | undefined {
  if (path.startsWith("bench/tests/")) return "tests";
  const room = longestFirst.find((name) => path.startsWith(`${name}/`));
  return room ?? (/^[\w.]+\//.test(path) && !path.startsWith("..") ? path.replace(/\/.*/, "") : undefined);
}

export const ROOT = resolve(import.meta.dirname, "..");

/** The path from the root of a module by its name in a build, which is absolute and may end with a query. */
export const pathOf = (id: string): string => relative(ROOT, id.replace(/\?.*/, ""));

/** The path itself. Throws if no file or folder of the repository has it, so that a build learns of what was moved. */
export function existing(path: string): string {
  if (!existsSync(resolve(ROOT, path))) throw new Error(`${path}, which a build names, is not there: was it moved?`);
  return path;
}
