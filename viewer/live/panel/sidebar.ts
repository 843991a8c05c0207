import { isBlank } from "../../../sources/index.ts";
import { byId } from "../../dom/element.ts";
import type { Core } from "../core.ts";
import type { AppOptions } from "../options.ts";
import { initialSettings } from "../settings.ts";
import type { Showing } from "../showing.ts";
import type { Opener } from "../source/opening.ts";
import { keepSettings } from "../state/keeping.ts";
import { tuneHere } from "../tuneHere.ts";
import { gripOf } from "./grip.ts";
import { ViewPanel } from "./viewPanel.ts";

/**
 * Puts together the panel of all that can be set, what keeps it, and what saves it. Says how to begin: from the address, if that is
 * about a recording.
 */
export function fillPanel(core: Core, { draw, compare }: Showing, opener: Opener, options: AppOptions) {
  const { engine, events, messages, settings, player, rig, focus, director } = core;
  const { pipeline } = engine;
  const viewPanel = () =>
    new ViewPanel({
      settings,
      onChange: () => events.settings$.next(),
      onFocus(distanceM, typed) {
        if (director.takeLens()) events.settings$.next();
        if (typed) focus.pullToDistance(distanceM);
        else focus.set(distanceM);
      },
      onReset: () => rig.reset(),
      onCompare: compare,
    });
  let panel = viewPanel();
  const keeping = keepSettings({
    pipeline,
    settings,
    initial: initialSettings(engine.kind),
    rig,
    focus,
    player,
    messages,
    opener,
    draw,
    canvas: () => engine.surface.canvas,
    comparing: () => director.comparing,
    onSet(anew) {
      if (anew) events.anew$.next();
      events.settings$.next();
    },
    onChange: () => events.stages$.next(),
  });
  const { cards } = keeping;
  byId("panel").append(gripOf(byId("panel")), cards.element, panel.element);
  byId("masthead").append(...keeping.saveMenu);
  if (engine.gpu) byId("panel").append(tuneHere(pipeline, player, messages, options.tuneMs));
  byId("settings").addEventListener("click", () => document.body.classList.toggle("settings-open"));

  events.opened$.subscribe(({ source, input }) => keeping.opened(source, input));
  events.scene$.subscribe(({ frame, first }) => {
    cards.refresh();
    if (first && !isBlank(frame.depth)) keeping.arrived();
  });
  events.settingsFile$.subscribe((file) => keeping.takeFile(file));
  events.processed$.subscribe((frame) => keeping.processed(frame));
  events.anew$.subscribe(() => {
    const next = viewPanel();
    panel.element.replaceWith(next.element);
    panel = next;
  });
  events.settings$.subscribe(() => panel.refresh());
  events.stages$.subscribe(() => cards.refresh());
  events.tick$.subscribe((nowMs) => {
    panel.lens.show(focus.distanceM, director.sharp, director.own);
    keeping.update(nowMs);
  });
  return { restore: () => keeping.restore() };
}
