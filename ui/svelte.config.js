import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

/** CSS stays in files: a policy of style-src 'self' refuses injected style elements. */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { css: "external", runes: true },
};
