import type { Gpu } from "../index.ts";

/** The properties of a GPU that documents contain. */
export const adapterOf = ({ vendor, description, software }: Gpu) => ({ vendor, description, software });
