// Saving the draft of a policy: where to, and why rules do not decide.

import { html } from "./vendor/lit.js";
import { propose } from "./keep.js";
import { source } from "./source.js";
import { safe } from "./words.js";

/**
 * @param {any} found the policy as the studio gives it @param {any} draft as it is now
 * @param {(paths: string[]) => void} done
 */
export const saveDraft = (found, draft, done) => {
  const byText = draft.text !== null && draft.text !== undefined;
  const choices = [];
  if (found.editable) choices.push(["policy", `the policy's own file, ${found.path}`]);
  if (!byText) choices.push(["project", "the project's settings, .bb3/config.yaml"]);
  let target = found.in_force && !byText ? "project" : choices[0][0];
  let why = "";
  const reason = draft.disabled.length + draft.shadow.length > 0;
  propose({
    title: `Save ${found.name}`,
    controls: (again) => html`<fieldset class="targets"><legend>Save to</legend>${choices.map(
      ([key, words]) => html`<label class="check"><input type="radio" name="target" .checked=${target === key}
        @change=${() => {
          target = key;
          again();
        }}>${safe(words)}</label>`,
    )}</fieldset>
    ${
      reason
        ? html`<label class="field"><span>Why rules do not decide, for the next reader</span><input type="text" maxlength="300" .value=${why}
        @change=${(event) => {
          why = event.target.value;
          again();
        }}></label>`
        : ""
    }`,
    ask: () => source.post("keep-draft", { policy: found.name, target, why }),
    done,
  });
};
