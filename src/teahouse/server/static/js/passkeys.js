// Passkeys: the ceremonies of WebAuthn with the browser's authenticators.
import { post } from "./api.js";

/** Whether this browser has passkeys, and the page's address allows them. */
export const passkeysAvailable = () =>
  typeof PublicKeyCredential === "function" && !isAddress(location.hostname);

/**
 * Return whether a host is an IP address: passkeys belong to names.
 * @param {string} host
 */
const isAddress = (host) => /^[\d.]+$/.test(host) || host.startsWith("[");

/** @param {BufferSource} data */
function toBase64Url(data) {
  const bytes = new Uint8Array(data instanceof ArrayBuffer ? data : data.buffer);
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} text */
const fromBase64Url = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));

/** @param {{ id: string }[]} [listed] */
const descriptors = (listed = []) =>
  listed.map(({ id }) => ({ type: /** @type {const} */ ("public-key"), id: fromBase64Url(id) }));

/**
 * Ask the browser for a new passkey.
 * @param {any} options from the server, binary fields in base64url
 */
export async function createPasskey(options) {
  const publicKey = {
    ...options,
    challenge: fromBase64Url(options.challenge),
    user: { ...options.user, id: fromBase64Url(options.user.id) },
    excludeCredentials: descriptors(options.excludeCredentials),
  };
  const created = await asked(navigator.credentials.create({ publicKey }));
  const response = /** @type {AuthenticatorAttestationResponse} */ (created.response);
  return {
    id: created.id,
    client_data: toBase64Url(response.clientDataJSON),
    attestation: toBase64Url(response.attestationObject),
  };
}

/**
 * Ask the browser to sign with a passkey.
 * @param {any} options from the server, binary fields in base64url
 * @param {{ signal?: AbortSignal, autofill?: boolean }} [how] autofill: wait in the background
 */
export async function usePasskey(options, { signal, autofill = false } = {}) {
  const publicKey = {
    ...options,
    challenge: fromBase64Url(options.challenge),
    allowCredentials: descriptors(options.allowCredentials),
  };
  const mediation = autofill ? { mediation: /** @type {const} */ ("conditional") } : {};
  const found = await asked(navigator.credentials.get({ publicKey, signal, ...mediation }));
  const response = /** @type {AuthenticatorAssertionResponse} */ (found.response);
  return {
    id: found.id,
    client_data: toBase64Url(response.clientDataJSON),
    authenticator_data: toBase64Url(response.authenticatorData),
    signature: toBase64Url(response.signature),
    user_handle: response.userHandle ? toBase64Url(response.userHandle) : null,
  };
}

/**
 * Wait for an authenticator; explain why there is no answer.
 * @param {Promise<Credential | null>} ceremony
 */
async function asked(ceremony) {
  try {
    return /** @type {PublicKeyCredential} */ (await ceremony);
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    if (name === "NotAllowedError") {
      throw new Error("No passkey was used: the request was cancelled, or it took too long.");
    }
    if (name === "InvalidStateError") {
      throw new Error("This device has a passkey for your account already.");
    }
    throw error;
  }
}

/**
 * Sign in with any passkey of this site.
 * @param {{ signal?: AbortSignal, autofill?: boolean }} [how]
 */
export async function signInWithPasskey(how) {
  const options = await post("/api/account/sign-in/passkey/options", {});
  return post("/api/account/sign-in/passkey", { answer: await usePasskey(options, how) });
}

/**
 * Create an account with a passkey instead of a password.
 * @param {string} name
 */
export async function signUpWithPasskey(name) {
  const options = await post("/api/account/sign-up/passkey/options", { name });
  return post("/api/account/sign-up/passkey", { answer: await createPasskey(options) });
}
