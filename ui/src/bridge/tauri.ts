import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import type { Bridge } from "./bridge";
import { writeClipboard } from "./clipboard";
import type { Edited, PushLine } from "./protocol";
import type { Detail, FieldError, Row, Texts } from "./types";

export function tauriBridge(): Bridge {
  return {
    async snapshot() {
      return (await invoke<{ rows: Row[] }>("snapshot")).rows;
    },
    async detail(id) {
      const { revision, detail } = await invoke<{ revision: number; detail: Detail | null }>("detail", { id });
      return detail ? { revision, detail } : null;
    },
    async shown(id, revision) {
      await invoke("shown", { id, revision });
    },
    async opened(id, revision, fold) {
      await invoke("opened", { id, revision, fold });
    },
    async draft(id, feedback) {
      await invoke("draft", { id, feedback });
    },
    async decide(id, revision, option, feedback, amendment, answers) {
      await invoke("decide", { id, revision, option, feedback: feedback ?? null, amendment: amendment ?? null, answers: answers ?? null });
    },
    async check(id, answers) {
      return (await invoke<{ errors: FieldError[] }>("check", { id, answers })).errors;
    },
    async texts(id) {
      return (await invoke<{ texts: Texts | null }>("texts", { id })).texts;
    },
    async version(id, text) {
      await invoke("version", { id, text });
    },
    async edit(id) {
      return invoke<Edited>("edit", { id });
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
