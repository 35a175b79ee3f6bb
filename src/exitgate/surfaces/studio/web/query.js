// Which runs are shown, in which order, and what they sum up to. Pure: rows in, rows out.

/** @typedef {import("./store.js").Row} Row */

/**
 * @typedef {object} Query
 * @property {string} text @property {string} format @property {string} stop @property {string} grade
 * @property {string} only numbers of runs with commas between them, empty for all
 * @property {string} label @property {boolean} parted @property {boolean} unread
 * @property {number|null} fewest @property {number|null} longest @property {number|null} cheapest
 * @property {number|null} dearest @property {number} by place of the policy that is sorted and judged by
 * @property {string} sort @property {boolean} down
 */

/** @type {Query} */
export const EVERYTHING = {
  text: "",
  format: "",
  stop: "",
  grade: "",
  label: "",
  only: "",
  parted: false,
  unread: false,
  fewest: null,
  longest: null,
  cheapest: null,
  dearest: null,
  by: 0,
  sort: "",
  down: false,
};
const FILTERS = Object.keys(EVERYTHING).filter((key) => !["by", "sort", "down"].includes(key));
export const NO_STOP = "none";

/** @param {URLSearchParams} given @returns {Query} */
export const readQuery = (given) => {
  const query = { ...EVERYTHING };
  for (const [key, usual] of Object.entries(EVERYTHING)) {
    const text = given.get(key);
    if (text === null) continue;
    const value = Number(text);
    if (typeof usual === "boolean") query[key] = text === "1";
    else if (typeof usual === "string") query[key] = text;
    else if (text !== "" && Number.isFinite(value)) query[key] = value;
  }
  return query;
};

/** The part of an address that `readQuery` reads; what is as usual is left out. @param {Query} query */
export const writeQuery = (query) => {
  const given = Object.entries(query).filter(([key, value]) => value !== EVERYTHING[key]);
  return new URLSearchParams(given.map(([key, value]) => [key, value === true ? "1" : String(value)])).toString();
};

/** @param {Query} query how many filters are set */
export const filters = (query) => FILTERS.filter((key) => query[key] !== EVERYTHING[key]).length;

const texts = new WeakMap();
/** @param {Row} row @returns {string} what is searched of a row */
const textOf = (row) => {
  if (!texts.has(row)) texts.set(row, `${row.title}\n${row.id}\n${row.file}\n${row.label?.note ?? ""}`.toLowerCase());
  return texts.get(row);
};

/** @param {Row[]} rows @param {Query} query @returns {Row[]} */
export const chosen = (rows, query) => {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const { by } = query;
  const isIn = (value, least, most) =>
    (least === null && most === null) ||
    (value !== null && value >= (least ?? -Infinity) && value <= (most ?? Infinity));
  const only = query.only ? new Set(query.only.split(",").map(Number)) : null;
  return rows.filter(
    (row) =>
      (!only || only.has(row.n)) &&
      (!query.format || row.reader === query.format) &&
      (!query.stop || (row.stops[by]?.class ?? NO_STOP) === query.stop) &&
      (!query.grade || row.grades[by] === query.grade) &&
      (!query.label || (query.label === "disputed" ? row.disputed : (query.label === "yes") === Boolean(row.label))) &&
      (!query.parted || row.parted) &&
      (!query.unread || !row.read) &&
      isIn(row.iterations, query.fewest, query.longest) &&
      isIn(row.cost, query.cheapest, query.dearest) &&
      words.every((word) => textOf(row).includes(word)),
  );
};

/** Name of a column -> what of a row it is sorted by; null is always last. */
const KEYS = {
  run: (row) => (row.title || row.id).toLowerCase(),
  format: (row) => row.reader,
  iterations: (row) => row.iterations,
  cost: (row) => row.cost,
  tokens: (row) => row.tokens,
  began: (row) => row.began,
  took: (row) => row.took,
  stop: (row, by) => row.stops[by]?.at ?? null,
  label: (row) => row.label?.first ?? null,
  waste: (row, by) => row.waste[by]?.[0] ?? null,
};
export const SORTS = Object.keys(KEYS);

/** @param {Row[]} rows @param {Query} query @returns {Row[]} */
export const ordered = (rows, query) => {
  if (!Object.hasOwn(KEYS, query.sort)) return rows;
  const key = KEYS[query.sort];
  const sign = query.down ? -1 : 1;
  const keyed = rows.map((row) => [key(row, query.by) ?? null, row]);
  keyed.sort(([a, one], [b, other]) => {
    if (a === null || b === null) return (a === null) - (b === null) || one.n - other.n;
    return a < b ? -sign : a > b ? sign : one.n - other.n;
  });
  return keyed.map(([, row]) => row);
};

/**
 * @typedef {{stops: number, right: number, late: number, premature: number, missed: number, wasted: number, usd: number|null, partly: boolean}} Total
 * `partly`: some iterations that were wasted have no cost
 * @param {Row[]} rows @param {number} policies how many @returns {Total[]}
 */
export const totals = (rows, policies) => {
  const found = Array.from({ length: policies }, () => ({
    stops: 0,
    right: 0,
    late: 0,
    premature: 0,
    missed: 0,
    wasted: 0,
    usd: null,
    partly: false,
  }));
  for (const row of rows) {
    for (let at = 0; at < policies; at += 1) {
      const total = found[at];
      if (row.stops[at]) total.stops += 1;
      if (row.grades[at] in total) total[row.grades[at]] += 1;
      const [iterations, cost] = row.waste[at] ?? [0, null];
      total.wasted += iterations;
      if (cost !== null) total.usd = (total.usd ?? 0) + cost;
      else if (iterations) total.partly = true;
    }
  }
  return found;
};

/** Iterations at which strips are not the same, from 1. @param {string[]} strips @returns {number[]} */
export const partings = (strips) => {
  const most = Math.max(0, ...strips.map((strip) => strip.length));
  return Array.from({ length: most }, (_, at) => at + 1).filter((at) => {
    const said = new Set(strips.map((strip) => strip[at - 1] ?? "-"));
    said.delete("-");
    return said.size > 1;
  });
};
