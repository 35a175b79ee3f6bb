// The view of a policy: its rules, its parameters, its text.

import { html, render } from "./vendor/lit.js";
import { editor } from "./editor.js";
import { source, Trouble } from "./source.js";
import { store } from "./store.js";
import { safe } from "./words.js";

/** @param {HTMLElement} place @param {import("./main.js").Route} route @returns {import("./main.js").View} */
export const policyView = (place, route) => {
  let name = "";
  let found = null;
  let trouble = null;
  let written = null;
  const text = document.createElement("div");
  text.className = "policy-text";
  const view = { title: "Policy", keys: {}, update: (next) => void show(next), leave: () => written?.destroy() };

  const draw = (rule) =>
    render(
      html`<h1>Policy</h1>
    <nav class="beside" aria-label="Policies">${store.policies.map(
      (one) => html`<a href=${`#/policy/${encodeURIComponent(one)}`}
      aria-current=${one === name ? "page" : "false"}><span class="name">${safe(one)}</span></a>`,
    )}</nav>
    ${trouble ? html`<p class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}</p>` : ""}
    ${
      found
        ? html`<div class="policy"><section aria-labelledby="rules"><h2 id="rules">Rules, the first that is true decides</h2>
      <ol class="rules">${found.rules.map(
        (one) => html`<li class=${one.id === rule ? "on" : ""} id=${`rule-${one.id}`}><code>${safe(one.id)}</code>
        <span class="quiet">${safe(one.effect)}</span><code class="condition">${safe(one.when)}</code></li>`,
      )}</ol>
      <h2>Parameters</h2><dl class="figures">${found.parameters.map((one) => html`<div><dt>$${safe(one.name)}</dt><dd>${safe(one.value)}</dd></div>`)}</dl></section>
      <section aria-labelledby="text"><h2 id="text">Text</h2>${text}</section></div>`
        : ""
    }`,
      place,
    );

  const show = async (next) => {
    const wanted = next.parts[0] || store.policies[0] || "";
    const rule = next.parts[1] ?? "";
    if (wanted !== name) {
      name = wanted;
      found = trouble = null;
      draw(rule);
      try {
        found = await source.get("policy", wanted);
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        trouble = error;
      }
      if (name !== wanted) return;
      written?.destroy();
      written = found ? editor(text, { text: found.text, readOnly: true, label: `Text of ${name}` }) : null;
    }
    draw(rule);
    document.getElementById(`rule-${rule}`)?.scrollIntoView({ block: "center" });
  };

  view.update(route);
  return view;
};
