import { Evaluator } from "./evaluate.ts";
import { unmarked } from "./places.ts";
import { Scope } from "./scope.ts";
import { parse } from "./syntax.ts";
import type { Operations } from "./tally.ts";
import { tokensOf } from "./tokens.ts";
import type { FunctionSyntax, Program, Statement } from "./tree.ts";
import { valueOfType } from "./types.ts";
import { isUniform, leveled, merged, NOTHING, numberIn, type Value } from "./values.ts";

/**
 * How often parts of a shader run that its constants do not decide. The key is a condition as the shader writes it; the value is the share
 * of invocations for which an `if` is true, or the mean number of rounds of a loop. Missing conditions count as false. The key may also be
 * the call of one of the shader's functions; the value is then the share of its work whose result is used, since any compiler removes the
 * rest.
 */
export type Runs = Readonly<Record<string, number>>;

/** A lower bound of what an invocation of a shader does, on average. */
export interface Counted {
  readonly operations: Operations;
  /** Invocations of a workgroup. */
  readonly workgroup: number;
  /** The conditions that neither the constants nor `Runs` decide, as the shader writes them, with single spaces. */
  readonly undecided: readonly string[];
  /**
   * Those of `undecided` at which a round of a loop with known bounds ends early, or the whole loop. Where `Runs` does not have them, all
   * rounds count in full, so that the count is no lower bound.
   */
  readonly endless: readonly string[];
}

/** A loop with known bounds is followed round by round, up to this many rounds. */
const MOST_ROUNDS = 1024;
/** The number of results that are kept per shader, by constants and runs. */
const MOST_KEPT = 16;
const programs = new Map<string, { readonly program: Program; readonly counted: Map<string, Counted> }>();

/**
 * Counts the operations of the compute shader `main` from its text, with values for its overrides. Only operations that no compiler can
 * avoid count: constant expressions, values that a whole workgroup shares and common subexpressions are free, and multiply-add is one
 * operation. So the count is a lower bound, as the limit that is derived from it must be. Throws an error for WGSL outside the supported
 * subset.
 */
export function countOperations(code: string, constants: Readonly<Record<string, number>>, runs: Runs = {}): Counted {
  const parsed = programs.get(code) ?? { program: parse(code), counted: new Map<string, Counted>() };
  programs.set(code, parsed);
  const key = JSON.stringify([constants, runs]);
  const found = parsed.counted.get(key) ?? new Counter(parsed.program, constants, runs).count();
  if (parsed.counted.size === MOST_KEPT) parsed.counted.clear();
  parsed.counted.set(key, found);
  return found;
}

/** Of the invocations that entered some statements, the shares that left them in each way. */
interface Flow {
  /** Ran past the end. */
  readonly on: number;
  readonly broken: number;
  readonly continued: number;
  /** Whether the end can be reached at all. */
  readonly reaches: boolean;
}

const PAST: Omit<Flow, "on"> = { broken: 0, continued: 0, reaches: true };
const GONE: Flow = { on: 0, broken: 0, continued: 0, reaches: false };

class Counter extends Evaluator {
  readonly #runs: ReadonlyMap<string, number>;
  readonly #undecided = new Set<string>();
  readonly #endless = new Set<string>();
  /** Whether the current function is in a loop that is followed round by round. */
  #inRounds = false;
  /** The value that the current function has returned so far. */
  #returned: Value = NOTHING;

  constructor(program: Program, constants: Readonly<Record<string, number>>, runs: Runs) {
    super(program, constants);
    this.#runs = new Map(Object.entries(runs).map(([text, share]) => [wordsOf(text), share]));
  }

  count(): Counted {
    const main = this.program.functions.get("main");
    if (!main) throw new Error("the shader has no function main");
    const workgroup = main.size.reduce((all, one) => all * (numberIn(this.evaluate(one)) ?? 1), 1);
    const given = main.parameters.map(({ type, builtin }) => {
      const part = builtin === "workgroup_id" || builtin === "num_workgroups" ? "uniform" : "varying";
      return valueOfType(type, this.program, part);
    });
    this.call(main, given);
    return {
      operations: { ...this.tally.counts },
      workgroup,
      undecided: [...this.#undecided],
      endless: [...this.#endless],
    };
  }

  protected call({ parameters, body }: FunctionSyntax, given: readonly Value[], text = ""): Value {
    const [outer, returned, weight, inRounds] = [this.scope, this.#returned, this.tally.weight, this.#inRounds];
    this.scope = new Scope();
    this.#inRounds = false;
    for (const [i, { name }] of parameters.entries()) this.scope.set(name, given[i] ?? NOTHING, false);
    this.#returned = NOTHING;
    this.#run(body, weight * (this.#runs.get(text) ?? 1));
    const value = this.#returned;
    this.scope = outer;
    this.#returned = returned;
    this.tally.weight = weight;
    this.#inRounds = inRounds;
    return value;
  }

  #run(body: readonly Statement[], weight: number): Flow {
    let flow: Flow = { ...PAST, on: weight };
    for (const statement of body) {
      this.tally.weight = flow.on;
      const next = this.#step(statement, flow.on);
      flow = { ...next, broken: flow.broken + next.broken, continued: flow.continued + next.continued };
      if (!flow.reaches) break;
    }
    return flow;
  }

  #inside(body: readonly Statement[], weight: number): Flow {
    const outer = this.scope;
    this.scope = new Scope(outer);
    const flow = this.#run(body, weight);
    this.scope = outer;
    return flow;
  }

  #step(statement: Statement, weight: number): Flow {
    const past: Flow = { ...PAST, on: weight };
    switch (statement.kind) {
      case "block":
        return this.#inside(statement.body, weight);
      case "declare": {
        const { name, type, value, isMutable } = statement;
        const given = value ? unmarked(this.evaluate(value)) : type ? valueOfType(type, this.program, 0) : NOTHING;
        const typed = type && given.kind === "vector" ? valueOfType(type, this.program, 0) : given;
        const isTyped = typed.kind === "vector" && given.kind === "vector";
        this.scope.set(name, isTyped ? { ...given, scalar: typed.scalar } : given, isMutable);
        return past;
      }
      case "assign":
        this.#assign(statement);
        return past;
      case "evaluate":
        this.evaluate(statement.value);
        return past;
      case "if":
        return this.#choose(statement, weight);
      case "loop":
        return this.#repeat(statement, weight);
      case "return": {
        const value = statement.value ? unmarked(this.evaluate(statement.value)) : NOTHING;
        this.#returned = merged(value, this.#returned);
        return GONE;
      }
      case "break":
        return { ...GONE, broken: weight };
      case "continue":
        return { ...GONE, continued: weight };
    }
  }

