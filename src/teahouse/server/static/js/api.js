// HTTP requests to the server.
import { sitePath } from "./site-path.js";

/** @import { ErrorBody } from "./protocol.js" */

/** An error answer of the server; the message is a sentence for people. */
class ApiError extends Error {
  /** @param {ErrorBody} body */
  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function request(path, options) {
  let response;
  try {
    response = await fetch(sitePath(path), options);
  } catch {
    throw new Error("The server cannot be reached. Check your connection.");
  }
  if (response.ok) return response;
  let body;
  try {
    body = await response.json();
  } catch {
    body = null; // not from the application: a proxy, for example
  }
  if (typeof body?.message === "string") throw new ApiError(body);
  throw new Error(`The server answered with an error (status ${response.status}).`);
}

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
export const getJson = async (path) => (await request(path)).json();

/** @param {string} path */
export const getText = async (path) => (await request(path)).text();

/**
 * @param {string} path
 * @param {object} body
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function post(path, body, options) {
  const headers = { "Content-Type": "application/json" };
  const sent = { method: "POST", headers, body: JSON.stringify(body), ...options };
  return (await request(path, sent)).json();
}
