import type { Expression, Program, Scalar } from "./tree.ts";
import { filled, NOTHING, type Part, type Value } from "./values.ts";

const SCALARS: Readonly<Record<string, Scalar>> = { f32: "f32", f16: "f16", i32: "i32", u32: "u32", bool: "bool" };
const LETTERS: Readonly<Record<string, Scalar>> = { f: "f32", h: "f16", i: "i32", u: "u32" };

/** The scalar type and the width that a name such as `vec3f` or `u32` stands for; `undefined` if it is another type's name. */
export function shapeOf(
  name: string,
  types: readonly Expression[],
): { scalar: Scalar | undefined; width: number } | undefined {
  const scalar = SCALARS[name];
  if (scalar) return { scalar, width: 1 };
  const [, width, letter] = name.match(/^vec([234])([fhiu])?$/) ?? [];
  if (!width) return undefined;
  const [inner] = types;
  const own = letter ? LETTERS[letter] : inner?.kind === "name" ? SCALARS[inner.name] : undefined;
  return { scalar: own, width: Number(width) };
}

/** A value of a type of which only `part` is known. */
export function valueOfType(type: Expression, program: Program, part: Part): Value {
  if (type.kind !== "name") return NOTHING;
  const { name, types } = type;
  const shape = shapeOf(name, types);
  if (shape) return filled(shape.scalar ?? "f32", shape.width, part);
  const [inner] = types;
  if (name === "array" && inner) return { kind: "array", element: valueOfType(inner, program, part) };
  if (name === "atomic" && inner) return valueOfType(inner, program, part);
  const [, columns, rows] = name.match(/^mat([234])x([234])/) ?? [];
  if (columns && rows) return { kind: "matrix", columns: Number(columns), rows: Number(rows), part };
  const members = program.structs.get(name);
  if (!members) return NOTHING;
  return { kind: "struct", fields: new Map(members.map((one) => [one.name, valueOfType(one.type, program, part)])) };
}
