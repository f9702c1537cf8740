import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";
import { expect } from "./page.ts";

/** To be evaluated once in a page before `accessible` is asked. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function accessible(page: Page, place: string, options: RunOptions): Promise<void> {
  const { violations } = await page.evaluate((how) =>
    (window as unknown as { axe: { run(options: unknown): Promise<AxeResults> } }).axe.run(how), { ...options, resultTypes: ["violations"] });
  expect(violations.map(({ id, impact, nodes }) => `${place}: ${impact} ${id} ${nodes[0]?.html}`)).toEqual([]);
}
