import { callBuiltin } from "./builtins.ts";
import { applyBinary, applyUnary, isFloat } from "./operators.ts";
import { elementOf, memberOf, temporary, unmarked } from "./places.ts";
import { type Cell, Journal, Scope } from "./scope.ts";
import { Tally } from "./tally.ts";
import type { Expression, FunctionSyntax, Program } from "./tree.ts";
import { shapeOf, valueOfType } from "./types.ts";
import {
  filled,
  isUniform,
  leveled,
  merged,
  NOTHING,
  numberIn,
  type Part,
  type Place,
  type Value,
  type Vector,
  vector,
} from "./values.ts";

/** Functions whose result depends on their arguments alone. */
const PURE: ReadonlySet<string> = new Set([
  ...["select", "bitcast", "dot", "any", "all", "cross", "length", "distance", "normalize", "abs", "min", "max"],
  ...["clamp", "floor", "ceil", "sqrt", "pack4x8unorm", "unpack4x8unorm"],
]);

/** The one index of `array[i / 4u][i % 4u]`, whose address compilers compute from `i`; `undefined` for any other element. */
function wholeIndex({ of, at }: Extract<Expression, { kind: "index" }>) {
  if (of.kind !== "index" || at.kind !== "binary" || of.at.kind !== "binary") return undefined;
  const isSame = at.left.text === of.at.left.text && at.right.text === of.at.right.text;
  const isSplit = of.at.operator === "/" && at.operator === "%" && at.right.kind === "number";
  return isSame && isSplit ? { of: of.of, at: at.left } : undefined;
}

/** Evaluates expressions as far as their operands are known, and counts their cost. */
export abstract class Evaluator {
  readonly tally = new Tally();
  protected readonly journal = new Journal();
  protected scope = new Scope();
  readonly #constants = new Map<string, Value>();
  readonly #memory = new Map<string, Cell>();

  constructor(
    readonly program: Program,
    readonly given: Readonly<Record<string, number>>,
  ) {}

  /** Runs a function of the shader. */
  protected abstract call(fn: FunctionSyntax, given: readonly Value[], text: string): Value;

  evaluate(expression: Expression): Value {
    if (expression.kind === "number") return filled(expression.scalar, 1, expression.value);
    if (expression.kind === "name") {
      const place = this.place(expression);
      return place ? this.#load(place) : this.constant(expression.name);
    }
    const isStable = this.#isStable(expression);
    const known = isStable ? this.scope.known(expression.text) : undefined;
    if (known) return known;
    const value = this.#compute(expression);
    if (isStable) this.scope.seen.set(expression.text, unmarked(value));
    return value;
  }

  /** The value of an `override` or `const`, without cost. */
  constant(name: string): Value {
    if (name === "true" || name === "false") return filled("bool", 1, Number(name === "true"));
    const found = this.#constants.get(name);
    if (found) return found;
    const declared = this.program.constants.find((one) => one.name === name);
    if (!declared) throw new Error(`the shader has no ${name}`);
    const own = declared.type?.kind === "name" ? shapeOf(declared.type.name, declared.type.types)?.scalar : undefined;
    const fixed = declared.isOverride ? this.given[name] : undefined;
    let value: Value = fixed === undefined ? NOTHING : filled(own ?? "f32", 1, fixed);
    if (fixed === undefined && declared.value) {
      value = this.evaluate(declared.value);
      if (own && value.kind === "vector") value = vector(own, value.parts);
    }
    if (fixed === undefined && !declared.value) throw new Error(`the override ${name} of the shader has no value`);
    this.#constants.set(name, value);
    return value;
  }

