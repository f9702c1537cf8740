/** A form is filled, declined or handed back, by keyboard alone, and never by one key. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";
import { calls, expect, happens, overflows, settled, test } from "./page.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SHOTS = process.env.VIEW_SHOTS;

async function open(page: Page): Promise<void> {
  await page.goto("?question&open=1");
  await ready(page);
}

const ready = (page: Page) => expect(page.locator(".dock-head h2")).toHaveText("A question has no yes or no");

const answer = (page: Page) => page.locator("#option-1");

/** What must be filled in, as a person who has no pointer does it. */
async function fillByKeys(page: Page): Promise<void> {
  await page.locator("#field-0-0").focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.locator("#field-0-1")).toBeChecked();
  await page.keyboard.press("Tab");
  // The group of radios is left for its own text field.
  await expect(page.locator("#field-0-other")).toBeFocused();
  await page.keyboard.type("small");
  await page.locator("#field-1-0").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.locator("#field-2").focus();
  await page.keyboard.type("sync_rows");
  await page.locator("#field-5-0").focus();
  await page.keyboard.press("ArrowDown");
  await page.locator("#field-6").focus();
  await page.keyboard.type("hunter2");
  // What is below may have moved meanwhile.
  await expect(page.locator(".ask")).toContainText("2 of 2 required answered");
  await ready(page);
}

test("nothing is chosen beforehand but what the agent sent", async ({ page }) => {
  await open(page);
  await expect(page.locator(".question :checked")).toHaveCount(0);
  await expect(page.locator("#field-4")).toHaveValue("500");
  await expect(page.locator("#field-4-hint")).toContainText("Filled in by the agent");
  await expect(page.locator(".ask")).toContainText("0 of 2 required answered");
  await expect(page.locator(".pane-detail .preview")).toContainText("CREATE TABLE t();");
  await expect(page.locator("#field-6")).toHaveAttribute("type", "password");
  await expect(page.locator(".question .esc")).toHaveText("[U+202E]");
});

test("a form is filled and sent with the keyboard alone", async ({ page }) => {
  await open(page);
  await fillByKeys(page);
  await expect(answer(page)).not.toHaveAttribute("aria-disabled");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => calls(page, "decide")).toEqual([[1, 1, "answer", null, {
    question_0: "SQLite", question_0_custom: "small", question_1: ["auth", "Sync"], name: "sync_rows", size: "500", wipe: false, key: "hunter2" }]]);
  // Decided by key, the next one opens; what was asked can still be read there, and no more be changed.
  await expect(page.locator(".question")).toHaveCount(0);
  await happens(page, { show: { id: 1 } });
  await expect(page.locator(".outcome")).toContainText("You chose “Answer”.");
  await expect(page.locator("#field-2")).toBeDisabled();
});

test("what is missing or wrong is said beside its field, and nothing is sent", async ({ page }) => {
  await open(page);
  await expect(answer(page)).toContainText("2 required answers are missing.");
  await expect(page.locator(".field-wrong")).toHaveCount(0);
  await page.locator("#field-3").fill("nobody");
  await page.locator("#field-3").blur();
  await expect(page.locator("#field-3-wrong")).toHaveText("Not an email address.");
  await expect(page.locator("#field-3")).toHaveAttribute("aria-describedby", /field-3-wrong/);
  await answer(page).click({ force: true });
  await expect(page.locator("#field-2-wrong")).toHaveText("Required.");
  await expect(page.locator("#field-5-wrong")).toHaveText("Required.");
  await expect(page.locator("#field-2")).toBeFocused();
  await page.keyboard.press("Control+Enter");
  await settled(page);
  expect(await calls(page, "decide")).toEqual([]);
  await page.keyboard.type("ab");
  await expect(page.locator("#field-2-wrong")).toHaveText("At least 3 characters.");
  await page.keyboard.type("c");
  await expect(page.locator("#field-2-wrong")).toHaveCount(0);
});

test("no single key and no shortcut with a number answers or declines", async ({ page }) => {
  await open(page);
  await fillByKeys(page);
  await page.locator("#request-heading").focus();
  for (const key of ["Control+1", "Control+2", "Control+Enter", "Enter", "Space"]) {
    await page.keyboard.press(key);
    if (key.startsWith("Control+") && key !== "Control+Enter") await page.locator("#request-heading").focus();
  }
  await settled(page);
  expect(await calls(page, "decide")).toEqual([]);
  await ready(page);
  await page.keyboard.press("2");
  await page.keyboard.press("Enter");
  await expect.poll(() => calls(page, "decide")).toEqual([[1, 1, "decline", null]]);
});

test("a choice is taken back, and one's own answer stands in its place or beside it", async ({ page }) => {
  await open(page);
  await page.locator("#field-0-1").check();
  await page.getByRole("button", { name: "Clear the choice" }).first().click();
  await expect(page.locator("#field-0 :checked")).toHaveCount(0);
  await page.locator("#field-0-other").fill("DuckDB");
  await expect(page.locator("#field-0-own")).toBeChecked();
  await page.locator("#field-0-0").check();
  await expect(page.locator("#field-0-other")).toHaveValue("DuckDB");
  await page.locator("#field-0-own").check();
  await expect(page.locator("#field-0-0")).not.toBeChecked();
});

test("what was typed outlives the window, but for secrets", async ({ page }) => {
  await open(page);
  await fillByKeys(page);
  await page.locator("#field-7").fill("two\nlines");
  await page.evaluate(() => { window.dispatchEvent(new Event("pagehide")); });
  const drafts = await calls(page, "draft");
  const draft = drafts.at(-1)?.[1] as string;
  expect(JSON.stringify(drafts)).not.toContain("hunter2");
  expect(JSON.parse(draft)).toMatchObject({ answers: { question_0: "SQLite", why: "two\nlines" } });
  // Another card, and back: as a new window would find it.
  await happens(page, { show: { id: 2 } });
  await expect(page.locator(".question")).toHaveCount(0);
  await happens(page, { show: { id: 1 } });
  await expect(page.locator("#field-0-1")).toBeChecked();
  await expect(page.locator("#field-7")).toHaveValue("two\nlines");
  await expect(page.locator("#field-2")).toHaveValue("sync_rows");
  await expect(page.locator("#field-6")).toHaveValue("");
});

test("Escape leaves a field before it leaves the card", async ({ page }) => {
  await open(page);
  await page.locator("#field-2").focus();
  await page.keyboard.press("Escape");
  await expect(page.locator("#request-heading")).toBeFocused();
  await expect(page.locator(".question")).toBeVisible();
});

for (const scheme of ["light", "dark"] as const) {
  for (const width of [380, 900]) {
    test(`it can be read and used, ${scheme}, ${width} px`, async ({ page }) => {
      test.setTimeout(60_000);
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 2400 });
      await open(page);
      await page.locator("#field-0-1").check();
      await page.locator("#field-3").fill("nobody");
      await answer(page).click({ force: true });
      await expect(page.locator("#field-2-wrong")).toBeVisible();
      // The heading of the page is over the list, which a narrow window does not show beside a card.
      const options: RunOptions = { rules: { "page-has-heading-one": { enabled: width >= 720 } } };
      await page.evaluate(AXE);
      const { violations } = await page.evaluate((how) =>
        (window as unknown as { axe: { run(options: unknown): Promise<AxeResults> } }).axe.run(how), options);
      expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([]);
      expect(await overflows(page)).toBe(false);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/question ${scheme} ${width}.png` });
    });
  }
}
