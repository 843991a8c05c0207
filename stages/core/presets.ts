/** The name of a preset: filter settings for one kind of camera. */
export type Preset =
  | "default"
  | "raw"
  | "strong"
  | "kinect-v1"
  | "kinect-v2"
  | "azure-kinect"
  | "realsense"
  | "at-hand"
  | "phone";

/**
 * The presets of the filters, with their titles. Each stage lists its values for a preset (`presets`); a stage that lists none uses its
 * defaults. `raw` switches all filters off.
 */
export const PRESETS: Readonly<Record<Preset, string>> = {
  default: "Default",
  raw: "Raw: no filter",
  strong: "Strong",
  "kinect-v1": "Kinect v1, Xtion",
  "kinect-v2": "Kinect v2",
  "azure-kinect": "Azure Kinect",
  realsense: "RealSense D400 (stereo)",
  "at-hand": "Structured light, close up",
  phone: "Phone with LiDAR",
};
