import { expect, test } from "vitest";
import { limitsOf, limitWords } from "../viewer/overlay/limits.ts";

test("limitWords tells the share of a limit if the clock can, and names the limiting resource if the share is small", () => {
  const limit = { us: 30, term: "memory" } as const;
  expect(limitWords(limit, 0.04, 0)).toBe("75 %");
  expect(limitWords(limit, 0.3, 0.1)).toBe("10 %, memory");
  expect(limitWords(limit, 0.1, 0.1)).toBe("");
  expect(limitWords(undefined, 1, 0)).toBe("");
});

test("limitsOf finds no limits if the pipeline does not know its stages' work", () => {
  const asked = () => {
    throw new Error("there is no kernel to be asked about");
  };
  expect(limitsOf({}, {} as never, asked).size).toBe(0);
  expect(limitsOf({ work: () => new Map([["median", []]]) }, {} as never, asked).size).toBe(0);
});
