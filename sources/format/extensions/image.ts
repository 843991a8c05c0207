export const extensions = ["png", "tif", "tiff", "exr", "pgm"] as const;
