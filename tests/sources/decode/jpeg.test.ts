import { encode } from "jpeg-js";
import { afterAll, describe, expect, test } from "vitest";
import { createDecoder } from "../../../sources/decode/index.ts";
import { SourceError } from "../../../sources/index.ts";
import { randomOf, spoilt } from "../../fault/mutate.ts";

/** A smooth picture, which JPEG changes by a level or two. */
function picture(width: number, height: number): Uint8Array {
  const data = new Uint8Array(4 * width * height);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i += 4) data.set([60 + 2 * x, 200 - y, 40 + x + y, 255], i);
  }
  return data;
}

const jpegOf = (width: number, height: number) =>
  Uint8Array.from(encode({ data: picture(width, height), width, height }, 95).data);

describe("the JPEG decoder", () => {
  const decoder = createDecoder();
  afterAll(() => decoder.close());
  const decode = (bytes: Uint8Array) => decoder.color(Uint8Array.from(bytes), "a.jpg");

  test.each([
    [64, 48],
    [37, 21],
    [1, 1],
  ])("gives an image of %d×%d back within 8 levels", async (width, height) => {
    const image = await decode(jpegOf(width, height));
    if (typeof image === "string") throw new Error(image);
    const expected = picture(width, height);
    expect([image.width, image.height, image.data.length]).toEqual([width, height, expected.length]);
    expect(image.data.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0)).toBeLessThan(8);
  });

  test("leaves no ImageData in a Node that had none", async () => {
    await decode(jpegOf(8, 8));
    expect("ImageData" in globalThis).toBe(false);
  });

  test("refuses an image whose data end early before its end marker, and reads one with bytes before the marker", async () => {
    const bytes = jpegOf(64, 48);
    const end = bytes.subarray(-2);
    await expect(decode(Buffer.concat([bytes.subarray(0, -400), end]))).rejects.toThrow(/damaged: .*premature end/i);
    expect(await decode(Buffer.concat([bytes.subarray(0, -2), Buffer.alloc(6), end]))).toMatchObject({ width: 64 });
  });

  test("refuses 1100 scans before it decodes anything", async () => {
    const bytes = jpegOf(512, 512);
    // One scan header of one component, repeated before the end.
    const scan = Uint8Array.of(0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0);
    const withScans = (count: number) =>
      Buffer.concat([bytes.subarray(0, -2), ...new Array(count).fill(scan), bytes.subarray(-2)]);
    await expect(decode(withScans(1100))).rejects.toThrow(/^a\.jpg: .*scans/);
    await expect(decode(withScans(1000))).rejects.not.toThrow(/scans/);
  });

  test("refuses a size of 0, above 16 megapixels, or too large for the bytes before it decodes anything", async () => {
    const bytes = jpegOf(16, 16);
    const size = bytes.findIndex((_, i) => bytes[i] === 0xff && bytes[i + 1] === 0xc0) + 5;
    const sized = (height: number, width: number) => {
      const other = bytes.slice();
      new DataView(other.buffer).setUint16(size, height);
      new DataView(other.buffer).setUint16(size + 2, width);
      return other;
    };
    await expect(decode(sized(60000, 60000))).rejects.toThrow(
      "a.jpg: this JPEG is declared as 60000×60000; images of 0 or of more than 16",
    );
    await expect(decode(sized(0, 16))).rejects.toThrow("a.jpg: this JPEG is declared as 16×0");
    // More blocks than the file has bits, and each block takes at least one bit.
    await expect(decode(sized(4000, 4000))).rejects.toThrow("a.jpg: this JPEG is cut short");
  });

  test("gives a SourceError for a JPEG cut at any byte", async () => {
    const bytes = jpegOf(16, 16);
    for (let length = 0; length < bytes.length; length++) {
      await expect(decode(bytes.subarray(0, length)), `${length} bytes`).rejects.toBeInstanceOf(SourceError);
    }
  });

  test("gives a picture or a SourceError for a damaged JPEG", async () => {
    const bytes = jpegOf(40, 24);
    for (let seed = 0; seed < 150; seed++) {
      const error = await decode(spoilt(bytes, randomOf(seed))).then(
        () => undefined,
        (reason) => reason,
      );
      if (error !== undefined) expect(error, `seed ${seed}`).toBeInstanceOf(SourceError);
    }
  });
});
