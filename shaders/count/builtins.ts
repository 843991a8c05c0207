import { isFloat, kindOf } from "./operators.ts";
import type { Kind, Tally } from "./tally.ts";
import type { Scalar } from "./tree.ts";
import { filled, isUniform, NOTHING, type Part, type Value, type Vector, vector } from "./values.ts";

type Cost = Readonly<Partial<Record<Kind | "own", number>>>;

/** The cost of a function per component; `own` counts in the class of the argument's type. */
const COSTS: Readonly<Record<string, Cost>> = {
  ...{ min: { own: 1 }, max: { own: 1 }, sign: { own: 1 }, step: { own: 1 }, saturate: {} },
  ...{ floor: { f32: 1 }, ceil: { f32: 1 }, round: { f32: 1 }, trunc: { f32: 1 }, fract: { f32: 1 } },
  ...{ fma: { f32: 1 }, mix: { f32: 2 }, clamp: { own: 2 } },
  ...{ sqrt: { special: 1 }, inverseSqrt: { special: 1 }, exp2: { special: 1 }, log2: { special: 1 } },
  ...{ exp: { special: 1, f32: 1 }, log: { special: 1, f32: 1 }, pow: { special: 2, f32: 1 } },
  ...{ sin: { special: 1 }, cos: { special: 1 }, tan: { special: 2 }, atan2: { special: 1, f32: 4 } },
  ...{ countOneBits: { logic: 1 }, firstTrailingBit: { logic: 1 }, firstLeadingBit: { logic: 1 } },
  ...{ countLeadingZeros: { logic: 1 }, countTrailingZeros: { logic: 1 }, reverseBits: { logic: 1 } },
  ...{ extractBits: { logic: 1 }, insertBits: { logic: 1 } },
};

/**
 * Functions that are evaluated for known arguments. The result of any other function of known arguments counts as uniform, which is free as
 * well.
 */
const KNOWN: Readonly<Record<string, (...x: number[]) => number>> = {
  ...{ min: Math.min, max: Math.max, floor: Math.floor, ceil: Math.ceil, trunc: Math.trunc, abs: Math.abs },
  ...{ sqrt: Math.sqrt, sin: Math.sin, cos: Math.cos },
  clamp: (x, low, high) => Math.min(Math.max(x, low), high),
  countTrailingZeros: (x) => (x === 0 ? 32 : 31 - Math.clz32(x & -x)),
};

const isVector = (value: Value | undefined): value is Vector => value?.kind === "vector";

/** Calls a built-in function of WGSL that accesses no memory; `undefined` if there is none of that name. */
export function callBuiltin(tally: Tally, name: string, given: readonly Value[]): Value | undefined {
  const [first, second, third] = given;
  if (name === "select" && first && second && third) return select(tally, first, second, third);
  const vectors = given.filter(isVector);
  const [one] = vectors;
  if (!one) return undefined;
  const width = Math.max(...vectors.map(({ parts }) => parts.length));
  const varies = !vectors.every(isUniform);
  const level: Part = varies ? "varying" : "uniform";
  const count = (kind: Kind, number: number) => {
    if (varies) tally.add(kind, number);
  };
  if (name === "dot") {
    count(isFloat(one.scalar) ? "f32" : "i32", width);
    return filled(one.scalar, 1, level);
  }
  if (name === "any" || name === "all") return filled("bool", 1, level);
  if (name === "cross") {
    count("f32", 6);
    return filled("f32", 3, level);
  }
  if (name === "length" || name === "distance" || name === "normalize") {
    count("f32", width * (name === "length" ? 1 : 2));
    count("special", 1);
    return filled("f32", name === "normalize" ? width : 1, level);
  }
  if (name === "unpack4x8unorm" || name === "pack4x8unorm") {
    count("f32", 4);
    count("logic", 4);
    return name === "unpack4x8unorm" ? filled("f32", 4, level) : filled("u32", 1, level);
  }
  if (name === "abs") return eachPart(tally, name, isFloat(one.scalar) ? {} : { logic: 1 }, vectors);
  // Clamping to 0 … 1 is a modifier of the operation before.
  const low = isVector(second) && second.parts.every((part) => part === 0);
  const high = isVector(third) && third.parts.every((part) => part === 1);
  if (name === "clamp" && isFloat(one.scalar) && low && high) return eachPart(tally, name, {}, vectors);
  if (name.startsWith("subgroup")) {
    tally.add("logic", width);
    return filled(one.scalar, width, "varying");
  }
  const cost = COSTS[name];
  return cost && eachPart(tally, name, cost, vectors);
}

function eachPart(tally: Tally, name: string, cost: Cost, vectors: readonly Vector[]): Value {
  const width = Math.max(...vectors.map(({ parts }) => parts.length));
  const scalars = vectors.map(({ scalar }) => scalar);
  const scalar: Scalar = scalars.find((one) => one !== "int" && one !== "float") ?? scalars[0] ?? "f32";
  const parts = Array.from({ length: width }, (_, i): Part => {
    const own = vectors.map((one) => (one.parts.length === 1 ? one.parts[0] : one.parts[i]) ?? "varying");
    const known = own.filter((part) => typeof part === "number");
    const compute = KNOWN[name];
    if (compute && known.length === own.length) return compute(...known);
    if (!own.includes("varying")) return "uniform";
    for (const [kind, number] of Object.entries(cost)) {
      tally.add(kind === "own" ? kindOf(scalar) : (kind as Kind), number);
    }
    return "varying";
  });
  return vector(scalar, parts);
}

function select(tally: Tally, whenFalse: Value, whenTrue: Value, condition: Value): Value {
  if (!isVector(whenFalse) || !isVector(whenTrue) || !isVector(condition)) return NOTHING;
  const width = whenFalse.parts.length;
  const scalar = whenFalse.scalar === "int" || whenFalse.scalar === "float" ? whenTrue.scalar : whenFalse.scalar;
  let chosen = 0;
  const parts = Array.from({ length: width }, (_, i): Part => {
    const [no, yes] = [whenFalse.parts[i] ?? "varying", whenTrue.parts[i] ?? "varying"];
    const by = (condition.parts.length === 1 ? condition.parts[0] : condition.parts[i]) ?? "varying";
    if (typeof by === "number") return by === 0 ? no : yes;
    if (typeof no === "number" && no === yes) return no;
    if (by === "uniform" && no !== "varying" && yes !== "varying") return "uniform";
    chosen++;
    return "varying";
  });
  // Booleans are masks: selecting among them is part of the comparison. A selection among constants can be folded into its use: a &
  // select(0, 255, c) is select(0, a & 255, c).
  const isMask = [...whenFalse.parts, ...whenTrue.parts].every((part) => typeof part === "number");
  if (scalar !== "bool" && !isMask) tally.add("logic", chosen);
  return vector(scalar, parts);
}
