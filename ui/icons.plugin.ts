import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** Folders whose icons the page draws; tray icons are drawn by the desktop. */
const FOLDERS = ["mark", "option", "tool", "ui"];

function symbol(folder: string, file: string, root: string): string {
  const source = readFileSync(join(root, folder, file), "utf8");
  const box = /viewBox="([^"]+)"/.exec(source)?.[1] ?? "0 0 16 16";
  const inner = source.replace(/^[\s\S]*?<svg[^>]*>/, "").replace(/<\/svg>\s*$/, "").trim();
  return `<symbol id="${folder}-${file.replace(".svg", "")}" viewBox="${box}">${inner}</symbol>`;
}

/**
 * Puts our own icons as one sprite into index.html when it is built, so the running page
 * never parses markup and never fetches an image.
 */
export function iconSprite(root: string): Plugin {
  return {
    name: "doorward-icon-sprite",
    transformIndexHtml(html) {
      const symbols = FOLDERS.flatMap((folder) =>
        readdirSync(join(root, folder))
          .filter((file) => file.endsWith(".svg"))
          .sort()
          .map((file) => symbol(folder, file, root)),
      );
      return html.replace("<!--icons-->", `<svg class="sprite" aria-hidden="true">${symbols.join("")}</svg>`);
    },
  };
}
