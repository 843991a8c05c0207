import { expect, test } from "vitest";
import { limitsOf, limitWords } from "../viewer/overlay/limits.ts";

test("a share of the limit is told as far as the clock can tell it, and far from it what the time should be spent on", () => {
  const limit = { us: 30, term: "memory" } as const;
  expect(limitWords(limit, 0.04, 0)).toBe("75 %");
  expect(limitWords(limit, 0.3, 0.1)).toBe("10 %, memory");
  expect(limitWords(limit, 0.1, 0.1)).toBe("");
  expect(limitWords(undefined, 1, 0)).toBe("");
});

test("a pipeline that cannot tell its stages' work has no limits", () => {
  const asked = () => {
    throw new Error("there is no kernel to be asked about");
  };
  expect(limitsOf({}, {} as never, asked).size).toBe(0);
  expect(limitsOf({ work: () => new Map([["median", []]]) }, {} as never, asked).size).toBe(0);
});
