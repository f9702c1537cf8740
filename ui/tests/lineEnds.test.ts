import { Text } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { fromEditor, lineEnd, toEditor } from "../src/state/lineEnds";

/** As the editor takes a text apart and puts it together. */
function through(text: string): string {
  const end = lineEnd(text, null);
  if (end === null) return "refused";
  return fromEditor(Text.of(toEditor(text).split("\n")).toString(), end);
}

describe("line ends", () => {
  it("come back from the editor as they were, byte for byte", () => {
    for (const text of ["", "a", "a\n", "a\nb", "\n\n", "a\r\nb\r\n", "\r\n", "a\r\n\r\nb", "\u2028x\n\u0085", "\ufeffa\r\n", "🦀\n"]) {
      expect(through(text), JSON.stringify(text)).toBe(text);
    }
  });
  it("of several kinds are not edited here", () => {
    for (const text of ["a\r\nb\n", "\n\r\n", "a\rb", "a\r", "a\r\r\n", "a\n\r"]) expect(through(text), JSON.stringify(text)).toBe("refused");
  });
  it("of a single line follow the file before", () => {
    expect(lineEnd("a", "x\r\ny")).toBe("\r\n");
    expect(lineEnd("a", "x\ny")).toBe("\n");
    expect(lineEnd("a", null)).toBe("\n");
    expect(lineEnd("a\n", "x\r\n")).toBe("\n");
  });
});
