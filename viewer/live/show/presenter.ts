import { EMPTY, of, retry, Subscription } from "rxjs";
import { PerspectiveCamera } from "three/webgpu";
import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { DepthFrame } from "../../../sources/index.ts";
import type { Player } from "../source/player.ts";
import type { Focus } from "../view/camera/focus.ts";
import type { Rig } from "../view/camera/rig.ts";
import type { Look, Surface } from "../view/surface/surface.ts";
import type { Origin, Shown } from "./shown.ts";

/** A frame that plays follows the last one sooner than this, ms. */
const SOON_MS = 150;

export interface PresenterParts {
  readonly pipeline: Pipeline;
  readonly surface: Pick<Surface, "show" | "draw">;
  readonly player: Player;
  readonly rig: Pick<Rig, "update" | "camera" | "resting">;
  readonly focus: Pick<Focus, "update" | "resting">;
  /** Knows of what is on the screen. */
  readonly shown: Pick<Shown, "settings" | "show">;
  /** Gives dofSplat the camera and the lens as they are now. */
  readonly aim: () => void;
  /** How to look, asked before every drawing. */
  readonly look: () => Look;
  /** A frame is about to be processed. */
  readonly onFrame: (frame: DepthFrame) => void;
  /** A new frame has gone through. `origin`: see `onTaken`. */
  readonly onProcessed: (frame: ProcessedFrame, origin: Origin | undefined) => void;
  /**
   * The stages took what they were set to; a new frame or the last one again, called synchronously when it is handed out. Numbers
   * that are measured on it are `origin`'s; without one it is a late frame of the source before, on which nothing is to be measured.
   */
  readonly onTaken: (frame: ProcessedFrame, origin: Origin | undefined) => void;
  /** A stage took no frame: its parameters ask for what it cannot do. `waits`: playing goes on once it takes one. */
  readonly onRefused: (error: unknown, waits: boolean) => void;
  /** Whether the picture is still to change by itself; called whenever that may have changed, at once where a change begins. */
  readonly onBusy: (busy: boolean) => void;
}

/**
 * From frames to pictures on the screen. A new frame goes through the stages; where the camera, the lens or a stage was set
 * anew and no frame has come, the last one goes again through what changed. One of these at a time, drawn and finished by the
 * GPU before the next begins: what is shown is as new as can be, and on a slow GPU the page stays alive. What the CPU made is drawn when
 * the screen wants a picture, while the next is worked on. Frames wait, and are dropped, in the pipeline's stream alone.
 */
export class Presenter {
  /** Where the picture that is being made looks from. */
  readonly #aim = new PerspectiveCamera();
  /** Where the picture there is was made from: what else is drawn must be seen from there too. */
  readonly #shot = new PerspectiveCamera();
  readonly #stream = new Subscription();
  /** The newest frame of the player, until it is shown or refused. */
  #given: DepthFrame | undefined;
  /** What is being made. */
  #making: "frame" | "redraw" | undefined;
  /** The lens or the camera moved since the last picture. */
  #stale = true;
  /** A stage was set or switched since the last picture. */
  #changed = false;
  #dirty = false;
  /** The camera or the focus did at the last tick. */
  moves = false;
  /** A frame is shown that has not been drawn. */
  #fresh = false;
  #frameMs = Number.NEGATIVE_INFINITY;
  /** How the filters were set when the newest frame was begun. */
  #settings = 0;
  /** Playing was stopped because a stage refused a frame. */
  #waits = false;

  constructor(readonly parts: PresenterParts) {}

  start(): void {
    const { player, pipeline } = this.parts;
    const again = (error: unknown) => {
      this.#refused(error);
      return pipeline.signal.aborted ? EMPTY : of(true);
    };
    // Heard before the pipeline hears of the frame.
    this.#stream.add(player.frames$.subscribe((frame) => this.#take(frame)));
    this.#stream.add(player.changed$.subscribe(() => this.#tellBusy()));
    const process = pipeline.process("latest", { before: (frame) => this.#begin(frame), inFlight: 1 });
    const shown$ = player.frames$.pipe(process, retry({ delay: again }));
    this.#stream.add(shown$.subscribe((frame) => this.#present(frame)));
  }

  stop(): void {
    this.#stream.unsubscribe();
  }

  /** Where what is on the screen is seen from. */
  get camera(): PerspectiveCamera {
    return this.parts.look().view === "picture" ? this.#shot : this.parts.rig.camera;
  }

  /** Stages were set or switched: the picture on the screen is out of date. */
  invalidate(): void {
    this.#stale = this.#changed = this.#dirty = true;
    this.#tellBusy();
  }

  /** To be called when the screen wants a picture. */
  tick(nowMs: number): void {
    const { rig, focus, look, player } = this.parts;
    const moved = rig.update(nowMs);
    const refocused = focus.update(nowMs);
    this.moves = moved || refocused;
    this.#stale ||= moved || refocused;
    this.#dirty ||= refocused || (moved && look().view === "points");
    // While frames come the next one will show what changed.
    const soon = player.playing && nowMs - this.#frameMs < SOON_MS;
    const due = (this.#changed && !soon) || (this.#stale && look().view === "picture");
    if (due && !this.#making) void this.#redraw();
    // The hand on the camera is followed at once, even between frames.
    if (this.#fresh || (this.#dirty && (moved || refocused || !soon))) this.#draw();
    this.#tellBusy();
  }

  #tellBusy(): void {
    const { player, rig, focus, look, onBusy } = this.parts;
    const due = this.#changed || this.#dirty || this.#fresh || (this.#stale && look().view === "picture");
    const coming = player.playing || player.reading || this.#given !== undefined || this.#making !== undefined;
    onBusy(due || coming || !rig.resting || !focus.resting);
  }

  /** A frame that cannot be read is never shown. */
  #take(frame: DepthFrame): void {
    if (!frame.fault) this.#given = frame;
    this.#tellBusy();
  }

  #begin(frame: DepthFrame): void {
    this.parts.onFrame(frame);
    this.#settings = this.parts.shown.settings();
    // A picture that is being redrawn is to be of one place.
    if (this.#making === "redraw") return;
    this.#making = "frame";
    if (this.#stale) this.#aimNow();
    this.#changed = false;
  }

  #present(frame: ProcessedFrame): void {
    this.#frameMs = performance.now();
    if (frame.source === this.#given) this.#given = undefined;
    this.parts.onProcessed(frame, this.#show(frame, this.#settings));
    if (this.#making === "frame") this.#making = undefined;
  }

  #show(frame: ProcessedFrame, settings: number): Origin | undefined {
    const { surface, player, shown, onTaken } = this.parts;
    surface.show(frame);
    this.#shot.copy(this.#aim, false);
    this.#fresh = true;
    // The GPU's handles are this frame's until the next is submitted. Arrays last until the next one is there: their drawing can
    // wait for the screen, and the next frame is begun before it.
    if (frame.gpu) this.#draw();
    const origin = shown.show(frame.source, settings);
    onTaken(frame, origin);
    if (this.#waits) {
      this.#waits = false;
      player.play();
    }
    return origin;
  }

  /** Playing waits until a frame goes through: what is set anew sends the last one again. */
  #refused(error: unknown): void {
    const { player, onRefused } = this.parts;
    if (this.#making === "frame") this.#making = undefined;
    this.#given = undefined;
    this.#waits ||= player.playing;
    player.pause();
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
      if (frame) this.#show(frame, settings);
      // None has gone through yet: the one that was refused can be tried again.
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
    // Until all that shows a frame is handed to the GPU, or is in the canvas.
    if (fresh) pipeline.presented(performance.now() - startMs);
  }
}
