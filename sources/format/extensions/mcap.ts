export const extensions = ["mcap"] as const;
