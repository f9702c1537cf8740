import type { Detail } from "../bridge/types";
import { visible } from "./text";

export interface Fact { name: string; value: string }

/** Members of the input that are already shown as command, folder, diff, plan or words. */
const SHOWN = new Set(["command", "cwd", "workdir", "description", "plan", "file_path", "path", "old_string",
  "new_string", "content", "edits", "replace_all", "planFilePath", "notebook_path", "new_source"]);
const LONGEST = 400;

/** What else the input says: a time limit or a background flag is part of what is decided about. */
export function extraInput(detail: Detail): Fact[] {
  const { rawInput, command } = detail.toolCall;
  const whole = !command && detail.files.length === 0 && !detail.plan && detail.planBlocks.length === 0;
  if (whole || typeof rawInput !== "object" || rawInput === null || Array.isArray(rawInput)) return [];
  return Object.entries(rawInput)
    .filter(([name, value]) => (name === "replace_all" ? value === true : !SHOWN.has(name)) && value !== null)
    .map(([name, value]) => {
      const text = visible(typeof value === "string" ? value : JSON.stringify(value));
      const value_ = text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters, whole below)` : text;
      return { name: visible(name), value: value_ };
    });
}
