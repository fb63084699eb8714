// Runs each measurement in its own process, because engines change the rest of theirs: on Node 20 one LangGraph run
// makes every later `await` slower.
import { spawn } from "node:child_process";

/**
 * Resolves to the JSON of the script's last line, or to `{failure}`: `timeout`, `killed by SIGSEGV`, or the last line
 * of stderr.
 */
export function runAlone(script, args, timeoutMs, nodeFlags = []) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...nodeFlags, script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let complaint = "";
    let late = false;
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      complaint = (complaint + text).slice(-4000);
    });
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    child.on("error", (error) => {
      clearTimeout(timer);
      resolve({ failure: error.message });
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve(late ? { failure: "timeout" } : answer(code, signal, out, complaint));
    });
  });
}

function answer(code, signal, out, complaint) {
  if (signal) return { failure: `killed by ${signal}` };
  const line = out.trimEnd().split("\n").pop();
  if (code === 0) {
    try {
      return JSON.parse(line);
    } catch {
      return { failure: "printed no result" };
    }
  }
  const error = complaint.split("\n").find((text) => /^\s*(\w*Error|Error)\b.*:/.test(text));
  return { failure: (error ?? `exit code ${code}`).trim().slice(0, 120) };
}
