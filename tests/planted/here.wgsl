// #import "./there.wgsl"
const HERE = 1;
