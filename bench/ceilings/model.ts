import { countOperations } from "../../shaders/count/count.ts";
import type { Operations } from "../../shaders/count/tally.ts";
import type { KernelWork } from "../../stages/core/work.ts";
import type { Ceilings, MemoryRate, Rates, StartRate } from "./types.ts";

// T = max(arithmetic, memory, launch, workgroup starts, workgroup memory, accesses, atomics) for each dispatch; dispatches of a stage wait
// for one another, so that their times add up. Every term is a bound from below: operations that no compiler can avoid, bytes that have to
// move, rates that the device's best kernel reaches. A stage can come close to the largest term, and never below it.

/** The terms of a limit. */
export const TERMS = [
  "arithmetic",
  "memory",
  "launch",
  "workgroup starts",
  "workgroup memory",
  "accesses",
  "atomics",
] as const;
export type Term = (typeof TERMS)[number];

/** The least time of a kernel, or of several that wait for one another. */
export interface Limit {
  readonly us: number;
  /** The largest term: what the time is spent on where nothing else hinders. For several kernels, the term with the largest sum. */
  readonly term: Term;
  /** The terms in µs; of several kernels their sums. */
  readonly terms: Readonly<Record<Term, number>>;
}

/** The limit of one kernel, with what was counted. */
export interface KernelLimit extends Limit {
  readonly kernel: string;
  readonly dispatches: number;
  /** Of one dispatch, and the invocations of each. */
  readonly workgroups: number;
  readonly workgroup: number;
  /** Of all invocations of one dispatch together. */
  readonly operations: Operations;
  readonly bytes: number;
}

/** The limit of a stage, or of several that run one after the other. */
export interface StageLimit extends Limit {
  readonly kernels: readonly KernelLimit[];
}

/**
 * The least time of what a stage declares. `workingSet` is the number of bytes that are gone through before the same input is read again:
 * it decides whether a cache still holds it. Throws an error for a shader that cannot be counted.
 */
export function limitOf(work: readonly KernelWork[], ceilings: Ceilings, workingSet: number): StageLimit {
  const kernels = work.map((one) => kernelLimit(one, ceilings, workingSet));
  return { ...sumOf(kernels.map((one) => [one, one.dispatches])), kernels };
}

/** The least time of several stages in a row. */
export function limitOfAll(limits: readonly StageLimit[]): StageLimit {
  return { ...sumOf(limits.map((one) => [one, 1])), kernels: limits.flatMap(({ kernels }) => kernels) };
}

function sumOf(limits: readonly (readonly [limit: Limit, times: number])[]): Limit {
  const terms = termsOf(() => 0);
  const share = termsOf(() => 0);
  let us = 0;
  for (const [one, times] of limits) {
    us += times * one.us;
    share[one.term] += times * one.us;
    for (const term of TERMS) terms[term] += times * one.terms[term];
  }
  return { us, term: largest(share), terms };
}

function kernelLimit(work: KernelWork, ceilings: Ceilings, workingSet: number): KernelLimit {
  const { label, code, constants, workgroups, dispatches, traffic } = work;
  const { operations: each, workgroup } = countOperations(code, constants, traffic.runs);
  const invocations = work.invocations ?? workgroups * workgroup;
  const operations = mapped(each, (number) => number * invocations);
  const { read = 0, written = 0, scratchRead = 0, scratchWritten = 0 } = traffic;
  const memory =
    memoryTime(read, written, ceilings.memory, workingSet) +
    memoryTime(scratchRead, scratchWritten, ceilings.memory, scratchRead + scratchWritten);
  const { rates } = ceilings;
  const terms: Record<Term, number> = {
    arithmetic: arithmeticTime(operations, rates),
    memory,
    launch: ceilings.dispatchUs,
    "workgroup starts": over(workgroups, startRateFor(ceilings.starts, workgroup)),
    "workgroup memory": over(operations.workgroup, rates.workgroup),
    accesses: over(operations.accesses, rates.accesses),
    atomics: over(operations.atomics, rates.atomics),
  };
  const term = largest(terms);
  const bytes = read + written + scratchRead + scratchWritten;
  return { kernel: label, dispatches, workgroups, workgroup, operations, bytes, us: terms[term], term, terms };
}

/** Operations of different kinds may run side by side, but all together no faster than the device was seen to. */
function arithmeticTime({ f32, i32, logic, special }: Operations, rates: Rates): number {
  const together = Math.max(rates.both, rates.f32, rates.i32, rates.logic);
  return Math.max(
    ...[over(f32, rates.f32), over(i32, rates.i32), over(logic, rates.logic), over(special, rates.special)],
    over(f32 + i32 + logic, together),
  );
}

/** Microseconds of this many operations or bytes at 10⁹ per second; 0 where the rate is not known. */
const over = (number: number, perNanosecond: number) => (perNanosecond > 0 ? number / perNanosecond / 1000 : 0);

/** Bytes that are read and written in equal parts move at the rate of a copy, the rest at that of reading or writing alone. */
function memoryTime(read: number, written: number, known: readonly MemoryRate[], workingSet: number): number {
  const rates = ratesFor(known, workingSet);
  const both = Math.min(read, written);
  return over(2 * both, rates.copyGBps) + over(read - both, rates.readGBps) + over(written - both, rates.writeGBps);
}

/** The best rates that were measured with working sets of about this size or more: smaller ones may fit a nearer cache. */
export function ratesFor(known: readonly MemoryRate[], workingSet: number): Omit<MemoryRate, "bytes"> {
  const sorted = [...known].sort((a, b) => a.bytes - b.bytes);
  const from = sorted.findLastIndex(({ bytes }) => bytes <= workingSet);
  const there = sorted.slice(Math.max(0, from));
  const best = (key: "readGBps" | "writeGBps" | "copyGBps") => Math.max(0, ...there.map((one) => one[key]));
  return { readGBps: best("readGBps"), writeGBps: best("writeGBps"), copyGBps: best("copyGBps") };
}

/**
 * The rate at which workgroups of this many invocations start at the most: that of the largest ones measured that are no larger, or of a
 * larger size that was seen to be faster; 0, not known, where all that were measured are larger.
 */
export function startRateFor(known: readonly StartRate[] = [], invocations: number): number {
  const sorted = [...known].sort((a, b) => a.invocations - b.invocations);
  const from = sorted.findLastIndex((one) => one.invocations <= invocations);
  return from < 0 ? 0 : Math.max(...sorted.slice(from).map(({ workgroups }) => workgroups));
}

const termsOf = (value: (term: Term) => number): Record<Term, number> =>
  Object.fromEntries(TERMS.map((term) => [term, value(term)])) as Record<Term, number>;

const largest = (terms: Readonly<Record<Term, number>>): Term =>
  TERMS.reduce((best, term) => (terms[term] > terms[best] ? term : best));

const mapped = (operations: Operations, by: (number: number) => number): Operations => ({
  f32: by(operations.f32),
  i32: by(operations.i32),
  logic: by(operations.logic),
  special: by(operations.special),
  accesses: by(operations.accesses),
  workgroup: by(operations.workgroup),
  atomics: by(operations.atomics),
});
