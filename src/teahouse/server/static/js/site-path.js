// Paths of this server: a proxy may serve it under a base path, such as /tea.

/** The base path; empty at the root of a host. */
const BASE = new URL("../..", import.meta.url).pathname.slice(0, -1);

/**
 * Return where a path of this server is, for the browser.
 * @param {string} path such as /tables/abc
 */
export const sitePath = (path) => BASE + path;

/**
 * Return the complete address of a path of this server, to share it.
 * @param {string} path
 */
export const siteUrl = (path) => location.origin + sitePath(path);

/**
 * Return the address of a socket of this server.
 * @param {string} path
 */
export const socketUrl = (path) => siteUrl(path).replace(/^http/, "ws");

/** Return the path of this page, as the server knows it. */
export const pagePath = () => location.pathname.slice(BASE.length) || "/";

/**
 * Go to a page of this server.
 * @param {string} path
 */
export function openPage(path) {
  location.href = sitePath(path);
}
