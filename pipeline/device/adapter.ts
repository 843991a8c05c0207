import type { Gpu } from "./gpu.ts";

/** The properties of a GPU that documents contain. */
export const adapterOf = ({ vendor, description, software }: Gpu) => ({ vendor, description, software });
