import { testScan } from "./scanning.ts";

testScan("WebGPU, with the recording's poses", ({ adapter }) => adapter, true);
