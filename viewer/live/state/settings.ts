import { PRESETS } from "../../../stages/core/presets.ts";
import { paneFields } from "../panes/registry.ts";
import { FOCAL_LENGTHS, SENSORS } from "../view/camera/lens.ts";
import { COLOUR_HINT, COLOUR_LABELS } from "../view/colours.ts";
import { amount, defaultsOf, type Fields, oneOf, onOff, type ValuesOf } from "./field.ts";
import { Store } from "./store.ts";

const entries = Object.entries(SENSORS).map(
  ([name, { label, widthMm, heightMm }]) => [name, `${label}, ${widthMm} × ${heightMm}`] as const,
);
const SENSOR_NAMES = Object.fromEntries(entries) as Record<keyof typeof SENSORS, string>;

/**
 * The table of the viewer's settings; the stages' own parameters are not among them. A setting's type, default, accepted values and texts
 * come from here alone: the address, the settings file, the store and the panel's controls are made from the table.
 */
export const viewSchema = {
  preset: oneOf("Preset", "default", PRESETS, "A set of values for all filters. Values that you set yourself stay"),
  view: oneOf(
    "View",
    "picture",
    { picture: "Picture", points: "Points" },
    "Picture: closed surfaces, drawn through a lens. Points: one square for each depth pixel",
  ),
  color: oneOf("Colour by", "lit", COLOUR_LABELS, COLOUR_HINT),
  lens: oneOf(
    "Lens blur",
    "pinhole",
    { pinhole: "Off", lens: "On" },
    "On: what is out of focus is blurred, as a camera with this lens would show it. A click on the picture, or a change of the lens, switches it on",
  ),
  split: onOff("Compare raw | filtered", true, "Raw depth on the left of a divider, filtered depth on the right"),
  splitAt: amount("Divider", 0.5, { min: 0, max: 1 }, "How much of the image shows raw depth, from the left"),
  fillPx: amount(
    "Fill holes in the picture",
    24,
    { min: 0, max: 64, step: 1 },
    "Holes of the filtered side are filled this far from their rims, in the colours “Lit” and “Camera”; 0 fills none. What is measured and saved has no depth that was invented",
  ),
  holdRange: onOff(
    "Freeze distance colours",
    false,
    "Each colour keeps the distance that it stands for now; otherwise the colours spread over what the sensor sees",
  ),
  sensor: oneOf(
    "Sensor",
    "full",
    SENSOR_NAMES,
    "The sensor’s width and height in mm. Another sensor changes the focal length, so that the lens sees as much as before",
  ),
  // A portrait photographer's lens: in a room, the lens of a pocket camera would show no blur.
  focalLengthMm: amount("Focal length", 85, FOCAL_LENGTHS, "At one f-number a longer lens opens wider and blurs more"),
  fNumber: amount("Aperture", 1.8, { min: 0.5, max: 64 }, "Smaller numbers open the lens wider, and blur more"),
  blades: oneOf("Blades", 0, { 0: "Round", 5: "5", 6: "6", 7: "7", 8: "8", 9: "9" }, "Shape of blurred bright points"),
  field: oneOf("Field of view", "sensor", { sensor: "Depth camera", lens: "Lens" }, "Whose view the picture has"),
  pointSize: amount("Point size", 1, { min: 0.1, max: 10 }, "At 1 the points of a surface that faces the sensor touch"),
  detail: oneOf("Resolution", 1, { 1: "Full", 0.5: "Half", 0.25: "Quarter" }, "The picture’s size, of the window’s"),
  governor: onOff(
    "Lower quality when slow",
    true,
    "While frames take longer than 33 ms, the picture has fewer pixels, and without a GPU also fewer points. When nothing moves, the picture is whole again",
  ),
  frustum: onOff("Outline of the sensor’s view", true, "Lines around what the sensor sees, once you left its place"),
  path: onOff("Camera path", true, "The depth camera’s way, once you have left its place"),
  floor: onOff("Grid below the scene", false, "Squares of half a metre below the scene, along the sensor’s view"),
  veil: onOff("Dim behind the focus", true, "While the focus changes, all that is farther gets darker"),
  rate: amount("Speed", 1, { min: 0.1, max: 8 }, "2 plays a recording twice as fast as it was recorded"),
  loop: onOff("Loop", true, "Playing starts again at the end"),
  inPoint: amount("In", 0, { min: 0, max: 1e9, step: 1 }, "The first frame that plays"),
  outPoint: amount("Out", -1, { min: -1, max: 1e9, step: 1 }, "The last frame that plays; −1 is the recording’s last"),
  ...paneFields,
} satisfies Fields;

/** The value of each setting in the table. */
export type ViewSettings = ValuesOf<typeof viewSchema>;

/** The store of the viewer's settings. */
export type ViewStore = Store<ViewSettings>;

/**
 * The default settings. A slow renderer starts with a smaller picture. The governor is off on a software GPU, where nobody expects real
 * time.
 */
export function initialSettings(kind: "hardware" | "software" | "cpu"): ViewSettings {
  return { ...defaultsOf(viewSchema), detail: kind === "hardware" ? 1 : 0.5, governor: kind !== "software" };
}

/** Makes a store with the default settings. */
export const createStore = (kind: Parameters<typeof initialSettings>[0]): ViewStore => new Store(initialSettings(kind));
