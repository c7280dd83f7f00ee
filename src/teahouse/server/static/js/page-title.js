// The title of the page, with the number of games that wait for the player: "(2) Teahouse".

let title = document.title;
let waiting = 0;

function show() {
  const text = waiting ? `(${waiting}) ${title}` : title;
  if (document.title !== text) document.title = text;
}

/** @param {string} text */
export function setTitle(text) {
  title = text;
  show();
}

/** @param {number} count */
export function setWaiting(count) {
  waiting = count;
  show();
}

/** Return the title without the number. */
export const pageTitle = () => title;
