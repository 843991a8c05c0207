import { openGpu, type Pipeline } from "../../../pipeline/index.ts";
import { button } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";
import type { Player } from "../source/player.ts";
import type { Messages } from "../state/messages.ts";
import { textOf } from "../state/messageText.ts";

/** Makes the panel's part for the device: a button that opens the dialog that measures it. */
export function devicePanelFor(pipeline: Pipeline, player: Player, messages: Messages): HTMLElement {
  /** Playing is paused while the device is measured, so that nothing else uses it. */
  const measure = async () => {
    const { playing } = player;
    player.pause();
    try {
      const { MeasureSheet } = await import("./measureSheet.ts");
      await pipeline.idle();
      await new MeasureSheet(() => openGpu(pipeline.gpu?.software ? "software" : "hardware")).closed;
    } catch (error) {
      messages.show("error", "measure", textOf(error));
    } finally {
      if (playing) player.play();
    }
  };
  const hint = "How fast this GPU runs the stages, as a page to save";
  const buttons = element(
    "div",
    "buttons",
    {},
    button("Measure this device", () => void measure(), hint),
  );
  return element("section", "device", {}, element("h2", "", {}, "This device"), buttons);
}
