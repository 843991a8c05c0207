import { expect, test } from "vitest";
import { isFirstTime } from "../../viewer/live/shell/notices.ts";

test("a notice is new once in a storage, or once a day, and each time where the browser forbids the storage", () => {
  const held = new Map<string, string>();
  const storage = {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
  };
  expect([1, 2].map(() => isFirstTime("photo", () => storage))).toEqual([true, false]);
  const on = (day: string) => isFirstTime("engine", () => storage, day);
  expect(["Mon", "Mon", "Tue"].map(on)).toEqual([true, false, true]);
  const forbidden = () => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  };
  expect([1, 2].map(() => isFirstTime("photo", forbidden))).toEqual([true, true]);
});
