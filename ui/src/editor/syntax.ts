/** Languages by file name and the four inks of code. Loaded on demand; every language is a chunk of its own. */
import { type Language, LanguageDescription } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { type Tag, tags as t } from "@lezer/highlight";
import type { Ink } from "../state/dress";

export const INKS: Record<Ink, Tag[]> = {
  key: [t.keyword, t.modifier, t.operatorKeyword, t.controlKeyword, t.definitionKeyword, t.moduleKeyword, t.self, t.null, t.tagName, t.heading],
  str: [t.string, t.special(t.string), t.regexp, t.character, t.attributeValue, t.url, t.link, t.monospace],
  num: [t.number, t.bool, t.atom, t.literal, t.unit, t.color, t.escape],
  note: [t.comment, t.meta, t.processingInstruction, t.quote],
};

/** Names that every object has: tables of words in older modes trip over them. */
const TRIAL = "constructor toString valueOf hasOwnProperty __proto__\n.constructor #constructor\n";

/** Null for a language that is not known, or that does not load here. */
export async function languageOf(path: string): Promise<Language | null> {
  const name = path.split("/").at(-1) ?? path;
  try {
    const found = LanguageDescription.matchFilename(languages, name);
    const language = found ? (await found.load()).language : null;
    language?.parser.parse(TRIAL);
    return language;
  } catch {
    return null;
  }
}
