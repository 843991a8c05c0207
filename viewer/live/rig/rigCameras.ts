import { valuesIn } from "../state/address.ts";

/** A camera of the rig: where its frames come from, and its place as `align` tells it. */
export interface RigCamera {
  readonly source: string;
  readonly toFirst: readonly number[];
}

const MOST_CAMERAS = 16;

/** The cameras that an address names behind its #. Throws an `Error` that says what is wrong with them. */
export function camerasIn(hash: string): readonly RigCamera[] {
  const text = new Map(valuesIn(hash).fields).get("cameras");
  let given: unknown;
  try {
    given = JSON.parse(String(text));
  } catch {
    // Then the address names no camera.
  }
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_CAMERAS)
    throw new Error(`the address must name 1 to ${MOST_CAMERAS} cameras: let the command “depthloom view” make it`);
  for (const [k, camera] of given.entries()) {
    const { source, toFirst } = (camera ?? {}) as Partial<RigCamera>;
    const isPlace = Array.isArray(toFirst) && toFirst.length === 12 && toFirst.every(Number.isFinite);
    if (typeof source !== "string" || !isPlace)
      throw new Error(`camera ${k + 1} of the address needs a source, and a place of 12 numbers`);
  }
  return given as RigCamera[];
}
