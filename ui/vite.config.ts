import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { iconSprite } from "./icons.plugin.ts";

// What the window enforces; the preview does so too, so that a break shows in a browser.
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
  + "base-uri 'none'; form-action 'none'; frame-src 'none'; require-trusted-types-for 'script'";

// Relative URLs: the built files are served from the binary under a custom scheme.
// No polyfill and nothing inlined: the page's policy allows no inline script and no data: URL.
// CSS is not rewritten for the target: light-dark() must reach the engine as written.
export default defineConfig({
  base: "./",
  plugins: [svelte(), iconSprite(fileURLToPath(new URL("../icons", import.meta.url)))],
  build: {
    target: "safari16",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssMinify: false,
  },
  preview: { headers: { "Content-Security-Policy": POLICY } },
  test: { include: ["tests/**/*.test.ts"] },
});
