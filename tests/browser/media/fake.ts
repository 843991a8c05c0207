/**
 * What Chromium's fake depth camera draws into the four squares at its corners, which are a sixteenth of its width wide
 * (media/capture/video/fake_video_capture_device.cc, `DrawGradientSquares`): a ramp from top left to bottom right that moves up in 5 s.
 * Its clock goes on by whole microseconds, one interval a frame. The rest of the image is a pie chart and the time, in bytes of 0 and 255
 * alone.
 */
export function drawn(frame: number, x: number, y: number, { width, height, fps }: FakeSize): number {
  const seconds = (frame * Math.trunc(1e6 / fps)) / 1e6;
  // As in C++: `float` but for the seconds.
  const start = Math.fround((65536 * seconds * Math.fround(1 / 5)) % 65536);
  const step = Math.fround(65535 / (width + height));
  return Math.trunc(Math.fround(start + Math.fround((x + y) * step))) & 0xffff;
}

export interface FakeSize {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

/** The pixels of the four squares. */
export function* corners({ width, height }: FakeSize): Generator<readonly [x: number, y: number]> {
  const side = Math.trunc(width / 16);
  for (const top of [0, height - side]) {
    for (const left of [0, width - side]) {
      for (let i = 0; i < side * side; i++) yield [left + (i % side), top + Math.trunc(i / side)];
    }
  }
}

/**
 * The count of the frame that depth's squares belong to, in all pixels of them; `undefined` where there is none. It is looked for after
 * `after`, within half a minute. A camera's 65535 means that there is no measurement.
 */
export function frameOf(depth: Uint16Array, size: FakeSize, after: number): number | undefined {
  const places = [...corners(size)];
  for (let frame = after + 1; frame < after + 30 * size.fps; frame++) {
    if (places.every(([x, y]) => depth[y * size.width + x] === drawn(frame, x, y, size) % 0xffff)) return frame;
  }
  return undefined;
}
