#!/usr/bin/env node
// Starts the program of the package for this platform.
"use strict";

const { spawnSync } = require("node:child_process");

const { platform, arch } = process;
const libcs = platform === "linux" ? ["-gnu", "-musl"] : [""];
const file = platform === "win32" ? "pimem.exe" : "pimem";

function program() {
  for (const libc of libcs) {
    try {
      return require.resolve(`@pimem/cli-${platform}-${arch}${libc}/${file}`);
    } catch {}
  }
  console.error(`pimem: there is no package for ${platform} on ${arch}, or optional dependencies were left out`);
  process.exit(2);
}

// Interrupts are the program's to answer.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
const { status, signal, error } = spawnSync(program(), process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(`pimem: ${error.message}`);
  process.exit(2);
}
if (signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
process.exit(status ?? 2);
