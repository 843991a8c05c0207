export const extensions = ["oni"] as const;
