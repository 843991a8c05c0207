import { retry, type Subscription, tap, timer } from "rxjs";
import { PerspectiveCamera } from "three/webgpu";
import type { Pipeline, ProcessedFrame } from "../../pipeline/index.ts";
import type { DepthFrame } from "../../sources/index.ts";
import type { Stage } from "../../stages/stage.ts";
import type { Player } from "./player.ts";
import type { Focus } from "./view/focus.ts";
import type { Rig } from "./view/rig.ts";
import type { Look, Surface } from "./view/surface.ts";

export interface PresenterParts {
  readonly pipeline: Pipeline;
  readonly surface: Surface;
  readonly player: Player;
  readonly rig: Rig;
  readonly focus: Focus;
  readonly dofSplat: Stage;
  /** How to look, asked before every drawing. */
  readonly look: () => Look;
  /** A frame is about to be processed. */
  readonly onFrame: (frame: DepthFrame) => void;
  readonly onProcessed: (frame: ProcessedFrame) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * From frames to pictures on the screen. Frames come at their own pace through the pipeline; the screen asks for pictures at
 * its own. Where the camera or the lens has moved and no frame has come, the last frame's points are rendered again.
 */
export class Presenter {
  /** Where dofSplat looks from. */
  readonly #aim = new PerspectiveCamera();
  /** Where the picture there is was made from: what else is drawn must be seen from there too. */
  readonly #shot = new PerspectiveCamera();
  #stream: Subscription | undefined;
  #arrivedMs = 0;
  /** The lens or the camera moved since the last picture. */
  #stale = true;
  #redrawing = false;
  #dirty = false;

  constructor(readonly parts: PresenterParts) {}

  start(): void {
    const { player, pipeline, surface, onFrame, onProcessed, onError } = this.parts;
    // A frame that no stage can take stops playing, not the page: the stream waits for the next one.
    const again = (error: unknown) => {
      player.pause();
      onError(error);
      return timer(0);
    };
    const frames$ = player.frames$.pipe(tap(onFrame), pipeline.process("latest"), retry({ delay: again }));
    this.#stream = frames$.subscribe((frame) => {
      surface.show(frame);
      this.#shot.copy(this.#aim, false);
      this.#arrivedMs = performance.now();
      this.#dirty = true;
      onProcessed(frame);
    });
  }

  /** Where what is on the screen is seen from. */
  get camera(): PerspectiveCamera {
    return this.parts.look().view === "picture" ? this.#shot : this.parts.rig.camera;
  }

  /** Gives dofSplat the camera and the lens as they are now. */
  aim(): void {
    const { rig, focus, dofSplat } = this.parts;
    rig.update();
    this.#aim.copy(rig.camera, false);
    dofSplat.set({ pose: rig.pose(), verticalFovDeg: rig.camera.fov, focusM: focus.distanceM });
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
    const asPicture = look().view === "picture";
    this.#dirty ||= refocused || (moved && !asPicture);
    if (asPicture && this.#stale && !this.#redrawing) void this.#redraw();
    if (this.#dirty) this.#draw();
  }

  stop(): void {
    this.#stream?.unsubscribe();
  }

  /** Renders the last frame again from where the camera is now; one at a time, each when the GPU is done with the one before. */
  async #redraw(): Promise<void> {
    const { pipeline, dofSplat, onError } = this.parts;
    this.#redrawing = true;
    this.#stale = false;
    this.aim();
    try {
      if (await pipeline.redraw(dofSplat.name)) {
        this.#shot.copy(this.#aim, false);
        this.#dirty = true;
      }
      await pipeline.idle();
    } catch (error) {
      onError(error);
    }
    this.#redrawing = false;
  }

  #draw(): void {
    this.#dirty = false;
    this.parts.surface.draw(this.camera, this.parts.look());
    if (this.#arrivedMs === 0) return;
    // From the frame's leaving the stages until everything is handed to the screen.
    this.parts.pipeline.statistics.present.push(performance.now() - this.#arrivedMs);
    this.#arrivedMs = 0;
  }
}
