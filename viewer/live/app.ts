import type { Source } from "../../sources/index.ts";
import { byId } from "../dom/controls.ts";
import { Keys } from "./control/keys.ts";
import { listenToPointer } from "./control/pointer.ts";
import { Transport } from "./control/transport.ts";
import { joinPair } from "./pair/half.ts";
import { sideBySide } from "./pair/sideBySide.ts";
import { fillPanel } from "./panel/sidebar.ts";
import { closeUppermost } from "./shell/closeUppermost.ts";
import { openCore } from "./shell/core.ts";
import { showHelp } from "./shell/help.ts";
import { startScreenTicks } from "./shell/screenTicks.ts";
import { offerWaysToOpen } from "./shell/waysToOpen.ts";
import { showFrames } from "./show/showing.ts";
import type { AppOptions } from "./state/options.ts";

/** The running viewer, for a page that brings its own source. */
export interface Viewer {
  /** Plays a source in place of the present one. */
  open(source: Source): Promise<void>;
}

/** Puts the parts of the page together and starts the viewer. The parts hear of each other through `Events`. */
export async function startApp(options: AppOptions): Promise<Viewer> {
  const core = await openCore(options);
  const { engine, events, settings, player, rig } = core;
  const opener = offerWaysToOpen(core, options.table);
  // Somebody may open the address of one half by itself.
  const isHalf = options.half && parent !== window;
  const showing = showFrames(core, isHalf ? [] : sideBySide(core));
  const panel = fillPanel(core, showing, opener);
  const { moving, focusMiddle } = listenToPointer(core, showing);
  const keys = new Keys();
  const help = () => showHelp(keys);
  const transport = new Transport(byId("transport"), player, core.shown, engine.pipeline.statistics.budgetMs, help);
  events.shown$.subscribe(({ frame, origin, isNew }) => {
    player.shows(frame.source);
    transport.shows(frame.source);
    if (origin && isNew) transport.took(frame, origin);
  });
  events.tick$.subscribe((nowMs) => transport.update(nowMs));

  keys.add("Playing", transport.keys);
  keys.add("Looking", [
    { key: "b", says: "Raw depth alone, while held", holds: showing.compare },
    { key: "v", says: "Compare raw | filtered, or filtered alone", does: () => core.stageController.toggleSplit() },
    { key: "enter", says: "Focus on the middle of the picture", does: focusMiddle },
    { key: "r", says: "Back to the sensor’s viewpoint", does: () => rig.reset() },
    { key: "l", says: "Open or close the latency table", does: () => showing.overlay.toggle() },
    { key: "?", says: "This list of keys", does: help },
    { key: "escape", says: "Close the topmost menu, panel or dialog", does: closeUppermost },
  ]);
  keys.add("Moving about", moving.keys);
  keys.add("Panes", showing.panes.keys);
  keys.listen(window);

  if (isHalf) joinPair(core, showing, opener);
  settings.expectAllHeard();
  showing.start();
  startScreenTicks(events, byId("view"), showing.moves);
  const { isNamed, topic } = panel.restore();
  if (!isNamed) await opener.first(options.source, topic);
  return { open: (source) => opener.source(source) };
}
