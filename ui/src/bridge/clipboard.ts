/** Engines that keep the clipboard interface from custom schemes still copy a selection. */
export async function writeClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    return;
  } catch {
    copySelection(text);
  }
}

function copySelection(text: string): void {
  const active = document.activeElement;
  const field = document.createElement("textarea");
  field.className = "vh";
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (active instanceof HTMLElement) active.focus();
  if (!done) throw new Error("the clipboard was not written");
}
