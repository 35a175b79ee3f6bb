// Search in the texts of a run. Hits are marked by the browser: no element is added.

/** Hits that are marked. */
const MOST = 2000;

/** @param {HTMLElement} place whose `.said` texts are searched */
export const finder = (place) => {
  let hits = [];
  let at = 0;

  const mark = () => {
    if (!CSS.highlights) return; // older browsers go to the hits and do not mark them
    CSS.highlights.set("found", new Highlight(...hits));
    CSS.highlights.set("found-here", new Highlight(...hits.slice(at, at + 1)));
  };

  const forget = () => {
    hits = [];
    CSS.highlights?.delete("found");
    CSS.highlights?.delete("found-here");
  };

  /** @param {string} text @returns {{count: number, at: number}} hits, and which one it is at, from 1 */
  const search = (text) => {
    forget();
    at = 0;
    const wanted = text.toLowerCase();
    if (!wanted) return { count: 0, at: 0 };
    for (const said of place.querySelectorAll(".said, .decisions, .evidence")) {
      const walker = document.createTreeWalker(said, NodeFilter.SHOW_TEXT);
      while (walker.nextNode() && hits.length < MOST) {
        const { data } = walker.currentNode;
        const lower = data.toLowerCase();
        if (lower.length !== data.length) continue; // places in the two texts differ: letters that grow, as İ does
        for (let from = lower.indexOf(wanted); from >= 0; from = lower.indexOf(wanted, from + wanted.length)) {
          const range = new Range();
          range.setStart(walker.currentNode, from);
          range.setEnd(walker.currentNode, from + wanted.length);
          hits.push(range);
        }
      }
    }
    mark();
    return { count: hits.length, at: hits.length && 1 };
  };

  /** @param {number} by @returns {number} which hit it is at, from 1 */
  const step = (by) => {
    at = (at + by + hits.length) % hits.length;
    mark();
    return at + 1;
  };

  return { search, step, forget, here: () => hits[at].startContainer.parentElement };
};
