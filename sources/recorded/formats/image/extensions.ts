export const extensions = ["png", "tif", "tiff", "exr"] as const;
