export const extensions = ["sens"] as const;
