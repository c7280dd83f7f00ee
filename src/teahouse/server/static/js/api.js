// Requests to the house. A refusal is an Error that says why in the house's words.

async function answer(response) {
  if (response.ok) return response;
  let why = "the house does not answer";
  try {
    why = (await response.json()).why ?? why;
  } catch {
    // not in the house's words
  }
  throw new Error(why);
}

async function asked(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("the house cannot be reached");
  }
  return answer(response);
}

export const get = async (path) => (await asked(path)).json();
export const text = async (path) => (await asked(path)).text();
export const post = async (path, body) =>
  (
    await asked(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    })
  ).json();
