import { fileURLToPath } from "node:url";
import { goldenViews } from "../golden.plugin.ts";
import type { Detail } from "../src/bridge/types";
import { expect, happens, overflows, test } from "./page.ts";

const VIEWS = goldenViews(fileURLToPath(new URL("../../tests/fixtures", import.meta.url))) as { name: string; detail: Detail }[];
const SHOTS = process.env.VIEW_SHOTS;

/** What makes two requests look different; one picture of each is enough to look at. */
function kind({ detail }: { detail: Detail }): string {
  const shape = detail.plan ? "plan" : detail.files.length > 0 ? detail.files.map((file) => file.status).join("+") : detail.toolCall.kind;
  return [detail.source, shape, detail.folds.length > 0 ? "folded" : "", ...detail.marks].filter(Boolean).join(" ");
}

test("the recorded requests are there", () => {
  expect(VIEWS.length).toBeGreaterThan(100);
  expect(new Set(VIEWS.map(kind)).size).toBeGreaterThan(8);
});

for (const width of [380, 1400]) {
  test(`recorded requests show their facts and their options in order, ${width} px wide`, async ({ page }) => {
    test.setTimeout(60_000);
    await page.setViewportSize({ width, height: 800 });
    await page.goto("?golden&open=1");
    const seen = new Set<string>();
    for (const [index, view] of VIEWS.entries()) {
      // The narrow page, where it is tightest, shows them all; the wide one shows one of each kind.
      if (width > 380 && seen.has(kind(view))) continue;
      await happens(page, { show: { id: index + 1 } });
      const { detail, name } = view;
      const title = page.locator("#request-heading");
      await expect(title, name).toHaveText(plain(detail.heading));
      await expect(page.locator(".option-label"), name).toHaveText([...detail.options.map((option) => plain(option.name)), "Ask me there"]);
      if (detail.fact !== null && detail.folds.length === 0) {
        await expect(page.locator(".code pre").first(), name).toContainText(plain(detail.fact).trim(), { useInnerText: false });
      }
      await expect(page.locator(".card.file"), name).toHaveCount(detail.files.length);
      expect(await overflows(page), `${name} scrolls sideways`).toBe(false);
      if (seen.has(kind(view))) continue;
      seen.add(kind(view));
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/${width} ${kind(view)}.png` });
    }
  });
}

/** As the page has it in its text: whitespace as a reader of the page sees it. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ");
}
