import { describe, expect, test } from "vitest";
import copyCode from "../../bench/kernels/copy.wgsl?raw";
import countMain from "../../shaders/compact/count.wgsl?raw";
import validPart from "../../shaders/compact/valid.wgsl?raw";
import { countOperations } from "../../shaders/count/count.ts";
import size3 from "../../shaders/median/size3.wgsl?raw";
import size5 from "../../shaders/median/size5.wgsl?raw";
import thresholdCode from "../../shaders/threshold.wgsl?raw";
import { roundShare } from "../../stages/core/work.ts";

// countOperations counts a shader's operations from its WGSL: those that no compiler can avoid. The expected numbers are counted by hand.

/** A shader with one buffer to read and one to write, whose `main` has this body. */
const shader = (body: string, before = "") => `${before}
  @group(0) @binding(0) var<storage, read> given: array<f32>;
  @group(0) @binding(1) var<storage, read_write> left: array<f32>;
  @group(0) @binding(2) var<storage, read> words: array<u32>;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u) { ${body} }`;

const counted = (body: string, runs = {}, before = "") => countOperations(shader(body, before), {}, runs).operations;

describe("countOperations counts in expressions", () => {
  test.each([
    ["an addition", "left[id.x] = given[id.x] + 1.5;", { f32: 1, accesses: 2 }],
    [
      "a product plus a constant, as one multiply-add",
      "left[id.x] = given[id.x] * 3.0 + 1.5;",
      { f32: 1, accesses: 2 },
    ],
    [
      "two products and their sum",
      "let a = given[id.x]; let b = given[id.y]; left[id.x] = a * a + b * b;",
      { f32: 2, accesses: 3 },
    ],
    ["a division by a loaded value", "left[id.x] = 1.0 / given[id.x];", { f32: 1, special: 1, accesses: 2 }],
    ["a division by a constant", "left[id.x] = given[id.x] / 3.0;", { f32: 1, accesses: 2 }],
    [
      "each component of a vector, but no addition of 0",
      "let v = vec4f(given[id.x]) + vec4f(1.0, 2.0, 0.0, 3.0); left[id.x] = v.x;",
      { f32: 3, accesses: 2 },
    ],
    [
      "nothing for an expression that was computed before",
      "let a = given[id.x] + 1.0; let b = given[id.x] + 1.0; left[id.x] = a * b;",
      { f32: 2, accesses: 2 },
    ],
    [
      "nothing for a value that the workgroup shares",
      "let a = f32(group.x * 7u + 3u); left[id.x] = a;",
      { accesses: 1 },
    ],
    ["nothing for a constant expression", "let a = (3u * 7u + 1u) / 2u; left[id.x] = f32(a);", { accesses: 1 }],
    [
      "one operation for logic of three operands",
      "let w = words[id.x]; left[id.x] = bitcast<f32>((w & 7u) | (id.x ^ id.y));",
      { logic: 2, accesses: 2 },
    ],
    [
      "one operation for a shift and a mask",
      "left[id.x] = bitcast<f32>((words[id.x] >> 3u) & 7u);",
      { logic: 1, accesses: 2 },
    ],
    [
      "one operation per component of a dot product",
      "let v = vec3f(given[id.x]); left[id.x] = dot(v, v);",
      { f32: 3, accesses: 2 },
    ],
    ["one operation for a conversion", "left[id.x] = f32(words[id.x]);", { logic: 1, accesses: 2 }],
  ])("%s", (_, body, expected) => {
    const none = { f32: 0, i32: 0, logic: 0, special: 0, accesses: 0, workgroup: 0, atomics: 0 };
    expect(counted(body)).toEqual({ ...none, ...expected });
  });
});

