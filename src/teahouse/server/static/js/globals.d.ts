// Globals set by scripts that are not modules.

interface PreferenceValues {
  theme: "system" | "light" | "dark";
  colours: "classic" | "colour-blind";
  sounds: boolean;
  coordinates: boolean;
  /** Whether a move on a touch screen needs a second tap. */
  confirm: boolean;
  /** Whether a move in a slow game opens the next game that waits. */
  nextGame: boolean;
}

/** Set by theme.js. */
declare var preferences: {
  get(): PreferenceValues;
  set<K extends keyof PreferenceValues>(name: K, value: PreferenceValues[K]): void;
};
