import type { Source } from "../../sources/index.ts";
import { byId } from "../dom/element.ts";
import { closeUppermost } from "./closing.ts";
import { openCore } from "./core.ts";
import { showHelp } from "./help.ts";
import { Keys } from "./keys.ts";
import type { AppOptions } from "./options.ts";
import { fillPanel } from "./panel/sidebar.ts";
import { listenToPointer } from "./pointing.ts";
import { showFrames } from "./showing.ts";
import { openSources } from "./source/entrance.ts";
import { keepTicking } from "./ticking.ts";
import { Transport } from "./transport.ts";

/** The running viewer, for a page that has a source of its own to show. */
export interface Viewer {
  /** Plays it in place of what played before. */
  open(source: Source): Promise<void>;
}

/** Puts the page's parts together and lets them run. Each hears of the others by `Events` alone, but for what it is given here. */
export async function startApp(options: AppOptions): Promise<Viewer> {
  const core = await openCore(options);
  const { engine, events, settings, player, rig } = core;
  const opener = openSources(core);
  const showing = showFrames(core);
  const panel = fillPanel(core, showing, opener, options);
  const { moving, focusOn } = listenToPointer(core, showing);
  const keys = new Keys();
  const help = () => showHelp(keys);
  const transport = new Transport(byId("transport"), player, engine.pipeline.statistics.budgetMs, help);
  events.processed$.subscribe((frame) => transport.took(frame));
  events.tick$.subscribe((nowMs) => transport.update(nowMs));

  const split = () => {
    settings.split = !settings.split;
    events.settings$.next();
  };
  keys.add("Playing", transport.keys);
  keys.add("Looking", [
    { key: "b", says: "Unfiltered, while held", holds: showing.compare },
    { key: "v", says: "Raw beside filtered, or filtered alone", does: split },
    { key: "enter", says: "Focus on what is in the middle", does: () => focusOn(0.5, 0.5) },
    { key: "r", says: "Back to the sensor’s place", does: () => rig.reset() },
    { key: "l", says: "Latency", does: () => showing.overlay.toggle() },
    { key: "?", says: "All keys", does: help },
    { key: "escape", says: "Close what is open", does: closeUppermost },
  ]);
  keys.add("Moving about", moving.keys);
  keys.add("Panes", showing.panes.keys);
  keys.listen(window);

  showing.start();
  keepTicking(events, byId("view"), showing.moves);
  if (!panel.restore()) await opener.first(options.source);
  return { open: (source) => opener.source(source) };
}
