import { calls, expect, focused, happens, openReady, ready, settled, test } from "./page.ts";

const NEVER = 3_600_000;
const ELSEWHERE = { id: 1, end: "withdrawn", outcome: null, why: "elsewhere" } as const;

test("nothing that decides has the focus at open, and a stray Return does nothing", async ({ page }) => {
  await page.goto("?open=1");
  await expect(page.locator("#request-heading")).toBeFocused();
  await page.keyboard.press("Enter");
  await ready(page);
  for (const key of ["Enter", " ", "y", "Tab"]) await page.keyboard.press(key);
  await page.locator("#request-heading").focus();
  await page.keyboard.press("Enter");
  await settled(page);
  expect(await calls(page, "decide")).toEqual([]);
});

test("a request is found, read and decided with the keyboard alone", async ({ page }) => {
  await page.goto("?many=2");
  await expect(page.locator("#list .row")).toHaveCount(2);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.locator("#request-heading")).toHaveText("Edit index.ts");
  await ready(page);
  await page.keyboard.press("2");
  expect(await focused(page)).toBe("option-2");
  expect(await calls(page, "decide")).toEqual([]);
  await page.keyboard.press("Enter");
  // After a choice by key the next oldest opens, protected anew.
  await expect(page.locator("#request-heading")).toHaveText("Run a command");
  await expect(page.locator("#request-heading")).toBeFocused();
  expect(await calls(page, "decide")).toEqual([[2, 1, "deny", null]]);
});

test("Ctrl and a number choose at once, on ordinary requests only", async ({ page }) => {
  await openReady(page, "?open=5");
  await page.keyboard.press("Control+3");
  await settled(page);
  expect(await calls(page, "decide")).toEqual([]);
  expect(await focused(page)).toBe("option-3");
  await happens(page, { show: { id: 4 } });
  await expect(page.locator("#request-heading")).toHaveText("Leave plan mode");
  await ready(page);
  await page.keyboard.press("Control+1");
  await settled(page);
  expect(await calls(page, "decide")).toEqual([]);
  await happens(page, { show: { id: 1 } });
  await expect(page.locator("#request-heading")).toHaveText("Run a command");
  await ready(page);
  await page.keyboard.press("Control+1");
  await expect.poll(() => calls(page, "decide")).toEqual([[1, 1, "allow", null]]);
});

test("a press counts only after the protection time, and only whole", async ({ page }) => {
  await openReady(page, "?open=1");
  const option = page.locator("#option-1");
  await happens(page, { change: { id: 1, detail: { protectMs: NEVER } } });
  await expect(page.locator(".dock-head")).toContainText("ready in a moment");
  await option.click();
  await page.keyboard.press("Control+1");
  await settled(page);
  expect(await calls(page, "decide")).toEqual([]);
  // Pressed too early and let go in time: it was meant for what stood there before.
  await page.mouse.down();
  await happens(page, { change: { id: 1, detail: { protectMs: 1 } } });
  await ready(page);
  await page.mouse.up();
  await settled(page);
  expect(await calls(page, "decide")).toEqual([]);
  await option.click();
  await expect.poll(() => calls(page, "decide")).toEqual([[1, 3, "allow", null]]);
});

test("the third early press says why nothing happens", async ({ page }) => {
  await openReady(page, "?open=1");
  await happens(page, { change: { id: 1, detail: { protectMs: NEVER } } });
  await expect(page.locator(".dock-head")).toContainText("ready in a moment");
  for (let press = 0; press < 3; press += 1) await page.locator("#option-3").click();
  await expect(page.locator(".dock-notice")).toHaveText("Too soon after it appeared or moved. Nothing was sent; choose again.");
  expect(await calls(page, "decide")).toEqual([]);
});

test("the broker hears when the card is painted, and again when it moved", async ({ page }) => {
  await openReady(page, "?open=1");
  const before = (await calls(page, "shown")).length;
  expect(before).toBeGreaterThan(0);
  await page.setViewportSize({ width: 860, height: 690 });
  await expect.poll(async () => (await calls(page, "shown")).length).toBeGreaterThan(before);
  expect((await calls(page, "shown")).every(([id, revision]) => id === 1 && revision === 1)).toBe(true);
  await ready(page);
  await page.locator("#option-1").click();
  await expect(page.locator(".outcome")).toContainText("You chose “Yes”");
});

