import type { Page } from "@playwright/test";
import { calls, expect, happens, openReady, ready, settled, test } from "./page.ts";

const PROPOSAL = "?many=0&with=proposal,crlf,mixed&open=1";

async function edit(page: Page, query = PROPOSAL): Promise<void> {
  await openReady(page, query);
  await page.keyboard.press("e");
  await expect(page.locator(".cm-content")).toBeFocused();
}

test("a proposal is edited, saved and sent with the keyboard alone", async ({ page }) => {
  await edit(page);
  // Of the style sheets the policy lets in only constructed ones: the editor looks like ours.
  await expect(page.locator(".cm-changedLine").first()).toHaveCSS("background-color", /oklch|rgb|color/);
  await expect(page.locator(".cm-scroller")).toHaveCSS("display", "flex");
  await expect(page.locator(".editor-words")).toHaveText("3 changes");
  for (const option of [1, 2]) await expect(page.locator(`#option-${option}`)).toContainText("Close the editor first.");
  await page.keyboard.press("F7");
  await expect(page.locator(".editor-words")).toHaveText("Change 1 of 3");
  await page.keyboard.press("Alt+r");
  await expect(page.locator(".editor-words")).toContainText("2 changes, not saved");
  await page.keyboard.press("F7");
  await page.keyboard.press("Alt+k");
  await expect(page.locator(".editor-words")).toContainText("1 change, not saved");
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("// 1 e r j mine");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+s");
  await expect(page.locator(".dock-notice")).toHaveText("Your version is here. Nothing was sent.");
  await expect(page.locator(".editor-words")).toContainText("saved");
  const [[id, text] = []] = await calls(page, "version");
  expect(id).toBe(1);
  expect(text).toMatch(/^\/\/ 1 e r j mine\nimport \{ reply \} from '..\/http';\n/);
  expect(text).toContain("perMinute: 100,");
  expect(text).toContain("trustProxy: true,");
  await page.keyboard.press("Escape");
  await expect(page.locator("[data-editor]")).toHaveCount(0);
  await expect(page.locator("#edit-here")).toBeFocused();
  await expect(page.locator(".diff .add").first()).toContainText("// 1 e r j mine");
  await ready(page);
  await page.keyboard.press("1");
  await page.keyboard.press("Enter");
  await expect.poll(() => calls(page, "decide")).toEqual([[1, 2, "allow", null, text]]);
});

test("undo and search work, and Escape closes the search before the editor", async ({ page }) => {
  await edit(page);
  await page.keyboard.type("abc");
  await expect(page.locator(".editor-words")).toContainText("not saved");
  // Typed slowly, it is undone in several steps.
  for (const _ of "abc") await page.keyboard.press("Control+z");
  await expect(page.locator(".editor-words")).not.toContainText("not saved");
  await page.keyboard.press("Control+f");
  await expect(page.locator(".cm-search [name=search]")).toBeFocused();
  await page.keyboard.type("burst");
  await expect(page.locator(".cm-searchMatch")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await expect(page.locator(".cm-search")).toHaveCount(0);
  await expect(page.locator("[data-editor]")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(page.locator("[data-editor]")).toHaveCount(0);
  expect(await calls(page, "version")).toEqual([]);
});

test("leaving with unsaved changes asks, and another request opened meanwhile loses nothing", async ({ page }) => {
  await edit(page);
  await page.keyboard.type("// mine ");
  await page.keyboard.press("Escape");
  await expect(page.locator(".editor-ask")).toContainText("Your changes are not saved.");
  await expect(page.locator("#go-on-editing")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator(".cm-content")).toBeFocused();
  await happens(page, { show: { id: 2 } });
  await expect(page.locator("#request-heading")).toHaveText("Edit run.bat");
  await happens(page, { show: { id: 1 } });
  await expect(page.locator("#request-heading")).toHaveText("Edit limits.ts");
  await page.getByRole("button", { name: "Go on editing" }).click();
  await expect(page.locator(".cm-line").first()).toHaveText("// mine import { reply } from '../http';");
  await expect(page.locator(".editor-words")).toContainText("not saved");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard changes" }).click();
  await expect(page.locator("[data-editor]")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Go on editing" })).toHaveCount(0);
  expect(await calls(page, "version")).toEqual([]);
  expect(await calls(page, "decide")).toEqual([]);
});

test("no key in the editor decides", async ({ page }) => {
  await edit(page);
  for (const key of ["Control+1", "Control+2", "Control+Enter", "1", "Enter"]) await page.keyboard.press(key);
  await settled(page);
  expect(await calls(page, "decide")).toEqual([]);
  await expect(page.locator("[data-editor]")).toHaveCount(1);
});

test("CRLF goes back as CRLF, several kinds of line end are for one's own editor", async ({ page }) => {
  await edit(page, PROPOSAL.replace("open=1", "open=2"));
  await page.keyboard.press("Control+End");
  await page.keyboard.type("pause");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+s");
  await expect.poll(() => calls(page, "version")).toEqual([[2, "@echo off\r\nnode run.js --watch\r\npause\r\n"]]);
  await expect(page.locator("#option-1")).not.toContainText("cannot be sent");
  await happens(page, { show: { id: 3 } });
  await expect(page.locator("#request-heading")).toHaveText("Edit mixed.txt");
  await page.keyboard.press("e");
  await expect(page.locator(".editor-none")).toContainText("line endings of several kinds");
  await page.locator(".editor-none").getByRole("button", { name: "Edit in my editor" }).click();
  await expect.poll(() => calls(page, "edit")).toEqual([[3]]);
});

test("saving the agent's own text again takes the version back", async ({ page }) => {
  await edit(page);
  await page.keyboard.type("x");
  await page.keyboard.press("Control+s");
  await expect(page.locator(".editor-words")).toContainText("saved");
  await page.keyboard.press("Backspace");
  await expect(page.locator(".editor-words")).toContainText("not saved");
  await page.keyboard.press("Control+s");
  await expect.poll(async () => (await calls(page, "version")).at(-1)).toEqual([1, null]);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("tab")).toHaveCount(0);
});

test("a request that is settled under the editor leaves the text to be read", async ({ page }) => {
  await edit(page);
  await page.keyboard.type("// mine");
  await happens(page, { settle: { id: 1, end: "withdrawn", outcome: null, why: "elsewhere" } });
  await expect(page.locator(".editor .card-note")).toContainText("Your text was not sent");
  await expect(page.locator(".cm-content")).toHaveAttribute("contenteditable", "false");
  await expect(page.locator(".cm-line").first()).toContainText("// mine");
});

test("hidden characters are boxes in the editor, and stay in the text", async ({ page }) => {
  await openReady(page, PROPOSAL);
  await happens(page, { saved: { id: 1, text: "a\u202eb\u200bc\n" } });
  await expect(page.getByRole("tab", { name: "Your version" })).toBeVisible();
  await page.keyboard.press("e");
  await expect(page.locator(".cm-esc")).toHaveText(["[U+202E]", "[U+200B]"]);
  await page.keyboard.type("x");
  await page.keyboard.press("Control+s");
  await expect.poll(() => calls(page, "version")).toEqual([[1, "xa\u202eb\u200bc\n"]]);
});
