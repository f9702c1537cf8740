import type { RunOptions } from "axe-core";
import { AXE, accessible } from "./axe.ts";
import { expect, happens, openReady, overflows, ready, test } from "./page.ts";

const HEADINGS = ["Run a command", "Edit index.ts", "Edit 3 files", "Leave plan mode", "Run a command"];

for (const colorScheme of ["light", "dark"] as const) {
  test(`nothing is found by axe, ${colorScheme}`, async ({ page }) => {
    test.setTimeout(60_000);
    // The dark page is the same page in other colours.
    const options: RunOptions = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {};
    await page.emulateMedia({ colorScheme });
    await page.goto("?many=14");
    await page.evaluate(AXE);
    await accessible(page, "nothing open", options);
    for (const [index, heading] of HEADINGS.entries()) {
      await happens(page, { show: { id: index + 1 } });
      await expect(page.locator("#request-heading")).toHaveText(heading);
      await ready(page);
      await accessible(page, heading, options);
    }
    await page.keyboard.press("o");
    await happens(page, { settle: { id: 5, end: "withdrawn", outcome: null, why: "elsewhere" } });
    await expect(page.locator(".outcome")).toBeVisible();
    await page.getByRole("button", { name: "By session" }).click();
    await accessible(page, "settled, by session", options);
    await page.keyboard.press("?");
    await accessible(page, "help", options);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.keyboard.press("/");
    await expect(page.locator("#filter")).toBeFocused();
    await page.keyboard.press("F10");
    await accessible(page, "filter and menu", options);
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`nothing is found by axe where one edits, notes and compares, ${colorScheme}`, async ({ page }) => {
    test.setTimeout(60_000);
    const options: RunOptions = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {};
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 1200, height: 900 });
    await openReady(page, "?many=3&with=proposal,crlf,replanned,mixed&open=5");
    await page.evaluate(AXE);
    await happens(page, { saved: { id: 5, text: "@echo off\n" } });
    await expect(page.locator(".banner-mark")).toBeVisible();
    await accessible(page, "a version that cannot be sent", options);
    await happens(page, { show: { id: 4 } });
    await page.getByRole("button", { name: "Split" }).click();
    await page.getByRole("button", { name: "Blanks" }).click();
    await expect(page.locator(".tok-key").first()).toBeVisible();
    await accessible(page, "two columns", options);
    await page.keyboard.press("e");
    await expect(page.locator(".cm-content")).toBeFocused();
    await page.keyboard.type("x");
    await page.keyboard.press("Control+f");
    await accessible(page, "editor with search", options);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(page.locator(".editor-ask")).toBeVisible();
    await accessible(page, "leaving", options);
    await happens(page, { show: { id: 6 } });
    await page.locator("#part-1").click();
    await page.keyboard.type("why?");
    await accessible(page, "a note", options);
    await page.getByRole("button", { name: "Changes since the last plan" }).click();
    await accessible(page, "plan changes", options);
  });
}

test("380 px are enough to edit and to note", async ({ page }) => {
  await page.setViewportSize({ width: 380, height: 720 });
  await openReady(page, "?many=0&with=proposal,replanned&open=1");
  await happens(page, { saved: { id: 1, text: "a\n" } });
  await expect(page.getByRole("tab", { name: "Your version" })).toBeVisible();
  expect(await overflows(page)).toBe(false);
  await page.keyboard.press("e");
  await expect(page.locator(".cm-content")).toBeFocused();
  await page.keyboard.type(`const long = "${"x".repeat(200)}";`);
  await page.keyboard.press("Control+f");
  expect(await overflows(page)).toBe(false);
  await happens(page, { show: { id: 2 } });
  await page.locator("#part-4").click();
  await page.keyboard.type("x".repeat(200));
  expect(await overflows(page)).toBe(false);
});

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

test("marks and warnings say what was found", async ({ page }) => {
  await openReady(page, "?open=5");
  await expect(page.locator(".marks")).toContainText("The relay missed a part of this session while Doorward was away.");
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
