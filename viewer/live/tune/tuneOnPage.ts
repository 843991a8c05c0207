import { openGpu, type Pipeline } from "../../../pipeline/index.ts";
import { byId } from "../../dom/element.ts";
import { READ_MS } from "../shell/notices.ts";
import type { Player } from "../source/player.ts";
import type { Messages } from "../state/messages.ts";
import { textOf } from "../state/messageText.ts";
import { TunePanel } from "./tunePanel.ts";

/**
 * Makes the panel's part for tuning and measuring. Playing is paused while kernels are tuned or the device is measured, so that nothing
 * else uses it.
 */
export function tunePanelFor(pipeline: Pipeline, player: Player, messages: Messages, budgetMs: number): HTMLElement {
  const panel = new TunePanel({
    pipeline,
    async tune(signal, onProgress) {
      const { frame, playing } = player;
      messages.clear("tune");
      if (!frame) {
        messages.show("notice", "tune", "Open a recording first: the device is tuned on one of its frames.", READ_MS);
        return undefined;
      }
      player.pause();
      const resting = [byId("view"), byId("transport")];
      for (const part of resting) part.inert = true;
      try {
        const { tunePipeline } = await import("./tuner.ts");
        await pipeline.idle();
        const onError = (error: unknown) => messages.show("error", "tune", textOf(error));
        return await tunePipeline({ pipeline, frame, budgetMs, signal, onProgress, onError });
      } finally {
        for (const part of resting) part.inert = false;
        if (playing) player.play();
      }
    },
    async measure() {
      const { playing } = player;
      player.pause();
      try {
        const { MeasureSheet } = await import("../measure/measureSheet.ts");
        await pipeline.idle();
        await new MeasureSheet(() => openGpu(pipeline.gpu?.software ? "software" : "hardware")).closed;
      } catch (error) {
        messages.show("error", "measure", textOf(error));
      } finally {
        if (playing) player.play();
      }
    },
    async pageOf(results) {
      const { pageOf } = await import("../../report/tuneReport.ts");
      if (!pipeline.gpu) throw new Error("the GPU is gone that was tuned");
      return pageOf(results, pipeline.gpu, player.source?.name ?? "the recording");
    },
  });
  return panel.element;
}
