/** None: databases of all kinds end with ".db", so that only the contents tell. */
export const extensions = [] as const;
