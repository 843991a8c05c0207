import { map } from "rxjs";
import { isBlank } from "../../../sources/index.ts";
import { byId } from "../../dom/controls.ts";
import type { Core } from "../shell/core.ts";
import { setUpSettingsAndSaving } from "../shell/settingsAndSaving.ts";
import type { Showing } from "../show/showing.ts";
import type { SourceOpener } from "../source/sourceOpener.ts";
import { CameraPanel } from "./cameraPanel.ts";
import { devicePanelFor } from "./devicePanel.ts";
import { gripOf } from "./grip.ts";
import { ViewPanel } from "./viewPanel.ts";

/**
 * Sets up the panel of settings, their storage in the address, and saving. The returned `restore` applies the address and returns whether
 * it names a recording.
 */
export function fillPanel(core: Core, { draw, compare }: Showing, opener: SourceOpener) {
  const { engine, events, messages, settings, player, rig, focus, stageController, shown, quality, settling } = core;
  const { pipeline } = engine;
  const comparing = () => stageController.comparing;
  const changed = () => events.stages$.next();
  const parts = setUpSettingsAndSaving({
    ...{ pipeline, settings, rig, focus, player, messages, opener, draw },
    shown$: events.shown$.pipe(map(({ frame }) => frame)),
    shown,
    quality,
    settling,
    noise$: events.noise$,
    canvas: () => engine.surface.canvas,
    comparing,
    compare,
    asMeasured: (work) => stageController.asMeasured(work).finally(changed),
    onChange: changed,
  });
  const { cards } = parts;
  const panel = new ViewPanel({
    settings,
    onFocus(distanceM, typed) {
      stageController.takeLens();
      if (typed) focus.pullToDistance(distanceM);
      else focus.set(distanceM);
    },
    onReset: () => rig.reset(),
    comparing,
    onCompare: compare,
    cards: cards.views,
    drawing: cards.drawing,
  });
  const camera = new CameraPanel();
  byId("panel").append(gripOf(byId("panel")), camera.element, cards.element, panel.element);
  byId("masthead").append(...parts.saveMenu);
  if (engine.gpu) byId("panel").append(devicePanelFor(pipeline));
  byId("settings").addEventListener("click", () => document.body.classList.toggle("settings-open"));

  events.opened$.subscribe(({ source, input }) => parts.opened(source, input));
  events.frame$.subscribe(({ frame, seen }) => {
    parts.onFrame(frame);
    if (seen === "alike") return;
    cards.sees(frame, seen === "first");
    cards.refresh();
    if (seen === "first" && (frame.pair || !isBlank(frame.depth))) parts.onFirstFrame();
  });
  events.settingsFile$.subscribe((file) => parts.takeFile(file));
  events.shown$.subscribe(({ frame, origin, isNew }) => origin && isNew && parts.processed(frame));
  events.stages$.subscribe(() => {
    cards.refresh();
    panel.refresh();
  });
  events.tick$.subscribe((nowMs) => {
    panel.lens.show(focus.distanceM, stageController.sharp, stageController.own);
    parts.update(nowMs);
    camera.update(player.source, nowMs);
  });
  return { restore: () => parts.restore() };
}
