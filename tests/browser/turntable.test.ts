import { testTurntable } from "./scanning.ts";

testTurntable();
