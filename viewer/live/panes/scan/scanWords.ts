// What the pane of a scan says.

export const START = "Press Scan, then move the camera slowly around the thing";
export const WAITS = "Press Play: the scan takes the frames that play";
export const COUNT =
  "Frames in the model (without those of unknown place), the last one’s time, and returns to earlier views";
export const LOST = "Lost: point the camera at a part of the model, from about where you saw it, until this goes";
export const LOST_PLAYING = "Lost: too much was left out. In the menu “Scan” take “Every frame of a recording”";
