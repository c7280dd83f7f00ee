// The list of versions beside the site (versions.js one folder up) fills the switcher. It is a
// script and not JSON, since pages opened from a file may load scripts only.
const select = document.getElementById("version");
const versions = window.teahouseVersions ?? [];
if (select && versions.length > 1) {
  select.replaceChildren(
    ...versions.map((version) => new Option(version.name, version.name, false, version.name === select.dataset.version)),
  );
  select.addEventListener("change", () => {
    const { pages } = versions.find((version) => version.name === select.value);
    const page = pages.includes(select.dataset.page) ? select.dataset.page : "index";
    location.href = `${select.dataset.root}../${select.value}/${page}.html`;
  });
}
