import { describe, expect, test } from "vitest";
import type { Origin } from "../../viewer/live/show/shown.ts";
import { page } from "./page.ts";

// A measured number belongs to a recording, a frame or a setting, and disappears with it, however late the number arrives.

describe('a number of scope "moment"', () => {
  test("is shown as long as its frame, and disappears with it", () => {
    const { shown, open, show } = page();
    open("a");
    const seen: (number | undefined)[] = [];
    const gauge = shown.gauge<number>("moment", (value) => seen.push(value));
    const origin = show(0);
    gauge.put(origin, 76.5);
    show(1);
    expect(seen).toEqual([76.5, undefined]);
    expect([gauge.value, gauge.origin]).toEqual([undefined, undefined]);
  });

  test("stays for some seconds while frames play, and disappears when playing stops on another frame", () => {
    const { shown, open, show, play, pause, wait } = page();
    open("a");
    play();
    const gauge = shown.gauge<number>("moment", () => {});
    gauge.put(show(0), 1);
    for (let index = 1; index < 60; index++) {
      wait(33);
      show(index);
    }
    expect(gauge.value).toBe(1);
    pause();
    expect(gauge.value).toBeUndefined();
    play();
    const origin = show(60);
    for (let index = 61; index < 200; index++) {
      wait(33);
      show(index);
    }
    gauge.put(origin, 2);
    expect(gauge.value).toBeUndefined();
  });

  test("disappears when a filter is set, switched or moved, and a late answer does not bring it back", () => {
    const changes = [
      ({ filter }: ReturnType<typeof page>) => filter.set({ size: 5 }),
      ({ pipeline }: ReturnType<typeof page>) => pipeline.configure("median", { enabled: false }),
      ({ pipeline }: ReturnType<typeof page>) => pipeline.order(["threshold", "median"]),
    ];
    for (const change of changes) {
      const all = page();
      all.open("a");
      const gauge = all.shown.gauge<number>("moment", () => {});
      const origin = all.show(0);
      gauge.put(origin, 1);
      change(all);
      all.again();
      expect(gauge.value).toBeUndefined();
      gauge.put(origin, 1);
      expect(gauge.value).toBeUndefined();
    }
  });
});

test("opening a source removes all numbers, and late answers and frames of the source before bring none back", () => {
  const { shown, open, show, late } = page();
  open("room");
  const gauges = (["recording", "moment", "frame"] as const).map((scope) => shown.gauge<number>(scope, () => {}));
  const old: Origin = show(7);
  for (const gauge of gauges) gauge.put(old, 22);
  expect(gauges.map(({ value }) => value)).toEqual([22, 22, 22]);
  open("azure");
  expect(gauges.map(({ value }) => value)).toEqual([undefined, undefined, undefined]);
  expect(late(8)).toBeUndefined();
  expect(shown.origin).toBeUndefined();
  for (const gauge of gauges) gauge.put(old, 22);
  expect(gauges.map(({ value }) => value)).toEqual([undefined, undefined, undefined]);
  const origin = show(0);
  for (const gauge of gauges) gauge.put(origin, 1.6);
  expect(gauges.map(({ value }) => value)).toEqual([1.6, 1.6, 1.6]);
});

test('a number of scope "frame" stays when a filter is set, and disappears with its frame', () => {
  const all = page();
  all.open("a");
  const gauge = all.shown.gauge<number>("frame", () => {});
  gauge.put(all.show(3), 1);
  all.filter.set({ size: 5 });
  all.again();
  expect(gauge.value).toBe(1);
  all.show(4);
  expect(gauge.value).toBeUndefined();
});
