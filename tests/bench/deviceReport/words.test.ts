import { expect, test } from "vitest";
import { endsWords, rangeWords, shareWords, summedUp } from "../../../bench/deviceReport/words.ts";

test("ranges and ends of several cases are told in short, one alone as it is", () => {
  expect([rangeWords([1.5, 0.7, 66.57]), rangeWords([1.001, 1.004])]).toEqual(["0.70 to 66.57", "1.00"]);
  const shares = [
    { name: "track", share: 0.02 },
    { name: "threshold", share: 0.75 },
    { name: "split", share: 0.4 },
  ];
  expect([endsWords(shares), endsWords(shares.slice(0, 1))]).toEqual([
    "2 % (track) to 75 % (threshold)",
    "2 % (track)",
  ]);
  expect(shareWords(0.00812)).toBe("0.81 %");
  const cases = [
    { name: "one cell", found: "2.00 times" },
    { name: "adjacent", found: "1.00 times" },
  ];
  expect(summedUp("1.00 to 2.00 times", cases)).toEqual({ found: "1.00 to 2.00 times", cases });
  expect(summedUp("2.00 times", cases.slice(0, 1))).toEqual({ found: "one cell: 2.00 times" });
});
