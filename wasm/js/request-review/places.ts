/** Cities by their English and Spanish names. A city is no recipient, and a value that a plan must contain. */
export const PLACES: readonly (readonly [string, string])[] = [
  ["Oslo", "Oslo"],
  ["Madrid", "Madrid"],
  ["London", "Londres"],
  ["Lima", "Lima"],
  ["Buenos Aires", "Buenos Aires"],
  ["Quito", "Quito"],
  ["Mexico City", "Ciudad de México"],
  ["Berlin", "Berlín"],
  ["New York", "Nueva York"],
  ["Tokyo", "Tokio"],
];
