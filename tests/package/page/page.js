import { LatencyOverlay } from "depthloom/overlay";
import { openGpu, stageWorker } from "depthloom/pipeline";
import { hashesOf } from "./hashes.js";

const input = document.getElementById("recording");

function watch(pipeline) {
  const overlay = new LatencyOverlay(pipeline);
  document.body.append(overlay.element);
  return overlay.watch();
}

// The functions that installed.test.ts calls in the page.
window.page = {
  run: (options, inWorker) =>
    hashesOf([...input.files], { ...options, ...(inWorker && { worker: stageWorker }) }, watch),
  gpu: async () => (await openGpu("auto"))?.description ?? null,
};
