import type { Gpu } from "../../pipeline/index.ts";

/** What a document says of a GPU. */
export const adapterOf = ({ vendor, description, software }: Gpu) => ({ vendor, description, software });
