import { promisify } from "node:util";
import { constants, crc32, deflate } from "node:zlib";
import type { DepthArray } from "../../sources/frame.ts";
import type { CpuPicture } from "../../stages/stage.ts";

const compress = promisify(deflate);
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Colour types of the PNG specification. */
const GREY = 0;
const RGB = 2;
const SUB = 1;

/** A 16-bit grey PNG, big-endian as PNG wants it. */
export function depthPng({ data, shape: [height, width] }: DepthArray): Promise<Buffer> {
  const rows = new Uint8Array(height * (1 + width * 2));
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = SUB;
    for (let x = 0, high = 0, low = 0; x < width; x++) {
      const value = data[y * width + x] ?? 0;
      // "Sub" is byte by byte, each against the same byte of the pixel before, modulo 256: typed arrays wrap by themselves.
      rows[at++] = (value >> 8) - high;
      rows[at++] = value - low;
      high = value >> 8;
      low = value;
    }
  }
  return encode(width, height, 16, GREY, rows);
}

/** The picture as 8-bit RGB. */
export function picturePng({ rgba, width, height }: CpuPicture): Promise<Buffer> {
  const rows = new Uint8Array(height * (1 + width * 3));
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = SUB;
    let [r, g, b] = [0, 0, 0];
    for (let i = y * width * 4; i < (y + 1) * width * 4; i += 4) {
      const [nextR = 0, nextG = 0, nextB = 0] = [rgba[i], rgba[i + 1], rgba[i + 2]];
      rows[at++] = nextR - r;
      rows[at++] = nextG - g;
      rows[at++] = nextB - b;
      [r, g, b] = [nextR, nextG, nextB];
    }
  }
  return encode(width, height, 8, RGB, rows);
}

/** Compresses on zlib's own threads. `rows` are filtered: each begins with its filter's number. */
async function encode(width: number, height: number, bits: number, color: number, rows: Uint8Array): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, color, 0, 0, 0], 8);
  const pixels = await compress(rows, { level: 3, strategy: constants.Z_FILTERED });
  return Buffer.concat([SIGNATURE, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const whole = Buffer.alloc(data.length + 12);
  whole.writeUInt32BE(data.length, 0);
  whole.write(type, 4, "latin1");
  whole.set(data, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, data.length + 8)), data.length + 8);
  return whole;
}
