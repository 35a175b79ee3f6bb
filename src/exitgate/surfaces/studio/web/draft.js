// A draft of a policy: what was changed and is not saved. Each change asks the studio to decide all runs anew.

import { source, Trouble } from "./source.js";
import { lastOrder } from "./runs.js";

/** Milliseconds between two requests while a control is being moved. */
const PACE = 120;
const NOTHING = { values: {}, before: {}, disabled: [], shadow: [], text: null };

/** Policy -> a draft that the studio did not take: it is there when somebody comes back to it. */
const refused = new Map();
addEventListener("beforeunload", (event) => refused.size && event.preventDefault());

/** Whether a draft changes nothing. */
export const isEmpty = (draft) =>
  !Object.keys(draft.values).length &&
  !Object.keys(draft.before).length &&
  !draft.disabled.length &&
  !draft.shadow.length &&
  draft.text === null;

const whole = (given) => ({
  values: given.values ?? {},
  before: given.before ?? {},
  disabled: given.disabled ?? [],
  shadow: given.shadow ?? [],
  text: given.text ?? null,
});

/** A draft without what it says of some parameters and rules. */
const without = (draft, names) => {
  const kept = (found) => Object.fromEntries(Object.entries(found).filter((pair) => !names.includes(pair[0])));
  const before = Object.entries(kept(draft.before)).filter(([, other]) => !names.includes(other));
  const [disabled, shadow] = [draft.disabled, draft.shadow].map((ids) => ids.filter((id) => !names.includes(id)));
  return { ...draft, values: kept(draft.values), before: Object.fromEntries(before), disabled, shadow };
};

/**
 * The draft of one policy. `changed` is called after each change and after each answer.
 *
 * @param {string} policy @param {object} given as the studio has it @param {() => void} changed
 */
export const drafting = (policy, given, changed) => {
  const found = {
    now: refused.get(policy) ?? whole(given),
    past: [],
    future: [],
    revision: 0,
    /** What is wrong with the draft; the one before stays in force. */
    problems: [],
    /** Parameters and rules whose changes were dropped: the text does not have them any more. */
    dropped: [],
    trouble: null,
    reads: false,
  };
  let waiting = 0;
  let under = false;
  let again = false;
  let left = false;

  const send = async () => {
    waiting = 0;
    if (under) {
      again = true;
      return;
    }
    under = true;
    const sent = found.now;
    try {
      const answer = await source.post("draft", { policy, draft: sent, visible: lastOrder.numbers.slice(0, 60) });
      found.revision = answer.revision ?? found.revision;
      found.reads = answer.reads ?? false;
      found.trouble = null;
      if (found.now === sent) take(answer);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      found.trouble = error;
      refused.set(policy, found.now);
    } finally {
      under = false;
    }
    if (!left) changed();
    if (again) {
      again = false;
      send();
    }
  };

  /** Take the answer to the newest draft; what is said of an older one does not count any more. */
  const take = (answer) => {
    found.problems = answer.diagnostics ?? [];
    if (answer.diagnostics) refused.set(policy, found.now);
    else refused.delete(policy);
    if (answer.dropped?.length) {
      found.dropped = [...new Set([...found.dropped, ...answer.dropped])];
      found.now = without(found.now, answer.dropped);
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
    found.dropped = [];
    changed();
    soon();
  };
  found.undo = () => move(found.past, found.future);
  found.redo = () => move(found.future, found.past);
  found.reset = () => {
    found.dropped = [];
    found.change({ ...NOTHING });
  };
  /** Whether the studio does not have all of it yet. */
  found.isUnderWay = () => Boolean(waiting) || under || found.reads || refused.has(policy);
  /** Take what another page made of it, where nothing of this page is under way. @param {object} given */
  found.adopt = (given) => {
    const next = whole(given);
    if (found.isUnderWay() || JSON.stringify(next) === JSON.stringify(found.now)) return;
    found.past.push(found.now);
    Object.assign(found, { now: next, future: [], dropped: [] });
  };
  found.leave = () => {
    left = true;
    if (!waiting) return;
    clearTimeout(waiting);
    send();
  };
  if (refused.has(policy)) soon();
  return found;
};