test("an allow waits until what is folded was opened; a rejection does not", async ({ page }) => {
  await openReady(page, "?open=5");
  await page.locator("#option-1").click({ force: true });
  await expect(page.locator(".dock-notice")).toHaveText("Open the folded part first.");
  await expect(page.locator("#option-1")).toHaveAttribute("aria-disabled", "true");
  await expect(page.locator("#option-2")).toHaveAttribute("aria-disabled", "true");
  await expect(page.locator("#option-3")).not.toHaveAttribute("aria-disabled", "true");
  expect(await calls(page, "decide")).toEqual([]);
  const before = (await calls(page, "shown")).length;
  await page.locator("#request-heading").focus();
  await page.keyboard.press("o");
  await expect(page.locator(".cut")).toHaveCount(0);
  expect(await calls(page, "opened")).toEqual([[5, 1, "fact"]]);
  await expect.poll(async () => (await calls(page, "shown")).length).toBeGreaterThan(before);
  await ready(page);
  await page.locator("#option-1").click();
  await expect.poll(() => calls(page, "decide")).toEqual([[5, 1, "yes", null]]);
});

test("letters typed into a reason do nothing else, and stay for the next look", async ({ page }) => {
  await openReady(page, "?open=1");
  await page.keyboard.press("r");
  await page.keyboard.type("1 o c jk ? / no, use make");
  expect(await calls(page, "decide")).toEqual([]);
  await expect(page.locator("dialog, #filter")).toHaveCount(0);
  await expect.poll(() => calls(page, "draft")).toContainEqual([1, "1 o c jk ? / no, use make"]);
  await happens(page, { show: { id: 2 } });
  await expect(page.locator("#request-heading")).toHaveText("Edit index.ts");
  await happens(page, { show: { id: 1 } });
  await expect(page.locator("#reason")).toHaveValue("1 o c jk ? / no, use make");
  await ready(page);
  await page.locator("#option-3").click();
  await expect.poll(() => calls(page, "decide")).toEqual([[1, 1, "deny", "1 o c jk ? / no, use make"]]);
});

test("a request that changed is protected anew and says so", async ({ page }) => {
  await openReady(page, "?open=1");
  await happens(page, { change: { id: 1, detail: { words: ["Something else"] } } });
  await expect(page.locator(".dock-notice")).toContainText("changed while you looked at it");
  await expect.poll(() => calls(page, "shown")).toContainEqual([1, 2]);
  await ready(page);
  await page.locator("#option-1").click();
  await expect.poll(() => calls(page, "decide")).toEqual([[1, 2, "allow", null]]);
});

test("input of no device is told as that", async ({ page }) => {
  await openReady(page, "?open=1");
  await happens(page, { noInput: true });
  await page.locator("#option-1").click();
  await expect(page.locator(".dock-notice")).toHaveText("That did not come from your keyboard or pointer. Nothing was sent.");
});

test("answered elsewhere: it says so, nothing moves, and one step leads on", async ({ page }) => {
  await openReady(page, "?open=1");
  const command = page.locator(".code pre");
  const dock = page.locator(".dock");
  await page.locator("#option-1").hover();
  const before = [await command.boundingBox(), await dock.boundingBox()];
  // A press that was meant for an option comes just as the way on appears.
  await page.evaluate(() => new MutationObserver((_, observer) => {
    const next = document.getElementById("next");
    if (!next) return;
    observer.disconnect();
    next.click();
  }).observe(document.body, { childList: true, subtree: true }));
  await happens(page, { settle: ELSEWHERE });
  await expect(page.locator(".outcome")).toHaveText("Answered in the terminal. Nothing was sent from Doorward.");
  expect([await command.boundingBox(), await dock.boundingBox()]).toEqual(before);
  await settled(page);
  await expect(page.locator("#request-heading")).toHaveText("Run a command");
  await expect.poll(() => page.evaluate(() => {
    document.getElementById("next")?.click();
    return document.getElementById("request-heading")?.textContent;
  })).toBe("Edit index.ts");
  expect(await calls(page, "decide")).toEqual([]);
});

test("asked back in the terminal, the card says that nobody said no", async ({ page }) => {
  await openReady(page, "?open=1");
  await page.locator("#option-0").click();
  await expect(page.locator(".outcome")).toContainText("Handed back by you.");
  expect(await calls(page, "abstain")).toEqual([[1]]);
});
