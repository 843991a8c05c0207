import { afterEach, expect, test, vi } from "vitest";
import { openSynthetic } from "../../viewer/live/source/synthetic.ts";
import type { Question } from "../../viewer/live/source/syntheticWorker.ts";

// The painters of a synthetic scene, with workers that answer when the test says so.

afterEach(() => void vi.unstubAllGlobals());

type Asked = Question & { readonly id: number };

/** Stands for the workers of the page: `made` are all of them, and each keeps what it was asked. */
function painters() {
  const made: FakeWorker[] = [];
  class FakeWorker extends EventTarget {
    readonly asked: (Asked | "close")[] = [];
    constructor() {
      super();
      made.push(this);
    }
    postMessage(question: Asked | "close"): void {
      this.asked.push(question);
    }
    answer(more: object): void {
      const last = this.asked.findLast((question) => question !== "close");
      this.dispatchEvent(new MessageEvent("message", { data: { id: last?.id, ...more } }));
    }
  }
  vi.stubGlobal("Worker", FakeWorker);
  vi.stubGlobal("navigator", { hardwareConcurrency: 12 });
  return made;
}

const intrinsics = { fx: 1, fy: 1, cx: 0, cy: 0, width: 1, height: 1 };
const depth = new Uint16Array(1);
const frame = { depth, intrinsics, metresPerUnit: 0.001, timestamp: 0, index: 0 };

/** A scene whose first frame is being read. */
async function opened() {
  const made = painters();
  const opening = openSynthetic("desk");
  made[0]?.answer({ facts: { length: 3, fps: 30, format: "synthetic" } });
  const scene = await opening;
  return { made, scene, read: scene.read(0) };
}

test("after the first frame the other painters start, and the scene closes them all", async () => {
  const { made, scene, read } = await opened();
  made[0]?.answer({ frame });
  await read;
  expect(made).toHaveLength(6);
  await scene.close();
  expect(made.filter(({ asked }) => asked.includes("close"))).toHaveLength(6);
});

test("a scene that was closed while its first frame was painted starts no more painters", async () => {
  const { made, scene, read } = await opened();
  await scene.close();
  made[0]?.answer({ frame });
  await read;
  expect(made.map(({ asked }) => asked.at(-1))).toEqual(["close"]);
});
