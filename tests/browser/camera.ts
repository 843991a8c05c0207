import { interval, map } from "rxjs";
import { type DepthFrame, image, type Source } from "../../sources/index.ts";

const WIDTH = 64;
const HEIGHT = 48;
const FPS = 10;
/** The camera loses one frame after this many. */
const LOSES = 4;

/** A fake camera: a wall with a wandering hole. It never waits, cannot seek, and skips frames. `had` returns how many it took. */
export function pretendCamera(): Source & { readonly had: () => number } {
  let taken = 0;
  const intrinsics = { fx: 60, fy: 60, cx: 31.5, cy: 23.5, width: WIDTH, height: HEIGHT };
  const frameOf = (index: number): DepthFrame => {
    const data = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) =>
      Math.hypot((i % WIDTH) - (index % WIDTH), Math.floor(i / WIDTH) - 24) < 8 ? 0 : 1200 + (i % WIDTH) * 4,
    );
    return {
      depth: image(data, [HEIGHT, WIDTH]),
      metresPerUnit: 0.001,
      intrinsics,
      timestamp: performance.now(),
      index,
    };
  };
  return {
    name: "pretend camera",
    format: "live",
    fps: FPS,
    frames$: interval(1000 / FPS).pipe(
      map((count) => {
        taken = count + Math.floor(count / LOSES) + 1;
        return frameOf(taken - 1);
      }),
    ),
    close: async () => {},
    had: () => taken,
  };
}
