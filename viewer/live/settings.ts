import type { Lens } from "./lens.ts";
import type { Playback } from "./source/player.ts";

/** What the user has chosen of how to look; the panel writes it, the app reads it. */
export interface ViewSettings extends Lens, Playback {
  view: "picture" | "points";
  /** The camera's own colour, what `paint` makes of it or of depth, or how far the lens spreads each place. */
  color: "lit" | "camera" | "depth" | "normal" | "difference" | "blur";
  /** Whether all is sharp, or what the lens shows. */
  lens: "pinhole" | "lens";
  /** Raw depth beside filtered depth, and up to where, from the left. */
  split: boolean;
  splitAt: number;
  /** Depth's range stays what it is; else it follows what is seen. */
  holdRange: boolean;
  /** Of the aperture; 0 is round. */
  blades: number;
  /** Whose field of view the picture has. */
  field: "sensor" | "lens";
  pointPx: number;
  /** Size of the picture over that of the window. */
  detail: number;
  /** The outline of what the sensor sees, where the camera has left it. */
  frustum: boolean;
  floor: boolean;
  /** What lies behind the plane of focus dims while focus is pulled. */
  veil: boolean;
}

/**
 * A slow renderer starts with less to do. All is sharp, lit, and raw beside filtered, so that the first look shows what the filters do. The
 * lens that can be taken is a portrait photographer's: in a room, one of a pocket camera's would show no blur.
 */
export function initialSettings(kind: "hardware" | "software" | "cpu"): ViewSettings {
  return {
    view: "picture",
    color: "lit",
    lens: "pinhole",
    split: true,
    splitAt: 0.5,
    holdRange: false,
    sensor: "full",
    focalLengthMm: 85,
    fNumber: 1.8,
    blades: 0,
    field: "sensor",
    pointPx: kind === "hardware" ? 2 : 1,
    detail: kind === "hardware" ? 1 : kind === "software" ? 0.5 : 1,
    frustum: true,
    floor: false,
    veil: true,
    rate: 1,
    loop: true,
    inPoint: 0,
    outPoint: -1,
  };
}
