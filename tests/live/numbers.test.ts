import { afterEach, expect, test, vi } from "vitest";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import { Numbers } from "../../viewer/live/compare/numbers.ts";
import type { Answer, Asked } from "../../viewer/live/compare/worker.ts";
import { image } from "../recipes.ts";

// What is measured of raw against filtered depth is of the scene that is shown, however late it comes.

afterEach(() => void vi.unstubAllGlobals());

const side = { validShare: 1, noiseMm: 1 };
const answer: Answer = { raw: side, filtered: side, over: "space", lost: undefined };

/** Numbers whose worker answers when it is told to. */
function numbers() {
  const asked: Asked[] = [];
  const shown: unknown[] = [];
  let reply = () => {};
  class Worker {
    onmessage: (event: { readonly data: Answer }) => void = () => {};
    postMessage(one: Asked): void {
      asked.push(one);
      reply = () => this.onmessage({ data: answer });
    }
  }
  vi.stubGlobal("Worker", Worker);
  const made = new Numbers(
    () => true,
    () => true,
    (comparison) => shown.push(comparison),
  );
  return { made, asked, shown, reply: () => reply() };
}

/** A frame whose depth comes when `read` is called. */
function frameOf(index: number) {
  let read = () => {};
  const depth = image([1000, 1000], 2);
  const filtered = new Promise<typeof depth>((resolve) => {
    read = () => resolve(depth);
  });
  const source = { depth };
  const frame = { index, timestamp: 33 * index, shape: { metresPerUnit: 0.001 }, source, readDepth: () => filtered };
  return { frame: frame as unknown as ProcessedFrame, read };
}

test("an answer that comes after another scene has begun is not shown", async () => {
  const { made, shown, reply, asked } = numbers();
  const { frame, read } = frameOf(0);
  const taken = made.take(frame, 0);
  read();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  made.begin();
  reply();
  await taken;
  expect(shown).toEqual([undefined]);
});

test("depth that comes then is not measured, and the first frame of the new scene begins it", async () => {
  const { made, shown, asked, reply } = numbers();
  const old = frameOf(0);
  const late = made.take(old.frame, 0);
  made.begin();
  old.read();
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual([]);
  await late;
  const first = frameOf(0);
  const taken = made.take(first.frame, 1);
  first.read();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]?.begins).toBe(true);
  reply();
  await taken;
  expect(shown).toEqual([undefined, answer]);
});
