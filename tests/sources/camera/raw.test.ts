import { lastValueFrom, toArray } from "rxjs";
import { expect, test } from "vitest";
import { type DepthFrame, rawSource } from "../../../sources/index.ts";

// rawSource: raw frames one after the other, as from standard input.

const size = { width: 4, height: 3 };
const frame = (first: number) => Uint16Array.from({ length: 12 }, (_, i) => first + i);
const bytes = Buffer.concat([frame(1), frame(100), frame(65524)].map(({ buffer }) => new Uint8Array(buffer)));

async function* pieces(of: number, all: Uint8Array = bytes) {
  for (let at = 0; at < all.length; at += of) yield all.subarray(at, at + of);
}

const read = (source: ReturnType<typeof rawSource>) => lastValueFrom(source.frames$.pipe(toArray()));

test.each([1, 5, 24, 1000])(
  "rawSource reads frames from pieces of %i bytes, in order, with 65535 as no measurement",
  async (of) => {
    const source = rawSource(pieces(of), "standard input", { size, metresPerUnit: 0.0001, fps: 15 });
    const frames = await read(source);
    expect(frames.map(({ depth }) => [...depth.data])).toEqual(
      [frame(1), frame(100), frame(65524)].map((one) => [...one].map((value) => (value === 65535 ? 0 : value))),
    );
    expect(frames.map(({ index, jump, metresPerUnit }) => [index, jump, metresPerUnit])).toEqual([
      [0, true, 0.0001],
      [1, false, 0.0001],
      [2, false, 0.0001],
    ]);
    expect(source.fps).toBe(15);
    expect(source.warnings.join()).not.toContain("unit");
  },
);

test("rawSource waits for a consumer that calls waitUntil", async () => {
  const source = rawSource(pieces(24), "standard input", { size });
  const seen: DepthFrame[] = [];
  let go = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    source.frames$.subscribe({
      next(one) {
        seen.push(one);
        one.waitUntil?.(
          new Promise<void>((resolve) => {
            go = resolve;
          }),
        );
      },
      complete: resolve,
      error: reject,
    });
  });
  for (const count of [1, 2, 3]) {
    await expect.poll(() => seen.length).toBe(count);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toHaveLength(count);
    go();
  }
  await ended;
});

test("close() of rawSource destroys its input, so that a silent sender keeps no process alive", async () => {
  let destroyed = false;
  const silent = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }),
    destroy() {
      destroyed = true;
    },
  };
  const source = rawSource(silent, "standard input", { size });
  const ended = lastValueFrom(source.frames$, { defaultValue: undefined });
  await source.close();
  expect([await ended, destroyed]).toEqual([undefined, true]);
});

test.each([
  ["is empty", new Uint8Array(0), "it is empty"],
  ["ends within a frame", bytes.subarray(0, 30), "it ends within frame 1, after 6 of 24 bytes"],
])("rawSource refuses input that %s", async (_, all, said) => {
  const source = rawSource(pieces(7, all), "standard input", { size });
  await expect(read(source)).rejects.toThrow(`standard input: ${said}; check the size`);
});
