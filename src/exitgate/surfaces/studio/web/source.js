// Where everything shown comes from: a running studio, or the files that it exported. Nothing else knows which.

/** What went wrong, as the studio says it: what, where, and what to do. */
export class Trouble extends Error {
  /**
   * @param {{what: string, where?: string, help?: string}} told
   * @param {number} status of HTTP; 0 without an answer
   * @param {object[]} diagnostics all that is wrong in a text
   */
  constructor({ what, where = "", help = "" }, status = 0, diagnostics = []) {
    super(what);
    Object.assign(this, { what, where, help, status, diagnostics });
  }
}

/** Milliseconds after which a page that is not looked at stops listening. */
const AWAY = 5000;
const GONE = { what: "the studio does not answer", help: "start `exitgate studio` again and open its address" };

/** @param {string} path @param {RequestInit} [options] @returns {Promise<Response>} */
const ask = async (path, options) => {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Trouble(GONE);
  }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  throw new Trouble(
    told.error ?? { what: `the answer was ${answer.status}`, where: path },
    answer.status,
    told.diagnostics,
  );
};

/**
 * @typedef {object} Source
 * @property {(name: string, rest?: string, query?: Record<string, string>) => Promise<any>} get a value by name
 * @property {(n: number) => Promise<string>} fragment the page of a run as HTML of the report's templates
 * @property {(name: string, body: object) => Promise<any>} post asks for a change
 * @property {(tell: (event: object) => void, state: (open: boolean, trouble?: Trouble) => void) => () => void} listen to events
 */

/** @type {Source} */
const server = {
  get: async (name, rest = "", query = {}) => {
    const asked = new URLSearchParams(query).toString();
    const path = `api/${name}${rest && `/${encodeURIComponent(rest)}`}${asked && `?${asked}`}`;
    return (await ask(path)).json();
  },
  fragment: async (n) => (await ask(`api/runs/${n}.html`)).text(),
  post: async (name, body) => {
    const headers = { "Content-Type": "application/json" };
    return (await ask(`api/${name}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
  },
  listen: (tell, state) => {
    let stream, again;
    let last = "";
    const open = () => {
      clearTimeout(again);
      stream = new EventSource(`api/events${last && `?last=${encodeURIComponent(last)}`}`);
      stream.onopen = () => state(true);
      stream.onmessage = (message) => {
        last = message.lastEventId;
        tell(JSON.parse(message.data));
      };
      stream.onerror = () => {
        state(false);
        if (stream.readyState !== EventSource.CLOSED) return;
        // A refusal ends the stream for good, and does not say why: a request does.
        ask("api/state").catch((trouble) => state(false, trouble));
        again = setTimeout(open, 3000);
      };
    };
    const close = () => {
      clearTimeout(again);
      stream.close();
    };
    // A browser keeps six connections to a studio: a page that is not looked at gives its own away.
    const looked = () => {
      if (document.visibilityState === "hidden") again = setTimeout(close, AWAY);
      else if (stream.readyState === EventSource.CLOSED) open();
      else clearTimeout(again);
    };
    open();
    document.addEventListener("visibilitychange", looked);
    addEventListener("pagehide", close);
    addEventListener("pageshow", (event) => event.persisted && open());
    return () => {
      document.removeEventListener("visibilitychange", looked);
      close();
    };
  },
};

/** The file of two policies, `0-1`. @param {Record<string, string>} query */
const pairOf = async ({ a, b }) => {
  const { policies } = await folder.get("state");
  const at = [a, b].map((name) => policies.findIndex((one) => one.name === name));
  if (at.includes(-1) || at[0] === at[1]) throw new Trouble({ what: "these two are not compared in these files" });
  return at.join("-");
};

/** @type {Source} */
const folder = {
  get: async (name, rest = "", query = {}) => {
    if (name === "compare") return folder.get(name, await pairOf(query));
    if (name !== "policy") return (await ask(`data/${name}${rest && `/${rest}`}.json`)).json();
    const { policies } = await folder.get("state");
    return folder.get("policies", String(policies.findIndex((one) => one.name === rest)));
  },
  fragment: async (n) => (await ask(`data/runs/${n}.html`)).text(),
  post: async () => {
    throw new Trouble(
      { what: "these are files of a studio that has ended", help: "run `exitgate studio` to change something" },
      403,
    );
  },
  listen: () => () => {},
};

/** @type {Source} */
export const source = document.querySelector('meta[name="studio"]').content === "folder" ? folder : server;