  #assign({ target, operator, value }: Extract<Statement, { kind: "assign" }>): void {
    if (target.kind === "name" && target.name === "_") return;
    const place = this.place(target);
    const isMemory = place?.space === "storage" || place?.space === "workgroup";
    const counted = operator
      ? this.evaluate({ kind: "binary", operator, left: target, right: value, text: "" })
      : this.evaluate(value);
    if (isMemory) this.tally.add(place.space === "storage" ? "accesses" : "workgroup");
    place?.write(unmarked(counted));
  }

  #choose({ condition, yes, no }: Extract<Statement, { kind: "if" }>, weight: number): Flow {
    const decided = this.evaluate(condition);
    const known = numberIn(decided);
    if (known !== undefined) return this.#inside(known === 0 ? no : yes, weight);
    const share = this.#decide(condition.text, weight);
    let [one, other] = [GONE, GONE];
    const afterOne = this.journal.tried(() => {
      one = this.#inside(yes, weight * share);
    });
    const afterOther = this.journal.tried(() => {
      other = this.#inside(no, weight * (1 - share));
    });
    const ends = !one.reaches || !other.reaches;
    if (ends && this.#inRounds && weight > 0 && !this.#runs.has(condition.text)) this.#endless.add(condition.text);
    const isSame = isUniform(decided);
    for (const cell of new Set([...afterOne.keys(), ...afterOther.keys()])) {
      const [a, b] = [afterOne.get(cell) ?? cell.value, afterOther.get(cell) ?? cell.value];
      this.journal.write(cell, !one.reaches ? b : !other.reaches ? a : merged(a, b, isSame));
    }
    return {
      on: one.on + other.on,
      broken: one.broken + other.broken,
      continued: one.continued + other.continued,
      reaches: one.reaches || other.reaches,
    };
  }

  #repeat({ first, condition, update, body }: Extract<Statement, { kind: "loop" }>, weight: number): Flow {
    const outer = this.scope;
    this.scope = new Scope(outer);
    if (first) this.#step(first, weight);
    let on = weight;
    let left = 0;
    for (let round = 0; ; round++) {
      if (on === 0) {
        this.#repeatOnAverage({ condition, update, body }, 0, false);
        break;
      }
      this.tally.weight = on;
      const value = condition && this.evaluate(condition);
      const known = value && numberIn(value);
      if (known === 0) break;
      if (known === undefined || round === MOST_ROUNDS) {
        const rounds = this.#decide(condition?.text ?? "loop", on);
        this.#repeatOnAverage({ condition, update, body }, on * rounds, value ? isUniform(value) : true);
        break;
      }
      const flow = this.#round(body, on);
      left += flow.broken;
      on = flow.on + flow.continued;
      if (!flow.reaches && flow.continued === 0) break;
      this.tally.weight = on;
      if (update) this.#step(update, on);
    }
    this.scope = outer;
    return { ...PAST, on: on + left };
  }

  /** Follows one of a known number of rounds. */
  #round(body: readonly Statement[], weight: number): Flow {
    const inRounds = this.#inRounds;
    this.#inRounds = true;
    const flow = this.#inside(body, weight);
    this.#inRounds = inRounds;
    return flow;
  }

  /** Follows a loop's body once with the weight of all its rounds. Variables that the body changes count as unknown. */
  #repeatOnAverage(
    { condition, update, body }: Pick<Extract<Statement, { kind: "loop" }>, "condition" | "update" | "body">,
    weight: number,
    isSame: boolean,
  ): void {
    const round = (times: number) => {
      this.tally.weight = times;
      if (condition) this.evaluate(condition);
      this.#inside(body, times);
      this.tally.weight = times;
      if (update) this.#step(update, times);
    };
    const changed = this.journal.tried(() => round(0));
    for (const [cell, value] of changed) {
      const either = merged(cell.value, value, isSame);
      this.journal.write(cell, leveled(either, isUniform(either) ? "uniform" : "varying"));
    }
    if (weight > 0) round(weight);
  }

  #decide(text: string, weight: number): number {
    const share = this.#runs.get(text);
    if (share === undefined && weight > 0) this.#undecided.add(text);
    return share ?? 0;
  }
}

const wordsOf = (text: string) =>
  tokensOf(text)
    .map((token) => token.text)
    .join(" ");
