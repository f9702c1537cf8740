/** Ways of looking that outlive the window. Nothing of a request is ever kept here. */
export function remembered(name: "by-session" | "no-wrap"): boolean {
  try {
    return localStorage.getItem(name) === "yes";
  } catch {
    return false;
  }
}

export function remember(name: "by-session" | "no-wrap", on: boolean): void {
  try {
    localStorage.setItem(name, on ? "yes" : "no");
  } catch {
    // An engine without storage forgets it with the window.
  }
}
