import type { Tally } from "./tally.ts";
import type { Scalar } from "./tree.ts";
import { type Mark, NOTHING, type Part, type Value, type Vector, vector } from "./values.ts";

export const isFloat = (scalar: Scalar): boolean => scalar === "f32" || scalar === "f16" || scalar === "float";

/** The class of operations to which comparing a type and choosing among its values belongs. */
export const kindOf = (scalar: Scalar): "f32" | "logic" => (isFloat(scalar) ? "f32" : "logic");

const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", ">", "<=", ">="]);
const SUMS: ReadonlySet<string> = new Set(["+", "-", "*"]);
const LOGIC: ReadonlySet<string> = new Set(["&", "|", "^"]);

/** The common type of two operands: a literal takes the other's type. */
export const commonScalar = (a: Scalar, b: Scalar): Scalar =>
  a === "int" || (a === "float" && b !== "int") ? b : a === "float" ? "float" : a;

/** Applies a binary operator, and counts what it costs. */
export function applyBinary(tally: Tally, operator: string, left: Value, right: Value): Value {
  if (left.kind === "matrix" || right.kind === "matrix") return multiplyMatrix(tally, left, right);
  if (left.kind !== "vector" || right.kind !== "vector") return NOTHING;
  const scalar = operator === "<<" || operator === ">>" ? left.scalar : commonScalar(left.scalar, right.scalar);
  const width = Math.max(left.parts.length, right.parts.length);
  const partOf = ({ parts }: Vector, i: number): Part => (parts.length === 1 ? parts[0] : parts[i]) ?? "varying";
  let computed = 0;
  const parts = Array.from({ length: width }, (_, i) => {
    const [a, b] = [partOf(left, i), partOf(right, i)];
    const known = folded(operator, a, b, scalar);
    if (known !== undefined) return known;
    if (a !== "varying" && b !== "varying") return "uniform";
    computed++;
    return "varying";
  });
  if (COMPARISONS.has(operator) || operator === "&&" || operator === "||") {
    if (COMPARISONS.has(operator) && scalar !== "bool" && !isTest(operator, left, right))
      tally.add(kindOf(scalar), computed);
    return vector("bool", parts);
  }
  if (scalar === "bool") return vector("bool", parts);
  const isScale = operator === "*" && [left, right].some((one) => one.parts.every((part) => typeof part === "number"));
  const mark = markOf(isScale ? "scale" : operator, scalar, left.mark, right.mark);
  if (operator === "/" || operator === "%") countDivision(tally, scalar, right.parts, computed);
  else if (mark !== "contained") tally.add(isFloat(scalar) || !SUMS.has(operator) ? kindOf(scalar) : "i32", computed);
  if (computed === 0) return vector(scalar, parts);
  // Two successive constant factors are one, which a following addition may still contain.
  return vector(scalar, parts, mark !== "contained" ? mark : isScale ? "scale" : undefined);
}

/** Whether the result of a logic operation is compared with 0: that operation sets the condition by itself. */
function isTest(operator: string, left: Vector, right: Vector): boolean {
  return (operator === "==" || operator === "!=") && left.mark === "logic" && right.parts.every((part) => part === 0);
}

/** The mark that the operation leaves for the next one; "contained" if it is part of an operation that was counted already. */
function markOf(operator: string, scalar: Scalar, left: Mark, right: Mark): Mark | "contained" {
  const before = [left, right];
  const isSum = operator === "+" || operator === "-";
  const hasProduct = before.includes("mul") || before.includes("scale");
  if (operator === "scale") return !isFloat(scalar) && before.includes("scale") ? "contained" : "scale";
  if (operator === "*") return "mul";
  if (isFloat(scalar)) return isSum && hasProduct ? "contained" : undefined;
  if (operator === "<<" || operator === ">>") return "shift";
  if (LOGIC.has(operator)) {
    // A logic operation of three operands is one instruction, and so are a shift and a mask.
    return before.includes("logic") || before.includes("shift") ? "contained" : "logic";
  }
  if (isSum && (hasProduct || before.includes("shift") || before.includes("add"))) return "contained";
  return isSum ? "add" : undefined;
}

