import { amount, type Fields, oneOf, onOff } from "../../state/field.ts";
import { COLOR_MAPS } from "./colorMaps.ts";

const METRES = { min: 0.001, max: 1000 };

/** The settings of the depth image. */
export const depthFields = {
  depthShown: oneOf("Which depth", "filtered", { raw: "Raw", filtered: "Filtered", both: "Both" }, "In the depth pane"),
  depthMap: oneOf("Colour map", "turbo", COLOR_MAPS, "The colours of the depth image"),
  depthHeld: onOff("Freeze", false, "Each colour keeps the distance that it stands for now"),
  depthNearM: amount("Nearest colour, metres", 0.5, METRES, "The distance that the nearest colour stands for"),
  depthFarM: amount("Farthest colour, metres", 4, METRES, "The distance that the farthest colour stands for"),
} satisfies Fields;
