import type { Scalar } from "./tree.ts";

/**
 * What is known of a number before the shader runs: its value; "uniform", the same in all invocations of a workgroup, so that a device need
 * not compute it in each; or nothing ("varying").
 */
export type Part = number | "uniform" | "varying";

/**
 * An operation that was just counted, and that the next one may contain: multiply and add are one operation on every device. "scale" is a
 * multiplication by a known number.
 */
export type Mark = "mul" | "scale" | "add" | "logic" | "shift" | undefined;

/** A scalar or vector. */
export interface Vector {
  readonly kind: "vector";
  readonly scalar: Scalar;
  readonly parts: readonly Part[];
  readonly mark?: Mark;
}

/** The value of an expression. An array has one value for all its elements. */
export type Value =
  | Vector
  | { readonly kind: "matrix"; readonly columns: number; readonly rows: number; readonly part: Part }
  | { readonly kind: "struct"; readonly fields: ReadonlyMap<string, Value> }
  | { readonly kind: "array"; readonly element: Value }
  | { readonly kind: "pointer"; readonly place: Place }
  | { readonly kind: "nothing" };

/** Where a value can be read and written. */
export interface Place {
  /** "function" for variables, whose use costs nothing. */
  readonly space: string;
  readonly isReadOnly: boolean;
  /** Whether all invocations of a workgroup use the same address. */
  readonly isUniform: boolean;
  read(): Value;
  write(value: Value): void;
}

export const NOTHING: Value = { kind: "nothing" };

export const vector = (scalar: Scalar, parts: readonly Part[], mark?: Mark): Vector => ({
  kind: "vector",
  scalar,
  parts,
  ...(mark && { mark }),
});

export const filled = (scalar: Scalar, width: number, part: Part): Vector =>
  vector(scalar, new Array<Part>(width).fill(part));

/** The known value if both parts have it. */
const mergedPart = (a: Part, b: Part, isUniform: boolean): Part =>
  a === b ? a : isUniform && a !== "varying" && b !== "varying" ? "uniform" : "varying";

/** What is known of a value that is either `a` or `b`; `isUniform` if all invocations make the same choice. */
export function merged(a: Value, b: Value, isUniform = false): Value {
  if (a === b || b.kind === "nothing") return a;
  if (a.kind === "nothing") return b;
  if (a.kind === "vector" && b.kind === "vector") {
    const scalar = a.scalar === "int" || a.scalar === "float" ? b.scalar : a.scalar;
    return vector(
      scalar,
      a.parts.map((part, i) => mergedPart(part, b.parts[i] ?? "varying", isUniform)),
    );
  }
  if (a.kind === "struct" && b.kind === "struct") {
    const fields = [...a.fields].map(([name, field]) => {
      return [name, merged(field, b.fields.get(name) ?? NOTHING, isUniform)] as const;
    });
    return { kind: "struct", fields: new Map(fields) };
  }
  if (a.kind === "array" && b.kind === "array") {
    return { kind: "array", element: merged(a.element, b.element, isUniform) };
  }
  if (a.kind === "matrix" && b.kind === "matrix") return { ...a, part: mergedPart(a.part, b.part, isUniform) };
  return a;
}

/** A value of the same type of which only `part` is known. */
export function leveled(value: Value, part: "uniform" | "varying"): Value {
  if (value.kind === "vector") return filled(value.scalar, value.parts.length, part);
  if (value.kind === "matrix") return { ...value, part };
  if (value.kind === "array") return { kind: "array", element: leveled(value.element, part) };
  if (value.kind !== "struct") return value;
  return { kind: "struct", fields: new Map([...value.fields].map(([name, field]) => [name, leveled(field, part)])) };
}

/** Whether all invocations of a workgroup have the same value. */
export function isUniform(value: Value): boolean {
  if (value.kind === "vector") return value.parts.every((part) => part !== "varying");
  if (value.kind === "matrix") return value.part !== "varying";
  if (value.kind === "array") return isUniform(value.element);
  if (value.kind === "struct") return [...value.fields.values()].every(isUniform);
  return true;
}

/** The known number of a scalar; `undefined` if it is not known. */
export function numberIn(value: Value): number | undefined {
  const [part, ...more] = value.kind === "vector" ? value.parts : [];
  return more.length === 0 && typeof part === "number" ? part : undefined;
}
