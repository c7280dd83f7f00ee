// Settings of this device, put on the page before it is painted. Not a module: modules come too late for that.
(() => {
  const defaults = { theme: "auto", colours: "tea", sounds: true, coordinates: true };
  const key = "teahouse.settings";

  function settings() {
    try {
      return { ...defaults, ...JSON.parse(localStorage.getItem(key) ?? "{}") };
    } catch {
      return { ...defaults };
    }
  }

  function apply() {
    const { theme, colours, coordinates } = settings();
    Object.assign(document.documentElement.dataset, { theme, colours, coordinates });
  }

  function set(name, value) {
    try {
      localStorage.setItem(key, JSON.stringify({ ...settings(), [name]: value }));
    } catch {
      // A device that may not remember still shows it for as long as the page is open.
      defaults[name] = value;
    }
    apply();
  }

  apply();
  addEventListener("storage", apply);
  globalThis.look = { settings, set };
})();
