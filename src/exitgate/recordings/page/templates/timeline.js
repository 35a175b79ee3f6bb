// The timeline of one run and the iteration beside it, in the report and in the studio.

/**
 * Make the timeline of `run` quicker to use; everything is there without it.
 *
 * @param {Element} run an article of the report
 * @param {(part: Element) => void} opened receives each iteration that a reader opens
 * @returns {{parts: Element[], stops: number[], at: () => number, open: (at: number) => void,
 *   show: (id: string, quiet?: boolean) => boolean}} its iterations; places of the stops and of the one that is
 *   shown; opens the one at a place; shows the one that has an id or is around it, false where there is none
 */
export const timeline = (run, opened) => {
  const wide = matchMedia("(min-width: 80rem)");
  const reader = run.querySelector(".reader");
  const axis = run.querySelector(".axis");
  const scroller = axis.closest(".scroll");
  const status = run.querySelector(".status");
  const parts = [...reader.querySelectorAll(".iteration")];
  const columns = [...axis.querySelectorAll("col")].slice(1);
  const rows = [...axis.rows].filter((row) => row.querySelector("td > a, thead th > a, th[scope=col] > a"));
  const links = rows.map((row) => parts.map((_, at) => row.cells[at + 1]?.querySelector("a") ?? null));
  const place = new Map(parts.map((part, at) => [part.id, at]));
  let shown = -1;

  // One stop for the Tab key in the whole timeline; arrows do the rest.
  const reach = (at, line) => {
    links.flat().forEach((link) => link?.setAttribute("tabindex", "-1"));
    (links[line]?.[at] ?? links[0][at])?.setAttribute("tabindex", "0");
  };

  const show = (at, line = 0, quiet = false) => {
    if (at === shown) return;
    parts[shown]?.classList.remove("shown");
    columns[shown]?.classList.remove("on");
    shown = at;
    parts[at].classList.add("shown");
    columns[at].classList.add("on");
    reader.scrollTop = 0;
    reach(at, line);
    links.forEach((row) => row.forEach((link, n) => {
      if (n === at) link?.setAttribute("aria-current", "true");
      else link?.removeAttribute("aria-current");
    }));
    const head = links[0][at].closest("th");
    const left = head.offsetLeft - axis.rows[0].cells[0].offsetWidth;
    if (left < scroller.scrollLeft) scroller.scrollLeft = left - 24;
    const right = head.offsetLeft + head.offsetWidth - scroller.clientWidth;
    if (right > scroller.scrollLeft) scroller.scrollLeft = right + 24;
    if (!quiet) {
      const told = [...parts[at].querySelectorAll(".decisions > li > p:first-child")];
      status.textContent = [parts[at].querySelector("h3").textContent, ...told.map((p) => p.textContent)].join(", ");
    }
  };

  const open = (at, line) => {
    show(at, line);
    opened(parts[at]);
    if (!wide.matches) parts[at].scrollIntoView({ block: "start" });
  };

  axis.addEventListener("keydown", (event) => {
    const line = links.findIndex((row) => row.includes(event.target));
    if (line < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = links[line].indexOf(event.target);
    const last = parts.length - 1;
    const steps = { ArrowLeft: [line, at - 1], ArrowRight: [line, at + 1], Home: [line, 0], End: [line, last],
      ArrowUp: [line - 1, at], ArrowDown: [line + 1, at] };
    const [row, to] = steps[event.key] ?? [-1, -1];
    const link = links[row]?.[to];
    if (!link) return;
    event.preventDefault();
    reach(to, row);
    show(to, row);
    opened(parts[to]);
    link.focus({ preventScroll: true });
  });

  // A click anywhere in a column opens its iteration, in charts by where it is.
  axis.addEventListener("click", (event) => {
    const cell = event.target.closest("td, thead th");
    if (!cell || (event.target.closest("a") && !event.target.closest("td > a, thead th > a"))) return;
    let at = cell.cellIndex - 1;
    if (cell.colSpan > 1 && cell.querySelector("svg")) {
      const box = cell.getBoundingClientRect();
      at = Math.floor(((event.clientX - box.left) / box.width) * parts.length);
    }
    if (at < 0 || at >= parts.length || cell.classList.contains("plain")) return;
    event.preventDefault();
    open(at, Math.max(0, rows.indexOf(cell.parentElement)));
  });

  run.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link || axis.contains(link)) return;
    const at = place.get(link.getAttribute("href").slice(1));
    if (at === undefined) return;
    event.preventDefault();
    open(at);
    if (reader.contains(link)) parts[at].focus({ preventScroll: wide.matches });
  });

  const stops = [...axis.querySelectorAll("a.stop")].map((link) => link.parentElement.cellIndex - 1);
  show(stops.length ? Math.min(...stops) : parts.length - 1, 0, true);
  return {
    parts,
    stops,
    at: () => shown,
    open: (at) => open(at, 0),
    show: (id, quiet = false) => {
      const part = id ? document.getElementById(id)?.closest(".iteration") : null;
      if (!part || !place.has(part.id)) return false;
      show(place.get(part.id), 0, quiet);
      return true;
    },
  };
};
