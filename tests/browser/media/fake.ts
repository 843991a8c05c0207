interface FakeSize {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

/**
 * The values that Chromium's fake depth camera draws into the four squares at its corners, each a sixteenth of the image's width wide
 * (media/capture/video/fake_video_capture_device.cc, `DrawGradientSquares`): a ramp from top left to bottom right that moves up in 5 s. Its
 * clock goes on by whole microseconds, one interval a frame:
 *
 *     seconds = frame · ⌊10⁶ / fps⌋ / 10⁶
 *     value   = ⌊(65536 · seconds / 5) mod 65536 + (x + y) · 65535 / (width + height)⌋ mod 65536
 *
 * The rest of the image is a pie chart and the time, in bytes of 0 and 255 alone. Returns the value by x + y.
 */
export function drawn(frame: number, { width, height, fps }: FakeSize): (xPlusY: number) => number {
  const seconds = (frame * Math.trunc(1e6 / fps)) / 1e6;
  // As in C++: all in `float` except the seconds.
  const start = Math.fround((65536 * seconds * Math.fround(1 / 5)) % 65536);
  const step = Math.fround(65535 / (width + height));
  return (xPlusY) => Math.trunc(Math.fround(start + Math.fround(xPlusY * step))) & 0xffff;
}

/**
 * Calls `at` with the index and the x + y of each pixel of the four squares, until it returns false. Returns whether `at` never returned
 * false.
 */
export function everyCorner({ width, height }: FakeSize, at: (i: number, xPlusY: number) => boolean): boolean {
  const side = Math.trunc(width / 16);
  for (const top of [0, height - side]) {
    for (const left of [0, width - side]) {
      for (let y = top; y < top + side; y++) {
        for (let x = left; x < left + side; x++) if (!at(y * width + x, x + y)) return false;
      }
    }
  }
  return true;
}

/**
 * The number of the frame whose four squares `depth` holds in every pixel, or `undefined`. The search covers half a minute from
 * `after` on. A camera's 65535 stands for no measurement.
 */
export function frameOf(depth: Uint16Array, size: FakeSize, after: number): number | undefined {
  for (let frame = after + 1; frame < after + 30 * size.fps; frame++) {
    const value = drawn(frame, size);
    if (everyCorner(size, (i, xPlusY) => depth[i] === value(xPlusY) % 0xffff)) return frame;
  }
  return undefined;
}
