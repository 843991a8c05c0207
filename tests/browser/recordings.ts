import { encode } from "fast-png";
import { strToU8, zipSync } from "fflate";

/** The size of the tiny recordings, px. */
export const [WIDTH, HEIGHT] = [96, 72];

/** Their frames per second: few, since two cores would else be busy with playing while a test waits. */
export const FPS = 10;

/** Depth in metres at a pixel of a frame: a wall 3 m away, and before it on the left a moving column 1 m away. */
function metresAt(x: number, y: number, frame: number): number {
  const fromMiddle = (x - 29 - 2 * frame) / 17;
  return Math.abs(fromMiddle) < 1 && y >= 12 && y < 60 ? 1 + 0.15 * fromMiddle ** 2 : 3;
}

/** A TUM sequence in a .zip: depth in 1/5000 m, and colour, of all frames or of the first few. */
export function tumZip(frames: number, coloured = frames): Uint8Array {
  const files: Record<string, Uint8Array> = {};
  const lists = { depth: "# depth\n", rgb: "# color\n" };
  for (let i = 0; i < frames; i++) {
    const time = (100 + i / FPS).toFixed(6);
    const depth = new Uint16Array(WIDTH * HEIGHT);
    const rgb = new Uint8Array(WIDTH * HEIGHT * 3);
    for (let at = 0; at < depth.length; at++) {
      const [x, y] = [at % WIDTH, Math.floor(at / WIDTH)];
      const z = metresAt(x, y, i);
      // The first column of pixels has no depth.
      depth[at] = x === 0 ? 0 : Math.round(z * 5000);
      // Tiles, so that blur is visible.
      const tile = ((x >> 2) + (y >> 2)) % 2 === 0 ? 1 : 0.6;
      const shade = z < 2 ? [230, 120 + y, 40] : [60 + x, 110, 90 + 2 * y];
      rgb.set(
        shade.map((c) => c * tile),
        at * 3,
      );
    }
    const image = { width: WIDTH, height: HEIGHT };
    files[`tiny/depth/${time}.png`] = encode({ ...image, data: depth, depth: 16, channels: 1 });
    if (i < coloured) files[`tiny/rgb/${time}.png`] = encode({ ...image, data: rgb, depth: 8, channels: 3 });
    lists.depth += `${time} depth/${time}.png\n`;
    if (i < coloured) lists.rgb += `${time} rgb/${time}.png\n`;
  }
  files["tiny/depth.txt"] = strToU8(lists.depth);
  files["tiny/rgb.txt"] = strToU8(lists.rgb);
  return zipSync(files);
}

/** A fixed pseudo-random number between −1 and 1 for each pixel and frame. */
function grain(pixel: number, frame: number): number {
  let mixed = Math.imul(pixel + 1, 0x9e3779b1) ^ Math.imul(frame + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return (mixed ^ (mixed >>> 15)) / 2 ** 31;
}

/**
 * 16-bit PNGs in a .zip, without colour; `described` adds recording.json. The first `blank` frames have no depth, and frame
 * `torn` cannot be read. Each pixel is off by up to `noiseMm`. A lens with `distortion` bends the picture.
 */
export function pngZip(
  frames: number,
  { blank = 0, torn = -1, noiseMm = 0, farMm = 0, described = true, distortion = [] as readonly number[] } = {},
): Uint8Array {
  const lens = { fx: 90, fy: 90, cx: (WIDTH - 1) / 2, cy: (HEIGHT - 1) / 2 };
  const intrinsics = distortion.length > 0 ? { ...lens, distortion } : lens;
  const files: Record<string, Uint8Array> = {};
  if (described) files["recording.json"] = strToU8(JSON.stringify({ metresPerUnit: 0.001, fps: FPS, intrinsics }));
  for (let i = 0; i < frames; i++) {
    const at = (_: unknown, k: number) =>
      i < blank ? 0 : metresAt(k % WIDTH, Math.floor(k / WIDTH), i) * 1000 + noiseMm * grain(k, i);
    const data = Uint16Array.from({ length: WIDTH * HEIGHT }, at);
    if (farMm > 0) data[0] = farMm;
    const png = encode({ width: WIDTH, height: HEIGHT, data, depth: 16, channels: 1 });
    files[`${i}.png`.padStart(8, "0")] = i === torn ? png.subarray(0, 80) : png;
  }
  return zipSync(files);
}

/**
 * Frames (two, or three if `late`) of a camera's two speckled images, 8 px apart everywhere, so 1 m away, and unless `alone` its depth,
 * 1 m in the right half and none in the left one. The scene goes up by 3 px a frame if the pair is to be out of step: `late` frames.
 */
export function pairZip(alone = false, late?: number): Uint8Array {
  const intrinsics = { fx: 160, fy: 160, cx: (WIDTH - 1) / 2, cy: (HEIGHT - 1) / 2 };
  const said = { metresPerUnit: 0.001, fps: FPS, intrinsics };
  const pair = { left: "ir1/*.png", right: "ir2/*.png", baselineMm: 50 };
  const files: Record<string, Uint8Array> = { "recording.json": strToU8(JSON.stringify({ ...said, pair })) };
  const png = (depth: 8 | 16, at: (x: number, y: number) => number) => {
    const values = Array.from({ length: WIDTH * HEIGHT }, (_, i) => at(i % WIDTH, Math.floor(i / WIDTH)));
    const data = depth === 8 ? Uint8Array.from(values) : Uint16Array.from(values);
    return encode({ width: WIDTH, height: HEIGHT, data, depth, channels: 1 });
  };
  const speckle = (x: number, y: number) =>
    120 + 50 * (grain((x >> 1) + 512 * y, 0) + grain(((x + 1) >> 1) + 512 * y, 0));
  for (const i of late === undefined ? [0, 1] : [0, 1, 2]) {
    const up = late === undefined ? 0 : 3 * i;
    if (!alone) files[`depth/${i}.png`] = png(16, (x) => (x < WIDTH / 2 ? 0 : 1000));
    files[`ir1/${i}.png`] = png(8, (x, y) => speckle(x, y + up));
    files[`ir2/${i}.png`] = png(8, (x, y) => speckle(x + 8, y + up - 3 * (late ?? 0)));
  }
  return zipSync(files);
}
