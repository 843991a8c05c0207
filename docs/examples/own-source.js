// A source of one's own: any Observable of DepthFrame is one. Here a ball flies past a wall; put your camera's driver in its place.
//
//     npm pkg set type=module && npm install depthloom rxjs
//     node own-source.js
//
// With "latest" the newest frame wins. The pipeline counts the frames that it drops, and no frame queues: that is the policy for a live
// camera.

import { createPipeline } from "depthloom/pipeline";
import { image } from "depthloom/sources";
import { median } from "depthloom/stages";
import { Observable } from "rxjs";

const [WIDTH, HEIGHT, FPS, FRAMES] = [320, 240, 30, 30];
/** In pixels, as the camera's driver or its data sheet says. */
const intrinsics = { fx: 280, fy: 280, cx: 159.5, cy: 119.5, width: WIDTH, height: HEIGHT };

/** @type {Observable<import("depthloom/sources").DepthFrame>} */
const camera$ = new Observable((subscriber) => {
  let index = 0;
  const timer = setInterval(() => {
    const timestamp = (index * 1000) / FPS;
    subscriber.next({ depth: capture(index), metresPerUnit: 0.001, intrinsics, timestamp, index });
    index++;
    if (index === FRAMES) subscriber.complete();
  }, 1000 / FPS);
  // RxJS calls this when the last subscriber has gone: a driver stops its camera here.
  return () => clearInterval(timer);
});

/**
 * One image of the camera, in millimetres; 0 is "no measurement". The array is new for each frame, because the pipeline may hold the
 * frame before it.
 * @param {number} index
 */
function capture(index) {
  const depth = image(new Uint16Array(WIDTH * HEIGHT).fill(3000), [HEIGHT, WIDTH]);
  const [ballX, ballY, radius] = [60 + index * 6, HEIGHT / 2, 30];
  for (let y = ballY - radius; y < ballY + radius; y++) {
    for (let x = ballX - radius; x < ballX + radius; x++) {
      if (Math.hypot(x - ballX, y - ballY) < radius) depth.set(y, x, 1200);
    }
  }
  // A stereo camera does not see a strip at the left edge.
  for (let y = 0; y < HEIGHT; y++) for (let x = 0; x < 16; x++) depth.set(y, x, 0);
  return depth;
}

const pipeline = await createPipeline({ stages: [median({ size: 5 })] });
await camera$.pipe(pipeline.process("latest")).forEach((frame) => {
  const report = frame.readDepth().then(({ data }) => {
    const near = data.filter((value) => value > 0 && value < 2000).length;
    console.log(`frame ${frame.index}: ${near} pixels are nearer than 2 m`);
  });
  // Fails where the machine is slower than the camera: then a newer frame takes the place of one that was not read yet.
  report.catch((error) => console.log(`frame ${frame.index}: ${error.message}`));
});
const { frames, dropped } = pipeline.statistics;
console.log(`${frames} frames processed, ${dropped} dropped`);
await pipeline.destroy();
