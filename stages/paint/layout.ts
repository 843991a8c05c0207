// Constants shared by the TypeScript twin (f64 rounded to f32) and its WebAssembly form (f32).

/** The modes that colour by surface; the numbers are the kernel's. */
export const NORMAL = 1;
export const CLAY = 2;
export const LIT = 3;

/** Clay: ambient light, and light of the lamp at the camera. */
export const AMBIENT = 0.12;
export const LAMP = 0.88;
/** Mode "lit": ambient light, and light of the lamp from the side. */
export const RAKED = 0.25;
export const RAKE = 0.75;
/** The direction to that lamp. */
export const TO_LAMP_X = -0.48;
export const TO_LAMP_Y = -0.6;
export const TO_LAMP_Z = -0.64;
/** The colour of clay in full light, from 0 to 255. */
export const RED = 244.8;
export const GREEN = 232.05;
export const BLUE = 216.75;
