import { expect, test } from "vitest";
import { colorOf, depthOf } from "../../../sources/decode/pixels.ts";
import { depthValues, HEIGHT, WIDTH } from "../fixtures.ts";
import { littleEndian } from "../makers/bytes.ts";

const image = { width: WIDTH, height: HEIGHT, bigEndian: false };

test.each([0, WIDTH])("rows of %i bytes are rows without padding, where the data are as long as these", (step) => {
  const raw = { ...image, step, encoding: "16uc1", data: littleEndian(depthValues(0)) };
  expect(depthOf(raw, 0.001, "a").data).toEqual(depthValues(0));
  const color = { ...image, step, encoding: "rgb8", data: new Uint8Array(3 * WIDTH * HEIGHT).fill(7) };
  expect(colorOf(color, "a").data[4 * WIDTH * HEIGHT - 2]).toBe(7);
  expect(() => depthOf({ ...raw, data: raw.data.subarray(2) }, 0.001, "a")).toThrow(`need rows of ${2 * WIDTH}`);
});
