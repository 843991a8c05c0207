/** What the user has chosen of how to look; the panel writes it, the app reads it. */
export interface ViewSettings {
  view: "picture" | "points";
  /** The camera's own colour, or what `paint` makes of depth. */
  color: "camera" | "depth" | "normal";
  fNumber: number;
  pointPx: number;
  /** Size of the picture over that of the window. */
  detail: number;
  /** The outline of what the sensor sees, where the camera has left it. */
  frustum: boolean;
  floor: boolean;
  /** What lies behind the plane of focus dims while focus is pulled. */
  veil: boolean;
}

/** A slow renderer starts with less to do. */
export function initialSettings(kind: "hardware" | "software" | "cpu"): ViewSettings {
  return {
    view: "picture",
    color: "camera",
    fNumber: 2,
    pointPx: kind === "hardware" ? 2 : 1,
    detail: kind === "hardware" ? 1 : kind === "software" ? 0.5 : 1,
    frustum: true,
    floor: false,
    veil: true,
  };
}
