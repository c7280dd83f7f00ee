// The list of lessons, with how far each was followed.
import { gameCards, showProgress } from "./lesson-links.js";

const show = () => gameCards().forEach(showProgress);
show();
addEventListener("pageshow", ({ persisted }) => persisted && show());
