/** The page on the stand-in for the broker. Every console error fails the test, a refused style or script too. */
import { test as base, expect, type Page } from "@playwright/test";
import type { Happens } from "../src/bridge/fake";

export { expect };

export const test = base.extend<{ page: Page }>({
  page: async ({ page }, use) => {
    const errors: string[] = [];
    page.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
    page.on("pageerror", (error) => { errors.push(error.message); });
    await use(page);
    expect(errors).toEqual([]);
  },
});

/** Opens the page with a request, after its protection time. */
export async function openReady(page: Page, query: string): Promise<void> {
  await page.goto(query);
  await ready(page);
}

export async function ready(page: Page): Promise<void> {
  await expect(page.locator(".dock-head")).toContainText("in its order");
}

export async function happens(page: Page, what: Happens): Promise<void> {
  await page.evaluate((json) => { window.dispatchEvent(new CustomEvent("doorward", { detail: JSON.parse(json) as unknown })); }, JSON.stringify(what));
}

/** What the page has said to the broker under this name. */
export async function calls(page: Page, name: string): Promise<unknown[][]> {
  const all = await page.evaluate(() => (window as unknown as { doorwardCalls: unknown[][] }).doorwardCalls);
  return all.filter((call) => call[0] === name).map((call) => call.slice(1));
}

/** Lets the page draw and the stand-in answer, so that something that must not happen had its chance. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => { setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 60); }));
}

export async function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.id ?? "");
}

export async function overflows(page: Page): Promise<boolean> {
  return page.evaluate(() => [document.scrollingElement, document.getElementById("detail"), document.querySelector(".pane-scroll")]
    .some((element) => element !== null && element.clientWidth > 0 && element.scrollWidth > element.clientWidth));
}
