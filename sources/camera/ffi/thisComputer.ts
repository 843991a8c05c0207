import { readdirSync } from "node:fs";
import type { SearchPlace } from "./find.ts";

/** This computer. */
export const here: SearchPlace = {
  platform: process.platform,
  arch: process.arch,
  env: process.env,
  setenv(name, value) {
    process.env[name] = value;
  },
  list(folder) {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  },
};
