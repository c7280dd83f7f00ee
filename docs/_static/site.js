// The switcher of versions. The list beside the site (versions.js one folder up) is a script and
// not JSON, since pages opened from a file may load scripts only.
const select = document.getElementById("version");
const versions = window.teahouseVersions ?? [];
if (select && versions.length > 1) {
  const options = versions.map(({ name }) => new Option(name, name, false, name === select.dataset.version));
  select.replaceChildren(...options);
  select.addEventListener("change", () => {
    const { pages } = versions.find(({ name }) => name === select.value);
    const page = pages.includes(select.dataset.page) ? select.dataset.page : "index";
    location.href = `${select.dataset.root}../${select.value}/${page}.html`;
  });
}

// What the theme leaves out: levels of headings, names of landmarks, scrolling by keyboard.
for (const caption of document.querySelectorAll(".caption[role=heading]")) {
  caption.setAttribute("aria-level", "2");
}
document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Pages");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
for (const region of document.querySelectorAll("pre, .table-wrapper, .output, p:has(> img)")) {
  if (region.scrollWidth > region.clientWidth) {
    region.tabIndex = 0;
  }
}
