/**
 * What the filters can be set for, for people. What a stage does for one of them stands with the stage (`presets`); a stage
 * that has nothing there takes its defaults. `raw` leaves all filters out.
 */
export const PRESETS = {
  default: "Default",
  raw: "Raw: no filter",
  strong: "Strong",
  "kinect-v1": "Kinect v1, Xtion",
  "kinect-v2": "Kinect v2",
  "azure-kinect": "Azure Kinect",
  realsense: "RealSense D400 (stereo)",
  "at-hand": "Structured light at hand",
  phone: "Phone with LiDAR",
} as const;
export type Preset = keyof typeof PRESETS;
