// Globals set by scripts that are not modules.

interface PreferenceValues {
  theme: "system" | "light" | "dark";
  colours: "classic" | "colour-blind";
  sounds: boolean;
  coordinates: boolean;
}

/** Set by theme.js. */
declare var preferences: {
  get(): PreferenceValues;
  set<K extends keyof PreferenceValues>(name: K, value: PreferenceValues[K]): void;
};
