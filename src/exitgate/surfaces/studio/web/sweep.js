// A sweep over one or two parameters: a line or a table of colours; a point can be taken into the draft.

import { html, nothing, render, svg } from "./vendor/lit.js";
import { source, Trouble } from "./source.js";
import { tell } from "./told.js";
import { counted, number, safe } from "./words.js";

const SWEPT = ["count", "percent", "number"];
/** Points of a line, and of each side of a table. */
const POINTS = 25;
const SIDE = 9;
const WIDE = 640;
const HIGH = 220;
const PAD = { left: 44, right: 44, top: 12, bottom: 28 };

/** What a point is judged by: key, words, whether less is better. */
const MEASURES = [
  ["right", "right stops", false],
  ["premature", "premature stops", true],
  ["late", "late stops", true],
  ["missed", "missed stops", true],
  ["waste", "iterations wasted", true],
  ["saved", "iterations saved on runs without a label", false],
];
/** Lines of the chart: key, class of its style. */
const LINES = [
  ["right", "of-right"],
  ["premature", "of-premature"],
  ["late", "of-late"],
  ["missed", "of-missed"],
];

/** Values between two bounds, whole where the parameter's are. */
const spread = (one, count) => {
  const whole = one.type !== "number" || (Number.isInteger(one.default) && Number.isInteger(one.value));
  const low = one.low ?? 0;
  const high = one.type === "percent" ? one.high ?? 100 : one.high !== null && one.high !== undefined && one.high - low <= 100 ? one.high : Math.max(low + 4, Number(one.value) * 2);
  const step = (high - low) / (count - 1);
  const values = Array.from({ length: count }, (_, at) => low + at * step);
  const rounded = values.map((value) => (whole ? Math.round(value) : Number(value.toPrecision(4))));
  return [...new Set([...rounded, one.value])].filter((value) => value >= low && value <= high).sort((a, b) => a - b);
};

/**
 * The section of a sweep in the view of a policy.
 *
 * @param {() => {found: any, draft: any}} of the policy that is shown, and its draft
 */
