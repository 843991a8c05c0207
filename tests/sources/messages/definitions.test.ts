import { expect, test } from "vitest";
import { rosReader } from "../../../sources/messages/ros.ts";

test("a definition of empty lines is understood in time in proportion to them", () => {
  expect(rosReader(`${"\n".repeat(2 ** 19)}uint8 x`, "ros1")).toBeTypeOf("function");
});
