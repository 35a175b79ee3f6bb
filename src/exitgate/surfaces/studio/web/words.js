// Numbers, times and classes as the report writes them.

/** @typedef {{letter: string, name: string, sign: string}} Tone */

/** Letter of a strip -> its class and the sign that tells it apart without colour. */
const TONES = [
  [".", "continue", "→"],
  ["c", "complete", "✓"],
  ["i", "idle", "○"],
  ["b", "blocked", "!"],
  ["r", "review", "?"],
  ["s", "stuck", "↻"],
  ["h", "halted", "■"],
  ["l", "exhausted", "$"],
  ["w", "wait", "…"],
  ["f", "failed", "✗"],
  ["u", "undetermined", "∅"],
  ["n", "interrupted", "‖"],
];
const BY_LETTER = new Map(TONES.map(([letter, name, sign]) => [letter, { letter, name, sign }]));
const BY_NAME = new Map([...BY_LETTER.values()].map((tone) => [tone.name, tone]));
const OTHER = { letter: "x", name: "other", sign: "◆" };

/** @param {string} letter @returns {Tone} */
export const toneOf = (letter) => BY_LETTER.get(letter) ?? OTHER;
/** @param {string} name of a class @returns {Tone} */
export const toneNamed = (name) => BY_NAME.get(name) ?? { ...OTHER, name };
/** Every class, in the order in which they are listed. */
export const TONE_NAMES = TONES.slice(1).map(([, name]) => name);

const whole = new Intl.NumberFormat("en-US");
const cents = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** @param {number} n */
export const number = (n) => whole.format(n);
/** `1 run`, `12,000 runs`. @param {number} n @param {string} word */
export const counted = (n, word) => `${whole.format(n)} ${word}${n === 1 ? "" : "s"}`;
/** `1.20 USD`, four decimals below ten cents. @param {number|null} amount */
export const usd = (amount) =>
  amount === null || amount === undefined
    ? ""
    : `${amount >= 0.1 || !amount ? cents.format(amount) : amount.toFixed(4)} USD`;
/** `42 s`, `7 min`, `3 h 20 min`. @param {number|null} seconds */
export const span = (seconds) => {
  if (typeof seconds !== "number" || !(seconds >= 0) || seconds >= 1e10) return "";
  const all = Math.round(seconds);
  if (all < 60) return `${all} s`;
  if (all < 3600) return `${Math.floor(all / 60)} min${all % 60 ? ` ${all % 60} s` : ""}`;
  return `${Math.floor(all / 3600)} h ${Math.floor((all % 3600) / 60)} min`;
};
/** `2026-03-01 14:05` (UTC) of seconds since the epoch. @param {number|null} seconds */
export const instant = (seconds) => {
  const found = typeof seconds === "number" ? new Date(seconds * 1000) : null;
  return found === null || Number.isNaN(found.valueOf()) ? "" : found.toISOString().slice(0, 16).replace("T", " ");
};
/** Texts as a screen can show them: control characters and marks of direction as their codes. @param {unknown} text */
export const safe = (text) =>
  String(text ?? "").replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