describe("countOperations counts", () => {
  test("a loop with constant bounds once per round, with the counter's value known", () => {
    // Four loads; the first sum is with 0; the index of the first round needs no addition.
    const loop = "var sum = 0.0; for (var i = 0u; i < 4u; i++) { sum += given[id.x + i]; } left[id.x] = sum;";
    expect(counted(loop)).toMatchObject({ f32: 3, i32: 3, accesses: 5 });
  });

  test("a loop bounded by data with the declared number of rounds, or none, and one more check", () => {
    const loop = "var x = given[id.x]; while (x > 1.0) { x = x * 0.5; } left[id.x] = x;";
    expect(counted(loop, { "x > 1.0": 2.5 })).toMatchObject({ f32: 2.5 + 3.5, accesses: 2 });
    expect(counted(loop)).toMatchObject({ f32: 1, accesses: 2 });
    expect(countOperations(shader(loop), {}).undecided).toEqual(["x > 1.0"]);
  });

  test("a branch by the declared share that takes it, and the code after its return by the rest", () => {
    const branch = "if (given[id.x] > 2.0) { left[id.x] = sqrt(given[id.y]); return; } left[id.x] = given[id.z] + 1.0;";
    // A comparison for all; a load, a root and a store for a quarter; a load, a sum and a store for the rest.
    expect(counted(branch, { "given[id.x] > 2.0": 0.25 })).toMatchObject({ f32: 1.75, special: 0.25, accesses: 3 });
  });

  test("a branch on an override fully or not at all", () => {
    const code = shader("if (MODE == 1u) { left[id.x] = given[id.x] * 2.0; }", "override MODE: u32;");
    expect(countOperations(code, { MODE: 1 }).operations).toMatchObject({ f32: 1, accesses: 2 });
    expect(countOperations(code, { MODE: 2 }).operations).toMatchObject({ f32: 0, accesses: 0 });
  });

  test("a call by the declared share of its result that is used", () => {
    const before = "fn roots(x: vec4f) -> vec4f { return sqrt(x); }";
    const body = "let y = roots(vec4f(given[id.x])); let z = roots(y); left[id.x] = z.x;";
    expect(counted(body, {}, before)).toMatchObject({ special: 8 });
    expect(counted(body, { "roots(y)": 0.25 }, before)).toMatchObject({ special: 5, accesses: 2 });
  });

  test("a loop that ends early by the declared share of each round, and names its condition where nothing is declared", () => {
    const loop = `var x = given[id.x];
      for (var i = 0u; i < 8u; i++) { x = x * x; if (x > 9.0) { break; } }
      left[id.x] = x;`;
    const of = (runs: Record<string, number>) => countOperations(shader(loop), {}, runs);
    // A product and a comparison for each round: one, one and a half of two, all 8.
    expect(of({ "x > 9.0": 1 }).operations).toMatchObject({ f32: 2 });
    const { operations, endless } = of({ "x > 9.0": roundShare(1.5, 8, "end") });
    expect([operations.f32, endless]).toEqual([expect.closeTo(3, 6), []]);
    expect(of({})).toMatchObject({ operations: { f32: 16 }, endless: ["x > 9.0"] });
    // A condition outside of such a loop ends no round.
    const branch = shader("if (given[id.x] > 2.0) { return; } left[id.x] = 1.0;");
    expect(countOperations(branch, {})).toMatchObject({ undecided: ["given [ id . x ] > 2.0"], endless: [] });
  });

  test("one address for an element of a vector in an array", () => {
    const before = "var<workgroup> fours: array<vec4u, 16>;";
    const body = (index: string) => `let i = id.x; left[i] = bitcast<f32>(${index});`;
    const none = { i32: 0, workgroup: 1, accesses: 1 };
    expect(counted(body("fours[i / 4u][i % 4u]"), {}, before)).toMatchObject({ ...none, logic: 0 });
    expect(counted(body("fours[i / 4u][i % 2u]"), {}, before)).toMatchObject({ ...none, logic: 2 });
    expect(counted(body("fours[(i + 1u) / 4u][(i + 1u) % 4u]"), {}, before)).toMatchObject({
      ...none,
      i32: 1,
      logic: 0,
    });
  });

  test("operations through functions, structs and pointers", () => {
    const before = `struct Pair { a: f32, b: f32 }
      fn twice(p: Pair) -> f32 { return p.a + p.b; }
      fn grow(p: ptr<function, Pair>) { (*p).a = (*p).a * 2.0; }`;
    const body = "var p = Pair(given[id.x], 0.0); grow(&p); grow(&p); left[id.x] = twice(p);";
    // Two products; the sum adds a constant 0.
    expect(counted(body, {}, before)).toMatchObject({ f32: 2, accesses: 2 });
  });

  test("workgroup memory and atomics separately", () => {
    const before =
      "var<workgroup> cells: array<atomic<u32>, 4>; @group(0) @binding(3) var<storage, read_write> all: atomic<u32>;";
    const body = "atomicAdd(&cells[id.x % 4u], 1u); workgroupBarrier(); atomicAdd(&all, atomicLoad(&cells[0]));";
    expect(counted(body, {}, before)).toMatchObject({ workgroup: 2, atomics: 1, accesses: 0, logic: 1 });
  });

  test("nothing in WGSL that it cannot read, and throws an error with the reason", () => {
    expect(() => countOperations("fn main( {", {})).toThrow('this is no WGSL that can be counted: "" in "fn main ( {"');
    expect(() => countOperations("override N: u32; @compute @workgroup_size(N) fn main() {}", {})).toThrow(
      "the override N of the shader has no value",
    );
    expect(() => counted("left[id.x] = quux(given[id.x]);")).toThrow("nobody has said what quux of the shader costs");
  });
});

