import { EMPTY, of, retry, Subscription, tap } from "rxjs";
import { PerspectiveCamera } from "three/webgpu";
import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { DepthFrame } from "../../../sources/index.ts";
import type { Player } from "../source/player.ts";
import type { ShownFrame } from "../state/events.ts";
import type { Focus } from "../view/camera/focus.ts";
import type { Rig } from "../view/camera/rig.ts";
import type { Look, Surface } from "../view/surface/surface.ts";
import type { FullQuality } from "./fullQuality.ts";
import type { Shown } from "./shown.ts";

/** While frames play, the next one follows sooner than this, ms. */
const SOON_MS = 150;
/** After this many ms without a new frame or a move, the picture is made once more with its full quality. */
const REST_MS = 250;

export interface PresenterParts {
  readonly pipeline: Pipeline;
  readonly surface: Pick<Surface, "show" | "draw" | "isLoading">;
  readonly player: Player;
  readonly rig: Pick<Rig, "update" | "camera" | "resting">;
  readonly focus: Pick<Focus, "update" | "resting">;
  /** Knows which frame is on the screen. */
  readonly shown: Pick<Shown, "settings" | "show">;
  /** Learns when the picture rests. */
  readonly quality: Pick<FullQuality, "isLowered" | "rests">;
  /** Gives dofSplat the present camera and lens. */
  readonly aim: () => void;
  /** How to draw; asked before every drawing. */
  readonly look: () => Look;
  /** A frame is about to be processed. */
  readonly onFrame: (frame: DepthFrame) => void;
  /** A frame is handed out, new or drawn again; called synchronously. */
  readonly onShown: (shown: ShownFrame) => void;
  /**
   * A stage refused a frame, because its parameters ask for something impossible. `waits`: playing continues once a stage accepts a frame.
   */
  readonly onRefused: (error: unknown, waits: boolean) => void;
  /** Called when the picture begins or ceases to change by itself; at once when a change begins. */
  readonly onBusy: (busy: boolean) => void;
}

/**
 * Turns frames into pictures on the screen. A new frame runs through all stages. If the camera, the lens or a stage changes and no new
 * frame has come, the last frame runs again through the stages that changed. Only one of these runs at a time, and the GPU finishes it
 * before the next begins: so the picture is as new as possible, and the page stays responsive on a slow GPU. Pictures that the CPU made are
 * drawn when the screen asks for one, while the next is computed. Frames wait, and are dropped, nowhere but in the pipeline's stream. A
 * picture that rests has time for its full quality.
 */
export class Presenter {
  /** The camera for the picture that is being made. */
  readonly #aim = new PerspectiveCamera();
  /** The camera that the picture on the screen was made with. Everything drawn over the picture uses this camera, too. */
  readonly #shot = new PerspectiveCamera();
  readonly #stream = new Subscription();
  /** The newest frame of the player, until it is shown or refused. */
  #given: DepthFrame | undefined;
  /** Whether the stages are processing a new frame or the last one again. */
  #making: "frame" | "redraw" | undefined;
  /** Whether the lens or the camera has moved since the last picture. */
  #stale = true;
  /** Whether a stage was set or switched since the last picture. */
  #changed = false;
  #dirty = false;
  /** Whether the camera or the focus moved at the last tick. */
  moves = false;
  /** Whether the newest frame has not been drawn yet. */
  #fresh = false;
  #frameMs = Number.NEGATIVE_INFINITY;
  /** When a frame was given or something moved for the last time. */
  #restlessMs = Number.NEGATIVE_INFINITY;
  /** The version of the filters' settings when the newest frame began. */
  #settings = 0;
  /** Whether the surface loaded code when the screen last asked for a picture. */
  #loaded = false;
  /** Whether playing was paused because a stage refused a frame. */
  #waits = false;

  constructor(readonly parts: PresenterParts) {}

