import { expect, happens, openReady, settled, test } from "./page.ts";

const FACTS = ".row-what";

test("fifty requests take one line each; by session they stand under agent, project and branch", async ({ page }) => {
  await openReady(page, "?many=50&open=1");
  await expect(page.locator("#list h1")).toHaveText("50 waiting");
  expect((await page.locator("#list .row").first().boundingBox())?.height).toBe(34);
  await page.getByRole("button", { name: "By session" }).click();
  const groups = page.locator(".group-toggle");
  await expect(groups).toHaveCount(4);
  await expect(groups.first()).toContainText("acme-api feat/rate-limit");
  await groups.first().click();
  await expect(groups.first()).toHaveAttribute("aria-expanded", "false");
  await expect(page.locator("#list .row")).toHaveCount(50 - 17);
});

test("the filter narrows, and Escape takes it away", async ({ page }) => {
  await openReady(page, "?many=50&open=1");
  await page.keyboard.press("/");
  await expect(page.locator("#filter")).toBeFocused();
  await page.keyboard.type("web-store");
  await expect(page.locator("#list h1")).toHaveText("8 of 50");
  await page.keyboard.press("Enter");
  await expect(page.locator("#list .row").first()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.locator("#filter")).toHaveCount(0);
  await expect(page.locator("#list .row")).toHaveCount(50);
});

test("rows do not move under a hand", async ({ page }) => {
  await openReady(page, "?open=1");
  await page.getByRole("button", { name: "By session" }).click();
  await page.locator("#list .row").nth(3).hover();
  const before = await page.locator(FACTS).allTextContents();
  await happens(page, { arrive: { detail: { heading: "Run a command" } } });
  await happens(page, { settle: { id: 3, end: "withdrawn", outcome: null, why: "cancelled" } });
  await expect(page.locator("#list .row")).toHaveCount(7);
  await settled(page);
  expect((await page.locator(FACTS).allTextContents()).slice(0, 6)).toEqual(before);
  // Once the hand has left, the new one joins its session and the settled one goes below.
  await page.mouse.move(700, 20);
  await page.locator("#request-heading").focus();
  await expect(page.locator(".group-toggle").last()).toContainText("Settled in this hour");
  await expect(page.locator(".group-head", { hasText: "New" })).toHaveCount(0);
});

test("a deadline has a ring in row and card, and marks are named", async ({ page }) => {
  await openReady(page, "?open=1");
  await expect(page.locator(".from .ring")).toBeVisible();
  await expect(page.locator(".from")).toContainText(/hands back in \d:\d\d/);
  await expect(page.locator("#list .row").first().locator(".ring")).toBeVisible();
  await expect(page.locator("#list .row").nth(1).locator(".ring")).toHaveCount(0);
  await expect(page.locator("#list .row-marks")).toHaveAttribute("aria-label", /Marked: hidden characters, parts not shown, title differs, destructive, cannot inspect/);
});

test("keys for help, menu and moving about", async ({ page }) => {
  await openReady(page, "?open=3");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("1");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.locator("#request-heading")).toHaveText("Edit 3 files");
  await page.keyboard.press("F10");
  await expect(page.getByRole("menuitem", { name: "Filter" })).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(page.getByRole("menuitem", { name: "All keys" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await page.keyboard.press("j");
  await expect(page.locator(".is-here")).toContainText("private size = 100");
  await page.keyboard.press("F7");
  await expect(page.locator(".is-here")).toContainText("const secs");
  await page.keyboard.press("Shift+F7");
  await expect(page.locator(".is-here")).toContainText("private size = 100");
  await page.keyboard.press("]");
  await expect(page.locator("#file-0 .file-toggle")).toBeFocused();
  await page.keyboard.press("]");
  await expect(page.locator("#file-1 .file-toggle")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.locator("#list .row").nth(2)).toBeFocused();
});
