export const extensions = ["bag"] as const;
