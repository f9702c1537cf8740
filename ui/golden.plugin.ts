import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Connect, Plugin } from "vite";

/** The golden views as one list, each under the name of its recording. */
export function goldenViews(root: string): { name: string; detail: object }[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => /view-\d+\.json$/.test(path)).sort();
  return files.flatMap((path) => {
    const view: unknown = JSON.parse(readFileSync(join(root, path), "utf8"));
    // A hook event that makes no card has a sentence in place of a view.
    if (typeof view !== "object" || view === null || !("detail" in view)) return [];
    return [{ name: relative(".", path).replace(/\.json$/, ""), detail: { raw: "", ...(view.detail as object) } }];
  });
}

/** Serves them beside the page in a plain browser; nothing of it is built. */
export function golden(root: string): Plugin {
  const answer: Connect.NextHandleFunction = (_request, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(goldenViews(root)));
  };
  return {
    name: "doorward-golden-views",
    configureServer(server) { server.middlewares.use("/golden.json", answer); },
    configurePreviewServer(server) { server.middlewares.use("/golden.json", answer); },
  };
}
