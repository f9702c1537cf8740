import { calls, expect, focused, happens, openReady, ready, settled, test } from "./page.ts";

const PLANS = "?many=1&with=replanned,sameplan&open=2";
const NOTE = "On “Load search.json on first focus”: on the first key, not on focus";

test("a note is written, kept and sent with a rejection, with the keyboard alone", async ({ page }) => {
  await openReady(page, PLANS);
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("j");
  await expect(page.locator(":focus")).toHaveAttribute("aria-label", "Add a note on step 2: Load search.json on first focus");
  await page.keyboard.press("n");
  expect(await focused(page)).toBe("note-4");
  await page.keyboard.type("on the first key, not on focus");
  await page.keyboard.press("Escape");
  expect(await focused(page)).toBe("part-4");
  await expect(page.locator("#option-3")).toContainText("Sends your note.");
  // It outlives the page's card as a draft.
  await expect.poll(async () => (await calls(page, "draft")).at(-1)?.[1]).toContain('"notes":[{"at":4');
  await happens(page, { show: { id: 1 } });
  await expect(page.locator("#request-heading")).toHaveText("Run a command");
  await happens(page, { show: { id: 2 } });
  await expect(page.locator("#note-4")).toHaveValue("on the first key, not on focus");
  await expect(page.locator("#reason")).toHaveValue("");
  await page.keyboard.press("r");
  await page.keyboard.type("Then again.");
  await page.keyboard.press("Escape");
  await ready(page);
  await page.keyboard.press("3");
  await page.keyboard.press("Enter");
  await expect.poll(() => calls(page, "decide")).toEqual([[2, 1, "deny", `${NOTE}\n\nThen again.`]]);
  // The reason is offered for the next rejection on this page.
  await expect(page.locator("#request-heading")).toHaveText("Run a command");
  await page.getByRole("button", { name: "Then again." }).click();
  await expect(page.locator("#reason")).toHaveValue("Then again.");
  await expect(page.locator("#reason")).toBeFocused();
});

test("an allow that would leave notes unsent asks once, in place, and takes no focus", async ({ page }) => {
  await openReady(page, PLANS);
  await page.keyboard.press("n");
  await page.keyboard.press("n");
  await page.keyboard.type("why?");
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  await page.keyboard.press("Enter");
  await expect(page.locator(".dock-notice")).toHaveText("1 note of yours would not be sent. Choose again to go on without it.");
  expect(await focused(page)).toBe("option-1");
  // A second press that came with the first does not count.
  await page.keyboard.press("Enter");
  await settled(page);
  expect(await calls(page, "decide")).toEqual([]);
  await ready(page);
  // Another allow asks for itself.
  await page.locator("#option-2").click();
  await ready(page);
  expect(await calls(page, "decide")).toEqual([]);
  await page.locator("#option-2").click();
  await expect.poll(() => calls(page, "decide")).toEqual([[2, 1, "allow:mode:acceptEdits", null]]);
});

test("an emptied note is none", async ({ page }) => {
  await openReady(page, PLANS);
  await page.locator(".plan-line").nth(1).click();
  expect(await focused(page)).toBe("note-1");
  await page.keyboard.type("x");
  await page.keyboard.press("Backspace");
  await page.locator("#request-heading").focus();
  await expect(page.locator(".note")).toHaveCount(0);
  await page.locator("#option-1").click();
  await expect.poll(() => calls(page, "decide")).toEqual([[2, 1, "allow:mode:default", null]]);
});

test("a note whose part is gone from a changed plan is kept apart", async ({ page }) => {
  await openReady(page, PLANS);
  await page.locator("#part-4").click();
  await page.keyboard.type("why?");
  await happens(page, { change: { id: 2, detail: { planBlocks: [{ type: "paragraph", spans: [{ text: "Another plan", style: "plain", target: null }] }] } } });
  await expect(page.locator(".notes-lost")).toContainText("a part that is no longer there: “Load search.json on first focus”");
  await expect(page.locator(".notes-lost")).toContainText("why?");
  await page.getByRole("button", { name: "Remove the note" }).click();
  await expect(page.locator(".notes-lost")).toHaveCount(0);
});

test("a plan is shown against the last one of its session", async ({ page }) => {
  await openReady(page, PLANS);
  await page.getByRole("button", { name: "Changes since the last plan" }).click();
  await expect(page.locator(".diff .add .text")).toHaveText(["1. Add scripts/build-index.ts", "3. Delete the worker", "4. Run the tests and the size check"]);
  await expect(page.locator(".card-foot").first()).toHaveText("3 lines are new and 2 are gone since this session’s last plan.");
  await page.locator("#request-heading").focus();
  await page.keyboard.press("j");
  await expect(page.locator(".is-here")).toContainText("Add scripts/index.ts");
  await happens(page, { show: { id: 3 } });
  await page.getByRole("button", { name: "Changes since the last plan" }).click();
  await expect(page.getByText("The same as this session’s last plan.")).toBeVisible();
  await openReady(page, "?open=4");
  await expect(page.getByRole("button", { name: "As text" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Changes since the last plan" })).toHaveCount(0);
});

test("where rejections carry no words, a plan takes no notes and the card says so", async ({ page }) => {
  await openReady(page, PLANS);
  await happens(page, { change: { id: 2, detail: { affordances: { feedback: false, amend: false } } } });
  await expect(page.getByText("cannot carry feedback here")).toBeVisible();
  await expect(page.locator(".plan-line, #reason")).toHaveCount(0);
  await page.keyboard.press("n");
  await settled(page);
  await expect(page.locator(".note")).toHaveCount(0);
});
