import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Fact, RecordingInput, Source } from "../../sources/index.ts";
import { assumedFacts, keyOf, loadCorrections, saveCorrections } from "../../viewer/live/source/corrections.ts";
import { sentence } from "../../viewer/live/state/messageText.ts";

// A user may correct facts that a recording lacks. The corrections are kept under the recording's name and size, and checked when loaded.

/** A browser's storage. */
function storage(): Storage {
  const held = new Map<string, string>();
  return {
    get length() {
      return held.size;
    },
    key: (i) => [...held.keys()][i] ?? null,
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => void held.set(key, value),
    removeItem: (key) => void held.delete(key),
    clear: () => held.clear(),
  };
}

const right = { metresPerUnit: 0.0002, fps: 15, intrinsics: { fx: 500, fy: 501, cx: 320, cy: 240 }, invalid: [65535] };

test("assumedFacts lists the facts that are assumed, and a lens that is only a format's default", () => {
  const facts: Fact[] = [
    { what: "unit", value: "0.2 mm", from: "tum default" },
    { what: "intrinsics", value: "fx 525", from: "tum default" },
    { what: "fps", value: "30", from: "assumed" },
    { what: "invalid", value: "0", from: "assumed" },
    { what: "colour", value: "none", from: "files" },
  ];
  const source: Partial<Source> & { facts: Fact[] } = { facts };
  expect(assumedFacts(source as Source & { facts: Fact[] }).map(({ what }) => what)).toEqual(["intrinsics", "fps"]);
  expect(assumedFacts({} as Source)).toEqual([]);
});

test("keyOf tells recordings apart by name and size, also folders and files that come as handles", async () => {
  const file = (name: string, size: number) => new File([new Uint8Array(size)], name);
  const handle = (name: string, size: number) => ({ kind: "file", name, getFile: async () => file(name, size) });
  const folder = (name: string, ...children: object[]) => ({
    kind: "directory",
    name,
    async *values() {
      yield* children;
    },
  });
  const inputs = [
    file("a.zip", 10),
    [file("a.zip", 10)],
    handle("a.zip", 10),
    file("a.zip", 11),
    handle("a.zip", 12),
    file("b.zip", 10),
    [file("0.png", 5), file("1.png", 5)],
    folder("depth", folder("in", handle("0.png", 5), handle("1.png", 5))),
    folder("depth", folder("in", handle("0.png", 5), handle("1.png", 6))),
  ];
  const keys = await Promise.all(inputs.map((input) => keyOf(input as RecordingInput)));
  expect([keys[1], keys[2]]).toEqual([keys[0], keys[0]]);
  expect(new Set(keys).size).toBe(7);
});

describe("a correction", () => {
  test("is kept for its recording alone until it is removed", () => {
    const store = storage();
    saveCorrections("a.zip 1 10", right, store);
    expect(loadCorrections("a.zip 1 10", store)).toEqual(right);
    expect(loadCorrections("b.zip 1 10", store)).toBeUndefined();
    saveCorrections("a.zip 1 10", undefined, store);
    expect(loadCorrections("a.zip 1 10", store)).toBeUndefined();
    expect(store.length).toBe(0);
  });

  test("is kept for the newest hundred recordings, beside other programs' entries", () => {
    const store = storage();
    store.setItem("somebody else's", "thing");
    for (let i = 0; i < 130; i++) saveCorrections(`${i}`, { fps: i + 1 }, store);
    expect(store.length).toBe(101);
    expect(loadCorrections("129", store)).toEqual({ fps: 130 });
    expect(loadCorrections("0", store)).toBeUndefined();
    expect(store.getItem("somebody else's")).toBe("thing");
  });

  test.each([
    ["{", undefined],
    ["7", undefined],
    ['{"fps":"30","metresPerUnit":-1,"intrinsics":{"fx":0,"fy":1,"cx":1,"cy":1}}', {}],
    ['{"fps":1e99,"metresPerUnit":0.001,"intrinsics":null}', { metresPerUnit: 0.001 }],
    ['{"invalid":[65535,2047,70000,-1,65535],"minConfidence":2}', { invalid: [65535, 2047, 1], minConfidence: 2 }],
    ['{"invalid":"none","minConfidence":300}', {}],
  ])("is checked when it is loaded: %s", (text, expected) => {
    const store = storage();
    store.setItem("depthloom.assumed.a", text);
    expect(loadCorrections("a", store)).toEqual(expected);
  });
});

test("a source's warning is shown as a sentence", () => {
  expect(sentence("the list names no colour")).toBe("The list names no colour.");
  expect(["Read again!", "Wait …", "a.png: torn?"].map(sentence)).toEqual(["Read again!", "Wait …", "a.png: torn?"]);
});

test("of more than 100 recordings the corrections that were saved first are dropped, in whatever order a browser lists its keys", () => {
  const store = storage();
  const sorted: Storage = { ...store, key: (i) => [...held()].sort()[i] ?? null };
  Object.defineProperty(sorted, "length", { get: () => store.length });
  const held = () => Array.from({ length: store.length }, (_, i) => store.key(i) ?? "");
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  // The names come in the reverse of the times.
  for (let n = 0; n < 103; n++) {
    vi.setSystemTime(1e12 + n);
    saveCorrections(`${999 - n}.mcap`, right, sorted);
  }
  const known = (n: number) => loadCorrections(`${999 - n}.mcap`, sorted) !== undefined;
  expect([0, 1, 2, 3, 102].map(known)).toEqual([false, false, false, true, true]);
  expect(store.length).toBe(100);
});
