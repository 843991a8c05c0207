import { openGpu, type Pipeline } from "../../../pipeline/index.ts";
import { button, element } from "../../dom/controls.ts";
import { titleOf } from "../../overlay/titles.ts";
import type { Player } from "../source/player.ts";
import type { Messages } from "../state/messages.ts";
import { textOf } from "../state/messageText.ts";

/** Makes the panel's part for the device: whether the kernels were tuned on it, and a button that opens the dialog that measures it. */
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
  const hint = "How fast this GPU is and what its operations cost, as a page to save";
  const buttons = element(
    "div",
    "buttons",
    {},
    button("Measure this device", () => void measure(), hint),
  );
  const state = element("p", "note", {}, tuningOf(pipeline));
  return element("section", "device", {}, element("h2", "", {}, "This device"), state, buttons);
}

/** When the kernels were tuned on this device, and which stages gained by it. */
function tuningOf({ profiles, stages }: Pipeline): string {
  const known = stages.flatMap(({ name }) => {
    const entry = profiles.get(name);
    return entry ? [{ name, ...entry }] : [];
  });
  const [first] = known;
  if (!first) return "Not tuned: the shaders are the usual ones for a device of this kind.";
  const gains = known.filter(({ medianUs, defaultUs }) => medianUs < defaultUs);
  const faster = gains.map((gain) => `${titleOf(stages, gain.name)} ${gainOf(gain.medianUs, gain.defaultUs)}`);
  const day = new Date(first.date).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  return `Tuned on ${day}: ${faster.length > 0 ? faster.join(", ") : "the defaults are the fastest here"}.`;
}

/** Example: "12 % faster". */
function gainOf(us: number, defaultUs: number): string {
  const gain = (defaultUs / us - 1) * 100;
  return `${gain < 1 ? gain.toFixed(1) : gain.toFixed(0)} % faster`;
}
