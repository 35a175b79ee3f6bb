// Templates whose texts are always escaped. No directive that writes HTML or style attributes is taken along.
export { html, svg, render, nothing } from "lit-html";
export { repeat } from "lit-html/directives/repeat.js";
export { live } from "lit-html/directives/live.js";
export { ref } from "lit-html/directives/ref.js";
