import fc from "fast-check";
import { expect, test } from "vitest";
import { InflateError } from "../../../sources/decode/codec.ts";
import { decodeRvl, encodeRvl } from "../../../sources/decode/rvl.ts";

// RVL against an example worked out by hand and a slow reference that writes one group of four bits after the other.

/** The paper's algorithm, step by step: groups in a list, then in words of eight. */
function reference(depth: readonly number[]): number[] {
  const groups: number[] = [];
  const put = (value: number) => {
    do {
      groups.push((value % 8) + (value >= 8 ? 8 : 0));
      value = Math.floor(value / 8);
    } while (value > 0);
  };
  let previous = 0;
  for (let i = 0; i < depth.length; ) {
    const zeros = depth.slice(i).findIndex((d) => d !== 0);
    const others = zeros < 0 ? [] : depth.slice(i + zeros);
    const run = others.slice(0, others.includes(0) ? others.indexOf(0) : others.length);
    put(zeros < 0 ? depth.length - i : zeros);
    put(run.length);
    for (const value of run) {
      put(value >= previous ? 2 * (value - previous) : 2 * (previous - value) - 1);
      previous = value;
    }
    i = zeros < 0 ? depth.length : i + zeros + run.length;
  }
  while (groups.length % 8 !== 0) groups.push(0);
  const bytes: number[] = [];
  for (let i = 0; i < groups.length; i += 8) {
    for (let byte = 6; byte >= 0; byte -= 2) bytes.push(groups[i + byte] * 16 + groups[i + byte + 1]);
  }
  return bytes;
}

const pixel = fc.oneof(fc.constant(0), fc.nat(65535), fc.integer({ min: 1000, max: 1010 }));
const image = fc.array(pixel, { maxLength: 200 });

test("encodeRvl packs any image as the reference does, and decodeRvl gives the image back", () => {
  fc.assert(
    fc.property(image, (values) => {
      const bytes = encodeRvl(Uint16Array.from(values));
      expect([...bytes]).toEqual(reference(values));
      const back = new Uint16Array(values.length).fill(9);
      decodeRvl(bytes, back);
      expect([...back]).toEqual(values);
    }),
  );
});

test("decodeRvl refuses data cut at any byte, and ends for any bytes", () => {
  const depth = Uint16Array.from({ length: 64 }, (_, i) => (i * 7919) % 4001);
  const bytes = encodeRvl(depth);
  for (let end = 0; end < bytes.length; end++) {
    expect(() => decodeRvl(bytes.subarray(0, end), new Uint16Array(64))).toThrow(InflateError);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (noise) => {
      try {
        decodeRvl(noise, new Uint16Array(500));
      } catch (error) {
        expect(error).toBeInstanceOf(InflateError);
      }
    }),
  );
});
