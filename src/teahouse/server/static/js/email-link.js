// The pages that links in e-mails open. Their key is in the fragment, which only this script sends.
import { post } from "./api.js";
import { byId, setText } from "./dom.js";
import { errorText } from "./wording.js";

const state = byId("state");
const key = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

async function run() {
  if (!/^[\w-]{22,64}$/.test(key)) throw new Error("This link is not complete.");
  if (state.dataset.action === "confirm") {
    const { address } = await post("/api/email/confirm", { key });
    return `${address} is confirmed. Notifications about your games will be sent there.`;
  }
  await post(`/api/email/unsubscribe/${key}`, {});
  return "You will get no more e-mail. You can change this in your notification settings.";
}

run()
  .then((text) => setText(state, text))
  .catch((error) => setText(state, errorText(error)));
