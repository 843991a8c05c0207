import { SourceError } from "../core/source.ts";
import type { WithOrigin } from "./facts.ts";
import { type Files, readText } from "./files/files.ts";
import type { Pinhole } from "./format.ts";

/** The most bytes of a file with intrinsics. */
const LONGEST = 2 ** 16;
/** Names that data sets and recorders give a file with the depth camera's matrix, the surest first. */
const NAMES: readonly string[] = [
  "intrinsic/intrinsic_depth.txt",
  "intrinsics_depth.txt",
  "camera_intrinsic.json",
  "camera_intrinsics.json",
  "intrinsic.json",
  "camera_primesense.json",
  "camera-intrinsics.txt",
  "camera_intrinsics.txt",
  "intrinsics.txt",
];

/**
 * Reads the intrinsics, in pixels of the images, from a file beside them: Open3D's JSON, or 3×3 or 4×4 numbers as ScanNet, 3DMatch and
 * SUN3D have them. `undefined` where there is no such file; a file that cannot be read becomes a warning.
 */
export async function lensBeside(files: Files, warnings: string[]): Promise<WithOrigin<Pinhole> | undefined> {
  for (const name of NAMES) {
    if (!(await files.has(name))) continue;
    try {
      const value = lensOf(await readText(files, name, LONGEST), name);
      if (value) return { value, from: `file ${name}` };
      warnings.push(
        `${files.name}/${name}: it has no intrinsics (3×3 or 4×4 numbers in rows, or Open3D's JSON) and is not used`,
      );
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      warnings.push(`${error.message} (its intrinsics are not used)`);
    }
  }
  return undefined;
}

function lensOf(text: string, name: string): Pinhole | undefined {
  if (name.endsWith(".json")) return lensOfOpen3d(text);
  const numbers = text
    .trim()
    .split(/[\s,;]+/, 17)
    .map(Number);
  const side = Math.sqrt(numbers.length);
  return side === 3 || side === 4
    ? lensOfNumbers(numbers[0], numbers[side + 1], numbers[2], numbers[side + 2])
    : undefined;
}

/** Open3D's `PinholeCameraIntrinsic`, alone or in a recorder's settings; its matrix is a list in column-major order. */
function lensOfOpen3d(text: string): Pinhole | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const matrix = field(parsed, "intrinsic_matrix") ?? field(field(parsed, "intrinsic"), "intrinsic_matrix");
  if (!Array.isArray(matrix) || matrix.length !== 9) return undefined;
  const numbers = matrix.map(Number);
  return lensOfNumbers(numbers[0], numbers[4], numbers[6], numbers[7]);
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

const lensOfNumbers = (fx: number, fy: number, cx: number, cy: number): Pinhole | undefined =>
  fx > 1 && fy > 1 && [fx, fy, cx, cy].every((value) => Math.abs(value) < 1e6) ? { fx, fy, cx, cy } : undefined;
