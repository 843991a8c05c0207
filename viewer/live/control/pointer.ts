import { delay, take } from "rxjs";
import { byId } from "../../dom/controls.ts";
import type { Core } from "../shell/core.ts";
import { isFirstTime, READ_MS } from "../shell/notices.ts";
import { Photo, photoButton } from "../show/photo.ts";
import type { Showing } from "../show/showing.ts";
import { VIEWS } from "../view/camera/views.ts";
import { listenToClicks } from "../view/pick/clicks.ts";
import { sharpButton } from "../view/sharpButton.ts";
import { viewsMenu } from "../view/viewChoices.ts";
import { CameraMoves } from "./moveCamera.ts";

/** The first picture has been on the screen for this long when the page offers a photo, ms. */
const OFFER_MS = 10_000;

/** Sets up the pointer in the picture: gestures move the camera, and a click focuses, unless a tool uses the click. */
export function listenToPointer(core: Core, { camera, pick, panes }: Showing) {
  const { canvas, events, player, rig, focus, stageController, settings, settling } = core;
  const reticle = byId("reticle");
  reticle.addEventListener("animationend", () => {
    reticle.hidden = true;
  });
  const { foundFloor } = stageController;
  const parts = { canvas, rig, focus, camera, frame: () => player.frame, down: () => foundFloor.down };
  // The picture is not settled while this is looked up, since the answer moves the camera or the focus.
  const moving = new CameraMoves({ ...parts, pick: (x, y) => settling.during(pick(x, y)) });
  foundFloor.lookDown = () => moving.views.find(({ says }) => says === VIEWS.top.says)?.does();
  const hasColor = () => player.frame?.color !== undefined;
  const photo = new Photo(settings, hasColor, () => events.stages$.next());
  const button = photoButton(photo);
  byId("views").append(button, sharpButton(settings), viewsMenu(moving.views));
  events.scene$.pipe(take(1), delay(OFFER_MS)).subscribe(({ source }) => {
    const isAtWork = byId("view").querySelector(".probe:not([hidden]), #panes.several, .message.error");
    if (isAtWork || source.format !== "synthetic" || photo.isOn) return;
    if (!isFirstTime("photo", () => localStorage)) return;
    const take = { label: "Photo", run: () => button.click() };
    core.messages.show("notice", "photo", "Photo shows this picture at its best.", READ_MS, take);
  });
  const focusOn = async (x: number, y: number) => {
    Object.assign(reticle.style, { left: `${x * 100}%`, top: `${y * 100}%` });
    reticle.className = "";
    reticle.hidden = true;
    // Reading a size restarts the animation.
    void reticle.offsetWidth;
    reticle.hidden = false;
    const point = await moving.at(x, y);
    reticle.classList.toggle("miss", !point);
    if (!point) return;
    stageController.takeLens();
    focus.pullTo(point);
  };
  // Two quick clicks with a tool are two clicks.
  const isMeasuring = () => byId("panes").classList.contains("measuring");
  listenToClicks(
    canvas,
    (x, y) => void (panes.click(x, y) || focusOn(x, y)),
    (x, y) => void (isMeasuring() || moving.center(x, y)),
  );
  events.scene$.subscribe(({ source }) => showHint(canvas, source.format !== "synthetic"));
  events.tick$.subscribe((nowMs) => moving.update(nowMs));
  return { moving, focusMiddle: () => void (isMeasuring() || focusOn(0.5, 0.5)) };
}

/** Shows the hint about dragging until the user presses the pointer on the picture once; `own`: the source is the user's own. */
function showHint(canvas: HTMLElement, own: boolean): void {
  const hint = byId("hint");
  hint.classList.toggle("own", own);
  if (hint.classList.contains("gone")) return;
  hint.hidden = false;
  canvas.addEventListener("pointerdown", () => hint.classList.add("gone"), { once: true });
}
