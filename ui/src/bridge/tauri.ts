import { writeClipboard } from "./clipboard";
import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import type { Bridge } from "./bridge";
import type { Detail, Fetched, PushLine, Row } from "./types";

/** A detail comes bare or wrapped with its id and revision, as the surface protocol has it. */
function unwrap(value: unknown): Fetched | null {
  if (typeof value !== "object" || value === null) return null;
  const wrapped = value as { revision?: number; detail?: Detail | null };
  if ("detail" in wrapped) {
    return wrapped.detail ? { revision: wrapped.revision ?? 0, detail: wrapped.detail } : null;
  }
  return { revision: wrapped.revision ?? 0, detail: value as Detail };
}

export function tauriBridge(): Bridge {
  return {
    async snapshot() {
      const value = await invoke<Row[] | { rows: Row[] }>("snapshot");
      return Array.isArray(value) ? value : value.rows;
    },
    async detail(id) {
      const fetched = unwrap(await invoke<unknown>("detail", { id }));
      if (fetched) {
        // Two frames later it has been painted.
        requestAnimationFrame(() => requestAnimationFrame(() => { void invoke("shown", { id, revision: fetched.revision }); }));
      }
      return fetched;
    },
    async decide(id, revision, option, feedback) {
      await invoke("decide", { id, revision, option, feedback: feedback ?? null });
    },
    async abstain(id) {
      await invoke("abstain", { id });
    },
    async onPush(listener) {
      await listen<PushLine>("push", (event) => listener(event.payload));
    },
    async ready() {
      await invoke("ready");
    },
    async copy(text) {
      await writeClipboard(text);
    },
  };
}
