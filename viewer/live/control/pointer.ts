import { byId } from "../../dom/element.ts";
import type { Core } from "../shell/core.ts";
import { READ_MS } from "../shell/notices.ts";
import type { Showing } from "../show/showing.ts";
import type { Messages } from "../state/messages.ts";
import { listenToClicks } from "../view/pick/clicks.ts";
import { Reticle } from "../view/pick/reticle.ts";
import { viewsMenu } from "../view/viewChoices.ts";
import { CameraMoves } from "./moveCamera.ts";

/** Sets up the pointer in the picture: gestures move the camera, and a click focuses, unless a tool uses the click. */
export function listenToPointer(core: Core, { camera, pick, panes }: Showing) {
  const { canvas, events, messages, player, rig, focus, director, settling } = core;
  const reticle = new Reticle(byId("reticle"));
  const parts = { canvas, rig, focus, camera, frame: () => player.frame };
  // The picture is not settled while this is looked up, since the answer moves the camera or the focus.
  const moving = new CameraMoves({ ...parts, pick: (x, y) => settling.during(pick(x, y)) });
  byId("views").append(viewsMenu(moving.views));
  const focusOn = async (x: number, y: number) => {
    if (panes.click(x, y)) return;
    reticle.show(x, y);
    const point = await moving.at(x, y);
    if (!point) return reticle.miss();
    if (director.takeLens()) sayLens(messages, () => director.settings.update({ lens: "pinhole" }));
    focus.pullTo(point);
  };
  listenToClicks(canvas, focusOn, (x, y) => moving.center(x, y));
  events.scene$.subscribe(({ first }) => first && showHint(canvas));
  events.tick$.subscribe((nowMs) => moving.update(nowMs));
  return { moving, focusOn };
}

/** Says why most of the picture blurs, and offers the way back: the switch for it is in a part of the panel that is folded at first. */
function sayLens(messages: Messages, onSharp: () => void): void {
  const text = "You look through a lens, focused where you clicked.";
  messages.show("notice", "lens", text, READ_MS, { label: "All sharp", run: onSharp });
}

/** Shows the hint about dragging until the user presses the pointer on the picture once. */
function showHint(canvas: HTMLElement): void {
  const hint = byId("hint");
  if (hint.classList.contains("gone")) return;
  hint.hidden = false;
  canvas.addEventListener("pointerdown", () => hint.classList.add("gone"), { once: true });
}
