// What the page knows of the studio: its state, the runs, and what has changed since.

import { source, Trouble } from "./source.js";

/**
 * @typedef {{at: number, class: string, rule: string, outcome: string, message: string}} Stop
 * @typedef {{text: string, first: number|null, last: number|null, never: boolean, classes: string[], note: string, by: string|null}} Label
 * @typedef {object} Row
 * @property {number} n @property {string} id @property {string} title @property {string} file @property {string} reader
 * @property {number} iterations @property {number|null} cost @property {number|null} tokens
 * @property {number|null} began @property {number|null} took @property {string} how @property {string|null} parent
 * @property {boolean} live @property {boolean} read @property {Label|null} label
 * @property {string[]} strips @property {(Stop|null)[]} stops @property {(string|null)[]} grades
 * @property {([number, number|null]|null)[]} waste @property {boolean} parted
 */

export const store = {
  /** @type {any} as `state` of the studio, null before it answered */
  state: null,
  /** @type {string[]} names of the policies, in the order of a row's strips */
  policies: [],
  /** @type {Map<number, Row>} by their numbers */
  rows: new Map(),
  /** Whether the studio is heard; null where it is files. @type {boolean|null} */
  heard: null,
  /** @type {Trouble|null} */
  trouble: null,
  /** @type {{done: number, known: number}|null} */
  progress: null,
};

/** @type {Set<(what: string) => void>} */
const listeners = new Set();
let loading = Promise.resolve();
/** Events that came while everything was loading. @type {object[]|null} */
let waiting = null;

/** Be told of each change, by its kind: `rows`, `state`, or the type of an event. @param {(what: string, event?: any) => void} tell */
export const onChange = (tell) => {
  listeners.add(tell);
  return () => listeners.delete(tell);
};
const changed = (what, event) => listeners.forEach((tell) => tell(what, event));

let due = 0;
/** Say once a frame that rows have changed: a new policy's decisions come in many parts. */
const rowsChanged = () => {
  due ||= requestAnimationFrame(() => {
    due = 0;
    changed("rows");
  });
};

/** @returns {Row[]} */
export const allRows = () => [...store.rows.values()];

/** Load everything anew. Several at once are one after the other. */
export const load = () => (loading = loading.then(loaded, loaded));

const loaded = async () => {
  waiting = [];
  try {
    const [state, runs] = await Promise.all([source.get("state"), source.get("runs")]);
    store.state = state;
    store.policies = runs.policies;
    store.progress = state.loading;
    store.rows = new Map(runs.rows.map((row) => [row.n, row]));
    store.trouble = null;
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    store.trouble = error;
  }
  const late = waiting;
  waiting = null;
  late.forEach(heard);
  changed("rows");
  changed("state");
  changed("loaded");
};

/** The columns of a row that hold one value per policy, and their names in an event about one policy. */
const PER_POLICY = { strip: "strips", stop: "stops", grade: "grades", waste: "waste" };

/** @param {any} part of a row; with `policy` it holds what one policy says */
const take = (part, policy) => {
  const at = policy === undefined ? -1 : store.policies.indexOf(policy);
  const before = store.rows.get(part.n);
  const row = { ...before, ...part };
  if (at >= 0 && before) {
    for (const [one, all] of Object.entries(PER_POLICY)) {
      if (!(one in part)) continue;
      row[all] = before[all].with(at, part[one]);
      if (one !== all) delete row[one];
    }
  }
  store.rows.set(part.n, row);
};

/** @param {any} event */
const heard = (event) => {
  if (event.type === "reload") return load();
  // What is loading may be older than this.
  if (waiting) return waiting.push(event);
  if (event.type === "rows") event.rows.forEach((part) => take(part, event.policy));
  else if (event.type === "live") take(event.row);
  else if (event.type === "progress") store.progress = event;
  else if (event.type === "notes") store.state = { ...store.state, notes: event.notes };
  else if (event.type === "done") store.progress = null;
  if (event.type === "rows" || event.type === "live") rowsChanged();
  else changed(event.type, event);
};

/** Mark a run as read, in this page at once. @param {number} n */
export const markRead = (n) => {
  const row = store.rows.get(n);
  if (!row || row.read) return;
  store.rows.set(n, { ...row, read: true });
  changed("rows");
};

/** Begin: load, and listen to what happens. */
export const begin = () => {
  source.listen(heard, (open, trouble) => {
    // What happened while this page was not connected comes now, or the studio says `reload`.
    if (open && store.trouble) load();
    store.heard = open;
    store.trouble = trouble ?? store.trouble;
    changed("state");
  });
  return load();
};
