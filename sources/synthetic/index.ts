import type { NdArray } from "ndarray";
import { type Abortable, signalOf } from "../../core/abort.ts";
import { shown } from "../../core/check.ts";
import { type DepthArray, type DepthFrame, image } from "../../core/frame.ts";
import { type Frame, rotate, unrotate, type Vec3 } from "../../core/geometry.ts";
import { type Disposable, disposable, SourceError } from "../../core/source.ts";
import { framesOf } from "../../core/streams.ts";
import { cameraText, type Pose, shareText, unitText } from "../format/format.ts";
import type { RecordedSource } from "../recorded/index.ts";
import { cameraAt } from "./camera.ts";
import { bakeAll, type Lightmap } from "./lightmap.ts";
import { type Settings, type SyntheticOptions, settingsOf } from "./options.ts";
import { type CastSolid, cast, paint, shade } from "./render.ts";
import { SCENES } from "./scenes/index.ts";
import type { Scene, Solid } from "./scenes/scene.ts";
import { makeSensor } from "./sensors/index.ts";
import { type Layer, newHit } from "./shapes/shape.ts";

export type { CameraMotion } from "./camera.ts";
export { KINECT, quantisationStepM } from "./disparity.ts";
export type { NoiseParts } from "./kinect.ts";
export type { SyntheticOptions } from "./options.ts";
export { SCENES, type SceneName, type ViewName } from "./scenes/index.ts";
export { SENSORS, type SensorName } from "./sensors/index.ts";

/** The frame of a perfect camera. Every array is new. */
export interface GroundTruth {
  /** Depth rounded to units, shape `[height, width]`. */
  readonly depth: DepthArray;
  /** Distance along the optical axis in metres, shape `[height, width]`. */
  readonly metres: NdArray<Float32Array>;
  /** Unit normals towards the camera, in its axes (x right, y down, z forward), shape `[height, width, 3]`. */
  readonly normals: NdArray<Float32Array>;
}

/** A synthetic scene as a recording, with its ground truth. */
export interface SyntheticRecording extends RecordedSource {
  /** The frame that a perfect camera would have measured at `index`. */
  groundTruth(index: number): GroundTruth;
  /** The camera's pose in the scene, whose axes are x right, y down, z forward, with y = 0 at the room's floor, or at the desk's top. */
  pose(index: number, options?: Abortable): Promise<Pose>;
}

/**
 * A furnished room with things that roll, swing and wave, or another scene (`scene`), seen by a simulated camera, a Kinect v1 if not given.
 * Frame `index` depends only on the options and the index, and any frame can be read at any time. Throws an `OptionError` for a wrong
 * option.
 *
 * @example
 * const room = syntheticRoom({ sensor: "kinect-v1", frames: 30, cameraMotion: "sway" });
 */
export function syntheticRoom(options: SyntheticOptions = {}): SyntheticRecording {
  const settings = settingsOf(options);
  const { intrinsics, fps, frames, seed, noise, color, metresPerUnit } = settings;
  const shape = [intrinsics.height, intrinsics.width];
  const painter = new Painter(settings);
  const { name } = painter.scene;
  const infrared = infraredOf(painter.scene);
  const sensor = noise && makeSensor(settings.sensor, intrinsics, metresPerUnit, seed, noise);
  const check = (index: number) => {
    if (Number.isInteger(index) && index >= 0 && index < frames) return;
    throw new SourceError(`${name}: there is no frame ${shown(index)}; it has frames 0 to ${frames - 1}`);
  };
  const timeOf = (index: number) => (index * 1000) / fps;
  const rounded = (metres: Float32Array) => {
    const units = new Uint16Array(metres.length);
    for (let i = 0; i < units.length; i++) {
      const exact = metres[i] / metresPerUnit + 0.5;
      if (exact < 65536) units[i] = exact;
    }
    return units;
  };
  const recording: Omit<SyntheticRecording, keyof Disposable> = {
    name,
    format: "synthetic",
    fps,
    length: frames,
    warnings: [],
    facts: [
      { what: "format", value: "synthetic", from: "synthetic" },
      { what: "frames", value: String(frames), from: "synthetic" },
      { what: "unit", value: unitText(metresPerUnit), from: "synthetic" },
      { what: "invalid", value: "0", from: "synthetic" },
      { what: "fps", value: String(fps), from: "synthetic" },
      { what: "intrinsics", value: cameraText(intrinsics), from: "synthetic" },
      { what: "colour", value: shareText(color ? frames : 0, frames), from: "synthetic" },
    ],
    get frames$() {
      return framesOf(recording);
    },
    async read(index, options): Promise<DepthFrame> {
      signalOf("read", options)?.throwIfAborted();
      check(index);
      const { layer, rgba } = painter.draw(index, color);
      const depth = sensor ? sensor.measure(layer.metres, layer.ids, infrared, index) : rounded(layer.metres);
      return {
        depth: image(depth, shape),
        metresPerUnit,
        intrinsics,
        ...(rgba && { color: image(rgba, [...shape, 4]) }),
        timestamp: timeOf(index),
        index,
      };
    },
    groundTruth(index) {
      check(index);
      const { layer, seen } = painter.draw(index, false);
      return {
        depth: image(rounded(layer.metres), shape),
        metres: image(layer.metres.slice(), shape),
        normals: image(normalsOf(seen, painter.camera(index), layer), [...shape, 3]),
      };
    },
    timestampOf(index) {
      check(index);
      return timeOf(index);
    },
    async pose(index, options) {
      signalOf("pose", options)?.throwIfAborted();
      check(index);
      const { rotation: m, position: p } = painter.camera(index);
      return [...m.slice(0, 3), p[0], ...m.slice(3, 6), p[1], ...m.slice(6, 9), p[2], 0, 0, 0, 1];
    },
    async close() {},
  };
  return disposable(recording);
}