/** Division by a known number is a multiplication or a shift; any other is at least a reciprocal and its correction. */
function countDivision(tally: Tally, scalar: Scalar, by: readonly Part[], computed: number): void {
  const isKnown = by.every((part) => part !== "varying");
  if (isFloat(scalar)) {
    tally.add("f32", computed);
    if (!isKnown) tally.add("special", computed);
    return;
  }
  const isShift = by.every((part) => typeof part === "number" && Number.isInteger(Math.log2(part)));
  tally.add(isShift ? "logic" : "i32", computed * (isShift ? 1 : isKnown ? 2 : 8));
  if (!isKnown) tally.add("special", computed);
}

function multiplyMatrix(tally: Tally, left: Value, right: Value): Value {
  const matrix = left.kind === "matrix" ? left : right;
  if (matrix.kind !== "matrix") return NOTHING;
  const other = matrix === left ? right : left;
  const varies = matrix.part === "varying" || (other.kind === "vector" && other.parts.includes("varying"));
  if (varies) tally.add("f32", matrix.columns * matrix.rows);
  const part = varies ? "varying" : "uniform";
  return other.kind === "vector" ? vector("f32", new Array<Part>(matrix.rows).fill(part)) : { ...matrix, part };
}

/** The result if it is known, or if an operand is the result. */
function folded(operator: string, a: Part, b: Part, scalar: Scalar): Part | undefined {
  if (typeof a === "number" && typeof b === "number") return computedOf(operator, a, b, scalar);
  if ((operator === "*" || operator === "&" || operator === "&&") && (a === 0 || b === 0)) return 0;
  if (operator === "||" && (a === 1 || b === 1)) return 1;
  if (operator === "+" || operator === "|" || operator === "^" || operator === "||") {
    return a === 0 ? b : b === 0 ? a : undefined;
  }
  if (operator === "-" || operator === "<<" || operator === ">>") return b === 0 ? a : undefined;
  if (operator === "*" || operator === "&&") return a === 1 ? b : b === 1 ? a : undefined;
  return operator === "/" && b === 1 ? a : undefined;
}

function computedOf(operator: string, a: number, b: number, scalar: Scalar): number {
  const whole = !isFloat(scalar);
  const wrap = (x: number) => (scalar === "u32" ? x >>> 0 : scalar === "i32" ? x | 0 : x);
  switch (operator) {
    case "+":
      return wrap(a + b);
    case "-":
      return wrap(a - b);
    case "*":
      return scalar === "u32" ? Math.imul(a, b) >>> 0 : scalar === "i32" ? Math.imul(a, b) : a * b;
    case "/":
      return whole ? (b === 0 ? a : Math.trunc(a / b)) : a / b;
    case "%":
      return b === 0 ? 0 : a % b;
    case "&":
      return wrap(a & b);
    case "|":
      return wrap(a | b);
    case "^":
      return wrap(a ^ b);
    case "<<":
      return wrap(a << b);
    case ">>":
      return scalar === "u32" ? a >>> b : a >> b;
    case "==":
      return Number(a === b);
    case "!=":
      return Number(a !== b);
    case "<":
      return Number(a < b);
    case ">":
      return Number(a > b);
    case "<=":
      return Number(a <= b);
    case ">=":
      return Number(a >= b);
    case "&&":
      return Number(a !== 0 && b !== 0);
    default:
      return Number(a !== 0 || b !== 0);
  }
}

/** Applies a unary operator. Signs and inversions are part of the operation that uses them. */
export function applyUnary(operator: string, of: Value): Value {
  if (of.kind !== "vector") return of;
  const apply = (x: number) => (operator === "-" ? -x : operator === "!" ? Number(x === 0) : ~x);
  const wrap = (x: number) => (of.scalar === "u32" ? x >>> 0 : x);
  return vector(
    of.scalar,
    of.parts.map((part) => (typeof part === "number" ? wrap(apply(part)) : part)),
    of.mark,
  );
}
