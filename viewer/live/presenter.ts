import { of, retry, Subject, type Subscription } from "rxjs";
import { PerspectiveCamera } from "three/webgpu";
import type { Pipeline, ProcessedFrame } from "../../pipeline/index.ts";
import type { DepthFrame } from "../../sources/index.ts";
import type { Player } from "./source/player.ts";
import type { Focus } from "./view/focus.ts";
import type { Rig } from "./view/rig.ts";
import type { Look, Surface } from "./view/surface.ts";

export interface PresenterParts {
  readonly pipeline: Pipeline;
  readonly surface: Surface;
  readonly player: Player;
  readonly rig: Rig;
  readonly focus: Focus;
  /** Gives dofSplat the camera and the lens as they are now. */
  readonly aim: () => void;
  /** How to look, asked before every drawing. */
  readonly look: () => Look;
  /** A frame is about to be processed. */
  readonly onFrame: (frame: DepthFrame) => void;
  readonly onProcessed: (frame: ProcessedFrame) => void;
  /** A stage took no frame: its parameters ask for what it cannot do. `waits`: playing goes on once it takes one. */
  readonly onRefused: (error: unknown, waits: boolean) => void;
}

/**
 * From frames to pictures on the screen. A new frame goes through the stages; where the camera or the lens has moved and no
 * frame has come, the last frame's points are rendered again. One of these at a time, drawn and finished by the GPU before
 * the next begins: what is shown is as new as can be, and on a slow GPU the page stays alive.
 */
export class Presenter {
  readonly #admitted$ = new Subject<DepthFrame>();
  /** Where dofSplat looks from. */
  readonly #aim = new PerspectiveCamera();
  /** Where the picture there is was made from: what else is drawn must be seen from there too. */
  readonly #shot = new PerspectiveCamera();
  readonly #streams: Subscription[] = [];
  /** Came while the GPU was at work; a newer one takes its place. */
  #held: DepthFrame | null = null;
  #busy = false;
  /** The lens or the camera moved since the last picture. */
  #stale = true;
  #dirty = false;
  /** Playing was stopped because a stage refused a frame. */
  #waits = false;

  constructor(readonly parts: PresenterParts) {}

  start(): void {
    const { player, pipeline } = this.parts;
    const again = (error: unknown) => {
      this.#refused(error);
      // The stream listens again as soon as this returns; until then nobody would hear a frame.
      queueMicrotask(() => this.#release());
      return of(true);
    };
    const processed$ = this.#admitted$.pipe(pipeline.process("latest"), retry({ delay: again }));
    this.#streams.push(
      processed$.subscribe((frame) => void this.#present(frame)),
      player.frames$.subscribe((frame) => {
        if (this.#held) pipeline.statistics.dropped++;
        this.#held = frame;
        this.#admit();
      }),
    );
  }

  stop(): void {
    for (const stream of this.#streams.splice(0)) stream.unsubscribe();
  }

  /** Where what is on the screen is seen from. */
  get camera(): PerspectiveCamera {
    return this.parts.look().view === "picture" ? this.#shot : this.parts.rig.camera;
  }

  /** The picture on the screen is out of date. */
  invalidate(): void {
    this.#stale = true;
    this.#dirty = true;
  }

  /** To be called when the screen wants a picture. */
  tick(nowMs: number): void {
    const { rig, focus, look } = this.parts;
    const moved = rig.update();
    const refocused = focus.update(nowMs);
    this.#stale ||= moved || refocused;
    this.#dirty ||= refocused || (moved && look().view === "points");
    if (this.#stale && !this.#busy && look().view === "picture") void this.#redraw();
    if (this.#dirty) this.#draw();
  }

  #admit(): void {
    const frame = this.#held;
    if (!frame || this.#busy) return;
    this.#held = null;
    this.#busy = true;
    this.parts.onFrame(frame);
    if (this.#stale) this.#aimNow();
    this.#admitted$.next(frame);
  }

  async #present(frame: ProcessedFrame): Promise<void> {
    const leftMs = performance.now();
    this.parts.surface.show(frame);
    this.#shot.copy(this.#aim, false);
    this.#draw();
    // From the frame's leaving the stages until all that shows it is handed to the GPU.
    this.parts.pipeline.statistics.present.push(performance.now() - leftMs);
    this.parts.onProcessed(frame);
    if (this.#waits) {
      this.#waits = false;
      this.parts.player.play();
    }
    await this.#finish();
  }

  /** Playing waits until a frame goes through: what is set anew sends the last one again. */
  #refused(error: unknown): void {
    const { player, onRefused } = this.parts;
    this.#waits ||= player.playing;
    player.pause();
    onRefused(error, this.#waits);
  }

  async #redraw(): Promise<void> {
    this.#busy = true;
    this.#aimNow();
    try {
      if (await this.parts.pipeline.redraw("dofSplat")) {
        this.#shot.copy(this.#aim, false);
        this.#draw();
      }
    } catch (error) {
      this.#refused(error);
    }
    await this.#finish();
  }

  async #finish(): Promise<void> {
    await this.parts.pipeline.idle();
    this.#release();
  }

  #release(): void {
    this.#busy = false;
    this.#admit();
  }

  #aimNow(): void {
    this.#stale = false;
    this.#aim.copy(this.parts.rig.camera, false);
    this.parts.aim();
  }

  #draw(): void {
    this.#dirty = false;
    this.parts.surface.draw(this.camera, this.parts.look());
  }
}
