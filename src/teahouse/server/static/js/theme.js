// Preferences of this browser, applied before the first paint. Modules run too late for that.
(() => {
  const KEY = "teahouse.settings";
  /** @type {PreferenceValues} */
  const defaults = {
    theme: "system",
    colours: "classic",
    sounds: true,
    coordinates: true,
    confirm: false,
    nextGame: false,
  };
  // Values stored by version 0.1.0.
  /** @type {Record<string, PreferenceValues["theme"]>} */
  const oldThemes = { auto: "system", paper: "light", night: "dark" };
  /** @type {Record<string, PreferenceValues["colours"]>} */
  const oldColours = { tea: "classic", clear: "colour-blind" };

  /** @returns {PreferenceValues} */
  function get() {
    try {
      const values = { ...defaults, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
      values.theme = oldThemes[values.theme] ?? values.theme;
      values.colours = oldColours[values.colours] ?? values.colours;
      return values;
    } catch {
      return { ...defaults };
    }
  }

  function apply() {
    const { theme, colours, coordinates } = get();
    const page = document.documentElement.dataset;
    page.theme = theme === "system" ? "auto" : theme;
    page.colours = colours;
    page.coordinates = String(coordinates);
    page.account = wasSignedIn() ? "yes" : "no";
  }

  /** Return whether somebody was signed in on the last page, so that the header keeps its shape. */
  function wasSignedIn() {
    try {
      return (localStorage.getItem("teahouse.account") ?? "null") !== "null";
    } catch {
      return false;
    }
  }

  /**
   * @template {keyof PreferenceValues} K
   * @param {K} name
   * @param {PreferenceValues[K]} value
   */
  function set(name, value) {
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...get(), [name]: value }));
    } catch {
      defaults[name] = value; // storage is blocked: until the page is closed
    }
    apply();
  }

  apply();
  addEventListener("storage", apply);
  globalThis.preferences = { get, set };
})();
