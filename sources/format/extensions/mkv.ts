export const extensions = ["mkv"] as const;
