import type { ColorMap } from "./colorMaps.ts";

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
