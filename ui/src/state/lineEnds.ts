export type LineEnd = "\n" | "\r\n";

/** The one kind of line end in a text; null where there are several or a bare carriage return, undefined where there is none. */
function only(text: string): LineEnd | null | undefined {
  if (/\r(?!\n)/.test(text)) return null;
  const crlf = text.includes("\r\n");
  const lf = /(?:^|[^\r])\n/.test(text);
  if (crlf && lf) return null;
  return crlf ? "\r\n" : lf ? "\n" : undefined;
}

/** The line end a text is saved with; one of a single line follows the file it comes from. Null: it cannot be edited here. */
export function lineEnd(text: string, before: string | null | undefined): LineEnd | null {
  const own = only(text);
  return own === undefined ? (only(before ?? "") ?? "\n") : own;
}

export function toEditor(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

export function fromEditor(text: string, end: LineEnd): string {
  return end === "\n" ? text : text.replaceAll("\n", end);
}