  #compute(expression: Expression): Value {
    switch (expression.kind) {
      case "binary": {
        const left = this.evaluate(expression.left);
        return applyBinary(this.tally, expression.operator, left, this.evaluate(expression.right));
      }
      case "unary": {
        if (expression.operator === "&") {
          const place = this.place(expression.of);
          return place ? { kind: "pointer", place } : NOTHING;
        }
        if (expression.operator !== "*") return applyUnary(expression.operator, this.evaluate(expression.of));
        const place = this.place(expression);
        return place ? this.#load(place) : NOTHING;
      }
      case "call":
        return this.#call(expression);
      default: {
        const place = this.place(expression);
        return place ? this.#load(place) : NOTHING;
      }
    }
  }

  #call({ name, types, arguments: list, text }: Extract<Expression, { kind: "call" }>): Value {
    const fn = this.program.functions.get(name);
    if (fn)
      return this.call(
        fn,
        list.map((one) => unmarked(this.evaluate(one))),
        text,
      );
    if (name.startsWith("atomic") || name === "workgroupUniformLoad") return this.#callAtomic(name, list);
    if (name.endsWith("Barrier")) return NOTHING;
    if (name === "arrayLength") return filled("u32", 1, "uniform");
    const given = list.map((one) => unmarked(this.evaluate(one)));
    if (name.startsWith("texture")) {
      this.tally.add("accesses");
      return name === "textureStore" ? NOTHING : filled("f32", 4, "varying");
    }
    return this.#construct(name, types, given) ?? callBuiltin(this.tally, name, given) ?? this.#unknown(name);
  }

  #unknown(name: string): never {
    throw new Error(`nobody has said what ${name} of the shader costs`);
  }

  #callAtomic(name: string, [pointer, ...values]: readonly Expression[]): Value {
    const target = pointer && this.evaluate(pointer);
    for (const value of values) this.evaluate(value);
    const place = target?.kind === "pointer" ? target.place : undefined;
    this.tally.add(place?.space === "storage" ? "atomics" : "workgroup");
    const value = place?.read() ?? NOTHING;
    return leveled(value, name === "workgroupUniformLoad" ? "uniform" : "varying");
  }

  /** A value made by the name of its type; `undefined` if the name is not a type's. */
  #construct(name: string, types: readonly Expression[], given: readonly Value[]): Value | undefined {
    const type: Expression = { kind: "name", name, types, text: name };
    if (name === "bitcast") {
      const [target] = types;
      const shape = target?.kind === "name" ? shapeOf(target.name, target.types) : undefined;
      const [value] = given;
      if (value?.kind !== "vector" || !shape) return value;
      // `bitcast` of a known number is not evaluated.
      return vector(
        shape.scalar ?? value.scalar,
        value.parts.map((part) => (part === 0 || typeof part === "string" ? part : "uniform")),
      );
    }
    const members = this.program.structs.get(name);
    if (members) {
      const fields = members.map((one, i) => [one.name, given[i] ?? valueOfType(one.type, this.program, 0)] as const);
      return { kind: "struct", fields: new Map(fields) };
    }
    if (name === "array") {
      const [inner] = types;
      const zero = inner ? valueOfType(inner, this.program, 0) : NOTHING;
      return { kind: "array", element: given.length > 0 ? given.reduce((a, b) => merged(a, b, true)) : zero };
    }
    const shape = shapeOf(name, types);
    if (!shape) {
      const made = valueOfType(type, this.program, given.every(isUniform) ? "uniform" : "varying");
      return made.kind === "matrix" ? made : undefined;
    }
    const vectors = given.filter((one) => one.kind === "vector");
    const scalar = shape.scalar ?? vectors[0]?.scalar ?? "f32";
    const parts = vectors.flatMap((one) => one.parts.map((part) => this.#converted(part, one.scalar, scalar)));
    if (parts.length === 0) return filled(scalar, shape.width, 0);
    return vector(scalar, parts.length === 1 ? new Array<Part>(shape.width).fill(parts[0] ?? 0) : parts);
  }

  #converted(part: Part, from: Vector["scalar"], to: Vector["scalar"]): Part {
    if (typeof part === "number")
      return to === "u32" ? Math.trunc(part) >>> 0 : to === "i32" ? Math.trunc(part) | 0 : part;
    const isFree = from === to || (!isFloat(from) && !isFloat(to) && from !== "bool" && to !== "bool");
    if (part === "varying" && !isFree && to !== "bool") this.tally.add("logic");
    return part;
  }

  /** The memory location that an expression refers to; `undefined` for a constant. */
  place(expression: Expression): Place | undefined {
    if (expression.kind === "name") return this.#named(expression.name);
    if (expression.kind === "unary" && expression.operator === "*") {
      const pointer = this.evaluate(expression.of);
      return pointer.kind === "pointer" ? pointer.place : undefined;
    }
    if (expression.kind === "member") return memberOf(this.#placed(expression.of), expression.name);
    if (expression.kind === "index") {
      const whole = wholeIndex(expression);
      const index = whole && this.evaluate(whole.at);
      if (whole && index && numberIn(index) === undefined)
        return elementOf(elementOf(this.#placed(whole.of), index), index);
      const of = this.#placed(expression.of);
      return elementOf(of, this.evaluate(expression.at));
    }
    return this.#placed(expression);
  }

  #placed(expression: Expression): Place {
    const isPath = expression.kind === "member" || expression.kind === "index" || expression.kind === "name";
    const place =
      isPath || (expression.kind === "unary" && expression.operator === "*") ? this.place(expression) : undefined;
    if (place?.space === "function") {
      const value = place.read();
      if (value.kind === "pointer") return value.place;
    }
    return place ?? temporary(this.evaluate(expression));
  }

  #named(name: string): Place | undefined {
    const cell = this.scope.find(name) ?? this.#global(name);
    if (!cell) return undefined;
    const global = this.scope.find(name) ? undefined : this.program.globals.get(name);
    const space = global && global.space !== "private" ? global.space : "function";
    return {
      space,
      isReadOnly: global?.isReadOnly ?? false,
      isUniform: true,
      read: () => cell.value,
      write: (value) => {
        if (space === "function") this.journal.write(cell, value);
      },
    };
  }

  /** A module-scope variable. Only the type of its value is known, except that private variables begin with 0. */
  #global(name: string): Cell | undefined {
    const global = this.program.globals.get(name);
    if (!global) return undefined;
    let cell = this.#memory.get(name);
    if (!cell) {
      const part = global.space === "private" ? 0 : global.space === "workgroup" ? "varying" : "uniform";
      const value = global.value ? this.evaluate(global.value) : valueOfType(global.type, this.program, part);
      cell = { value, isMutable: true };
      this.#memory.set(name, cell);
    }
    return cell;
  }

  #load(place: Place): Value {
    const value = place.read();
    if (place.space === "workgroup") this.tally.add("workgroup");
    if (place.space !== "storage") return value;
    // Devices read an address that all invocations share once, through the constant cache.
    if (place.isUniform && place.isReadOnly) return value;
    this.tally.add("accesses");
    return leveled(value, "varying");
  }

  /** Whether an expression has the same value wherever it stands in its scope. */
  #isStable(expression: Expression): boolean {
    switch (expression.kind) {
      case "number":
        return true;
      case "name": {
        const cell = this.scope.find(expression.name);
        if (cell) return !cell.isMutable && cell.value.kind !== "pointer";
        return this.program.globals.get(expression.name)?.isReadOnly ?? true;
      }
      case "member":
        return this.#isStable(expression.of);
      case "index":
        return this.#isStable(expression.of) && this.#isStable(expression.at);
      case "unary":
        return expression.operator !== "&" && expression.operator !== "*" && this.#isStable(expression.of);
      case "binary":
        return this.#isStable(expression.left) && this.#isStable(expression.right);
      case "call":
        if (!PURE.has(expression.name) && !shapeOf(expression.name, expression.types)) return false;
        return expression.arguments.every((one) => this.#isStable(one));
    }
  }
}
