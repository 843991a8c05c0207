import { filled, isUniform, leveled, merged, NOTHING, numberIn, type Place, type Value, vector } from "./values.ts";

/** A value that is used later lies in a register: no later operation can contain the one that made it. */
export function unmarked(value: Value): Value {
  return value.kind === "vector" && value.mark ? vector(value.scalar, value.parts) : value;
}

export const temporary = (value: Value): Place => ({
  space: "function",
  isReadOnly: true,
  isUniform: true,
  read: () => value,
  write: () => {},
});

export function memberOf(place: Place, name: string): Place {
  const read = (): Value => {
    const value = place.read();
    if (value.kind === "struct") return value.fields.get(name) ?? NOTHING;
    if (value.kind !== "vector") return value;
    return vector(
      value.scalar,
      [...name].map((letter) => value.parts["xyzwrgba".indexOf(letter) % 4] ?? "varying"),
    );
  };
  const write = (written: Value) => {
    const value = place.read();
    if (value.kind === "struct") place.write({ kind: "struct", fields: new Map(value.fields).set(name, written) });
    if (value.kind !== "vector" || written.kind !== "vector") return;
    const parts = [...value.parts];
    for (const [i, letter] of [...name].entries())
      parts["xyzwrgba".indexOf(letter) % 4] = written.parts[i] ?? "varying";
    place.write(vector(value.scalar, parts));
  };
  return { ...place, read, write };
}

export function elementOf(place: Place, at: Value): Place {
  const known = numberIn(at);
  const isSame = isUniform(at);
  const read = (): Value => {
    const value = place.read();
    const found = value.kind === "array" ? value.element : partOf(value, known);
    return isSame ? found : leveled(found, "varying");
  };
  const write = (written: Value) => {
    const value = place.read();
    if (value.kind === "array") place.write({ kind: "array", element: merged(value.element, written) });
    if (value.kind !== "vector" || written.kind !== "vector") return;
    const part = written.parts[0] ?? "varying";
    place.write(
      vector(
        value.scalar,
        value.parts.map((old, i) => (known === undefined || known === i ? part : old)),
      ),
    );
  };
  return { ...place, isUniform: place.isUniform && isSame, read, write };
}

function partOf(value: Value, at: number | undefined): Value {
  if (value.kind === "matrix") return filled("f32", value.rows, value.part);
  if (value.kind !== "vector") return value;
  if (at !== undefined) return filled(value.scalar, 1, value.parts[at] ?? "varying");
  return filled(value.scalar, 1, value.parts.includes("varying") ? "varying" : "uniform");
}
