import AxeBuilder from "@axe-core/playwright";
import { expect, happens, openReady, overflows, ready, test } from "./page.ts";

const PLACES = ["?many=0", "?many=14&open=1", "?open=3", "?open=4", "?open=5"];

for (const colorScheme of ["light", "dark"] as const) {
  test(`nothing serious for axe, ${colorScheme}`, async ({ page }) => {
    test.setTimeout(60_000);
    await page.emulateMedia({ colorScheme });
    // The dark page is the same page in other colours.
    const rules = colorScheme === "dark" ? ["color-contrast"] : [];
    const check = async (place: string) => {
      const axe = new AxeBuilder({ page });
      const { violations } = await (rules.length > 0 ? axe.withRules(rules) : axe).analyze();
      const told = violations.map(({ id, impact, nodes }) => `${place}: ${impact} ${id} ${nodes[0]?.html}`);
      expect(told).toEqual([]);
    };
    for (const place of PLACES) {
      await page.goto(place);
      await (place === "?many=0" ? expect(page.locator("#detail h2")).toBeVisible() : ready(page));
      await check(place);
    }
    await page.keyboard.press("o");
    await happens(page, { settle: { id: 5, end: "withdrawn", outcome: null, why: "elsewhere" } });
    await expect(page.locator(".outcome")).toBeVisible();
    await page.getByRole("button", { name: "By session" }).click();
    await check("settled, by session");
    await page.keyboard.press("?");
    await check("help");
    await page.keyboard.press("Escape");
    await page.keyboard.press("F10");
    await check("menu");
  });
}

test("380 px are enough: one pane, a way back, nothing sideways", async ({ page }) => {
  await page.setViewportSize({ width: 380, height: 720 });
  for (const place of ["?open=1", "?open=3", "?open=4", "?open=5"]) {
    await openReady(page, place);
    await expect(page.locator("#list")).toBeHidden();
    expect(await overflows(page), place).toBe(false);
  }
  await page.getByRole("button", { name: "Queue" }).click();
  await expect(page.locator("#detail")).toBeHidden();
  await expect(page.locator("#list .row[aria-current]")).toBeFocused();
  expect(await overflows(page)).toBe(false);
});

test("a change of 5,000 lines opens whole, and wraps", async ({ page }) => {
  await openReady(page, "?open=6");
  await expect(page.locator(".diff tr")).toHaveCount(180);
  await page.keyboard.press("o");
  await expect(page.locator(".diff tr")).toHaveCount(5000);
  await page.getByRole("button", { name: "Wrap" }).click();
  await expect(page.locator(".diff")).toHaveClass(/diff-nowrap/);
  await page.locator(".file-toggle").click();
  await expect(page.locator(".diff")).toHaveCount(0);
  await page.locator(".file-toggle").click();
  await expect(page.locator(".diff tr")).toHaveCount(5000);
});

test("rows that read the same are explained", async ({ page }) => {
  await openReady(page, "?open=3");
  await expect(page.locator("#file-2 .card-note")).toHaveText("Line endings change from CRLF to LF.");
  await expect(page.locator("#file-2 .told")).toHaveText("All of these lines read the same on both sides: only the line ending differs.");
});

test("marks say what they found", async ({ page }) => {
  await openReady(page, "?open=5");
  await expect(page.locator(".marks li").first()).toHaveText(/Hidden characters. 2 direction controls, 3 zero-width characters/);
  await page.getByRole("button", { name: "See the request as received" }).click();
  await expect(page.locator("#as-received pre")).toHaveText('{"example":true}');
});

test("the page has no style and no script of its own in its markup", async ({ page }) => {
  const response = await page.goto("?many=0");
  expect(response?.headers()["content-security-policy"]).toContain("default-src 'none'");
  const html = (await response?.text()) ?? "";
  expect(html).not.toMatch(/\sstyle=|<style|<script(?![^>]*\ssrc=)/);
});
