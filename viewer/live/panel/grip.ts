import { element } from "../../dom/controls.ts";
import { closeSettings } from "../shell/closeUppermost.ts";

/** A drag that leaves the settings lower than this closes them, px. */
const LEAST_PX = 96;
/** A finger that only presses moves by less than this, px. */
const SLIP_PX = 4;

/** The bar on top of the settings, where these lie below the picture. Dragging it resizes the settings, and pressing it closes them. */
export function gripOf(panel: HTMLElement): HTMLElement {
  let dragged = false;
  const title = "Drag for more room or less, press to close";
  const grip = element("button", "grip", { type: "button", ariaLabel: "Close the settings", title });
  // A drag ends with a click, too. A click by a key has no `detail`.
  grip.addEventListener("click", ({ detail }) => {
    if (!dragged || detail === 0) closeSettings();
  });
  const resize = (px: number) => document.body.style.setProperty("--sheet", `${Math.round(px)}px`);
  grip.addEventListener("pointerdown", ({ pointerId, clientY: fromY }) => {
    const { height } = panel.getBoundingClientRect();
    dragged = false;
    grip.setPointerCapture(pointerId);
    const follow = ({ clientY }: PointerEvent) => {
      dragged ||= Math.abs(clientY - fromY) > SLIP_PX;
      if (dragged) resize(Math.max(0, height + fromY - clientY));
    };
    const end = () => {
      grip.removeEventListener("pointermove", follow);
      if (!dragged || panel.getBoundingClientRect().height >= LEAST_PX) return;
      resize(height);
      closeSettings();
    };
    grip.addEventListener("pointermove", follow);
    grip.addEventListener("lostpointercapture", end, { once: true });
  });
  return grip;
}