export const sweeping = (of) => {
  const element = document.createElement("div");
  element.className = "sweep";
  let names = ["", ""];
  let points = null;
  let measure = "right";
  let trouble = null;
  let under = false;
  let at = 0;
  let owner = "";
  /** All of the draft but what is swept, when the points were decided. */
  let drawn = { found: null, now: null };
  let decidedUnder = "";
  let gone = false;

  const known = () => (of().found?.parameters ?? []).filter((one) => SWEPT.includes(one.type) && typeof one.value === "number" && !one.extracts);
  const chosen = () => names.filter(Boolean).map((name) => known().find((one) => one.name === name)).filter(Boolean);
  const rest = () => {
    const { values, ...others } = of().draft.now;
    return JSON.stringify([others, Object.entries(values).filter(([name]) => !names.includes(name))]);
  };
  const now = (one) => of().draft.now.values[one.name] ?? one.value;

  const run = async () => {
    const axes = chosen();
    if (!axes.length) return;
    under = true;
    points = trouble = null;
    draw();
    const parameters = axes.map((one) => ({ name: one.name, values: spread(one, axes.length === 1 ? POINTS : SIDE) }));
    try {
      const answer = await source.post("sweep", { policy: of().found.name, parameters });
      points = answer.points;
      decidedUnder = rest();
      if (points.every((point) => !point.right && !point.late && !point.premature && !point.missed)) measure = "saved";
      at = Math.max(0, points.findIndex((point) => axes.every((one) => point.values[one.name] === now(one))));
      tell(`${counted(points.length, "point")}`);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      trouble = error;
    }
    under = false;
    draw();
  };

  const take = (point) => {
    const { draft } = of();
    draft.change({ values: { ...draft.now.values, ...point.values } });
    tell(`took ${words(point)}`);
  };
  const words = ({ values }) => Object.entries(values).map(([name, value]) => `${name} ${value}`).join(", ");
  const isNow = (point) => chosen().every((one) => point.values[one.name] === now(one));
  const described = (point) =>
    point.problem
      ? `${words(point)}: ${safe(point.problem)}`
      : `${words(point)}: ${MEASURES.map(([key, said]) => `${number(point[key])} ${said}`).join(", ")}`;

  const across = () => (chosen().length === 2 ? new Set(points.map((point) => point.values[names[1]])).size : points.length);
  const stepped = (event) => {
    const wide = across();
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - wide, ArrowDown: at + wide, Home: 0, End: points.length - 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") take(points[at]);
    else if (to === undefined) return;
    else if (to >= 0 && to < points.length) {
      at = to;
      draw();
      tell(described(points[at]));
    }
    event.preventDefault();
  };

  const line = () => {
    const [one] = chosen();
    const xs = points.map((point) => point.values[one.name]);
    const graded = LINES.some(([key]) => points.some((point) => point[key]));
    const lines = graded ? LINES : [["saved", "of-right"]];
    const most = Math.max(1, ...points.flatMap((point) => lines.map(([key]) => point[key] ?? 0)));
    const wasted = Math.max(1, ...points.map((point) => point.waste ?? 0));
    const x = (value) => PAD.left + ((value - xs[0]) / (xs.at(-1) - xs[0] || 1)) * (WIDE - PAD.left - PAD.right);
    const y = (value, top) => HIGH - PAD.bottom - (value / top) * (HIGH - PAD.top - PAD.bottom);
    const path = (key, top) => points.map((point) => (point.problem ? null : `${x(point.values[one.name])},${y(point[key], top)}`)).filter(Boolean).join(" ");
    return svg`<svg class="chart" viewBox="0 0 ${WIDE} ${HIGH}" aria-hidden="true">
      ${[0, most].map((value) => svg`<text x=${PAD.left - 6} y=${y(value, most) + 4} text-anchor="end">${number(value)}</text>`)}
      ${graded ? [0, wasted].map((value) => svg`<text class="of-waste" x=${WIDE - PAD.right + 6} y=${y(value, wasted) + 4}>${number(value)}</text>`) : nothing}
      ${[xs[0], xs.at(-1)].map((value) => svg`<text x=${x(value)} y=${HIGH - 8} text-anchor="middle">${value}</text>`)}
      <line class="now" x1=${x(now(one))} x2=${x(now(one))} y1=${PAD.top} y2=${HIGH - PAD.bottom}></line>
      ${graded ? svg`<polyline class="of-waste" points=${path("waste", wasted)}></polyline>` : nothing}
      ${lines.map(([key, kind]) => svg`<polyline class=${kind} points=${path(key, most)}></polyline>`)}
      ${points.map((point, place) => svg`<g class=${place === at ? "on" : ""} @click=${() => {
        at = place;
        take(point);
      }}><rect class="hit" x=${x(point.values[one.name]) - 8} y="0" width="16" height=${HIGH}></rect>
        ${point.problem ? nothing : lines.map(([key, kind]) => svg`<circle class=${kind} cx=${x(point.values[one.name])} cy=${y(point[key], most)} r=${place === at ? 4 : 2.5}></circle>`)}</g>`)}
    </svg>`;
  };
  const legend = () => html`<p class="note sweep-legend">${LINES.map(([key, kind]) => html`<span class=${kind}><svg width="22" height="8" aria-hidden="true"><polyline points="0,4 22,4"></polyline></svg>${key}</span>`)}
    <span class="of-waste"><svg width="22" height="8" aria-hidden="true"><polyline points="0,4 22,4"></polyline></svg>iterations wasted, on the right</span>
    <span>upright line: as it is now</span></p>`;

  const heat = () => {
    const [rowName, columnName] = names;
    const columns = [...new Set(points.map((point) => point.values[columnName]))];
    const rows = [...new Set(points.map((point) => point.values[rowName]))];
    const less = MEASURES.find(([key]) => key === measure)[2];
    const values = points.map((point) => point[measure]).filter((value) => value !== undefined);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const depth = (value) => Math.round((4 * (less ? high - value : value - low)) / (high - low || 1));
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of the sweep"><table class="heat" aria-hidden="true">
      <thead><tr><th scope="col">${safe(rowName)} ↓ ${safe(columnName)} →</th>${columns.map((value) => html`<th scope="col" class="number">${value}</th>`)}</tr></thead>
      <tbody>${rows.map((row, y) => html`<tr><th scope="row" class="number">${row}</th>${columns.map((_, x) => {
        const place = y * columns.length + x;
        const point = points[place];
        return html`<td class=${`number ${point.problem ? "refused" : `depth-${depth(point[measure])}`} ${place === at ? "on" : ""} ${isNow(point) ? "now" : ""}`}
          title=${described(point)} @click=${() => {
            at = place;
            take(point);
          }}>${point.problem ? "–" : number(point[measure])}</td>`;
      })}</tr>`)}</tbody></table></div>`;
  };

  const picker = (place, said, none) => html`<label class="field"><span>${said}</span><select @change=${(event) => {
    names = names.with(place, event.target.value);
    points = null;
    draw();
  }}>${none ? html`<option value="">${none}</option>` : ""}${known()
    .filter((one) => one.name !== names[1 - place])
    .map((one) => html`<option ?selected=${one.name === names[place]}>${safe(one.name)}</option>`)}</select></label>`;

  const picture = () => html`
    ${
      chosen().length === 2
        ? html`<label class="field"><span>Show</span><select @change=${(event) => {
            measure = event.target.value;
            draw();
          }}>${MEASURES.map(([key, said]) => html`<option value=${key} ?selected=${key === measure}>${said}</option>`)}</select></label>`
        : ""
    }
    <div class="points" tabindex="0" role="slider" aria-label="Points of the sweep" aria-valuemin="1" aria-valuemax=${points.length}
      aria-valuenow=${at + 1} aria-valuetext=${described(points[at])} @keydown=${stepped}>${chosen().length === 2 ? heat() : line()}</div>
    ${chosen().length === 1 ? legend() : ""}
    <p class="at-point">${described(points[at])} <button ?disabled=${isNow(points[at]) || Boolean(points[at].problem)} @click=${() => take(points[at])}>Take it</button></p>
    ${decidedUnder === rest() ? "" : html`<p class="warned">The policy has changed since: sweep again.</p>`}
    <p class="note">A click takes a point; arrow keys and Enter do, too.</p>`;

  const draw = () => {
    if (gone) return;
    if (!known().length) return render(html`<p class="note">No parameter of this policy can be swept here.</p>`, element);
    render(
      html`<div class="filters">${picker(0, "Parameter")}${picker(1, "and", "no second")}
        <button ?disabled=${under} @click=${run}>${under ? "Deciding…" : "Sweep"}</button></div>
      ${trouble ? html`<p class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}</p>` : ""}
      ${points?.length ? picture() : ""}`,
      element,
    );
  };

  return {
    element,
    /** The page is drawn: draw this, too, where the policy or its draft has changed since. */
    update: () => {
      const { found, draft } = of();
      if (found === drawn.found && draft.now === drawn.now) return;
      drawn = { found, now: draft.now };
      if (found?.name !== owner) {
        owner = found?.name ?? "";
        points = trouble = null;
        names = [known()[0]?.name ?? "", ""];
      }
      draw();
    },
    leave: () => {
      gone = true;
    },
  };
};
