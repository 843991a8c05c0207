import type { MODES } from "../../../stages/paint/index.ts";
import type { ColourScale } from "./colourScale.ts";

/** What the colours of the scene tell. */
export interface ColourMode {
  /** Its name on the page, and what it shows. */
  readonly label: string;
  readonly says: string;
  /** What the stage `paint` is set to; without one the stage is left out, and points keep the camera’s colours. */
  readonly paint?: (typeof MODES)[number];
  /** The picture is tinted by how far the lens spreads each place: the lens counts in points, too. */
  readonly byLens?: boolean;
  /** Says on the scale what the colours stand for; `paintOf` gives a parameter of `paint`. Without it there is no scale. */
  readonly show?: (scale: ColourScale, paintOf: (parameter: "nearM" | "farM" | "rangeMm") => number) => void;
}

/** The ways to colour a scene, by their names in addresses and settings files: one that is added here is on the page. */
export const COLOURS = {
  lit: { label: "Lit", says: "in a low light from the side, which shows noise and relief", paint: "lit" },
  camera: { label: "Camera", says: "the colour images of the recording" },
  depth: {
    label: "Depth",
    says: "the distance from the sensor",
    paint: "depth",
    show: (scale, paintOf) => scale.showDepth(paintOf("nearM"), paintOf("farM")),
  },
  normal: { label: "Normals", says: "the direction that a surface faces", paint: "normal" },
  difference: {
    label: "Difference",
    says: "what the filters changed",
    paint: "difference",
    show: (scale, paintOf) => scale.showDifference(paintOf("rangeMm")),
  },
  blur: { label: "Blur", says: "how far the lens spreads each place", byLens: true },
} as const satisfies Readonly<Record<string, ColourMode>>;

export type ColourName = keyof typeof COLOURS;

/** The mode of that name. */
export const colourNamed = (name: ColourName): ColourMode => COLOURS[name];

/** What a control calls each mode. */
export const COLOUR_LABELS = Object.fromEntries(
  Object.entries(COLOURS).map(([name, { label }]) => [name, label]),
) as Readonly<Record<ColourName, string>>;

/** A line for each mode. */
export const COLOUR_HINT = Object.values(COLOURS)
  .map(({ label, says }) => `${label}: ${says}`)
  .join("\n");
