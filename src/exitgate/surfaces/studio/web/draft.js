// A draft of a policy: what was changed and is not saved. Each change asks the studio to decide all runs anew.

import { source, Trouble } from "./source.js";
import { lastOrder } from "./runs.js";

/** Milliseconds between two requests while a control is being moved. */
const PACE = 120;
const NOTHING = { values: {}, before: {}, disabled: [], shadow: [] };

/** Whether a draft changes nothing. */
export const isEmpty = (draft) =>
  !Object.keys(draft.values).length &&
  !Object.keys(draft.before).length &&
  !draft.disabled.length &&
  !draft.shadow.length;

/**
 * The draft of one policy. `changed` is called after each change and after each answer.
 *
 * @param {string} policy @param {object} given as the studio has it @param {() => void} changed
 */
export const drafting = (policy, given, changed) => {
  const kept = { values: given.values ?? {}, before: given.before ?? {}, disabled: given.disabled ?? [] };
  const found = {
    now: { ...NOTHING, ...kept, shadow: given.shadow ?? [] },
    past: [],
    future: [],
    revision: 0,
    /** What is wrong with the draft; the one before stays in force. */
    problems: [],
    trouble: null,
    reads: false,
  };
  let waiting;
  let under = false;
  let again = false;

  const send = async () => {
    if (under) {
      again = true;
      return;
    }
    under = true;
    try {
      const { text, ...draft } = found.now;
      const answer = await source.post("draft", { policy, draft, visible: lastOrder.numbers.slice(0, 60) });
      found.problems = answer.diagnostics ?? [];
      found.revision = answer.revision ?? found.revision;
      found.reads = answer.reads ?? false;
      found.trouble = null;
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      found.trouble = error;
    } finally {
      under = false;
    }
    changed();
    if (again) {
      again = false;
      send();
    }
  };

  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(send, PACE);
  };

  /** Change the draft. @param {object} part @param {boolean} step whether it can be undone by itself */
  found.change = (part, step = true) => {
    if (step) {
      found.past.push(found.now);
      found.future = [];
    }
    found.now = { ...found.now, ...part };
    changed();
    soon();
  };
  const move = (from, to) => {
    if (!from.length) return;
    to.push(found.now);
    found.now = from.pop();
    changed();
    soon();
  };
  found.undo = () => move(found.past, found.future);
  found.redo = () => move(found.future, found.past);
  found.reset = () => found.change({ ...NOTHING });
  found.leave = () => clearTimeout(waiting);
  return found;
};