test("roundShare gives the mean number of rounds of a loop of 4 rounds that ends early", () => {
  for (const mean of [0, 0.3, 1, 2.5, 4]) {
    for (const at of ["begin", "end"] as const) {
      const stay = 1 - roundShare(mean, 4, at);
      const rounds = [0, 1, 2, 3].reduce((sum, k) => sum + stay ** (at === "begin" ? k + 1 : k), 0);
      // A loop that is tested at its end runs once at the least.
      expect(rounds).toBeCloseTo(at === "end" ? Math.max(1, mean) : mean, 6);
    }
  }
});

describe("the count of operations of the shader", () => {
  test("copy is a multiply-add for the index, a comparison, a load and a store", () => {
    const runs = { "i < arrayLength(&source)": 1 };
    const { operations, workgroup, undecided } = countOperations(copyCode, { ACROSS: 128 }, runs);
    // id.y × 32768 + id.x, and the comparison.
    expect(operations).toEqual({ f32: 0, i32: 1, logic: 1, special: 0, accesses: 2, workgroup: 0, atomics: 0 });
    expect([workgroup, undecided]).toEqual([256, []]);
  });

  test("threshold is two comparisons and a selection for each of 8 pixels, and unpacking and packing", () => {
    const { operations } = countOperations(thresholdCode, { VECTORS: 64 });
    // A mask or a shift for each pixel, a shift and a logic for each word of two, one comparison of the index.
    expect(operations).toMatchObject({ i32: 0, logic: 8 * 3 + 8 + 4 + 1, accesses: 2 });
  });

  test("median 3×3 is more than 32 for each pixel, and within 20 % of 47 NVIDIA instructions", () => {
    const { operations } = countOperations(size3, { ROW_VECTORS: 80, HEIGHT: 480 });
    const each = (operations.i32 + operations.logic) / 8;
    expect(each).toBeGreaterThan(16 + 16);
    // docs/lab/median.md counts 47 NVIDIA instructions.
    expect(each).toBeGreaterThan(0.8 * 47);
    expect(each).toBeLessThan(1.2 * 47);
    // Three rows, each a vec4 and the words at both of its sides; and the result.
    expect(operations.accesses).toBe(3 * 3 + 1);
  });

  test("median 5×5 is more than 84 for each pixel, and at most 20 % above 120 NVIDIA instructions", () => {
    const { operations } = countOperations(size5, { ROW_VECTORS: 80, HEIGHT: 480 }, { "y + 1u < HEIGHT": 1 });
    const each = (operations.i32 + operations.logic) / 16;
    expect(each).toBeGreaterThan(54 + 30);
    expect(each).toBeLessThan(1.2 * 120); // docs/lab/median.md: some 120
  });

  test("compact's count is masking, clamping and adding up the two pixels of each word of a vec4", () => {
    const runs = { "at < TOTAL_VECTORS": 1 };
    const { operations } = countOperations(
      countMain + validPart,
      { WORKGROUP: 128, VECTORS: 1, TOTAL_VECTORS: 1000 },
      runs,
    );
    // 8 to unpack the pixels, 8 min, 4 sums of two, 2 for the sum of these four; the index, its comparison, and the lane's number.
    expect(operations).toEqual({
      f32: 0,
      i32: 4 + 2 + 1,
      logic: 8 + 8 + 2,
      special: 0,
      accesses: 1,
      workgroup: 1,
      atomics: 0,
    });
  });
});
