/** An array, and a zip of arrays. */
export const extensions = ["npy", "npz"] as const;
