import { calls, expect, happens, openReady, ready, settled, test } from "./page.ts";

const PROPOSAL = "?many=0&with=proposal,crlf,mixed&open=1";
const MINE = "export const limits = {};\n";

test("a save in one's own editor arrives as a version, and an allow sends it", async ({ page }) => {
  await openReady(page, PROPOSAL);
  await page.keyboard.press("Shift+E");
  await expect(page.locator(".proposal-note")).toHaveText("Opened in VS Code. A save there arrives here as your version and sends nothing.");
  expect(await calls(page, "edit")).toEqual([[1]]);
  await happens(page, { saved: { id: 1, text: MINE } });
  await expect(page.locator(".dock-notice")).toHaveText("Your version is here. Nothing was sent.");
  await expect(page.getByRole("tab", { name: "Your version" })).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(".diff .add .text")).toHaveText(["export const limits = {};"]);
  await expect(page.locator("#option-1")).toContainText("Sends your version. Nothing is saved.");
  await expect(page.locator("#option-3")).not.toContainText("your version");
  await ready(page);
  await page.keyboard.press("1");
  await page.keyboard.press("Enter");
  await expect.poll(() => calls(page, "decide")).toEqual([[1, 2, "allow", null, MINE]]);
  await expect(page.locator("#request-heading")).toHaveText("Edit run.bat");
  await happens(page, { show: { id: 1 } });
  await expect(page.locator(".outcome")).toContainText("You chose “Yes” with your version. Delivered.");
});

test("a rejection sends no text, and the agent's own is sent only once the version is discarded", async ({ page }) => {
  await openReady(page, PROPOSAL);
  await happens(page, { saved: { id: 1, text: MINE } });
  await page.getByRole("tab", { name: "Your version" }).focus();
  await page.keyboard.press("ArrowRight");
  const agents = page.getByRole("tab", { name: "Claude Code’s proposal" });
  await expect(agents).toBeFocused();
  await expect(agents).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(".versions")).toContainText("An allow sends your version, not this one.");
  await expect(page.locator(".diff")).toContainText("perMinute: 60");
  await expect(page.locator("#option-1")).toContainText("Sends your version.");
  await page.getByRole("button", { name: "Discard my version" }).click();
  await expect(page.getByRole("tab")).toHaveCount(0);
  expect(await calls(page, "version")).toEqual([[1, null]]);
  // What was thrown away can be had back while the card is open.
  await page.getByRole("button", { name: "Bring it back" }).click();
  await expect(page.getByRole("tab", { name: "Your version" })).toBeVisible();
  await ready(page);
  await page.locator("#option-3").click();
  await expect.poll(() => calls(page, "decide")).toEqual([[1, 4, "deny", null]]);
});

test("without a version the agent's text goes as it is", async ({ page }) => {
  await openReady(page, PROPOSAL);
  await happens(page, { saved: { id: 1, text: MINE } });
  await page.getByRole("button", { name: "Discard my version" }).click();
  await expect(page.getByRole("tab")).toHaveCount(0);
  await expect(page.locator("#option-1")).not.toContainText("your version");
  await ready(page);
  await page.locator("#option-1").click();
  await expect.poll(() => calls(page, "decide")).toEqual([[1, 3, "allow", null]]);
});

test("a version that cannot be sent says why, and no allow goes out", async ({ page }) => {
  await openReady(page, PROPOSAL.replace("open=1", "open=2"));
  await happens(page, { saved: { id: 2, text: "@echo off\n" } });
  await expect(page.locator(".banner-mark")).toHaveText("Your version cannot be sent. The agent’s tool ends every line of this file with CRLF; your version does not.");
  for (const option of [1, 2]) {
    await expect(page.locator(`#option-${option}`)).toHaveAttribute("aria-disabled", "true");
    await expect(page.locator(`#option-${option}`)).toContainText("Would send your version, which cannot be sent.");
  }
  await ready(page);
  await page.locator("#option-1").click({ force: true });
  await settled(page);
  expect(await calls(page, "decide")).toEqual([]);
  await page.locator("#option-3").click();
  await expect.poll(() => calls(page, "decide")).toEqual([[2, 2, "deny", null]]);
});

test("an editor that does not open says so, and ACP says why nothing can be edited", async ({ page }) => {
  await openReady(page, `${PROPOSAL}&no-editor`);
  await page.keyboard.press("Shift+E");
  await expect(page.locator(".proposal-note")).toHaveText("Your editor was not opened. No editor is set up.");
  await openReady(page, "?open=2");
  await expect(page.getByText("ACP carries no changed text")).toBeVisible();
  await page.keyboard.press("e");
  await page.keyboard.press("Shift+E");
  await settled(page);
  expect(await calls(page, "edit")).toEqual([]);
  await expect(page.locator("[data-editor]")).toHaveCount(0);
});
