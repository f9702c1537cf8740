import { createServer } from "node:net";
import { defineConfig } from "@playwright/test";

/** A free port, chosen once; the workers read this file again and take the same. */
async function freePort(): Promise<string> {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(String(typeof address === "object" && address ? address.port : 0)));
    });
  });
}

process.env.VIEW_PORT ??= await freePort();
const url = `http://127.0.0.1:${process.env.VIEW_PORT}/`;

export default defineConfig({
  testDir: "tests",
  testMatch: "*.spec.ts",
  fullyParallel: true,
  forbidOnly: true,
  workers: 2,
  reporter: "line",
  expect: { timeout: 10_000 },
  use: {
    baseURL: url,
    viewport: { width: 900, height: 720 },
    launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
  },
  webServer: {
    command: `npx vite build --mode view --logLevel warn && npx vite preview --mode view --host 127.0.0.1 --port ${process.env.VIEW_PORT} --strictPort`,
    url,
    timeout: 60_000,
  },
});
