// Examples in the rules: stepped through, and moved on by clicking.
import { post } from "./api.js";
import { Board } from "./board.js";
import { element, sentence, write } from "./dom.js";
import { Review } from "./review.js";

function button(label, path, act) {
  const made = element("button", { type: "button", class: "icon", "aria-label": label, title: label, onclick: act });
  made.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
  return made;
}

/** Make an example live. */
function enliven(figure, number) {
  const wanted = JSON.parse(figure.dataset.explore);
  const setup = { game: wanted.game, options: wanted.options };
  const box = element("div", { class: "board-box" });
  const choices = element("div", { class: "choices none", role: "group", "aria-label": "Beside the board" });
  const said = element("p", { class: "said" });
  const prompt = element("p", { class: "prompt" });
  box.append(figure.querySelector("svg"));
  const load = async (ply) => (await post("/api/explore", { ...wanted, ply })).view;
  const board = new Board(box, choices, `example-${number}-`);
  const review = new Review(load, setup);
  const back = button("One move back", "M16 5.5 7 12l9 6.5z", () => review.step("back"));
  const on = button("One move on", "M8 5.5 17 12l-9 6.5z", () => review.step("on"));
  const again = button("As it was", "M6 9a7 7 0 1 1-1 6M6 4v5h5", () => review.go(null, wanted.moves.length));
  again.classList.add("open-line");
  const caption = figure.querySelector("figcaption");
  const side = element("div", { class: "beside" }, prompt, said, element("div", { class: "steps" }, back, on, again));
  figure.replaceChildren(box, choices, ...(caption ? [caption] : []), side);
  board.onmove = (move, view) => review.try(move, view);
  review.onview = (view, moving) => board.show(view, { open: true, moving });
  review.onerror = (error) => write(prompt, sentence(error.message));
  review.onchange = () => {
    back.setAttribute("aria-disabled", String(!review.canBack));
    on.setAttribute("aria-disabled", String(!review.canOn));
  };
  board.onshow = (view) => {
    write(prompt, view.prompt);
    write(said, view.last ? sentence(view.last.says) : "");
  };
  return post("/api/explore", wanted).then(({ moves, view }) => {
    review.set(moves, view);
    review.home();
    return board.show(view, { open: true });
  });
}

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    enliven(target, figures.indexOf(target)).catch(() => {});
  }
});
const figures = [...document.querySelectorAll("figure.example")];
for (const figure of figures) seen.observe(figure);
