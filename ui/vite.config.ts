import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { golden } from "./golden.plugin.ts";
import { iconSprite } from "./icons.plugin.ts";

// What the window enforces; the preview does so too, so that a break shows in a browser.
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
  + "base-uri 'none'; form-action 'none'; frame-src 'none'; require-trusted-types-for 'script'";

const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Relative URLs: the built files are served from the binary under a custom scheme.
// No polyfill and nothing inlined: the page's policy allows no inline script and no data: URL.
// CSS is not rewritten for the target: light-dark() must reach the engine as written.
// `--mode view` builds the page for a plain browser; only then the stand-in for the broker is in it.
export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [svelte(), iconSprite(beside("../icons")), golden(beside("../tests/fixtures"))],
  build: {
    outDir: mode === "view" ? "dist-view" : "dist",
    target: "safari16",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssMinify: false,
  },
  preview: { headers: { "Content-Security-Policy": POLICY } },
  test: { include: ["tests/**/*.test.ts"] },
}));
