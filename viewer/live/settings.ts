import { choice, number, type Parameter, toggle } from "../../stages/parameters.ts";
import { PRESETS, type Preset } from "../../stages/presets.ts";
import { FOCAL_LENGTHS, type Lens, SENSORS } from "./lens.ts";

/** What the user has chosen of how to look; the panel writes it, the app reads it, an address and a settings file hold it. */
export interface ViewSettings extends Lens {
  /** What the filters are set for, where nobody has set one of them. */
  preset: Preset;
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
    preset: "default",
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
  };
}

const namesOf = <T extends string>(of: Readonly<Record<T, unknown>>) => Object.keys(of) as T[];

/** What each may be, and what it is: an address and a settings file are not believed. */
export const viewSchema = {
  preset: choice("default", namesOf(PRESETS), "what the filters are set for"),
  view: choice("picture", ["picture", "points"], "the picture through a lens, or plain points"),
  color: choice("camera", ["camera", "depth", "normal", "blur"], "what the colours tell"),
  sensor: choice("full", namesOf(SENSORS), "the camera that the lens is on"),
  focalLengthMm: number(85, FOCAL_LENGTHS, "focal length, mm"),
  fNumber: number(1.8, { min: 0.5, max: 64 }, "aperture"),
  blades: choice(0, [0, 5, 6, 7, 8, 9], "blades of the aperture"),
  field: choice("sensor", ["sensor", "lens"], "whose field of view the picture has"),
  pointPx: number(1, { min: 1, max: 8, step: 1 }, "size of a point, px"),
  detail: choice(1, [1, 0.5, 0.25], "size of the picture over that of the window"),
  frustum: toggle(true, "the outline of what the sensor sees"),
  floor: toggle(false, "a grid on the floor"),
  veil: toggle(true, "what is behind the plane of focus dims while focus is pulled"),
} satisfies Record<keyof ViewSettings, Parameter>;
