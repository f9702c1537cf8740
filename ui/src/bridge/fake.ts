import { writeClipboard } from "./clipboard";
import type { Bridge } from "./bridge";
import type { PushLine } from "./protocol";
import type { Detail, Ended, Row } from "./types";
import { bash, edit, hostile, huge, plan, write } from "./fixtures";

/** Stands in for the broker in a plain browser: `?many=50` for a long list, `?empty`, `?open=N`, `?settle=WHY`. */
export function fakeBridge(query: URLSearchParams): Bridge {
  const details = new Map<number, Detail>();
  const now = Date.now();
  const kinds = [bash, write, edit, plan, hostile, huge];
  const many = query.has("empty") ? 0 : Number(query.get("many") ?? kinds.length);
  for (let index = 0; index < many; index += 1) {
    const make = kinds[index % kinds.length] ?? bash;
    details.set(index + 1, make(now - (many - index) * 7000));
  }
  let listener: (line: PushLine) => void = () => undefined;

  function row(id: number, detail: Detail): Row {
    return {
      id,
      revision: 1,
      source: detail.source,
      agent: detail.agent.name,
      project: detail.session?.cwd?.split("/").at(-1) ?? null,
      heading: detail.heading,
      fact: detail.toolCall.command?.split("\n")[0] ?? detail.files[0]?.path ?? detail.heading,
      kind: detail.toolCall.kind,
      marks: detail.marks,
      arrivedMs: detail.arrivedMs,
      ended: detail.ended,
    };
  }

  function settle(id: number, ended: Ended): void {
    const detail = details.get(id);
    if (!detail) return;
    details.set(id, { ...detail, ended: { ...ended, delivered: ended.end === "answered" ? "yes" : null } });
    setTimeout(() => listener({ settled: { id, ...ended } }), 60);
  }

  return {
    snapshot: async () => [...details].map(([id, detail]) => row(id, detail)),
    detail: async (id) => {
      const detail = details.get(id);
      return detail ? { revision: 1, detail } : null;
    },
    decide: async (id, _revision, option) => {
      const name = details.get(id)?.options.find((offered) => offered.id === option)?.name;
      settle(id, { end: "answered", outcome: { selected: option }, by: "person", option: name ?? option });
    },
    abstain: async (id) => settle(id, { end: "answered", outcome: "abstained", why: "person" }),
    onPush: async (push) => { listener = push; },
    ready: async () => {
      const open = Number(query.get("open") ?? 0);
      if (open > 0) listener({ show: { id: open } });
      const why = query.get("settle");
      if (why) settle(open, { end: "withdrawn", outcome: null, why });
    },
    copy: writeClipboard,
  };
}
