/** Reasons that were sent from this page, newest first. They are gone with it. */
const MOST = 5;

let recent: readonly string[] = [];

export function recentReasons(): readonly string[] {
  return recent;
}

export function rememberReason(reason: string): void {
  const said = reason.trim();
  if (said !== "") recent = [said, ...recent.filter((other) => other !== said)].slice(0, MOST);
}
