// Which lines of a text are others than in another text.

/** Lines that are compared one with another: beyond it, all between the first and the last change is one. */
const MOST = 600;
/** Lines around a change that are shown. */
const AROUND = 2;

/** The changes with what is around them. @param {ReturnType<typeof lineDiff>} lines */
export const around = (lines) => {
  const near = (at) => lines.slice(Math.max(at - AROUND, 0), at + AROUND + 1).some((one) => one.sign !== " ");
  return lines.flatMap((one, at) => (near(at) ? [one] : near(at - 1) ? [{ sign: " ", text: "…", line: 0 }] : []));
};

/**
 * @param {string} before @param {string} after
 * @returns {{sign: " "|"-"|"+", text: string, line: number}[]} with the number of the line in its text
 */
export const lineDiff = (before, after) => {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const [a, b] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const made = (sign, list, at) => ({ sign, text: list[at], line: start + at + 1 });
  if (a.length > MOST || b.length > MOST) {
    return [...a.map((_, at) => made("-", a, at)), ...b.map((_, at) => made("+", b, at))];
  }
  // The longest common part of what begins at each pair of lines.
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const found = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push(made(" ", b, j));
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || longest[i + 1][j] >= longest[i][j + 1])) {
      found.push(made("-", a, i));
      i += 1;
    } else {
      found.push(made("+", b, j));
      j += 1;
    }
  }
  return found;
};
