import type { DepthFrame } from "../sources/frame.ts";

/** Throws where a frame contradicts itself: what comes from a caller is not believed. */
export function checkFrame({ depth, color, intrinsics, index }: DepthFrame): void {
  const { width, height } = intrinsics;
  const [rows, columns] = depth.shape;
  if (rows !== height || columns !== width || depth.data.length !== width * height) {
    throw new Error(`frame ${index}: depth is ${columns}×${rows}, its intrinsics say ${width}×${height}`);
  }
  if (depth.stride[1] !== 1 || depth.stride[0] !== width || depth.offset !== 0) {
    throw new Error(`frame ${index}: depth must be row-major and tight`);
  }
  if (color && color.data.length !== width * height * 4) {
    throw new Error(`frame ${index}: colour must be ${width}×${height} RGBA, registered to depth`);
  }
}
