// node node.js RECORDING OPTIONS: runs hashes.js in Node, as page.js does in a page.
import { hashesOf } from "./hashes.js";

const [recording, options] = process.argv.slice(2);
console.log(JSON.stringify(await hashesOf(recording, JSON.parse(options))));
