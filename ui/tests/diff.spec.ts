import { expect, happens, openReady, overflows, test } from "./page.ts";

const WIDE = { width: 1200, height: 800 };

test("two columns are offered where they fit, and remembered by the page", async ({ page }) => {
  await page.setViewportSize(WIDE);
  await openReady(page, "?open=3");
  await page.getByRole("button", { name: "Split" }).click();
  const row = page.locator("#file-0 tr.two", { hasText: "private size = 100" });
  await expect(row.locator(".before.text")).toContainText("private size = 100, private perSecond = 10");
  await expect(row.locator(".after.text")).toContainText("private readonly size = 60");
  // A part of a file has no line numbers; its columns stay as wide.
  const part = page.locator("#file-1 tr.two .text");
  for (const at of [0, 1]) expect((await part.nth(at).boundingBox())?.width ?? 0).toBeGreaterThan(300);
  await page.locator("#request-heading").focus();
  await page.keyboard.press("j");
  await expect(page.locator(".is-here")).toContainText("private size = 100");
  await page.keyboard.press("j");
  await expect(page.locator(".is-here")).toContainText("const secs");
  expect(await overflows(page)).toBe(false);
  await happens(page, { show: { id: 2 } });
  await expect(page.locator("#request-heading")).toHaveText("Edit index.ts");
  await expect(page.locator(".diff-split")).toHaveCount(1);
  // Too narrow: one column again, and nothing to choose.
  await page.setViewportSize({ width: 990, height: 800 });
  await expect(page.locator(".diff-split")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Split" })).toHaveCount(0);
});

test("code has its language's inks, under changed words and escapes", async ({ page }) => {
  await openReady(page, "?open=3");
  await expect(page.locator("#file-0 .tok-key").first()).toHaveText("export");
  await expect(page.locator("#file-0 ins.tok-num").first()).toHaveText("60");
  await expect(page.locator("#file-0 .add .text").first()).toHaveText("  constructor(private readonly size = 60, private readonly perMinute = 60) {");
  await expect(page.locator("#file-0 .tok-key").first()).not.toHaveCSS("color", await page.locator("#file-0 .text").first().evaluate((cell) => getComputedStyle(cell).color));
});

test("a language that trips over the window's frozen objects leaves the text plain", async ({ page }) => {
  await page.addInitScript(() => { Object.freeze(Object.prototype); });
  await openReady(page, "?open=3");
  await expect(page.locator("#file-0 .tok-key").first()).toHaveText("export");
  for (const name of ["a.s", "a.cs", "a.kt", "a.ml", "a.py", "a.rs"]) {
    const rows = [{ op: "+" as const, text: "class constructor toString" }];
    await happens(page, { change: { id: 3, detail: { files: [{ path: `/w/${name}`, status: "added", hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, rows }] }] } } });
    await expect(page.locator("#file-0 .file-toggle")).toContainText(name);
    await expect(page.locator("#file-0 .add .text")).toHaveText("class constructor toString");
  }
});

test("tabs and trailing blanks are drawn on demand and not copied", async ({ page }) => {
  await openReady(page, "?open=2");
  const rows = [{ op: "+" as const, text: "\tx = 1; \t" }];
  await happens(page, { change: { id: 2, detail: { files: [{ path: "/w/a.ts", status: "added", hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, rows }] }] } } });
  await expect(page.locator("#file-0 .path")).toContainText("a.ts");
  await expect(page.locator(".add .text")).toHaveCount(1);
  await expect(page.locator(".ws-tab, .ws-end")).toHaveCount(0);
  await page.getByRole("button", { name: "Blanks" }).click();
  await expect(page.locator(".ws-tab")).toHaveCount(2);
  await expect(page.locator(".ws-end")).toHaveCount(1);
  expect(await page.locator(".add .text").textContent()).toBe("\tx = 1; \t");
});
