// #import "./here.wgsl"
const THERE = 2;
