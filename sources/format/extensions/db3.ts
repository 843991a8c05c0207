export const extensions = ["db3"] as const;
