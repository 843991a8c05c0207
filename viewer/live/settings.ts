import { choice, number, type Parameter, toggle } from "../../stages/parameters.ts";
import { PRESETS, type Preset } from "../../stages/presets.ts";
import { FOCAL_LENGTHS, type Lens, SENSORS } from "./lens.ts";
import { initialPanes, type PaneSettings, paneSchema } from "./panes/settings.ts";
import type { Playback } from "./source/player.ts";

/** What the user has chosen of how to look; the panel writes it, the app reads it, an address and a settings file hold it. */
export interface ViewSettings extends Lens, Playback, PaneSettings {
  /** What the filters are set for, where nobody has set one of them. */
  preset: Preset;
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
  /** Side of a plain point, over that of what the sensor's pixel sees there. */
  pointSize: number;
  /** Size of the picture over that of the window. */
  detail: number;
  /** Whether the picture gives up quality while frames take longer than the budget. */
  governor: boolean;
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
    preset: "default",
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
    pointSize: 1,
    detail: kind === "hardware" ? 1 : kind === "software" ? 0.5 : 1,
    // A software GPU is there to be looked at, not to be kept up with.
    governor: kind !== "software",
    frustum: true,
    floor: false,
    veil: true,
    rate: 1,
    loop: true,
    inPoint: 0,
    outPoint: -1,
    ...initialPanes,
  };
}

const namesOf = <T extends string>(of: Readonly<Record<T, unknown>>) => Object.keys(of) as T[];

/** What each may be, and what it is: an address and a settings file are not believed. */
export const viewSchema = {
  preset: choice("default", namesOf(PRESETS), "what the filters are set for"),
  view: choice("picture", ["picture", "points"], "the picture through a lens, or plain points"),
  color: choice("lit", ["lit", "camera", "depth", "normal", "difference", "blur"], "what the colours tell"),
  lens: choice("pinhole", ["pinhole", "lens"], "whether all is sharp, or what the lens shows"),
  split: toggle(true, "raw depth beside filtered depth"),
  splitAt: number(0.5, { min: 0, max: 1 }, "up to where raw depth is seen, from the left"),
  holdRange: toggle(false, "whether depth's range stays what it is"),
  sensor: choice("full", namesOf(SENSORS), "the camera that the lens is on"),
  focalLengthMm: number(85, FOCAL_LENGTHS, "focal length, mm"),
  fNumber: number(1.8, { min: 0.5, max: 64 }, "aperture"),
  blades: choice(0, [0, 5, 6, 7, 8, 9], "blades of the aperture"),
  field: choice("sensor", ["sensor", "lens"], "whose field of view the picture has"),
  pointSize: number(1, { min: 0.1, max: 10 }, "side of a point over that of what the sensor's pixel sees there"),
  detail: choice(1, [1, 0.5, 0.25], "size of the picture over that of the window"),
  governor: toggle(true, "the picture gives up quality while frames take longer than the budget"),
  frustum: toggle(true, "the outline of what the sensor sees"),
  floor: toggle(false, "a grid on the floor"),
  veil: toggle(true, "what is behind the plane of focus dims while focus is pulled"),
  rate: number(1, { min: 0.1, max: 8 }, "how fast a recording plays"),
  loop: toggle(true, "begins again at its end"),
  inPoint: number(0, { min: 0, max: 1e9, step: 1 }, "the first frame of what plays"),
  outPoint: number(-1, { min: -1, max: 1e9, step: 1 }, "the last one; −1 is the recording's"),
  ...paneSchema,
} satisfies Record<keyof ViewSettings, Parameter>;
