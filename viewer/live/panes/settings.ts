import { choice, number, type Parameter, toggle } from "../../../stages/parameters.ts";
import { COLOR_MAPS, type ColorMap } from "./colorMaps.ts";

/** What the user has chosen of the panes. */
export interface PaneSettings {
  /** Which are open beside the 3D picture. */
  paneDepth: boolean;
  paneColor: boolean;
  panePixel: boolean;
  paneLatency: boolean;
  /** What is under the pointer is said in the 3D picture alone, too. */
  paneReadout: boolean;
  /** The large one, and whether the others are beside it or on it. */
  paneLarge: "scene" | "depth" | "color";
  paneLayout: "beside" | "inset";
  /** The large one's share of the width. */
  paneShare: number;
  /** Of the depth image: what, in which colours, from where to where if that is held. */
  depthShown: "raw" | "filtered" | "both";
  depthMap: ColorMap;
  depthHeld: boolean;
  depthNearM: number;
  depthFarM: number;
  /** The pixel that is plotted; −1: none. */
  plotU: number;
  plotV: number;
  /** The latency plot reaches to the budget, or to what there is. */
  latencyScale: "budget" | "fit";
}

/** None is open: nothing slows the start. */
export const initialPanes: PaneSettings = {
  paneDepth: false,
  paneColor: false,
  panePixel: false,
  paneLatency: false,
  paneReadout: false,
  paneLarge: "scene",
  paneLayout: "beside",
  paneShare: 0.6,
  depthShown: "filtered",
  depthMap: "viridis",
  depthHeld: false,
  depthNearM: 0.5,
  depthFarM: 4,
  plotU: -1,
  plotV: -1,
  latencyScale: "budget",
};

/** What each may be. */
export const paneSchema = {
  paneDepth: toggle(false, "depth as an image"),
  paneColor: toggle(false, "the colour image"),
  panePixel: toggle(false, "a pixel over time"),
  paneLatency: toggle(false, "latency over time"),
  paneReadout: toggle(false, "what is under the pointer"),
  paneLarge: choice("scene", ["scene", "depth", "color"], "the large one"),
  paneLayout: choice("beside", ["beside", "inset"], "where the others are"),
  paneShare: number(0.6, { min: 0.05, max: 0.95 }, "the large one's share of the width"),
  depthShown: choice("filtered", ["raw", "filtered", "both"], "which depth"),
  depthMap: choice("viridis", Object.keys(COLOR_MAPS) as ColorMap[], "in which colours"),
  depthHeld: toggle(false, "whether its range stays what it is"),
  depthNearM: number(0.5, { min: 0.001, max: 1000 }, "from where, m"),
  depthFarM: number(4, { min: 0.001, max: 1000 }, "to where, m"),
  plotU: number(-1, { min: -1, max: 65535, step: 1 }, "the column of the pixel that is plotted; −1: none"),
  plotV: number(-1, { min: -1, max: 65535, step: 1 }, "its row"),
  latencyScale: choice("budget", ["budget", "fit"], "how far the latency plot reaches"),
} satisfies Record<keyof PaneSettings, Parameter>;
