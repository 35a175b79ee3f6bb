// What screen readers say of a change that is elsewhere on the page.

let waiting;

/** @param {string} text replaces what was about to be told */
export const tell = (text) => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    document.getElementById("told").textContent = text;
  }, 300);
};
