import { testScan } from "./scanning.ts";

testScan("the CPU, with tracked poses", () => "backend=cpu", false);
