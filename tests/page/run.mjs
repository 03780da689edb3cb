// Looks at the pages of `--html` in headless Chromium: nothing runs, nothing is loaded,
// nothing is wrong for a screen reader, and nothing is wider than the window.
//
//     node run.mjs PIMEM CHROMIUM STORES SCREENSHOTS
//
// playwright-core and axe-core are taken from NODE_PATH.

import { createRequire } from "node:module";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [pimem, chromium, stores, screenshots] = process.argv.slice(2);
const require = createRequire(`${process.env.NODE_PATH}/`);
const { chromium: browsers } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const HOSTILE = [
  "<script>document.title = 'owned'</script>",
  "\"><img src=x onerror=\"document.title='owned'\">",
  "</td></tr></table></main><h1>Mine</h1>",
  "[[</text></svg><script>document.title='owned'</script>]] and [[other]]",
  "[[\" onload=\"document.title='owned']] and [[other]]",
  "<a href=\"javascript:document.title='owned'\">here</a>",
  "</style><style>body{display:none}</style>",
  "<iframe srcdoc=\"<script>parent.document.title='owned'</script>\"></iframe>",
  "<svg onload=\"document.title='owned'\">",
  "<meta http-equiv=refresh content=\"0;url=http://example.org\">",
  "averylongwordwithoutabreak".repeat(40),
  "wide 漢字かな交じり文 and e\u0301 combining",
];

const root = mkdtempSync(join(tmpdir(), "pimem-page-"));
const failures = [];

function page(name, store, lines, words = ["report"], ...options) {
  const home = join(root, name);
  const project = join(home, name);
  mkdirSync(join(project, ".pi/memory/topics"), { recursive: true });
  if (store) cpSync(join(stores, store), project, { recursive: true });
  if (store) cpSync(join(stores, "../telemetry/memory-telemetry.jsonl"), join(project, ".pi/data/memory-telemetry.jsonl"));
  if (lines) writeFileSync(join(project, ".pi/memory/topics/lessons.md"), lines.map((line) => `- [lesson] ${line}\n`).join(""));
  // The table embeds at once, where the transformer of a build for tests takes a minute.
  const env = { PATH: process.env.PATH, HOME: home, CI: "true", PIMEM_NOW: "2026-06-30T18:00:00Z", PIMEM_EMBEDDING_MODEL: "static" };
  const run = (...words) => execFileSync(pimem, words, { cwd: project, env, stdio: ["ignore", "pipe", "ignore"] });
  run("trust", "--all");
  const file = join(root, `${name}.html`);
  writeFileSync(file, run(...words, "--html", ...options));
  return file;
}

const pages = {
  harbor: page("harbor", "harbor"),
  empty: page("empty"),
  hostile: page("hostile", null, HOSTILE),
  redacted: page("redacted", "harbor", null, ["report"], "--redact"),
  compared: page("compared", "harbor", null, ["report", "--since", "2026-06-20T12:00:00Z"]),
  comparedHostile: page("compared-hostile", null, HOSTILE, ["report", "--since", "2026-06-20T12:00:00Z"]),
};

const browser = await browsers.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
mkdirSync(screenshots, { recursive: true });
for (const [name, file] of Object.entries(pages)) {
  for (const width of [400, 900, 1400]) {
    for (const colorScheme of ["light", "dark"]) {
      const where = `${name} at ${width}, ${colorScheme}`;
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const tab = await context.newPage();
      const said = [];
      tab.on("console", (message) => said.push(message.text()));
      tab.on("pageerror", (error) => said.push(String(error)));
      tab.on("dialog", (dialog) => said.push(`dialog ${dialog.message()}`));
      tab.on("request", (request) => {
        if (request.url() !== `file://${file}`) said.push(`request ${request.url()}`);
      });
      await tab.goto(`file://${file}`);
      const seen = await tab.evaluate(() => ({
        title: document.title,
        scripts: document.scripts.length,
        frames: document.querySelectorAll("iframe, img, object, embed, form").length,
        headings: document.querySelectorAll("h1").length,
        wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      }));
      if (seen.scripts || seen.frames || seen.headings !== 1 || seen.title === "owned") said.push(JSON.stringify(seen));
      if (seen.wider > 0) said.push(`${seen.wider} pixels wider than the window`);
      await tab.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      await context.close();
      // What a screen reader gets depends on colours and on what has to be scrolled.
      const alike = width !== 400 && colorScheme === "dark" || width === 900;
      if (alike) {
        failures.push(...said.map((line) => `${where}: ${line}`));
        continue;
      }
      // The policy of the page allows no script, not even that of the check.
      const bare = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
      const checked = await bare.newPage();
      await checked.goto(`file://${file}`);
      await checked.evaluate(axe);
      const found = await checked.evaluate(() => window.axe.run());
      for (const violation of found.violations) {
        const nodes = violation.nodes.slice(0, 3).map((node) => node.html.slice(0, 120));
        said.push(`${violation.id}: ${violation.help}: ${nodes.join(" | ")}`);
      }
      if (found.passes.length < 10) said.push(`only ${found.passes.length} rules were tried`);
      await bare.close();
      failures.push(...said.map((line) => `${where}: ${line}`));
    }
  }
}
// By keyboard: the first stop skips to the content, and every table can be scrolled.
const context = await browser.newContext({ viewport: { width: 400, height: 900 } });
const tab = await context.newPage();
await tab.goto(`file://${pages.harbor}`);
await tab.keyboard.press("Tab");
const first = await tab.evaluate(() => document.activeElement?.getAttribute("href"));
if (first !== "#main") failures.push(`the first stop is ${first}`);
const hidden = await tab.evaluate(() => [...document.querySelectorAll(".scroll")].filter((part) => part.tabIndex !== 0).length);
if (hidden) failures.push(`${hidden} tables cannot be reached`);
// On paper nothing is hidden in a scrolled part.
await tab.emulateMedia({ media: "print" });
const cut = await tab.evaluate(() => [...document.querySelectorAll(".scroll")].filter((part) => getComputedStyle(part).overflowX === "auto").length);
if (cut) failures.push(`${cut} tables are cut on paper`);
// The pictures of the documents, which docs/pictures has with fewer colours.
for (const [name, colorScheme, place, height] of [["page", "light", "", 760], ["fades", "dark", "#ahead", 640]]) {
  const context = await browser.newContext({ viewport: { width: 1100, height }, colorScheme });
  const tab = await context.newPage();
  await tab.goto(`file://${pages.harbor}${place}`);
  await tab.screenshot({ path: join(screenshots, `docs-${name}.png`) });
}
await browser.close();
rmSync(root, { recursive: true });
for (const failure of failures) console.error(failure);
console.log(`${Object.keys(pages).length} pages at 3 widths in 2 schemes: ${failures.length ? `${failures.length} findings` : "no finding"}`);
process.exit(failures.length ? 1 : 0);
