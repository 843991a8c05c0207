import type { Lens } from "./lens.ts";
import { initialPanes, type PaneSettings } from "./panes/settings.ts";

/** What the user has chosen of how to look; the panel writes it, the app reads it. */
export interface ViewSettings extends Lens, PaneSettings {
  view: "picture" | "points";
  /** The camera's own colour, what `paint` makes of depth, or how far the lens spreads each place. */
  color: "camera" | "depth" | "normal" | "blur";
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

/** A slow renderer starts with less to do. The lens is a portrait photographer's: in a room, one of a pocket camera's would show no blur. */
export function initialSettings(kind: "hardware" | "software" | "cpu"): ViewSettings {
  return {
    view: "picture",
    color: "camera",
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
    ...initialPanes,
  };
}
