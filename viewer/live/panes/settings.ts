import { amount, type Fields, oneOf, onOff } from "../state/field.ts";
import { COLOR_MAPS } from "./image/colorMaps.ts";

const METRES = { min: 0.001, max: 1000 };

/** What can be set of the panes. None is open at first: nothing slows the start. */
export const paneFields = {
  paneDepth: onOff("Depth image", false, "Raw or filtered depth as colours"),
  paneColor: onOff("Colour image", false, "The recording’s colours, registered to depth"),
  panePixel: onOff("Pixel over time", false, "Raw and filtered depth of one pixel"),
  paneLatency: onOff("Latency over time", false, "How long each stage took"),
  paneReadout: onOff("Readout", false, "Position and depth under the pointer, in millimetres"),
  paneLarge: oneOf(
    "Large pane",
    "scene",
    { scene: "3D", depth: "Depth image", color: "Colour image" },
    "Which picture is the large one",
  ),
  paneLayout: oneOf(
    "Place of the panes",
    "beside",
    { beside: "Beside the view", inset: "Over the view" },
    "Whether the other panes lie beside the large one or over it",
  ),
  paneShare: amount("Width of the large pane", 0.6, { min: 0.05, max: 0.95 }, "Its share of the window’s width"),
  depthShown: oneOf(
    "Which depth",
    "filtered",
    { raw: "Raw", filtered: "Filtered", both: "Both" },
    "Which depth the depth image shows",
  ),
  depthMap: oneOf("Colour map", "viridis", COLOR_MAPS, "The colours of the depth image"),
  depthHeld: onOff("Freeze", false, "Each colour keeps the distance that it stands for now"),
  depthNearM: amount("Nearest colour, metres", 0.5, METRES, "The distance that the nearest colour stands for"),
  depthFarM: amount("Farthest colour, metres", 4, METRES, "The distance that the farthest colour stands for"),
  plotU: amount("Plotted column", -1, { min: -1, max: 65535, step: 1 }, "The column of the plotted pixel; −1: none"),
  plotV: amount("Plotted row", -1, { min: -1, max: 65535, step: 1 }, "The row of the plotted pixel; −1: none"),
  latencyScale: oneOf(
    "Height",
    "budget",
    { budget: "Budget", fit: "Fit" },
    "Whether the latency plot reaches to the budget or to what there is",
  ),
} satisfies Fields;
