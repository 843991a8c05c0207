import { byId } from "../dom/element.ts";
import { Director } from "./director.ts";
import { type Engine, openEngine } from "./engine.ts";
import { Events } from "./events.ts";
import { Messages } from "./messages.ts";
import { showNotices } from "./notices.ts";
import type { AppOptions } from "./options.ts";
import { tellPreparing } from "./preparing.ts";
import { Recovering } from "./recovering.ts";
import { initialSettings, type ViewSettings } from "./settings.ts";
import { Player } from "./source/player.ts";
import { Focus } from "./view/focus.ts";
import { Rig } from "./view/rig.ts";

/** What all parts of the page go by: what plays and runs, what is set, and where one looks from. */
export interface Core {
  readonly canvas: HTMLCanvasElement;
  readonly engine: Engine;
  readonly events: Events;
  readonly messages: Messages;
  readonly recovering: Recovering;
  readonly settings: ViewSettings;
  readonly player: Player;
  readonly rig: Rig;
  readonly focus: Focus;
  readonly director: Director;
}

export async function openCore(options: AppOptions): Promise<Core> {
  const canvas = byId("canvas") as HTMLCanvasElement;
  const events = new Events();
  const messages = new Messages(byId("messages"));
  const engine = await openEngine(canvas, options, (notice) => recovering.lost(notice, engine.pipeline.gpu));
  if (engine.notice) messages.show("notice", "engine", engine.notice);
  const settings = initialSettings(engine.kind);
  const recovering = new Recovering(messages, settings, events);
  recovering.watch(engine.pipeline.gpu);
  const player = new Player(settings);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const still = () => calm.matches;
  const rig = new Rig(still);
  const focus = new Focus(rig, still);
  const director = new Director(engine, settings, rig, focus);
  showNotices(messages, player, events);
  if (engine.gpu) tellPreparing(messages, events);
  events.opened$.subscribe(() => {
    director.newScene();
    engine.pipeline.statistics.reset();
  });
  events.settings$.subscribe(() => {
    director.apply();
    events.stages$.next();
  });
  return { canvas, engine, events, messages, recovering, settings, player, rig, focus, director };
}
