import { byId } from "../../dom/controls.ts";
import { type Engine, openEngine } from "../show/engine.ts";
import { FullQuality } from "../show/fullQuality.ts";
import { showPreparing } from "../show/preparingNotice.ts";
import { Recovering } from "../show/recovering.ts";
import { Settling } from "../show/settling.ts";
import { Shown } from "../show/shown.ts";
import { StageController } from "../show/stageController.ts";
import { Player } from "../source/player.ts";
import { Events } from "../state/events.ts";
import { Messages } from "../state/messages.ts";
import type { AppOptions } from "../state/options.ts";
import { createStore, type ViewStore } from "../state/settings.ts";
import { Focus } from "../view/camera/focus.ts";
import { Rig } from "../view/camera/rig.ts";
import { isFirstTime, READ_MS, showNotices } from "./notices.ts";

/** The objects that all parts of the page use. */
export interface Core {
  readonly canvas: HTMLCanvasElement;
  readonly engine: Engine;
  readonly events: Events;
  readonly messages: Messages;
  readonly recovering: Recovering;
  readonly settings: ViewStore;
  readonly player: Player;
  readonly rig: Rig;
  readonly focus: Focus;
  readonly stageController: StageController;
  /** Knows which frame is on the screen, and so which numbers may be shown. */
  readonly shown: Shown;
  /** Decides when the picture has its full quality, whatever time it takes. */
  readonly quality: FullQuality;
  /** Says on the canvas whether the picture will still change. */
  readonly settling: Settling;
}

export async function openCore(options: AppOptions): Promise<Core> {
  const canvas = byId("canvas") as HTMLCanvasElement;
  // With this role screen readers hand the keys on to the canvas, as to any part of a page that has keys of its own.
  canvas.role = "application";
  const events = new Events();
  const messages = new Messages(byId("messages"));
  const { root } = messages;
  // The style keeps what has numbers below the messages.
  const tell = () => byId("view").style.setProperty("--messages", `${root.offsetHeight && root.offsetHeight + 8}px`);
  new ResizeObserver(tell).observe(root);
  const lost = (notice: string) => recovering.lost(notice, engine.pipeline.gpu);
  const engine = await openEngine(canvas, options, lost, (error) => recovering.fetched(error));
  if (engine.notice && isFirstTime(engine.notice, () => localStorage, new Date().toDateString()))
    messages.show("notice", "engine", engine.notice, READ_MS);
  const settings = createStore(engine.kind);
  const recovering = new Recovering(messages, settings.part("detail"), events);
  recovering.watch(engine.pipeline.gpu);
  const player = new Player(settings.part("rate", "loop", "inPoint", "outPoint"));
  const shown = new Shown(player, engine.pipeline);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const still = () => calm.matches;
  const rig = new Rig(still);
  const focus = new Focus(rig, still);
  const stageController = new StageController(engine, settings, rig, focus);
  const redirect = () => {
    stageController.apply();
    events.stages$.next();
  };
  const { pipeline } = engine;
  const isMatched = () => pipeline.stages.some(({ gives, name }) => gives === "depth" && pipeline.isEnabled(name));
  showNotices(messages, player, events, settings, isMatched);
  showPreparing(messages, events, engine.gpu !== null);
  events.opened$.subscribe(({ source }) => {
    stageController.newScene();
    engine.pipeline.restart();
    shown.open(source);
  });
  stageController.settings.changes$.subscribe(redirect);
  const quality = new FullQuality(engine.pipeline.governor);
  const settling = new Settling(canvas);
  const base = { canvas, engine, events, messages, recovering, settings };
  return { ...base, player, rig, focus, stageController, shown, quality, settling };
}