const baked = new Map<Scene, ReadonlyMap<Solid, Lightmap>>();

/** The baked light of what stands still. It is baked when first needed, and once for all recordings of a scene. */
function lightmapsOf(scene: Scene): ReadonlyMap<Solid, Lightmap> {
  const found = baked.get(scene) ?? bakeAll(scene.still, scene.lighting);
  baked.set(scene, found);
  return found;
}

/** The share of infrared that each solid of a scene reflects, by its number in a layer: first what stands still, then what moves. */
function infraredOf({ still, movers }: Scene): readonly number[] {
  return [...still, ...movers(0).solids].map(({ infrared }) => infrared);
}

const newLayer = (width: number, height: number): Layer => ({
  width,
  metres: new Float32Array(width * height),
  ids: new Uint8Array(width * height),
});

interface Background {
  readonly layer: Layer;
  readonly seen: readonly CastSolid[];
  rgba: Uint8Array | undefined;
}

/** One moment of a scene as the camera sees it, without noise. */
interface Picture {
  readonly layer: Layer;
  readonly rgba: Uint8Array | undefined;
  /** All solids in view, for callers that need more than depth. */
  readonly seen: readonly CastSolid[];
}

/** Draws a scene. While the camera stands still, what stands still in front of it is drawn only once. */
class Painter {
  readonly #settings: Settings;
  readonly #layer: Layer;
  readonly scene: Scene;
  #background: Background | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.scene = SCENES[settings.scene];
    this.#layer = newLayer(settings.intrinsics.width, settings.intrinsics.height);
  }

  camera(index: number): Frame {
    const { cameraMotion, fps, from } = this.#settings;
    return cameraAt(cameraMotion, index / fps, from, this.scene);
  }

  /** Draws frame `index`. Its colours are a new array; the next call reuses its layer. */
  draw(index: number, color: boolean): Picture {
    const { intrinsics, fps } = this.#settings;
    const view = { camera: this.camera(index), intrinsics };
    const behind = this.#behind(view.camera, color);
    const layer = this.#layer;
    layer.metres.set(behind.layer.metres);
    layer.ids.set(behind.layer.ids);
    const rgba = color ? behind.rgba?.slice() : undefined;
    const { still, movers, lighting } = this.scene;
    const { solids, shadows } = movers(index / fps);
    const firstMover = still.length;
    const moving = cast(solids, firstMover, view, layer);
    if (rgba) {
      shade(shadows, firstMover, view, layer, rgba);
      paint(moving, lightmapsOf(this.scene), lighting, view, layer, rgba);
    }
    return { layer, rgba, seen: [...behind.seen, ...moving] };
  }

  #behind(camera: Frame, color: boolean): Background {
    const { intrinsics, cameraMotion } = this.#settings;
    const { width, height } = intrinsics;
    const view = { camera, intrinsics };
    let background = this.#background;
    if (!background) {
      const layer = newLayer(width, height);
      layer.metres.fill(Infinity);
      background = { layer, seen: cast(this.scene.still, 0, view, layer), rgba: undefined };
    }
    if (color && !background.rgba) {
      background.rgba = new Uint8Array(width * height * 4);
      paint(background.seen, lightmapsOf(this.scene), this.scene.lighting, view, background.layer, background.rgba);
    }
    if (cameraMotion === "fixed") this.#background = background;
    return background;
  }
}

/** The exact normal of every pixel, towards the camera and in its axes, three numbers per pixel; 0, 0, 0 where there is no surface. */
function normalsOf(seen: readonly CastSolid[], camera: Frame, { width, metres, ids }: Layer): Float32Array {
  const normals = new Float32Array(3 * metres.length);
  const hit = newHit();
  for (const { solid, id, rect, rays } of seen) {
    const { origin, base, u, v } = rays;
    for (let y = rect.y0; y < rect.y1; y++) {
      for (let x = rect.x0; x < rect.x1; x++) {
        const i = y * width + x;
        if (ids[i] !== id) continue;
        const t = metres[i];
        const ray: Vec3 = [base[0] + x * u[0] + y * v[0], base[1] + x * u[1] + y * v[1], base[2] + x * u[2] + y * v[2]];
        hit.x = origin[0] + t * ray[0];
        hit.y = origin[1] + t * ray[1];
        hit.z = origin[2] + t * ray[2];
        solid.shape.normal(hit);
        const facing = hit.nx * ray[0] + hit.ny * ray[1] + hit.nz * ray[2] > 0 ? -1 : 1;
        const world = rotate(solid.frame.rotation, [facing * hit.nx, facing * hit.ny, facing * hit.nz]);
        normals.set(unrotate(camera.rotation, world), 3 * i);
      }
    }
  }
  return normals;
}
