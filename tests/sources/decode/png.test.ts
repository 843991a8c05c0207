import { crc32, deflateSync } from "node:zlib";
import fc from "fast-check";
import { decode, encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { type Bytes, InflateError } from "../../../sources/decode/codec.ts";
import { codec as nodeCodec } from "../../../sources/decode/codecNode.ts";
import { codec as webCodec } from "../../../sources/decode/codecWeb.ts";
import { decodeColor, decodeDepth } from "../../../sources/decode/png.ts";
import { SourceError } from "../../../sources/index.ts";
import { uniform } from "../../random.ts";

function chunk(type: string, data: Uint8Array, crc?: number): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const out = Buffer.alloc(data.length + 12);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc ?? crc32(body), data.length + 8);
  return out;
}

/** What may be other than in a depth PNG. */
const USUAL = { bits: 16, kind: 0, interlace: 0, pieces: 1 };
interface Made extends Partial<typeof USUAL> {
  width: number;
  height: number;
  /** The rows with their filter bytes. */
  rows: Uint8Array;
  /** In place of the deflated rows. */
  packed?: Uint8Array;
}

/** A PNG from its parts, which may be wrong. */
function make(made: Made): Bytes {
  const { width, height, bits, kind, interlace, rows, packed = deflateSync(rows), pieces } = { ...USUAL, ...made };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, kind, 0, 0, interlace], 8);
  const step = Math.ceil(packed.length / pieces);
  const data = Array.from({ length: pieces }, (_, i) => chunk("IDAT", packed.subarray(i * step, (i + 1) * step)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  const note = chunk("tEXt", Buffer.from("Comment\0made for a test"));
  return new Uint8Array(
    Buffer.concat([signature, chunk("IHDR", header), note, ...data, chunk("IEND", Buffer.alloc(0))]),
  );
}

const message = async (png: Uint8Array): Promise<string> => {
  const failure: unknown = await decodeDepth(new Uint8Array(png), "x.png").then(
    () => undefined,
    (error) => error,
  );
  if (!(failure instanceof SourceError)) throw failure ?? new Error("no failure");
  return failure.message;
};

test("a depth PNG of any size with any mixture of filters decodes to the values that fast-png gives", async () => {
  const images = fc.record({
    width: fc.integer({ min: 1, max: 70 }),
    height: fc.integer({ min: 1, max: 9 }),
    seed: fc.integer(),
    pieces: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(images, async ({ width, height, seed, pieces }) => {
      const random = uniform(seed);
      const next = () => Math.floor(256 * random());
      const rows = new Uint8Array(height * (2 * width + 1)).map((_, i) =>
        i % (2 * width + 1) === 0 ? next() % 5 : next(),
      );
      const png = make({ width, height, rows, pieces });
      const image = await decodeDepth(png, "x.png");
      expect(image).toEqual({ width, height, data: decode(png, { checkCrc: true }).data });
    }),
  );
});

describe("a colour PNG", () => {
  test.each([1, 3, 4])("with %i channels becomes RGBA", async (channels) => {
    const [width, height] = [5, 3];
    const data = new Uint8Array(width * height * channels).map((_, i) => (i * 37) & 255);
    const image = await decodeColor(new Uint8Array(encode({ width, height, channels, depth: 8, data })), "x.png");
    const expected = Array.from({ length: width * height }, (_, i) => {
      const pixel = [...data.subarray(i * channels, (i + 1) * channels)];
      return channels === 1 ? [pixel[0], pixel[0], pixel[0], 255] : channels === 3 ? [...pixel, 255] : pixel;
    }).flat();
    expect(image).toEqual({ width, height, data: new Uint8Array(expected) });
  });

  test("with a palette, or interlaced, is named and not decoded", async () => {
    const rows = new Uint8Array(6);
    expect(await decodeColor(make({ width: 2, height: 2, bits: 8, kind: 3, rows }), "x.png")).toBe(
      "x.png is an 8-bit palette PNG, not 8-bit RGB",
    );
    expect(await decodeColor(make({ width: 2, height: 1, bits: 8, kind: 2, interlace: 1, rows }), "x.png")).toContain(
      "an interlaced PNG",
    );
  });
});

describe("decodeDepth", () => {
  const rows = new Uint8Array(2 * 5).fill(0);
  const good = { width: 2, height: 2, rows };
  const whole = make(good);
  const wrongCrc = new Uint8Array(whole);
  wrongCrc[whole.length - 20] ^= 1;

  test.each<[string, Uint8Array, RegExp]>([
    ["an empty file", new Uint8Array(0), /^x\.png: this file is empty; copy or export it again$/],
    [
      "a JPEG",
      new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46]),
      /^x\.png: this is not a PNG file, whatever its name says; copy or export it again$/,
    ],
    ["a wrong checksum", wrongCrc, /damaged: wrong checksum of IDAT at byte \d+/],
    [
      "an 8-bit greyscale PNG",
      make({ ...good, bits: 8 }),
      /an 8-bit greyscale PNG, as infrared images are, and depth needs 16-bit/,
    ],
    ["an RGB PNG", make({ ...good, bits: 8, kind: 2 }), /^x\.png: this is an 8-bit RGB PNG/],
    ["a 16-bit RGB PNG", make({ ...good, kind: 2 }), /^x\.png: this is a 16-bit RGB PNG/],
    ["an interlaced PNG", make({ ...good, interlace: 1 }), /^x\.png: this PNG is interlaced; save it again/],
    ["a PNG without pixels", make({ ...good, width: 0 }), /^x\.png: this PNG is declared as 0×2/],
    [
      "a PNG of 65536×65536 pixels",
      make({ ...good, width: 65536, height: 65536 }),
      /^x\.png: this PNG is declared as 65536×65536; images of 0 or of more than 16 megapixels are refused/,
    ],
    ["a stream shorter than stated", make({ ...good, height: 3 }), /damaged: its compressed data ends too early/],
    ["a stream cut short", make({ ...good, packed: deflateSync(rows).subarray(0, 8) }), /ends too early/],
    ["a longer stream", make({ ...good, height: 1 }), /it unpacks to more than the 5 bytes/],
    ["a stream of 64 MiB", make({ ...good, packed: deflateSync(Buffer.alloc(2 ** 26)) }), /more than the 10 bytes/],
    ["noise for a stream", make({ ...good, packed: Buffer.alloc(20, 0xee) }), /: its compressed data is damaged/],
    ["an unknown filter", make({ ...good, rows: rows.with(5, 9) }), /damaged: row 1 has an unknown filter/],
  ])("refuses %s with a reason", async (_, png, expected) => {
    const said = await message(png);
    expect([said.startsWith("x.png: "), said]).toEqual([true, expect.stringMatching(expected)]);
  });

  test("refuses a PNG cut at any byte", async () => {
    for (let length = 0; length < whole.length; length++) {
      expect(await message(whole.subarray(0, length))).toMatch(
        length < 8 ? /not a PNG|is empty/ : /cut short: at byte \d+ only \d+ bytes/,
      );
    }
  });
});

describe.each([
  ["Node", nodeCodec],
  ["the browser", webCodec],
])("the codec of %s", (_, codec) => {
  const data = new Uint8Array(300_000).map((_, i) => (i * i) >> 7);

  test("inflates data of exactly the announced size, and refuses data that is longer, shorter or damaged", async () => {
    const packed = new Uint8Array(deflateSync(data));
    expect(Buffer.compare(await codec.inflate("zlib", packed, data.length), data)).toBe(0);
    expect(Buffer.compare(await codec.inflate("raw", packed.slice(2, -4), data.length), data)).toBe(0);
    await expect(codec.inflate("zlib", packed, data.length - 1)).rejects.toThrow(InflateError.endless(data.length - 1));
    await expect(codec.inflate("zlib", packed, data.length + 1)).rejects.toThrow(InflateError.cut());
    await expect(codec.inflate("zlib", packed.slice(0, 200), data.length)).rejects.toThrow(InflateError);
    const damaged = packed.map((byte, i) => (i > 99 ? 0xff : byte));
    await expect(codec.inflate("zlib", damaged, data.length)).rejects.toThrow(InflateError);
  });
});