  start(): void {
    const { player, pipeline } = this.parts;
    const again = (error: unknown) => {
      this.#refused(error);
      return pipeline.signal.aborted ? EMPTY : of(true);
    };
    const changed = () => {
      // Somebody has played on, or gone to another frame: playing no longer waits.
      if (player.playing || player.reading) this.#waits = false;
      this.#tellBusy();
    };
    this.#stream.add(player.changed$.subscribe(changed));
    // A frame's way: taken here, begun where the pipeline is free (else dropped there for a newer one), presented.
    const taken$ = player.frames$.pipe(tap((frame) => this.#take(frame)));
    const process = pipeline.process("latest", { before: (frame) => this.#begin(frame), inFlight: 1 });
    const processed$ = taken$.pipe(process, retry({ delay: again }));
    this.#stream.add(processed$.subscribe((frame) => this.#present(frame)));
  }

  stop(): void {
    this.#stream.unsubscribe();
  }

  /** The camera that the picture on the screen is seen with. */
  get camera(): PerspectiveCamera {
    return this.parts.look().view === "picture" ? this.#shot : this.parts.rig.camera;
  }

  /** Marks the picture on the screen as out of date, after stages were set or switched. */
  invalidate(): void {
    this.#stale = this.#changed = this.#dirty = true;
    this.#tellBusy();
  }

  /** Has the picture on the screen drawn again as it is, because lines over it have changed. */
  touch(): void {
    this.#dirty = true;
    this.#tellBusy();
  }

  /** Call this when the screen asks for a picture. */
  tick(nowMs: number): void {
    const { rig, focus, look, player, surface } = this.parts;
    const moved = rig.update(nowMs);
    const refocused = focus.update(nowMs);
    const loads = surface.isLoading ?? false;
    if (this.#loaded && !loads) this.#stale = this.#changed = true;
    this.#loaded = loads;
    this.#rest(nowMs);
    this.moves = moved || refocused;
    this.#stale ||= moved || refocused;
    this.#dirty ||= refocused || (moved && look().view === "points");
    // While frames come, the next one will show what changed.
    const soon = player.playing && nowMs - this.#frameMs < SOON_MS;
    const due = this.#changed ? !soon : this.#stale && look().view === "picture";
    if (due && !this.#making) void this.#redraw();
    // Movements of the camera are drawn at once, even between two frames.
    if (this.#fresh || (this.#dirty && (moved || refocused || !soon))) this.#draw();
    this.#tellBusy();
  }

  /** Has the picture made again with its full quality once it rests. */
  #rest(nowMs: number): void {
    const { player, rig, focus, quality } = this.parts;
    if (player.playing || player.reading || !rig.resting || !focus.resting) this.#restlessMs = nowMs;
    const rests = nowMs - this.#restlessMs >= REST_MS;
    if (rests && !quality.rests && quality.isLowered) this.#stale = this.#changed = true;
    quality.rests = rests;
  }

  #tellBusy(): void {
    const { player, rig, focus, look, quality, surface, onBusy } = this.parts;
    const due =
      surface.isLoading || this.#changed || this.#dirty || this.#fresh || (this.#stale && look().view === "picture");
    const coming = player.playing || player.reading || this.#given !== undefined || this.#making !== undefined;
    const moves = !rig.resting || !focus.resting;
    onBusy(due || coming || moves || (!quality.rests && quality.isLowered));
  }

  /** A frame that cannot be read is never shown. */
  #take(frame: DepthFrame): void {
    if (!frame.fault) this.#given = frame;
    // A frame that is shown on the way to another one is made as quickly as one that plays.
    this.#restlessMs = performance.now();
    this.parts.quality.rests = false;
    this.#tellBusy();
  }

  #begin(frame: DepthFrame): void {
    this.parts.onFrame(frame);
    this.#settings = this.parts.shown.settings();
    // The redraw that runs keeps its camera: a picture is made from one place.
    if (this.#making === "redraw") return;
    this.#making = "frame";
    if (this.#stale) this.#aimNow();
    this.#changed = false;
  }

  #present(frame: ProcessedFrame): void {
    this.#frameMs = performance.now();
    if (frame.source === this.#given) this.#given = undefined;
    this.#show(frame, this.#settings, true);
    this.#changed ||= this.parts.pipeline.isBehind;
    if (this.#making === "frame") this.#making = undefined;
  }

  #show(frame: ProcessedFrame, settings: number, isNew: boolean): void {
    const { surface, player, shown, onShown } = this.parts;
    surface.show(frame);
    this.#shot.copy(this.#aim, false);
    this.#fresh = true;
    // The GPU handles belong to this frame until the next one is submitted, so the frame is drawn now. A frame in arrays can
    // be drawn when the screen is ready, while the next frame is computed: its arrays last until that one has come.
    if (frame.gpu) this.#draw();
    onShown({ frame, origin: shown.show(frame.source, settings), isNew });
    if (this.#waits) {
      this.#waits = false;
      player.play();
    }
  }

  /** Pauses playing after a refusal. A change of the settings sends the last frame again. */
  #refused(error: unknown): void {
    const { player, onRefused } = this.parts;
    if (this.#making === "frame") this.#making = undefined;
    this.#given = undefined;
    const { playing } = player;
    player.pause();
    this.#waits ||= playing;
    onRefused(error, this.#waits);
  }

  async #redraw(): Promise<void> {
    const { pipeline, player, shown } = this.parts;
    this.#making = "redraw";
    this.#changed = false;
    this.#aimNow();
    try {
      const settings = shown.settings();
      const frame = await pipeline.redraw();
      if (frame) this.#show(frame, settings, false);
      // No frame has gone through yet: the player sends the refused one again.
      else player.again();
      await pipeline.idle();
    } catch (error) {
      this.#refused(error);
    }
    this.#making = undefined;
  }

  #aimNow(): void {
    this.#stale = false;
    this.#aim.copy(this.parts.rig.camera, false);
    this.parts.aim();
  }

  #draw(): void {
    const { surface, look, pipeline } = this.parts;
    const [startMs, fresh] = [performance.now(), this.#fresh];
    this.#dirty = this.#fresh = false;
    surface.draw(this.camera, look());
    // The time until everything that shows the frame is handed to the GPU, or drawn on the canvas.
    if (fresh) pipeline.presented(performance.now() - startMs);
  }
}
